"""Which names move the score, against the typical name of the list and against the original: permutation tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError
from psa_core.stats.means import CONFIDENCE, SIGNIFICANT, adjust, paired_t_p, t_statistic
from psa_core.stats.scores import nan_mean, paired_scores

ROUNDING = 1e-12
NORMAL_SPREAD = 1.4826
#: A permuted name speaks against a claim when its mean, too, is nearly as far from 0 as the name's.
AS_FAR = 0.75
BLOCKS = 256
DRAWN_CELLS, MAX_CELLS = 100_000, 400_000
MIN_PERMUTATIONS, USUAL_PERMUTATIONS, MAX_PERMUTATIONS = 99, 399, 9999
ORDERS = 4


class NameEffects(NamedTuple):
    """Effects of names against the typical name, float64 arrays (N,).

    ``value`` is a name's mean score minus the median of all names' mean scores: signed, on the scale of the scores;
    ``low, high`` its 95 % interval over sentences, ``error`` its standard error. ``p_value`` is two-sided, not yet
    corrected for the number of names; ``standardised`` the value over the standard deviation of the sentences'
    differences (d_z), NaN where that is not defined. For one sentence all but the value are NaN.
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
    the other way. A name is significant when two tests agree. The t-test over sentences judges it by its own spread,
    whatever the other names do. The permutation test permutes the names of each sentence and asks how often any name
    would look like this, whatever the scores' distribution: it is exact where no name differs, also for rare events and
    ties. Names that are significant at first are tested once more against the others alone, so that two of them do not
    make each other look usual. Fewer than two names are a `CubeError`.

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
        return NameEffects(perturbed[0] - np.nanmedian(perturbed[0]), unknown, unknown, unknown, unknown, unknown)
    random = np.random.default_rng(seed)
    value, error, spread, p_value, (low, high) = _tested(perturbed, np.arange(names), random)
    is_significant = adjust(p_value, "holm") < SIGNIFICANT
    if is_significant.any():
        # The names that are not significant; where these are fewer than half, with the least of the others.
        order = np.lexsort((np.abs(value), is_significant | np.isnan(p_value)))
        at_least = max(2, -(-names // 2))
        others = np.sort(order[: max(at_least, int((~(is_significant | np.isnan(p_value))).sum()))])
        *_, second_p, second = _tested(perturbed, others, random)
        p_value = np.where(is_significant, np.maximum(p_value, second_p), p_value)
        low, high = min(low, second[0]), max(high, second[1])
    undefined = np.where((spread == 0) & (value == 0), 0.0, np.nan)
    standardised = np.divide(value, spread, out=undefined, where=spread > 0)
    # An interval excludes 0 exactly where the uncorrected p-value is below 5 %.
    return NameEffects(value, value - high * error, value - low * error, p_value, standardised, error)


def _tested(
    perturbed: np.ndarray, reference: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[float, float]]:
    """Tests all names against the `reference` names (positions), which are permuted among themselves.

    Effect, standard error, spread and p-value (N,), and the middle 95 % of the permuted t statistics.
    """
    from scipy.stats import t

    sentences = len(perturbed)
    rounding = ROUNDING * max(float(np.nanmax(np.abs(perturbed))), np.finfo(float).tiny)
    tables = moment_tables(perturbed - nan_mean(perturbed[:, reference], axis=1)[:, None])
    sums = tuple(table.sum(axis=0)[None] for table in tables)
    value, error, spread = (row[0] for row in _statistics(sums, sentences, rounding, reference))
    blocks = np.hsplit(block_sums(np.hstack([table[:, reference] for table in tables]), random), len(tables))
    parts = permuted_sums(tuple(blocks), permutations_for(len(reference)), random)
    drawn = np.sort(
        np.concatenate([t_statistic(*_statistics(part, sentences, rounding)[:2]).ravel() for part in parts])
    )
    drawn = drawn[: np.searchsorted(drawn, np.nan)]  # a permuted name may have too few scores
    observed = t_statistic(value, error)
    freedom = (sums[2][0] if len(sums) > 2 else sentences) - 1
    p_value = np.maximum(two_sided_share(observed, drawn), 2 * t.sf(np.abs(observed), freedom))
    p_value = np.where(np.isnan(value), np.nan, p_value)
    tail = (1 - CONFIDENCE) / 2
    # Without any spread a statistic is infinite; such a name's interval is its value, and others' need an end.
    finite = drawn[np.isfinite(drawn)]
    quantiles = np.clip(np.quantile(drawn, [tail, 1 - tail], method="inverted_cdf"), finite[0], finite[-1])
    edge = t.ppf(1 - tail, sentences - 1)
    return value, error, spread, p_value, (min(-edge, quantiles[0]), max(edge, quantiles[1]))


def _statistics(
    tables: tuple[np.ndarray, ...], sentences: int, rounding: float, reference: np.ndarray | slice = slice(None)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Effects, their standard errors and the spread over sentences, from sums over sentences; each (d, N).

    `tables` are those of `moment_tables`. Where scores are missing, a name with fewer than two has no effect (NaN).
    """
    sums, squares, *known = tables
    counts = np.where(known[0] > 1, known[0], np.nan) if known else sentences
    median = np.nanmedian if known else np.median
    mean = sums / counts
    variance = np.maximum(squares / counts - mean**2, 0) * counts / (counts - 1)
    variance = np.where(variance <= np.maximum(ROUNDING * squares / counts, rounding**2), 0, variance)
    value = mean - median(mean[:, reference], axis=1, keepdims=True)
    value = np.where(np.abs(value) <= rounding, 0, value)
    # The typical name is known no better than its own sentences allow, nor worse than the names lie apart.
    spread = NORMAL_SPREAD * median(np.abs(value[:, reference]), axis=1, keepdims=True)
    of_middle = median((variance / counts)[:, reference], axis=1, keepdims=True)
    of_middle = np.minimum(of_middle, spread**2) * np.pi / 2 / mean[:, reference].shape[1]
    return value, np.sqrt(variance / counts + of_middle), np.sqrt(variance)


def moment_tables(differences: np.ndarray) -> tuple[np.ndarray, ...]:
    """Differences and their squares (S, N); where some are missing, these as 0, and a third table counts the others."""
    known = ~np.isnan(differences)
    if known.all():
        return differences, differences**2
    values = np.where(known, differences, 0.0)
    return values, values**2, known.astype(np.float64)


def original_p(differences: ArrayLike, correction: str = "holm") -> np.ndarray:
    """Corrected p-values of names against the original: of the paired t-test, unless other names speak against it.

    A t-test is too sure of a name that has not met the few large moves yet which make up for its many small ones. Other
    names have met them. So where the t-test finds a name significant, the differences of each sentence are permuted
    among the names, after each name's own mean was taken off where it is significant, and the mean that the others
    share where not: how often has a permuted name, which by then has no effect, as large a t statistic on that side and
    a mean nearly as far from 0? Where that is too often, this share is the p-value.

    Of differences (S, N): never smaller than the p-values of the corrected t-test, and equal to them where nothing
    speaks against it. NaN for one sentence. A list of one name has no other names to ask.

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
    by_holm, means = adjust(p_values, "holm") < SIGNIFICANT, nan_mean(values, axis=0)
    effects = means if by_holm.all() else np.where(by_holm, means, nan_mean(means[~by_holm]))
    shares = _permuted_share(values, values - effects, np.random.default_rng(0))
    doubted = adjust(np.maximum(p_values, shares), correction)
    return np.where(is_significant & (doubted >= SIGNIFICANT), doubted, corrected)


def _permuted_share(values: np.ndarray, without_effect: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Two-sided p-values: twice the share of permuted names as extreme on each name's side, itself included."""
    rounding = ROUNDING * float(np.nanmax(np.abs(values)))
    tables = moment_tables(without_effect)
    blocks = np.hsplit(block_sums(np.hstack(tables), random), len(tables))

    def moments(sums: np.ndarray, squares: np.ndarray, known: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Means and t statistics from sums over sentences."""
        counts = np.maximum(len(values) if known is None else known, 2)
        means = sums / counts
        variances = np.maximum(squares / counts - means**2, 0) / (counts - 1)
        variances = np.where(variances <= np.maximum(ROUNDING * squares / counts, rounding**2), 0, variances)
        means = np.where(np.abs(means) <= rounding, 0, means)
        return means, t_statistic(means, np.sqrt(variances))

    sums = permuted_sums(tuple(blocks), permutations_for(values.shape[1]), random)
    parts = [moments(*part) for part in sums]
    means, statistics = (np.concatenate([part[k].ravel() for part in parts]) for k in (0, 1))
    own_means, own = moments(*(table.sum(axis=0) for table in moment_tables(values)))
    shares = np.ones(len(own))
    for name in np.flatnonzero(own):
        side = np.sign(own[name])
        # The same sum in another order may differ in its last bits.
        as_extreme = side * statistics >= abs(own[name]) * (1 - 1e-9)
        further = np.count_nonzero(as_extreme & (side * means >= AS_FAR * abs(own_means[name])))
        shares[name] = min(1.0, 2 * (1 + further) / (1 + len(means)))
    return shares


def permutations_for(names: int) -> int:
    """Permutations needed for p-values small enough for so many names, with all names' draws pooled."""
    suggested = max(USUAL_PERMUTATIONS, DRAWN_CELLS // names)
    return max(MIN_PERMUTATIONS, min(suggested, MAX_CELLS // names, MAX_PERMUTATIONS))


def block_sums(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Sums of the rows (S, N) over at most 256 random blocks of sentences: float64 (blocks, N).

    Permuting the names of a whole block at once is a subgroup of permuting those of each sentence, so a test by it is
    as exact, and costs the same for any number of sentences.
    """
    sentences = len(values)
    if sentences <= BLOCKS:
        return values
    starts = np.linspace(0, sentences, BLOCKS, endpoint=False).astype(int)
    return np.add.reduceat(values[random.permutation(sentences)], starts, axis=0)


def permuted_sums(
    tables: tuple[np.ndarray, ...], n_permutations: int, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """Sums over rows after permuting the names within each row, in the same way in all tables (B, N), in parts (d, N).

    A row is shifted around by a random number of names, in a random order of the list: shifts are a group of
    permutations, which makes the test exact, and a shifted row is one piece of memory, which makes it fast.
    """
    from numpy.lib.stride_tricks import sliding_window_view

    rows, names = tables[0].shape
    for part in np.array_split(np.arange(n_permutations), ORDERS):
        order = random.permutation(names)
        shifts = random.integers(0, names, (rows, len(part)))
        windows = [
            sliding_window_view(np.hstack([table[:, order], table[:, order[:-1]]]), names, axis=1) for table in tables
        ]
        sums = tuple(np.zeros((len(part), names)) for _ in tables)
        for row in range(rows):
            for total, window in zip(sums, windows, strict=True):
                total += window[row][shifts[row]]
        yield sums


def two_sided_share(observed: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Two-sided p-values: twice the smaller tail share, with the observed value counted among the ascending draws.

    The sides are judged apart, since draws of rare events lie further out on one side than on the other.
    """
    # The same sum in another order may differ in its last bits; such a draw is as extreme as the observed one.
    rounding = 1e-9 * np.maximum(1, np.abs(np.where(np.isfinite(observed), observed, 0)))
    above = 1 + len(drawn) - np.searchsorted(drawn, observed - rounding, side="left")
    below = 1 + np.searchsorted(drawn, observed + rounding, side="right")
    return np.minimum(1.0, 2 * np.minimum(above, below) / (len(drawn) + 1))
