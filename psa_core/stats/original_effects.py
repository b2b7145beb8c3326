"""Which names surely move the score away from the original, also where moves are skewed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.stats.permutation import blocks_of, dealt_sums, draws_for
from psa_core.stats.significance import SIGNIFICANT, adjust, paired_t_p

ROUNDING = 1e-12
#: A dealt name speaks against a claim when its mean, too, is nearly as far from 0 as the name's.
AS_FAR = 0.75


def original_p(differences: ArrayLike, correction: str = "holm", *, seed: int = 0) -> np.ndarray:
    """Corrected p-values of names against the original: of the paired t-test, unless other names speak against it.

    A t-test is too sure of a name that has not met the few large moves yet which make up for its many small ones. Other
    names have met them. So where the t-test is sure of a name, the differences of each sentence are dealt to the names
    anew, after each name's own mean was taken off where it is sure, and the mean that the others share where not: how
    often has a dealt name, which by then has no effect, as large a t statistic on that side and a mean nearly as far
    from 0? Where that is too often, this share is the p-value.

    Parameters
    ----------
    differences : array (S, N)
        From the original score.
    correction : {"none", "bonferroni", "holm", "fdr_bh"}
    seed : int
        The same seed gives the same answer.

    Returns
    -------
    float64 array (N,)
        In [0, 1], never smaller than those of the corrected t-test, and equal to them where nothing speaks against it.
        NaN for one sentence. A list of one name has no other names to ask.

    Raises
    ------
    CubeError, OptionError
        When there is no sentence; when the correction is unknown.

    Examples
    --------
    >>> original_p([[0.0, 0.1], [0.0, 0.2], [0.0, 0.3]]).round(3)
    array([1.   , 0.148])
    """
    values = np.asarray(differences, dtype=np.float64)
    p_values = paired_t_p(values)
    corrected = adjust(p_values, correction)
    is_significant = corrected < SIGNIFICANT
    if not is_significant.any() or values.shape[1] == 1:
        return corrected
    shares = _permuted_share(values, adjust(p_values, "holm") < SIGNIFICANT, np.random.default_rng(seed))
    doubted = adjust(np.maximum(p_values, shares), correction)
    return np.where(is_significant & (doubted >= SIGNIFICANT), doubted, corrected)


def _permuted_share(values: np.ndarray, is_significant: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Twice the share of dealt names that lie as far out on the side of each name, itself counted among them: (N,)."""
    rounding = ROUNDING * float(np.abs(values).max())
    without_effect = values - _effects(values, is_significant)
    blocks = np.hsplit(blocks_of(np.hstack([without_effect, without_effect**2]), random), 2)
    sums = dealt_sums((blocks[0], blocks[1]), draws_for(values.shape[1]), random)
    parts = [_moments(*of_draws, len(values), rounding) for of_draws in sums]
    means, statistics = (np.concatenate([part[k].ravel() for part in parts]) for k in (0, 1))
    own_means, own = _moments(values.sum(axis=0), (values**2).sum(axis=0), len(values), rounding)
    shares = np.ones(len(own))
    for name in np.flatnonzero(own):
        side = np.sign(own[name])
        # The same sum in another order may differ in its last bits.
        as_sure = side * statistics >= abs(own[name]) * (1 - 1e-9)
        beyond = np.count_nonzero(as_sure & (side * means >= AS_FAR * abs(own_means[name])))
        shares[name] = min(1.0, 2 * (1 + beyond) / (1 + len(means)))
    return shares


def _effects(values: np.ndarray, is_significant: np.ndarray) -> np.ndarray:
    """The mean of each sure name, and the mean of all others together for these: (N,)."""
    means = values.mean(axis=0)
    return means if is_significant.all() else np.where(is_significant, means, means[~is_significant].mean())


def _moments(sums: np.ndarray, squares: np.ndarray, sentences: int, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """Means and t statistics from sums over sentences; without any spread ±infinity, or 0 for a mean of 0."""
    means = sums / sentences
    variances = np.maximum(squares / sentences - means**2, 0) / (sentences - 1)
    variances = np.where(variances <= np.maximum(ROUNDING * squares / sentences, rounding**2), 0, variances)
    means = np.where(np.abs(means) <= rounding, 0, means)
    certain = np.where(means == 0, 0.0, np.copysign(np.inf, means))
    return means, np.divide(means, np.sqrt(variances), out=certain, where=variances > 0)
