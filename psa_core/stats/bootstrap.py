"""Bootstrap over sentences: intervals of the corpus metrics, and of a difference of two means."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.families import Families
from psa_core.stats.intervals import CONFIDENCE, Interval, Intervals, mean_interval
from psa_core.stats.label_dist import bootstrap_label_dist, threshold_grid
from psa_core.stats.scores import nan_mean, paired_scores, sentence_moments, subsample_names
from psa_core.stats.significance import paired_t_p

DRAWN_VALUES, DRAWN_AT_ONCE = 20_000_000, 1_000_000
BCA_SENTENCES, FEW_SENTENCES = 500, 10
_TAILS = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])


def bootstrap_interval(
    values: ArrayLike,
    *,
    n_resamples: int = 2000,
    seed: int = 0,
    families: Families | None = None,
) -> Interval:
    """Mean of a per-sentence quantity (ScoreDev, ScoreRange, …) with its bootstrap interval over sentences.

    Bias-corrected and accelerated (BCa) up to 500 sentences; above, where the two agree, the percentile interval,
    which needs no jackknife. For very many sentences fewer resamples are drawn (never under 200), to bound the time.
    Where sentences come in families, a bootstrap of few and unequal ones is too narrow: there it is `mean_interval`.

    Parameters
    ----------
    values : array (S,)
        Sentences whose value is missing (NaN) are left out.
    n_resamples : int
        At most this many.

    Returns
    -------
    Interval
        [value, value] when all values are equal; NaN bounds for one sentence.

    Examples
    --------
    >>> bootstrap_interval([0.25, 0.25])
    Interval(value=0.25, low=0.25, high=0.25)
    """
    from scipy.stats import bootstrap

    sample = np.ravel(np.asarray(values, dtype=np.float64))
    known = ~np.isnan(sample)
    if known.any() and not known.all():
        sample, families = sample[known], families and families.subset(known)
    if families is not None and families.any:
        value, low, high = map(float, mean_interval(sample, families=families))
        # The t interval of few families reaches below 0 where no spread, range or share can.
        return Interval(value, max(low, 0.0) if sample.min() >= 0 else low, high)
    count, mean, deviation = sentence_moments(sample)
    if count == 1 or deviation == 0:
        bound = float(mean) if count > 1 else float("nan")
        return Interval(float(mean), bound, bound)
    # The jackknife inside BCa divides by the spread, which must not vanish in rounding.
    has_spread = deviation > 1e-9 * np.abs(sample).max()
    low, high = bootstrap(
        (sample,),
        np.mean,
        confidence_level=CONFIDENCE,
        n_resamples=affordable(n_resamples, count),
        batch=max(1, DRAWN_VALUES // (10 * count)),
        method="BCa" if has_spread and count <= BCA_SENTENCES else "percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(mean), float(low), float(high))


def label_dist_interval(
    original: ArrayLike,
    perturbed: ArrayLike,
    thresholds: ArrayLike,
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    families: Families | None = None,
) -> Intervals:
    """LabelDist (mean over names) at each threshold with its 95 % bootstrap interval over sentences.

    One set of resamples serves all thresholds, so the bounds move as smoothly with the threshold as the value does. BCa
    up to 500 sentences, where it matters; the percentile interval above. Of more than 2,000 names, so many at random
    say how far the mean moves with the sentences. `families`, where there are some, are drawn in place of sentences.

    Arrays (K,) in [0, 1]; larger = more labels change. NaN bounds for one sentence. To be trusted where at least about
    ten sentences have the label.

    Examples
    --------
    >>> [bound.tolist() for bound in label_dist_interval([0.2, 0.2], [[0.6], [0.6]], [0.1, 0.5])]
    [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    """
    base, perturbed = paired_scores(original, perturbed)
    grid = threshold_grid(base, perturbed, thresholds)
    value = nan_mean(grid.label_dist, axis=0)
    families = families or Families.none(len(base))
    count = families.count
    if count == 1 or families.too_few:
        return Intervals(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    # How often each resample draws each family: float32 (F, B), columns sum to F.
    n_drawn = affordable(n_resamples, count)
    drawn = np.random.default_rng(seed).integers(0, count, size=(n_drawn, count)) + np.arange(n_drawn)[:, None] * count
    counts = np.bincount(drawn.ravel(), minlength=n_drawn * count).reshape(n_drawn, count)
    weights = np.ascontiguousarray(counts.T, dtype=np.float32)[families.labels]
    some = subsample_names(perturbed, seed)
    moved = 0.0 if some is perturbed else value - nan_mean(threshold_grid(base, some, thresholds).label_dist, axis=0)
    if count > BCA_SENTENCES:
        low, high = np.quantile(bootstrap_label_dist(base, some, grid.thresholds, weights), _TAILS, axis=1)
        return Intervals(value, *np.clip([low + moved, high + moved], 0.0, 1.0))
    everyone = np.ones((len(base), 1), dtype=np.float32)
    all_but_one = (1 - np.eye(count, dtype=np.float32))[families.labels]
    answers = bootstrap_label_dist(base, some, grid.thresholds, np.hstack([everyone, all_but_one, weights]))
    shares = _bca_shares(answers[:, 0], answers[:, 1 : count + 1], answers[:, count + 1 :])
    bounds = np.array([np.quantile(row, share) for row, share in zip(answers[:, count + 1 :], shares, strict=True)])
    return Intervals(value, *np.clip([bounds[:, 0] + moved, bounds[:, 1] + moved], 0.0, 1.0))


def affordable(n_resamples: int, sentences: int) -> int:
    """Number of resamples: as requested, fewer for very many sentences, never under 200."""
    return max(200, min(n_resamples, DRAWN_VALUES // sentences))


def studentised_draws(
    statistic: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    centre: float | np.ndarray,
    count: int,
    n_resamples: int,
    seed: int,
) -> np.ndarray:
    """Studentised statistics: each resample's distance from `centre` in its own standard errors, (n_resamples,).

    `statistic` gives values and standard errors of resamples, whose positions (r, count) it is given.
    """
    random = np.random.default_rng(seed)
    rows = max(1, DRAWN_AT_ONCE // count)
    draws = []
    for first in range(0, n_resamples, rows):
        drawn, error = statistic(random.integers(0, count, (min(rows, n_resamples - first), count)))
        draws.append((drawn - centre)[error > 0] / error[error > 0])
    return np.concatenate(draws)


def share_as_far(studentised: np.ndarray, observed: float) -> float:
    """Twice the smaller tail share at the observed value, which is counted among the draws."""
    extreme = min(int((studentised >= observed).sum()), int((studentised <= observed).sum()))
    return min(1.0, 2 * (1 + extreme) / (1 + len(studentised)))


def _bca_shares(value: np.ndarray, left_out: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Shares of the draws at which the BCa bounds lie, (K, 2): Efron & Tibshirani 1993, equations 14.9 to 14.15.

    `value` is (K,), `left_out` (K, S) the values without one sentence, `drawn` (K, B).
    """
    from scipy.stats import norm

    below = ((drawn < value[:, None]).mean(axis=1) + (drawn <= value[:, None]).mean(axis=1)) / 2
    shift = norm.ppf(np.clip(below, 0.5 / drawn.shape[1], 1 - 0.5 / drawn.shape[1]))[:, None]
    influence = left_out.mean(axis=1, keepdims=True) - left_out
    spread = 6 * (influence**2).sum(axis=1) ** 1.5
    skew = np.divide((influence**3).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    moved = shift + norm.ppf(_TAILS)
    return norm.cdf(shift + moved / (1 - skew * moved))


class Difference(NamedTuple):
    """Mean difference (first minus second) with its 95 % interval and two-sided p-value."""

    value: float
    low: float
    high: float
    p: float


def paired_difference(first: ArrayLike, second: ArrayLike, *, n_resamples: int = 2000, seed: int = 0) -> Difference:
    """Difference of two paired means: significant only by both the paired t-test and a bootstrap.

    The t-test is too sure of skewed differences, the studentised bootstrap (bootstrap-t) over sentences of rare ones.
    So the interval is the wider one and the p-value the larger one, and both say the same. From 30 sentences on no
    kind of difference that was simulated is called significant too often; with 12, one-sided rare ones are in 10 % of
    the studies (`docs/statistics.md`). Under 10 sentences, and where all differences are equal, there is only the
    t-test.

    Of arrays (S,): first minus second, with NaN bounds and p-value for one sentence. `n_resamples` at most; fewer for
    very many sentences. ``p`` is at least 2 / (n_resamples + 1) where it is drawn.

    Examples
    --------
    >>> paired_difference([0.25, 0.5, 0.75], [0.25, 0.5, 0.75])
    Difference(value=0.0, low=0.0, high=0.0, p=1.0)
    """
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != two.shape:
        raise CubeError("paired difference", got=f"shapes {one.shape} and {two.shape}", expected="one length")
    if np.isinf(one).any() or np.isinf(two).any() or not (~np.isnan(one - two)).any():
        raise CubeError("paired difference", got="missing or infinite values", expected="finite values")
    paired = ~np.isnan(one - two)
    one, two = one[paired], two[paired]
    differences = one - two
    count, mean, deviation = (float(moment) for moment in sentence_moments(differences))
    value, low, high = (float(bound) for bound in mean_interval(differences))
    p_value = float(paired_t_p(differences))
    # A spread within rounding of the values is none.
    if count < FEW_SENTENCES or not deviation > 1e-12 * np.abs([one, two]).max():
        return Difference(value, low, high, p_value)
    error, n_drawn = deviation / count**0.5, affordable(n_resamples, len(one))

    def resampled(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        drawn = differences[positions]
        return drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / count**0.5

    studentised = studentised_draws(resampled, mean, len(one), n_drawn, seed)
    tail = (1 - CONFIDENCE) / 2
    drawn_low, drawn_high = mean - error * np.quantile(studentised, [1 - tail, tail])
    drawn_p = share_as_far(studentised, mean / error)
    return Difference(value, min(low, float(drawn_low)), max(high, float(drawn_high)), max(p_value, drawn_p))
