"""What the same text shows when it is asked about again: the floor of scores that are means of sampled answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import OptionError
from psa_core.stats.label_dist import flip_counts, threshold_grid
from psa_core.stats.scores import nan_mean, paired_scores
from psa_core.stats.significance import SIGNIFICANT, adjust

DRAWS = 199
#: How often a difference is found that the plan names.
POWER = 0.95
#: How much wider than normal ones t statistics are spread that a permutation test judges too (by simulation).
T_SPREAD = 1.35
#: Spread of answers that nobody has seen yet: of a Yes or a No that are equally likely, in widths of the range.
WIDEST = 0.5


class RepeatFloor(NamedTuple):
    """A statistic of sampled scores beside what sampling alone gives.

    Attributes
    ----------
    floor : float
        Mean of the same statistic with the answers about one text shared out among its names at random.
    corrected : float
        What is left without the floor; 0 where the statistic is not above it.
    p : float
        How often random answers give as much, corrected (Holm) over the statistics that are asked for.
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
    """ScoreDev, ScoreRange, LabelDist and flips of sampled scores beside their repeat floor.

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
    unanswered : arrays (S,), (S, N), optional
        Share of the samples that was no valid answer.
    spread : arrays (S,), (S, N), optional
        Standard deviation of the answers about each text, where these have more than two values.
    thresholds : array (K,)
        Of LabelDist and flips.

    Returns
    -------
    dict
        ``score_dev`` and ``score_range``: one each; ``label_dist`` and ``flips`` (a share of the cells): one for each
        threshold. Corrected ScoreDev and ScoreRange are ``√(value² − floor²)``, since independent variances add up;
        corrected shares ``value − floor``.

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
    p_values = adjust((1 + (null >= observed - 1e-9).sum(axis=0)) / (1 + draws), "holm")
    floors, k = null.mean(axis=0), len(grid)
    variances = np.sqrt(np.maximum(observed**2 - floors**2, 0))
    left = np.where(np.arange(len(observed)) < 2, variances, np.maximum(observed - floors, 0))
    left = np.where(p_values < SIGNIFICANT, left, 0.0)
    found = [RepeatFloor(*map(float, row)) for row in zip(observed, floors, left, p_values, strict=True)]
    return {"score_dev": found[:1], "score_range": found[1:2], "label_dist": found[2 : 2 + k], "flips": found[2 + k :]}


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
    """ScoreDev, ScoreRange, then LabelDist and flips at each threshold, of cells (S, 1 + N): float64 (2 + 2 K,)."""
    original, perturbed = cells[:, 0], cells[:, 1:]
    known = ~np.isnan(perturbed)
    enough = known.sum(axis=1) > 1
    centred = perturbed[enough] - nan_mean(perturbed[enough], axis=1)[:, None]
    deviation = np.sqrt(nan_mean(centred**2, axis=1)).mean() if enough.any() else np.nan
    spans = np.fmax.reduce(perturbed[enough], axis=1) - np.fmin.reduce(perturbed[enough], axis=1)
    corpus = [deviation, spans.mean() if enough.any() else np.nan]
    if not len(thresholds):
        return np.array(corpus)
    distances = threshold_grid(original, perturbed, thresholds).label_dist.mean(axis=0)
    pairs = max(1, int((known & ~np.isnan(original)[:, None]).sum()))
    flips = np.sum(flip_counts(original, perturbed, thresholds), axis=0) / pairs
    return np.concatenate([corpus, distances, flips])


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
