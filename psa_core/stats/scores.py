"""Shared by all statistics: checked float64 scores, labels at a threshold, differences from a baseline."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError, OptionError

Baseline = Literal["original", "names"]
FLOAT32_ROUNDING = 1e-7
#: Names that are taken hundreds of times; see `subsample_names`.
MAX_NAMES = 2_000


def paired_scores(original: ArrayLike, perturbed: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Scores of one target as float64, after checking that they belong together.

    Parameters
    ----------
    original : array (S,)
        Scores of the sentences as they are, on the target's scale.
    perturbed : array (S, N)
        ``perturbed[s, n]`` is the score of sentence ``s`` with name ``n``.

    Returns
    -------
    original, perturbed : float64 arrays (S,), (S, N)
        The same values; float32 scores are widened exactly, so that sums lose nothing.

    Raises
    ------
    CubeError
        When they are no arrays of numbers, shapes disagree, there is no sentence or no name, or a score is not finite.

    Examples
    --------
    >>> paired_scores([0.5], [[0.25, 1.0]])[1].shape
    (1, 2)
    """
    try:
        base, perturbed = _float64(original), _float64(perturbed)
    except (TypeError, ValueError, OverflowError) as error:
        raise CubeError(
            "scores of one target",
            got="what is no array of numbers",
            expected="original (S,) and perturbed (S, N), rows of one length",
        ) from error
    if base.ndim != 1 or perturbed.ndim != 2 or len(base) != len(perturbed):
        raise CubeError(
            "scores of one target",
            got=f"original {base.shape} and perturbed {perturbed.shape}",
            expected="original (S,) and perturbed (S, N)",
        )
    if perturbed.size == 0:
        raise CubeError(
            "scores of one target",
            got=f"{perturbed.shape[0]} sentences and {perturbed.shape[1]} names",
            expected="at least one of each",
        )
    if not (np.isfinite(base).all() and np.isfinite(perturbed).all()):
        raise CubeError(
            "scores of one target", got="missing or infinite values", expected="a finite score in each cell"
        )
    return base, perturbed


def checked_thresholds(thresholds: ArrayLike) -> np.ndarray:
    """Thresholds as float64, any shape; raises `OptionError` when one is not a finite number."""
    try:
        checked = _float64(thresholds)
    except (TypeError, ValueError, OverflowError) as error:
        raise OptionError("threshold", got=repr(thresholds)[:60], expected="a finite number, or several") from error
    if not np.isfinite(checked).all():
        raise OptionError("threshold", got="a missing or infinite value", expected="a finite number")
    return checked


def effective_threshold(thresholds: ArrayLike, *scores: np.ndarray) -> np.ndarray:
    """The lowest score that reaches each threshold: float64, the shape of `thresholds`.

    Scores are kept as float32, where 0.7 is 0.69999999 and 0.3 is 0.30000001. A score that is written like its
    threshold reaches it, so a threshold is lowered to its own float32 value where that is the smaller one. Where
    `scores` are given that float32 does not hold exactly, they were never rounded, and thresholds stay as they are.

    Examples
    --------
    >>> bool(np.float32(0.7) >= effective_threshold(0.7)), bool(0.3 >= effective_threshold(0.3))
    (True, True)
    """
    exact = checked_thresholds(thresholds)
    with np.errstate(over="ignore"):
        if any(not np.array_equal(given.astype(np.float32), given, equal_nan=True) for given in scores):
            return exact
        kept = exact.astype(np.float32).astype(np.float64)
    is_close = np.abs(kept - exact) <= FLOAT32_ROUNDING * np.abs(exact)
    return np.where(is_close, np.minimum(kept, exact), exact)


def labels_at(scores: ArrayLike, threshold: float) -> np.ndarray:
    """Which scores get the label: ``score >= threshold``.

    A score of 0.7 reaches a threshold of 0.7, though its 32-bit reading is a little less than the 64-bit one; see
    `effective_threshold`, which every comparison with a threshold uses.

    Returns
    -------
    bool array, the shape of `scores`

    Examples
    --------
    >>> labels_at(np.array([0.69, 0.7], dtype=np.float32), 0.7)
    array([False,  True])
    """
    exact = np.asarray(scores, dtype=np.float64)
    return exact >= effective_threshold(threshold, exact)


def baseline_differences(original: ArrayLike, perturbed: ArrayLike, *, baseline: Baseline = "original") -> np.ndarray:
    """Difference of each perturbed score from its sentence's baseline.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
    baseline : {"original", "names"}
        ``original`` subtracts ``f(x)`` (the paper); ``names`` subtracts the mean over names of the same sentence, which
        shows names against names, since a pronoun is not a name.

    Returns
    -------
    float64 array (S, N)
        Signed; positive where the name raises the score.

    Raises
    ------
    CubeError
        As `paired_scores`, and for fewer than two names with the baseline ``names``.

    Examples
    --------
    >>> baseline_differences([0.5], [[0.25, 0.75]], baseline="names")
    array([[-0.25,  0.25]])
    """
    base, perturbed = paired_scores(original, perturbed)
    if baseline not in get_args(Baseline):
        raise OptionError("baseline", got=repr(baseline), expected=" or ".join(get_args(Baseline)))
    if baseline == "original":
        return perturbed - base[:, None]
    if perturbed.shape[1] < 2:
        raise CubeError("names", got="1 name", expected="at least two names to compare names with each other")
    return perturbed - perturbed.mean(axis=1, keepdims=True)


def effect_differences(original: ArrayLike, perturbed: ArrayLike, *, baseline: Baseline = "original") -> np.ndarray:
    """Differences whose mean over sentences is each name's effect: float64 array (S, N).

    As `baseline_differences`, but the names' baseline is the typical name (the median over names of their mean scores),
    since a mean over names moves with a few unusual ones; see `name_effects`.

    Examples
    --------
    >>> effect_differences([0.5], [[0.25, 0.25, 0.75]], baseline="names")
    array([[0. , 0. , 0.5]])
    """
    differences = baseline_differences(original, perturbed, baseline=baseline)
    if baseline == "original":
        return differences
    return differences - np.median(differences.mean(axis=0))


def sensitivities(original: ArrayLike, perturbed: ArrayLike) -> np.ndarray:
    """Mean over names of ``|f(x_n) - f(x)|``: float64 array (S,), at least 0; larger = more sensitive sentence."""
    return np.abs(baseline_differences(original, perturbed)).mean(axis=1)


def _float64(values: ArrayLike) -> np.ndarray:
    """Numbers as float64; unlike NumPy it reads none out of strings, and drops no imaginary part."""
    given = np.asarray(values)
    if given.dtype.kind not in "biufO":
        raise TypeError(f"no numbers: {given.dtype}")
    return given.astype(np.float64, copy=False)


def subsample_names(perturbed: np.ndarray, seed: int) -> np.ndarray:
    """The scores of at most `MAX_NAMES` of the names, at random and in their order: float64 (S, N) to (S, n).

    For what takes each of them hundreds of times, and is a mean over names.
    """
    names = perturbed.shape[1]
    if names <= MAX_NAMES:
        return perturbed
    return perturbed[:, np.sort(np.random.default_rng(seed).choice(names, MAX_NAMES, replace=False))]
