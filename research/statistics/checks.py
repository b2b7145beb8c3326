"""The claims of the statistics, each measured on many simulated studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from psa_core import metrics, stats
from psa_core.stats.groups import contrast_floors
from research.statistics.populations import Population, population

NAMES = 20
LIST = 50
THRESHOLD = 0.5
RESAMPLES = 500
SENTENCES = (50, 200, 1000)
HALVES = stats.Contrast.between(np.arange(NAMES) < NAMES // 2, np.arange(NAMES) >= NAMES // 2)

Truth = Callable[[Population], np.ndarray | float]
Bounds = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray | float, np.ndarray | float]]
Intervals = Mapping[str, tuple[Truth, Bounds]]


@dataclass(frozen=True)
class Check:
    """One claim and how often it held in so many independent studies: kept where the share is from `low` to `high`."""

    claim: str
    setting: str
    measured: float
    low: float
    high: float
    repetitions: int

    @property
    def error(self) -> float:
        """Standard error of the measured share, from the number of repetitions."""
        return float(np.sqrt(max(self.measured * (1 - self.measured), 1e-4) / self.repetitions))

    @property
    def holds(self) -> bool:
        """Whether the share lies where it must."""
        return self.low <= self.measured <= self.high


def run_checks(repetitions: int = 1000, *, seed: int = 0) -> Iterator[Check]:
    """Measure every claim, one by one; more `repetitions` are surer and slower (1,000 take 1.5 minutes)."""
    for sentences in SENTENCES:
        yield from coverage(sentences, 4 * repetitions, seed, T_INTERVALS)
        yield from coverage(sentences, repetitions, seed, BOOTSTRAP_INTERVALS)
    for sentences in (50, 200):
        yield from error_rates(sentences, 2 * repetitions, seed)
    yield from noise_floor_coverage(2 * repetitions, seed)


def coverage(sentences: int, repetitions: int, seed: int, intervals: Intervals) -> Iterator[Check]:
    """How often the 95 % intervals hold the population's value."""
    crowd = population(NAMES, seed=seed)
    random = np.random.default_rng([seed, sentences])
    truths = {claim: truth(crowd) for claim, (truth, _) in intervals.items()}
    held: dict[str, list[float]] = {claim: [] for claim in intervals}
    for repetition in range(repetitions):
        study = crowd.study(random, sentences)
        for claim, (_, interval) in intervals.items():
            low, high = interval(*study, repetition)
            held[claim].append(float(np.mean((low <= truths[claim]) & (truths[claim] <= high))))
    for claim, shares in held.items():
        setting = f"{sentences:,} sentences × {NAMES} names"
        yield Check(claim, setting, float(np.mean(shares)), 0.93, 0.97, repetitions)


def error_rates(sentences: int, repetitions: int, seed: int) -> Iterator[Check]:
    """How often names without an effect are called significant, and names at the margin equivalent."""
    margin = 0.01
    crowd = population(LIST, seed=seed).with_effects(np.zeros(LIST))
    moved = np.arange(LIST) < LIST // 5
    some_move = crowd.with_effects(np.where(moved, 0.02, 0.0))
    random = np.random.default_rng([seed, sentences])
    family, false_share, equivalent = [], [], []
    for _ in range(repetitions):
        p_null = stats.paired_t_p(_differences(crowd, random, sentences))
        family.append((stats.adjust(p_null, "holm") < 0.05).any())
        found = stats.adjust(stats.paired_t_p(_differences(some_move, random, sentences)), "fdr_bh") < 0.05
        false_share.append((found & ~moved).sum() / max(1, found.sum()))
        at_margin = _differences(crowd, random, sentences) + margin
        equivalent.append((stats.equivalence_p(at_margin, margin) < 0.05).mean())
    setting = f"{sentences:,} sentences × {LIST} names"
    for claim, rates in (
        ("No name has an effect: any is called significant (Holm, 5 %)", family),
        (
            "A fifth of the names have an effect: share of wrong ones among the significant (Benjamini–Hochberg, 5 %)",
            false_share,
        ),
        ("A name at the margin is called equivalent (TOST, 5 %)", equivalent),
    ):
        yield Check(claim, setting, float(np.mean(rates)), 0.0, 0.05, repetitions)


def noise_floor_coverage(repetitions: int, seed: int) -> Iterator[Check]:
    """How often names grouped at random stay within the band that the noise floor gives for them."""
    crowd = population(LIST, seed=seed)
    random = np.random.default_rng([seed, 1])
    groups = np.repeat(["a", "b", "c"], [LIST // 5, 2 * LIST // 5, LIST - 3 * LIST // 5])
    within = []
    for repetition in range(repetitions):
        name_means = crowd.study(random, 200)[1].mean(axis=0)
        dealt = random.permutation(groups)
        against = [stats.Contrast.between(dealt == group, dealt != group) for group in "abc"]
        within.append(not contrast_floors(name_means, against, n_permutations=999, seed=repetition).is_above[0])
    claim = "A random group of names stays within its noise floor"
    yield Check(claim, f"{LIST} names in groups of 10, 20, 20", float(np.mean(within)), 0.93, 0.97, repetitions)


def _differences(crowd: Population, random: np.random.Generator, sentences: int) -> np.ndarray:
    return stats.baseline_differences(*crowd.study(random, sentences))


def _score_sens(original: np.ndarray, perturbed: np.ndarray, _: int) -> tuple[np.ndarray, np.ndarray]:
    return stats.mean_interval(stats.baseline_differences(original, perturbed))[1:]


def _name_effect(original: np.ndarray, perturbed: np.ndarray, _: int) -> tuple[np.ndarray, np.ndarray]:
    return stats.mean_interval(stats.baseline_differences(original, perturbed, baseline="names"))[1:]


def _group_difference(_: np.ndarray, perturbed: np.ndarray, __: int) -> tuple[np.ndarray, np.ndarray]:
    return stats.mean_interval(HALVES.of(perturbed))[1:]


def _score_dev(_: np.ndarray, perturbed: np.ndarray, seed: int) -> tuple[float, float]:
    return stats.bootstrap_interval(perturbed.std(axis=1), n_resamples=RESAMPLES, seed=seed)[1:]


def _score_range(_: np.ndarray, perturbed: np.ndarray, seed: int) -> tuple[float, float]:
    return stats.bootstrap_interval(np.ptp(perturbed, axis=1), n_resamples=RESAMPLES, seed=seed)[1:]


def _label_dist(original: np.ndarray, perturbed: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return stats.label_dist_interval(original, perturbed, THRESHOLD, seed=seed)[1:]


def _correlation(original: np.ndarray, perturbed: np.ndarray, seed: int) -> tuple[float, float]:
    moves = stats.sensitivities(original, perturbed)
    return stats.sentence_correlation(moves, original, n_resamples=RESAMPLES, seed=seed)[2:]


T_INTERVALS: Intervals = {
    "ScoreSens against the original (t)": (
        lambda crowd: metrics.score_sens(crowd.original, crowd.perturbed),
        _score_sens,
    ),
    "ScoreSens against the names' mean (t)": (
        lambda crowd: (crowd.perturbed - crowd.perturbed.mean(axis=1, keepdims=True)).mean(axis=0),
        _name_effect,
    ),
    "Difference of two groups of names (t, by sentence)": (
        lambda crowd: HALVES.of(crowd.perturbed).mean(),
        _group_difference,
    ),
}
BOOTSTRAP_INTERVALS: Intervals = {
    "ScoreDev (bootstrap)": (lambda crowd: metrics.score_dev(crowd.original, crowd.perturbed), _score_dev),
    "ScoreRange (bootstrap)": (lambda crowd: metrics.score_range(crowd.original, crowd.perturbed), _score_range),
    "LabelDist at 0.5 (bootstrap)": (
        lambda crowd: metrics.label_dist(crowd.original, crowd.perturbed, THRESHOLD),
        _label_dist,
    ),
    "Sensitivity–score correlation (bootstrap)": (
        lambda crowd: metrics.sensitivity_correlation(crowd.original, crowd.perturbed).r,
        _correlation,
    ),
}
