"""LabelDist at every threshold, exactly, as a step function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.scores import effective_threshold, paired_scores


@dataclass(frozen=True, eq=False)
class Curve:
    """A step function of the threshold.

    Attributes
    ----------
    breakpoints : float64 array (M,)
        Ascending, distinct scores at which the function may change.
    values : float64 array (M + 1,)
        ``values[i]`` holds for thresholds in ``(breakpoints[i - 1], breakpoints[i]]``; the first for all thresholds at
        or below the first breakpoint, the last for all above the last one. A score equal to the threshold has the
        label, so a step lies just above its breakpoint. See `effective_threshold`.
    """

    breakpoints: np.ndarray
    values: np.ndarray

    def at(self, thresholds: ArrayLike) -> np.ndarray:
        """Values at any thresholds: float64, the shape of `thresholds`.

        Examples
        --------
        >>> Curve(np.array([0.5]), np.array([1.0, 0.0])).at([0.5, 0.6])
        array([1., 0.])
        """
        return self.values[
            np.searchsorted(self.breakpoints, effective_threshold(thresholds, self.breakpoints), side="left")
        ]


def label_dist_curve(original: ArrayLike, perturbed: ArrayLike) -> Curve:
    """LabelDist as a function of the threshold, exact everywhere.

    A sentence is in the union of a name's two label sets iff ``max(f(x), f(x_n)) >= c`` and in their intersection iff
    ``min(f(x), f(x_n)) >= c``. Going down from the largest score, each maximum adds one to its name's union and each
    minimum one to its intersection, which changes that name's Jaccard distance by a known step; the curve is the
    running sum of all names' steps in the order of their scores. Time O(SN log SN), memory O(SN).

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)

    Returns
    -------
    Curve
        Mean over names of ``1 - |A∩B_n| / |A∪B_n|``, in [0, 1]; larger = more labels change. Both sets empty gives 0.

    Raises
    ------
    CubeError
        As `paired_scores`.

    Notes
    -----
    Prabhakaran et al. 2019, section 2 (LabelDist) and figure 2.

    Examples
    --------
    >>> label_dist_curve([0.2, 0.8], [[0.6], [0.8]]).at([0.1, 0.5, 0.7])
    array([0. , 0.5, 0. ])
    """
    base, perturbed = paired_scores(original, perturbed)
    breakpoints, ranks = np.unique(np.concatenate([base[None], perturbed.T]), return_inverse=True)
    running = np.cumsum(_jaccard_steps(ranks[0], ranks[1:], len(breakpoints))[::-1]) / perturbed.shape[1]
    values = np.append(running[::-1], 0.0)
    # Running sums come within rounding of 0 and 1, not on them; a true value is at least 1/SN away, or there.
    values[values < 0.5 / perturbed.size] = 0.0
    values[values > 1 - 0.5 / perturbed.size] = 1.0
    return Curve(breakpoints, values)


def _jaccard_steps(base: np.ndarray, perturbed: np.ndarray, distinct: int) -> np.ndarray:
    """What each distinct score adds, going down, to the sum of the names' Jaccard distances: float64 array (distinct,).

    `base` (S,) and `perturbed` (N, S) are ranks of scores, from 0 up.
    """
    # A maximum is odd and so comes before a minimum of the same score: no union is ever empty.
    events = np.concatenate([2 * np.maximum(base, perturbed) + 1, 2 * np.minimum(base, perturbed)], axis=1)
    events = np.sort(events.astype(np.min_scalar_type(2 * distinct)), axis=1)[:, ::-1]
    in_union = np.cumsum(events & 1, axis=1, dtype=np.int32)
    in_intersection = np.arange(1, events.shape[1] + 1, dtype=np.int32) - in_union
    steps = -np.diff(in_intersection / in_union, axis=1, prepend=1.0)
    return np.bincount((events >> 1).ravel(), weights=steps.ravel(), minlength=distinct)
