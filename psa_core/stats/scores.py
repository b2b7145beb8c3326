"""Shared by all statistics: checked float64 scores, labels at a threshold, differences from a baseline."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError, OptionError

Baseline = Literal["original", "names"]
FLOAT32_ROUNDING = 1e-7
#: Names that are taken hundreds of times; see `subsample_names`.
MAX_NAMES = 2_000


def paired_scores(original: ArrayLike, perturbed: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Scores of one target as float64, after checking that they belong together.

    ``original`` (S,) are the sentences as they are, ``perturbed[s, n]`` is sentence ``s`` with name ``n``. The values
    stay: float32 scores are widened exactly, so that sums lose nothing. `CubeError` when they are no arrays of numbers,
    shapes disagree, there is no sentence or no name, a score is infinite, or no cell has both of its scores. A score
    may be missing (NaN); statistics are then over the pairs that are there.

    Examples
    --------
    >>> paired_scores([0.5], [[0.25, 1.0]])[1].shape
    (1, 2)
    """
    try:
        base, perturbed = _float64(original), _float64(perturbed)
    except (TypeError, ValueError, OverflowError) as error:
        expected = "original (S,) and perturbed (S, N), rows of one length"
        got = "something that is not an array of numbers"
        raise CubeError("scores of one target", got=got, expected=expected) from error
    got = ""
    if base.ndim != 1 or perturbed.ndim != 2 or len(base) != len(perturbed):
        got, expected = f"original {base.shape} and perturbed {perturbed.shape}", "original (S,) and perturbed (S, N)"
    elif perturbed.size == 0:
        got, expected = "{} sentences and {} names".format(*perturbed.shape), "at least one of each"
    elif np.isinf(base).any() or np.isinf(perturbed).any():
        got, expected = "infinite values", "finite scores, or NaN for a missing one"
    elif not known_pairs(base, perturbed).any():
        got, expected = "no pair of scores", "a score before and with a name"
    if got:
        raise CubeError("scores of one target", got=got, expected=expected)
    return base, perturbed


def known_pairs(original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
    """Which cells have a score, as their sentence has: bool (S, N)."""
    return ~np.isnan(original)[:, None] & ~np.isnan(perturbed)


def nan_mean(given: ArrayLike, axis: int | None = None) -> np.ndarray:
    """The mean of the values that are not NaN, NaN where all are; of complete values exactly `numpy.mean`."""
    values = np.asarray(given)
    known = ~np.isnan(values)
    if known.all():
        return np.asarray(values.mean(axis=axis, dtype=np.float64))
    sums, counts = np.where(known, values, 0.0).sum(axis=axis, dtype=np.float64), known.sum(axis=axis)
    return np.divide(sums, counts, out=np.full(np.shape(sums), np.nan), where=counts > 0)


def mean_by_name(differences: np.ndarray) -> np.ndarray:
    """Mean over sentences of each name, float64 (N,); where cells are missing, as if names had the same sentences.

    A name that is missing in high-scoring sentences would look low. So names are compared within sentences: the mean
    over names of each sentence is taken off first, and their mean is added at the end.
    """
    if not np.isnan(differences).any():
        return differences.mean(axis=0, dtype=np.float64)
    rows = nan_mean(differences, axis=1)
    return nan_mean(differences - rows[:, None], axis=0) + np.nanmean(rows)


def labels_differ(original: ArrayLike, perturbed: ArrayLike, threshold: float) -> np.ndarray:
    """Which cells have another label than their sentence, bool (S, N); a missing score has none, and never differs."""
    differ = labels_at(original, threshold)[:, None] != labels_at(perturbed, threshold)
    return differ & known_pairs(np.asarray(original), np.asarray(perturbed))


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


def just_above(threshold: float, scores: np.ndarray) -> float:
    """The lowest score above a threshold: what is written like the threshold does not reach it.

    Examples
    --------
    >>> above = just_above(0.7, np.zeros(1, np.float32))
    >>> bool(np.float32(0.7) >= above), bool(np.float32(0.701) >= above)
    (False, True)
    """
    is_float32 = np.array_equal(scores.astype(np.float32), scores, equal_nan=True)
    kind = np.float32 if is_float32 else np.float64
    return float(np.nextafter(kind(threshold), kind(np.inf)))


def labels_at(scores: ArrayLike, threshold: float) -> np.ndarray:
    """Which scores get the label, bool of their shape: ``score >= threshold``.

    A score of 0.7 reaches a threshold of 0.7, though its 32-bit reading is a little less than the 64-bit one; see
    `effective_threshold`, which every comparison with a threshold uses.

    Examples
    --------
    >>> labels_at(np.array([0.69, 0.7], dtype=np.float32), 0.7)
    array([False,  True])
    """
    exact = np.asarray(scores, dtype=np.float64)
    return exact >= effective_threshold(threshold, exact)


def baseline_differences(original: ArrayLike, perturbed: ArrayLike, *, baseline: Baseline = "original") -> np.ndarray:
    """Difference (S, N) of each perturbed score from its sentence's baseline, positive where the name raises the score.

    ``original`` subtracts ``f(x)`` (the paper); ``names`` subtracts the mean over names of the same sentence, which
    shows names against names, since a pronoun is not a name; for fewer than two names that is a `CubeError`.

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
    return perturbed - nan_mean(perturbed, axis=1)[:, None]


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
    return differences - np.nanmedian(mean_by_name(differences))


def sensitivities(original: ArrayLike, perturbed: ArrayLike) -> np.ndarray:
    """Mean over names of ``|f(x_n) - f(x)|``: float64 array (S,), at least 0; larger = more sensitive sentence."""
    return nan_mean(np.abs(baseline_differences(original, perturbed)), axis=1)


def _float64(values: ArrayLike) -> np.ndarray:
    """Numbers as float64; unlike NumPy, rejects strings and complex numbers."""
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


def sentence_moments(differences: ArrayLike) -> tuple[Any, np.ndarray, np.ndarray]:
    """Number, mean and sample standard deviation (ddof 1) over the first axis.

    A column whose values are all equal has exactly that mean and exactly the deviation 0: rounding in the mean would
    otherwise turn "no spread at all" into a spread of 1e-17 and a t statistic of 1e16.

    The count is an int, or an int array (N,) where values are missing; mean and deviation are float64 () or (N,): the
    deviation is NaN for one sentence, both are for none.

    Examples
    --------
    >>> sentence_moments([0.1, 0.1, 0.1])[1:]
    (array(0.1), array(0.))
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size == 0:
        raise CubeError("differences", got="no sentence", expected="at least one sentence")
    if np.isinf(values).any():
        raise CubeError("differences", got="infinite values", expected="finite values")
    known = ~np.isnan(values)
    count = len(values) if known.all() else known.sum(axis=0)
    lowest, highest, mean = np.fmin.reduce(values), np.fmax.reduce(values), nan_mean(values, axis=0)
    is_constant = lowest == highest
    mean = np.where(is_constant, highest, mean)
    squares = np.where(known, (values - mean) ** 2, 0.0).sum(axis=0)
    unknown = np.full(np.shape(squares), np.nan)
    variance = np.divide(squares, count - 1, out=unknown, where=np.greater(count, 1))
    return count, mean, np.asarray(np.sqrt(variance))
