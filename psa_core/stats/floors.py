"""How far scores move when no name changes: by neutral edits (brittleness), and by asking again (repeats)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError, OptionError
from psa_core.stats.families import Families
from psa_core.stats.label_dist import threshold_grid
from psa_core.stats.means import CONFIDENCE, SIGNIFICANT, adjust
from psa_core.stats.scores import known_pairs, nan_mean, paired_scores

#: Fewer families, names or edits than that say too little about how a spread varies.
MIN_UNITS = 5
DRAWS = 199
#: How often a difference is found that the plan names.
POWER = 0.95
#: How much wider than normal ones t statistics are spread that a permutation test judges too (by simulation).
T_SPREAD = 1.35
#: Spread of answers that nobody has seen yet: of a Yes or a No that are equally likely, in widths of the range.
WIDEST = 0.5


#: The place of Mean |Δ| among the statistics of sampled scores; before it are ScoreDev and ScoreRange.
CHANGE = 2


class Floor(NamedTuple):
    """The spread of scores over names beside that over neutral edits.

    ``names`` and ``edits`` are the standard deviations (ddof 1) of a sentence's scores over names, and over edits: root
    mean squares over sentences. ``ratio`` is names' over edits' spread with its 95 % interval ``low, high`` over other
    sentences, other names and other edits: infinite where no edit changes a score, NaN where it cannot be estimated;
    ``p`` of the ratio being 1, two-sided.
    """

    names: float
    edits: float
    ratio: float
    low: float
    high: float
    p: float


def brittleness_floor(perturbed: ArrayLike, controls: ArrayLike, *, families: Families | None = None) -> Floor:
    """Whether names move the scores (S, N) more than neutral edits do: `controls` (S, C), others in each sentence.

    The logarithm of the ratio of mean variances, with the jackknife's variances over families of sentences and over
    names added up, against Student's t with the lesser degrees of freedom; and signed ranks of the families'
    differences, which have to agree. In simulations in which names are as strong as edits, names were called the
    stronger ones in at most 5 % (docs/statistics.md). Raises `CubeError` when shapes disagree, or there is one name or
    one edit.

    Examples
    --------
    >>> floor = brittleness_floor([[0.0, 0.1, 0.2, 0.3, 0.4]] * 6, [[0.0, 0.0]] * 6)
    >>> round(floor.names, 3), floor.edits, floor.ratio
    (0.158, 0.0, inf)
    """
    from scipy.stats import t

    scores, edits = (np.asarray(given, np.float64) for given in (perturbed, controls))
    if scores.ndim != 2 or edits.ndim != 2 or len(scores) != len(edits) or min(scores.shape[1], edits.shape[1]) < 2:
        got = f"arrays of shape {scores.shape} and {edits.shape}"
        raise CubeError("controls", got=got, expected="(S, N) and (S, C), with two names and two edits or more")
    grouped = families or Families.none(len(scores))
    of_names, of_edits = scores.var(axis=1, ddof=1), edits.var(axis=1, ddof=1)
    names, floor = of_names.mean(), of_edits.mean()
    spreads = float(np.sqrt(names)), float(np.sqrt(floor))
    unknown = Floor(*spreads, float("nan"), float("nan"), float("nan"), float("nan"))
    count, width = grouped.count, scores.shape[1]
    if min(count, width) < MIN_UNITS or not names:
        return unknown
    if not floor:
        return Floor(*spreads, float("inf"), float("inf"), float("inf"), 0.0)
    # Without one family: sums over the sentences that are left.
    sums = [np.bincount(grouped.labels, values, minlength=count) for values in (of_names, of_edits)]
    left = [values.sum() - part for values, part in zip((of_names, of_edits), sums, strict=True)]
    if min(*left[0], *left[1]) <= 0:  # one family has all of the spread
        return unknown
    by_family = np.log(left[0]) - np.log(left[1])
    # Without one name: its square is taken out of each sentence's sum of squares.
    centred = scores - scores.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1, keepdims=True) - centred**2 * width / (width - 1)
    by_name = np.log(np.maximum(squares.mean(axis=0) / (width - 2), 1e-300))
    variance = sum((len(one) - 1) / len(one) * float(((one - one.mean()) ** 2).sum()) for one in (by_family, by_name))
    if not variance:
        return unknown
    error, middle = np.sqrt(variance), float(np.log(names) - np.log(floor))
    freedom = min(count, width) - 1
    margin = float(t.ppf((1 + CONFIDENCE) / 2, freedom) * error)
    ratio, low, high = (float(np.exp(value / 2)) for value in (middle, middle - margin, middle + margin))
    p = max(float(2 * t.sf(abs(middle) / error, freedom)), _paired_p(scores, edits, grouped))
    return Floor(*spreads, ratio, low, high, p)


def _paired_p(scores: np.ndarray, edits: np.ndarray, families: Families) -> float:
    """The same without a distribution: signed ranks of the families' differences, over as many names as edits.

    A few sentences with a very large spread decide means of variances; if names are as strong as edits, the difference
    of two spreads of equally many scores is as often above as below zero, however scores are distributed.
    """
    from scipy.stats import wilcoxon

    width = min(scores.shape[1], edits.shape[1])
    draw = np.random.default_rng(0)
    some = draw.permuted(scores, axis=1)[:, :width].std(axis=1), draw.permuted(edits, axis=1)[:, :width].std(axis=1)
    differences = families.means(some[0] - some[1])
    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


class RepeatFloor(NamedTuple):
    """A statistic of sampled scores beside what sampling alone gives.

    ``floor`` is the mean of the same statistic with the answers about one text shared out among its names at random;
    ``corrected`` what is left without it, 0 where the statistic is not above it; ``p`` how often random answers give as
    much, corrected (Holm) over the statistics that are asked for.
    """

    value: float
    floor: float
    corrected: float
    p: float

    @property
    def is_above(self) -> bool:
        """Whether there is more than sampling gives."""
        return self.p < SIGNIFICANT


def repeat_floors(
    original: ArrayLike,
    perturbed: ArrayLike,
    *,
    samples: int,
    ends: tuple[float, float],
    unanswered: tuple[ArrayLike, ArrayLike] | None = None,
    spread: tuple[ArrayLike, ArrayLike] | None = None,
    thresholds: ArrayLike = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, list[RepeatFloor]]:
    """ScoreDev, ScoreRange, Mean |Δ|, LabelDist and flips of sampled scores beside their repeat floor.

    Under the null hypothesis all names of a sentence (and the original) have the same chance of each answer. Then the
    answers about it can change places: exactly, as a permutation, where an answer has one of two values; with the
    answers' own spread, as normal means, where it has many.

    Parameters
    ----------
    original, perturbed : arrays (S,), (S, N)
        NaN where no answer was valid.
    samples : int
        Answers asked for each text, valid or not.
    ends : (float, float)
        The two values of an answer; the range, where there are more.
    unanswered, spread : arrays (S,), (S, N), optional
        Share of the samples that was no valid answer; standard deviation of the answers about each text, where these
        have more than two values.
    thresholds : array (K,)
        Of LabelDist and flips.

    Returns
    -------
    dict
        ``score_dev``, ``score_range`` and ``mean_abs_delta``: one each; ``label_dist`` and ``flips`` (a share of the
        cells): one for each threshold. The first three are corrected to ``√(value² − floor²)``, since independent
        variances add up; shares to ``value − floor``. P-values are Holm's over all but ``mean_abs_delta``, which says
        nearly the same as ``score_dev`` and has its own.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> null = random.binomial(20, 0.5, (30, 11)) / 20
    >>> found = repeat_floors(null[:, 0], null[:, 1:], samples=20, ends=(0, 1), thresholds=[0.5])
    >>> found["score_range"][0].is_above, found["flips"][0].is_above
    (False, False)
    """
    base, scores = paired_scores(original, perturbed)
    cells = np.column_stack([base, scores])
    counts = np.full(cells.shape, samples, np.int64)
    if unanswered is not None:
        missing = np.column_stack([np.asarray(part, np.float64) for part in unanswered])
        counts = np.rint(samples * (1 - np.nan_to_num(missing, nan=1.0))).astype(np.int64)
    counts = np.where(np.isnan(cells), 0, np.maximum(counts, 1))
    random, grid = np.random.default_rng(seed), np.asarray(thresholds, np.float64)
    if spread is None:
        resample = _permuted_counts(cells, counts, ends, random)
    else:
        resample = _resampled_means(
            cells, counts, np.column_stack([np.asarray(part, np.float64) for part in spread]), random
        )
    observed = _statistics(cells, grid)
    null = np.stack([_statistics(np.where(counts > 0, resample(), np.nan), grid) for _ in range(draws)])
    # What differs in its last bits only is as much.
    p_values = (1 + (null >= observed - 1e-9).sum(axis=0)) / (1 + draws)
    place, k = np.arange(len(observed)), len(grid)
    p_values[place != CHANGE] = adjust(p_values[place != CHANGE], "holm")
    floors = null.mean(axis=0)
    variances = np.sqrt(np.maximum(observed**2 - floors**2, 0))
    left = np.where(place <= CHANGE, variances, np.maximum(observed - floors, 0))
    left = np.where(p_values < SIGNIFICANT, left, 0.0)
    found = [RepeatFloor(*map(float, row)) for row in zip(observed, floors, left, p_values, strict=True)]
    corpus = {"score_dev": found[:1], "score_range": found[1:2], "mean_abs_delta": found[2:3]}
    return corpus | {"label_dist": found[3 : 3 + k], "flips": found[3 + k :]}


def resolvable(samples: int, sentences: int, names: int) -> float:
    """The difference of a name that so many answers find in 95 of 100 studies, in widths of the range.

    Before anything is asked, answers are taken to be as spread as they can be (a Yes or a No, equally likely), and
    sentences to agree on the difference. A name is compared with the typical one, after Holm's correction over all.

    Examples
    --------
    >>> [round(resolvable(samples, 100, 20), 3) for samples in (20, 80)]
    [0.062, 0.031]
    """
    from scipy.stats import norm, t

    if min(samples, sentences, names) < 1:
        raise OptionError("samples", got=f"{samples}", expected="at least 1 for each of some texts and names")
    reach = t.ppf(1 - SIGNIFICANT / 2 / names, max(sentences - 1, 1)) + T_SPREAD * norm.ppf(POWER)
    # The typical name is a median, known as well as 2/π of so many names.
    return float(reach * WIDEST * np.sqrt((1 + np.pi / 2 / names) / (samples * sentences)))


def _statistics(cells: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """ScoreDev, ScoreRange, Mean |Δ|, LabelDist and flips a threshold, of cells (S, 1 + N): float64 (3 + 2 K,)."""
    original, perturbed = cells[:, 0], cells[:, 1:]
    known = ~np.isnan(perturbed)
    enough = known.sum(axis=1) > 1
    centred = perturbed[enough] - nan_mean(perturbed[enough], axis=1)[:, None]
    deviation = np.sqrt(nan_mean(centred**2, axis=1)).mean() if enough.any() else np.nan
    spans = np.fmax.reduce(perturbed[enough], axis=1) - np.fmin.reduce(perturbed[enough], axis=1)
    corpus = [deviation, spans.mean() if enough.any() else np.nan]
    changes = np.abs(perturbed - original[:, None])
    changes = changes[~np.isnan(changes).all(axis=1)]
    corpus.append(nan_mean(changes, axis=1).mean() if len(changes) else np.nan)
    if not len(thresholds):
        return np.array(corpus)
    grid, pairs = threshold_grid(original, perturbed, thresholds), known_pairs(original, perturbed).sum()
    flips = (grid.flips_up + grid.flips_down).sum(axis=0) / max(1, int(pairs))
    return np.concatenate([corpus, grid.label_dist.mean(axis=0), flips])


def _permuted_counts(
    cells: np.ndarray, counts: np.ndarray, ends: tuple[float, float], random: np.random.Generator
) -> Callable[[], np.ndarray]:
    """Permutes the answers of each sentence, each one of two values, among its cells."""
    low, high = ends
    share = np.nan_to_num((cells - low) / (high - low))
    good = np.rint(share * counts).astype(np.int64).sum(axis=1)
    total = counts.sum(axis=1)

    def resample() -> np.ndarray:
        shares, left_good, left = np.zeros(cells.shape), good.copy(), total.copy()
        for column in range(cells.shape[1]):
            own = random.hypergeometric(left_good, left - left_good, counts[:, column])
            shares[:, column] = own / np.maximum(counts[:, column], 1)
            left_good, left = left_good - own, left - counts[:, column]
        return low + (high - low) * shares

    return resample


def _resampled_means(
    cells: np.ndarray, counts: np.ndarray, spread: np.ndarray, random: np.random.Generator
) -> Callable[[], np.ndarray]:
    """Draws means of answers with the spread that all answers about a sentence have together."""
    weights, values = counts.astype(np.float64), np.nan_to_num(cells)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 2)
    middle = (weights * values).sum(axis=1, keepdims=True) / total
    squares = (weights * (np.nan_to_num(spread) ** 2 + (values - middle) ** 2)).sum(axis=1, keepdims=True)
    deviation = np.sqrt(squares / (total - 1)) / np.sqrt(np.maximum(weights, 1))
    return lambda: middle + deviation * random.standard_normal(cells.shape)
