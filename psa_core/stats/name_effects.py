"""Each name's effect against the typical name of the list, with interval and test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.intervals import CONFIDENCE
from psa_core.stats.permutation import blocks_of, dealt_sums, draws_for, two_sided_share
from psa_core.stats.scores import paired_scores
from psa_core.stats.significance import SIGNIFICANT, adjust

ROUNDING = 1e-12
NORMAL_SPREAD = 1.4826


class NameEffects(NamedTuple):
    """Effects of names against the typical name, float64 arrays (N,).

    Attributes
    ----------
    value : array
        A name's mean score minus the median of all names' mean scores; signed, on the scale of the scores.
    low, high : array
        95 % interval over sentences. NaN for one sentence.
    p_value : array
        Two-sided, not yet corrected for the number of names. NaN for one sentence.
    standardised : array
        The value over the standard deviation of the sentences' differences (d_z); NaN where that is not defined.
    error : array
        Standard error of the value.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    standardised: np.ndarray
    error: np.ndarray


def name_effects(perturbed: ArrayLike, *, seed: int = 0) -> NameEffects:
    """Each name against the typical name: the median over names of their mean scores.

    A median, since a mean over names moves with a few of them: two names that a lexicon knows would "move" 98 others
    the other way. A name is sure when two tests agree. The t-test over sentences judges it by its own spread, whatever
    the other names do. The permutation test deals the names of each sentence anew and asks how often any name would
    look like this, whatever the scores' distribution: it is exact where no name differs, also for rare events and ties.
    Names that are sure at first are judged once more against the others alone: they do not vouch for each other.

    Parameters
    ----------
    perturbed : array (S, N)
        ``perturbed[s, n]`` is the score of sentence ``s`` with name ``n``.
    seed : int
        The same seed gives the same answer.

    Returns
    -------
    NameEffects

    Raises
    ------
    CubeError
        As `paired_scores`, and for fewer than two names.

    Examples
    --------
    >>> name_effects([[0.5, 0.5, 0.75], [0.25, 0.25, 0.5]]).value.tolist()
    [0.0, 0.0, 0.25]
    """
    _, perturbed = paired_scores(np.zeros(len(np.asarray(perturbed))), perturbed)
    sentences, names = perturbed.shape
    if names < 2:
        raise CubeError("names", got="1 name", expected="at least two names to compare names with each other")
    if sentences == 1:
        unknown = np.full(names, np.nan)
        return NameEffects(perturbed[0] - np.median(perturbed[0]), unknown, unknown, unknown, unknown, unknown)
    random = np.random.default_rng(seed)
    everyone = np.arange(names)
    first = _judged(perturbed, everyone, random)
    is_significant = adjust(first.p_value, "holm") < SIGNIFICANT
    if not is_significant.any():
        return first.effects()
    again = _judged(perturbed, _unremarkable(first, is_significant), random)
    p_value = np.where(is_significant, np.maximum(first.p_value, again.p_value), first.p_value)
    low, high = np.minimum(first.drawn[0], again.drawn[0]), np.maximum(first.drawn[1], again.drawn[1])
    return first.effects(p_value, (low, high))


@dataclass(frozen=True, eq=False)
class _Judged:
    """Effects (N,) with their errors, the t statistics' p-values, and the middle 95 % of the statistics when dealt."""

    value: np.ndarray
    error: np.ndarray
    spread: np.ndarray
    p_value: np.ndarray
    drawn: tuple[float, float]

    def effects(self, p_value: np.ndarray | None = None, drawn: tuple[float, float] | None = None) -> NameEffects:
        """With intervals of which each leaves out 0 when its uncorrected p-value is below 5 %."""
        low, high = drawn or self.drawn
        undefined = np.where((self.spread == 0) & (self.value == 0), 0.0, np.nan)
        return NameEffects(
            self.value,
            self.value - high * self.error,
            self.value - low * self.error,
            self.p_value if p_value is None else p_value,
            np.divide(self.value, self.spread, out=undefined, where=self.spread > 0),
            self.error,
        )


def _judged(perturbed: np.ndarray, reference: np.ndarray, random: np.random.Generator) -> _Judged:
    """All names against the `reference` names (positions), and those dealt among themselves."""
    from scipy.stats import t

    sentences = len(perturbed)
    rounding = ROUNDING * max(float(np.abs(perturbed).max()), np.finfo(float).tiny)
    contrasts = perturbed - perturbed[:, reference].mean(axis=1, keepdims=True)
    squares = contrasts**2
    moments = contrasts.sum(axis=0)[None], squares.sum(axis=0)[None]
    value, error, spread = (row[0] for row in _statistics(*moments, sentences, rounding, reference))
    dealt_among = np.hstack([contrasts[:, reference], squares[:, reference]])
    blocks = np.hsplit(blocks_of(dealt_among, random), 2)
    dealt = dealt_sums((blocks[0], blocks[1]), draws_for(len(reference)), random)
    drawn = np.sort(np.concatenate([_ratio(*_statistics(*sums, sentences, rounding)[:2]).ravel() for sums in dealt]))
    observed = _ratio(value, error)
    p_value = np.maximum(two_sided_share(observed, drawn), 2 * t.sf(np.abs(observed), sentences - 1))
    tail = (1 - CONFIDENCE) / 2
    # Without any spread a statistic is infinite; such a name's interval is its value, and others' need an end.
    finite = drawn[np.isfinite(drawn)]
    quantiles = np.clip(np.quantile(drawn, [tail, 1 - tail], method="inverted_cdf"), finite[0], finite[-1])
    edge = t.ppf(1 - tail, sentences - 1)
    return _Judged(value, error, spread, p_value, (min(-edge, quantiles[0]), max(edge, quantiles[1])))


def _statistics(
    sums: np.ndarray, squares: np.ndarray, sentences: int, rounding: float, reference: np.ndarray | slice = slice(None)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Effects, their standard errors and the spread over sentences, from sums over sentences; each (d, N)."""
    mean = sums / sentences
    variance = np.maximum(squares / sentences - mean**2, 0) * sentences / (sentences - 1)
    variance = np.where(variance <= ROUNDING * squares / sentences, 0, variance)
    variance = np.where(variance <= rounding**2, 0, variance)
    middle = np.median(mean[:, reference], axis=1, keepdims=True)
    value = mean - middle
    value = np.where(np.abs(value) <= rounding, 0, value)
    # The typical name is known no better than its own sentences allow, nor worse than the names lie apart.
    apart = NORMAL_SPREAD * np.median(np.abs(value[:, reference]), axis=1, keepdims=True)
    of_middle = np.median(variance[:, reference], axis=1, keepdims=True) / sentences
    of_middle = np.minimum(of_middle, apart**2) * np.pi / 2 / mean[:, reference].shape[1]
    return value, np.sqrt(variance / sentences + of_middle), np.sqrt(variance)


def _ratio(value: np.ndarray, error: np.ndarray) -> np.ndarray:
    """The t statistic; without any error ±infinity, or 0 for an effect of 0."""
    certain = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, error, out=certain, where=error > 0)


def _unremarkable(first: _Judged, is_significant: np.ndarray) -> np.ndarray:
    """Positions of the names that are not sure; where these are fewer than half, with the least of the others."""
    at_least = min(len(is_significant), max(2, -(-len(is_significant) // 2)))
    order = np.lexsort((np.abs(first.value), is_significant))
    return np.sort(order[: max(at_least, int((~is_significant).sum()))])
