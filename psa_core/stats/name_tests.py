"""Further tests of a name's effect: by signs and ranks, is it smaller than a limit, has it grown by more than one?"""

from __future__ import annotations

from math import ceil, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.families import MIN_FAMILIES
from psa_core.stats.means import SIGNIFICANT, adjust, t_statistic
from psa_core.stats.name_effects import name_effects
from psa_core.stats.scores import Baseline, nan_mean, paired_scores, sentence_moments

EXACT_SENTENCES = 50
#: Of at most so many differences all signs are tried, as scipy does.
ALL_SIGNS = 13
SYMMETRIC = 3.29
MEDIAN_ERROR = 0.7555  # √(π/2 − 1): of mean − median in standard errors of the mean, for normal values
STAKES = (1.0, 0.5, 0.25, 0.12, 0.06, 0.03)
WEIGHTS = (0.5, 0.1, 0.1, 0.1, 0.1, 0.1)


def signed_rank_p(differences: ArrayLike) -> np.ndarray:
    """Two-sided p-values of the Wilcoxon signed-rank test over sentences, for all names at once, or none.

    The test presumes that differences lie symmetrically around their mean. Where they visibly do not (rare jumps,
    answers of 0 and 1) it would call nearly every name significant, so there it is refused; `second_opinion_p` always
    answers. Sentences without a difference say nothing about its direction and are left out (Wilcoxon's own rule); a
    name without any difference gets 1.

    `differences` (S,) or (S, N) are from the original score: those from a mean over names are never symmetric enough.
    NaN where the test is refused.

    Examples
    --------
    >>> signed_rank_p([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3]])
    array([1.  , 0.25])
    >>> signed_rank_p(np.array([1.0] * 20 + [-0.1] * 200))
    array(nan)
    """
    from scipy.stats import rankdata, wilcoxon

    count, mean, deviation = sentence_moments(differences)
    values = np.asarray(differences, dtype=np.float64)
    # By Cabilio and Masaro 1996, at one in a thousand, since it is asked of every name.
    allowed = SYMMETRIC * MEDIAN_ERROR * np.nan_to_num(deviation) / np.sqrt(count)
    is_symmetric = np.abs(mean - np.nanmedian(values, axis=0)) <= allowed + 1e-12 * np.abs(mean)
    columns = values.reshape(len(values), -1)
    p_values = np.ones(columns.shape[1])
    moved = (columns != 0) & ~np.isnan(columns)
    # For few sentences scipy has the exact distribution, but only for columns without zeros and ties.
    is_plain = moved.all(axis=0) & (np.diff(np.sort(np.abs(columns), axis=0), axis=0) > 0).all(axis=0)
    one_by_one = moved.any(axis=0) & ~is_plain & (len(values) <= EXACT_SENTENCES)
    together = moved.any(axis=0) & ~one_by_one
    for index in np.flatnonzero(one_by_one):
        of_name = columns[moved[:, index], index]
        if len(of_name) > ALL_SIGNS:
            p_values[index] = wilcoxon(of_name).pvalue
            continue
        # Over all signs that so few differences could have, ties as they come: scipy's own answer, for which it takes
        # seconds where they are tied.
        ranks = rankdata(np.abs(of_name))
        signs = np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks)) & 1
        sums, observed = signs @ ranks, ranks[of_name > 0].sum()
        p_values[index] = min(1.0, 2 * float(min((sums <= observed).mean(), (sums >= observed).mean())))
    if together.any():
        found = wilcoxon(columns[:, together], axis=0, zero_method="wilcox", nan_policy="omit")
        p_values[together] = found.pvalue
    return np.where(is_symmetric, p_values.reshape(values.shape[1:]), np.nan)


def sign_test_p(differences: ArrayLike) -> np.ndarray:
    """Two-sided p-values of the sign test: does a name raise as many sentences as it lowers?

    Of differences from the original score, (S,) or (S, N); 1 for a name without any difference.

    Examples
    --------
    >>> sign_test_p([0.1, 0.2, 0.3])
    array(0.25)
    """
    from scipy.stats import binom

    sentence_moments(differences)
    values = np.asarray(differences, dtype=np.float64)
    raised, lowered = (values > 0).sum(axis=0), (values < 0).sum(axis=0)
    return np.asarray(np.minimum(1.0, 2 * binom.cdf(np.minimum(raised, lowered), raised + lowered, 0.5)))


def second_opinion_p(original: ArrayLike, perturbed: ArrayLike, *, baseline: Baseline = "original") -> np.ndarray:
    """P-values (N,) robust to outliers, from signs or ranks within sentences.

    Against the original the sign test; against the names a permutation test of the names' ranks within each sentence,
    which presumes nothing about the scores and takes ties as they come. NaN for one sentence against the names; for
    fewer than two names there a `CubeError`.

    Examples
    --------
    >>> second_opinion_p([0.5] * 6, [[0.6, 0.5]] * 6)
    array([0.03125, 1.     ])
    """
    from scipy.stats import rankdata

    base, perturbed = paired_scores(original, perturbed)
    return (
        sign_test_p(perturbed - base[:, None])
        if baseline == "original"
        else name_effects(rankdata(perturbed, axis=1, nan_policy="omit")).p_value
    )


def equivalence_p(
    differences: ArrayLike, margin: float, *, score_range: float = 1.0, error: ArrayLike | None = None
) -> np.ndarray:
    """P-values of the equivalence test: is the mean difference inside ``(-margin, margin)``?

    The larger of two p-values. The first is that of the two one-sided t-tests (TOST), which assumes that the sentences
    show the full spread. The second assumes only that no difference exceeds `score_range`: a mean at the margin may
    come from a few large changes that none of these sentences has, and few sentences cannot exclude that (with no
    difference in S sentences, a share of up to 3 / S of all sentences may still have one). It is the inverse of a
    betting martingale (Waudby-Smith and Ramdas 2024, section 4), here with fixed stakes.

    Of differences (S,) or (S, N): float64 () or (N,), small = equivalent for all purposes that the margin stands for.
    NaN for one sentence and for scores without a range: what cannot be shown is not shown to be different.

    Parameters
    ----------
    margin : float
        The largest mean difference that would not matter, on the scale of the scores; greater than 0.
    score_range : float
        The largest difference that scores can have: the width of the target's range, 1 for a probability. Where the
        scores have no range (infinite), nothing can be shown. Larger differences than this one widen it.
    error : array (N,), optional
        Standard error of the mean difference, where it is not that over the sentences alone.

    Examples
    --------
    >>> equivalence_p(np.zeros((400, 1)), margin=0.02).round(4)
    array([0.0006])
    >>> equivalence_p(np.zeros((12, 1)), margin=0.02).round(1)
    array([0.9])
    """
    from scipy.stats import t

    if not margin > 0:
        raise OptionError("margin", got=f"{margin}", expected="a number greater than 0")
    if not score_range > 0:
        raise OptionError("score range", got=f"{score_range}", expected="a number greater than 0")
    count, mean, deviation = sentence_moments(differences)
    if not np.isfinite(score_range):
        return np.full(mean.shape, np.nan)
    spread = deviation if error is None else np.asarray(error, dtype=np.float64) * np.sqrt(count)
    above_lower = t.sf(t_statistic(mean + margin, spread, count), count - 1)
    below_upper = t.cdf(t_statistic(mean - margin, spread, count), count - 1)
    values = np.asarray(differences, dtype=np.float64)
    widest = max(score_range, float(np.nanmax(np.abs(values))))
    unseen = np.maximum(_unseen_p(margin - values, widest - margin), _unseen_p(margin + values, widest - margin))
    return np.where(np.isnan(deviation), np.nan, np.maximum(np.maximum(above_lower, below_upper), unseen))


def equivalence_sentences(margin: float, score_range: float, names: int = 1) -> float:
    """Fewest sentences with which equivalence can be shown for one of so many names, if none shows any difference.

    Infinite for scores without a range.

    Examples
    --------
    >>> equivalence_sentences(0.02, 1.0), equivalence_sentences(0.02, 1.0, names=100)
    (183, 411)
    """
    if margin >= score_range:
        return 2
    if not np.isfinite(score_range):
        return float("inf")
    return max(2, ceil(log(names / SIGNIFICANT / WEIGHTS[0]) / -log1p(-margin / score_range)))


def _unseen_p(winnings: np.ndarray, most_lost: float) -> np.ndarray:
    """P-value of a mean of at most 0 of `winnings` (S, …), each at least ``-most_lost``: () or (…)."""
    if most_lost <= 0:  # no difference reaches the margin
        return np.zeros(winnings.shape[1:])
    capital = np.zeros(winnings.shape[1:])
    with np.errstate(divide="ignore", over="ignore"):
        for stake, weight in zip(STAKES, WEIGHTS, strict=True):
            gains = np.log1p(np.maximum(winnings * (stake / most_lost), -1))
            capital += weight * np.exp(np.where(np.isnan(winnings), 0.0, gains).sum(axis=0))
        return np.minimum(1.0, 1 / capital)


def increase_p(now: ArrayLike, before: ArrayLike, limit: float, *, tests: int = 1) -> np.ndarray:
    """Corrected p-values for: a name's effect grew in size by more than `limit`.

    The null hypothesis is ``|mean now| - |mean before| <= limit``. The earlier effect may have had either sign, so the
    later one has to be shown to exceed both (intersection–union): that the effect moved by more than the limit, towards
    the side on which it now is, and that it did not come from as far on the other side. The first is Holm-corrected
    over all names, the second over those that the first leaves. An effect that shrank, or that was there before, is no
    growth.

    `now` and `before` are differences from a baseline, (S, N) or (S,), of the same sentences and names in the same
    order; `limit` is on their scale, 0 or more; `tests` says how many lists of names are judged, one for each target:
    what Holm's correction gives is multiplied by it. Float64 (N,) or () in [0, 1], small = grown by more than the
    limit. NaN for one sentence. Under six sentences never below ``2 ** (1 - S)``: so few can agree by chance.

    Examples
    --------
    >>> now, before = np.array([[0.3], [0.4]] * 4), np.zeros((8, 1))
    >>> increase_p(now, before, 0.1).round(6), increase_p(now, now, 0.1).round(6), increase_p(before, now, 0.1).round(6)
    (array([2.e-06]), array([1.]), array([1.]))
    """
    if not limit >= 0:
        raise OptionError("limit", got=f"{limit}", expected="a number, 0 or more")
    shape = np.shape(now)[1:]
    later, earlier = (np.asarray(given, np.float64).reshape(len(given), -1) for given in (now, before))  # type: ignore[arg-type]
    side = np.where(nan_mean(later, axis=0) < 0, -1.0, 1.0)
    change = side * (later - earlier)
    # Either side was possible: added is the chance of lying as far out on the other one (Hodges and Lehmann 1954).
    moved = np.minimum(1.0, adjust(_above(change, limit) + _above(change, -limit), "holm") * tests)
    further = _above(side * (later + earlier), limit)
    is_left = moved < SIGNIFICANT
    further = np.where(is_left, np.minimum(1.0, adjust(np.where(is_left, further, np.nan), "holm") * tests), further)
    floor = 2.0 ** (1 - len(later)) if len(later) < MIN_FAMILIES else 0.0
    return np.maximum(np.maximum(moved, further), floor).reshape(shape)


def _above(differences: np.ndarray, limit: float) -> np.ndarray:
    """P-values of the one-sided paired t-test that the mean difference is above the limit; 1 where it is not."""
    from scipy.stats import t

    count, mean, deviation = sentence_moments(differences)
    p_values = t.sf(t_statistic(mean - limit, deviation, count), count - 1)
    return np.where(mean <= limit, np.maximum(p_values, 1.0), p_values)
