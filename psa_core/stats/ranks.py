"""Sign and rank tests of a name's effect, robust to outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.name_effects import name_effects
from psa_core.stats.scores import Baseline, paired_scores, sentence_moments

EXACT_SENTENCES = 50
#: Of at most so many differences all signs are tried, as scipy does.
ALL_SIGNS = 13
SYMMETRIC = 3.29
MEDIAN_ERROR = 0.7555  # √(π/2 − 1): of mean − median in standard errors of the mean, for normal values


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
