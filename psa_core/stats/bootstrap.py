"""Bootstrap intervals over sentences for the corpus metrics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.families import Families
from psa_core.stats.grid import bootstrap_label_dist, threshold_grid
from psa_core.stats.intervals import CONFIDENCE, Interval, Intervals, checked_confidence, mean_interval
from psa_core.stats.moments import sentence_moments
from psa_core.stats.scores import paired_scores, subsample_names

DRAWN_VALUES, DRAWN_AT_ONCE = 20_000_000, 1_000_000
BCA_SENTENCES = 500


def bootstrap_interval(
    values: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
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
    resamples : int
        At most this many.
    seed : int
        The same seed gives the same interval.
    families : Families, optional
        Which sentences depend on each other.

    Returns
    -------
    Interval
        [value, value] when all values are equal; NaN bounds for one sentence.

    Raises
    ------
    CubeError
        When there is no sentence.

    Examples
    --------
    >>> bootstrap_interval([0.25, 0.25])
    Interval(value=0.25, low=0.25, high=0.25)
    """
    from scipy.stats import bootstrap

    level = checked_confidence(confidence)
    sample = np.ravel(np.asarray(values, dtype=np.float64))
    if families is not None and families.any:
        return Interval(*map(float, mean_interval(sample, confidence=level, families=families)))
    count, mean, deviation = sentence_moments(sample)
    if count == 1 or deviation == 0:
        bound = float(mean) if count > 1 else float("nan")
        return Interval(float(mean), bound, bound)
    # The jackknife inside BCa divides by the spread, which must not vanish in rounding.
    has_spread = deviation > 1e-9 * np.abs(sample).max()
    low, high = bootstrap(
        (sample,),
        np.mean,
        confidence_level=level,
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
    n_resamples: int = 400,
    seed: int = 0,
    families: Families | None = None,
) -> Intervals:
    """LabelDist (mean over names) at each threshold with its 95 % bootstrap interval over sentences.

    One set of resamples serves all thresholds, so the bounds move as smoothly with the threshold as the value does. BCa
    up to 500 sentences, where it matters; the percentile interval above. Of more than 2,000 names, so many at random
    say how far the mean moves with the sentences.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
    thresholds : array (K,) or one number
    resamples, seed : int
        As for `bootstrap_interval`.
    families : Families, optional
        What is drawn in place of single sentences.

    Returns
    -------
    Intervals of float64 arrays (K,)
        In [0, 1]; larger = more labels change. NaN bounds for one sentence. To be trusted where at least about ten
        sentences have the label.

    Raises
    ------
    CubeError
        As `paired_scores`.

    Examples
    --------
    >>> [bound.tolist() for bound in label_dist_interval([0.2, 0.2], [[0.6], [0.6]], [0.1, 0.5])]
    [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    """
    base, perturbed = paired_scores(original, perturbed)
    grid = threshold_grid(base, perturbed, thresholds)
    value = grid.label_dist.mean(axis=0)
    families = families or Families.none(len(base))
    count = families.count
    if count == 1 or families.too_few:
        return Intervals(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    weights = _sentence_draws(count, affordable(n_resamples, count), seed)[families.labels]
    some = subsample_names(perturbed, seed)
    moved = 0.0 if some is perturbed else value - threshold_grid(base, some, thresholds).label_dist.mean(axis=0)
    if count > BCA_SENTENCES:
        drawn = bootstrap_label_dist(base, some, grid.thresholds, weights)
        low, high = np.quantile(drawn, _TAILS, axis=1)
        return Intervals(value, *np.clip([low + moved, high + moved], 0.0, 1.0))
    everyone = np.ones((len(base), 1), dtype=np.float32)
    all_but_one = (1 - np.eye(count, dtype=np.float32))[families.labels]
    answers = bootstrap_label_dist(base, some, grid.thresholds, np.hstack([everyone, all_but_one, weights]))
    shares = _bca_shares(answers[:, 0], answers[:, 1 : count + 1], answers[:, count + 1 :])
    bounds = np.array([np.quantile(row, share) for row, share in zip(answers[:, count + 1 :], shares, strict=True)])
    return Intervals(value, *np.clip([bounds[:, 0] + moved, bounds[:, 1] + moved], 0.0, 1.0))


def affordable(n_resamples: int, sentences: int) -> int:
    """Resamples to draw: as many as wished, fewer for very many sentences, never under 200."""
    return max(200, min(n_resamples, DRAWN_VALUES // sentences))


def share_as_far(studentised: np.ndarray, observed: float) -> float:
    """Twice the smaller share of draws beyond the observed distance from 0, itself counted among them."""
    beyond = min(int((studentised >= observed).sum()), int((studentised <= observed).sum()))
    return min(1.0, 2 * (1 + beyond) / (1 + len(studentised)))


_TAILS = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])


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


def _sentence_draws(sentences: int, n_resamples: int, seed: int) -> np.ndarray:
    """How often each of the resamples draws each sentence: float32 (S, B), columns sum to S."""
    drawn = np.random.default_rng(seed).integers(0, sentences, size=(n_resamples, sentences))
    drawn += np.arange(n_resamples)[:, None] * sentences
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * sentences)
    return np.ascontiguousarray(counts.reshape(n_resamples, sentences).T, dtype=np.float32)
