"""What is claimed of names, groups and equivalence, counted over scorers as real life has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from psa_core import stats
from research.statistics.scorers import SCORERS, Drawn, Scorer

SENTENCES = (12, 100, 1000)
NAMES, PLANTED = 30, 3
GROUPS = np.repeat(["a", "b", "c", "d", "e", "f"], [10, 7, 5, 4, 3, 1])
MARGIN = 0.02
SIGNIFICANT = 0.05
#: Planted mean effects at 100 sentences and more; where noise is to be averaged out, larger for fewer.
EFFECTS = {
    "normal": 0.03, "classifier": 0.05, "rare2": 0.2, "rare10": 0.3, "binary": 0.3, "zeros": 0.05, "lexicon": 0.05,
    "grid": 0.06, "heavy": 0.06, "jump": 0.1, "skewed": 0.06, "huge": 0.03, "two": 0.03, "shared": 0.03, "spread": 0.06,
    "mixture": 0.15, "sentence": 0.1,
}  # fmt: skip
SHARES = ("rare2", "rare10", "binary")


@dataclass(frozen=True)
class Claims:
    """Shares of simulated studies of one scorer and size.

    `original`, `names`, `planted`: any name without an effect is called sure, against the original, against the names,
    and against the names while three others have an effect. `before`: as `names`, by t-tests of differences from the
    mean over names. `groups`: any group is called different. `equivalent`: names at the margin that are called
    equivalent. ``found_…``: planted names that are found.
    """

    scorer: str
    sentences: int
    original: float
    names: float
    planted: float
    before: float
    groups: float
    equivalent: float
    found_original: float
    found_names: float
    found_before: float
    repetitions: int

    @property
    def holds(self) -> bool:
        """Whether no false claim is made in more than 5 % of the studies, within the count's own error."""
        worst = max(self.original, self.names, self.planted, self.groups, self.equivalent)
        return worst <= SIGNIFICANT + 2 * (SIGNIFICANT * (1 - SIGNIFICANT) / self.repetitions) ** 0.5


def run_claims(repetitions: int, *, seed: int = 0, sentences: tuple[int, ...] = SENTENCES) -> Iterator[Claims]:
    """Count the claims for every scorer and size; a third of the repetitions from 1,000 sentences on."""
    for size in sentences:
        for scorer in SCORERS:
            yield claims_of(scorer, size, max(2, repetitions // 3 if size >= 1000 else repetitions), seed)


def claims_of(key: str, sentences: int, repetitions: int, seed: int) -> Claims:
    """Count the claims of studies drawn from one scorer."""
    scorer = SCORERS[key]
    random = np.random.default_rng([seed, sentences, *key.encode()])
    effect = EFFECTS[key] * (1 if key in SHARES else max(1.0, (100 / sentences) ** 0.5))
    counted = [
        [*_false_claims(scorer, scorer.study(random, sentences, NAMES)),
         *_found(scorer, scorer.study(random, sentences, NAMES, planted=PLANTED, effect=effect))]
        for _ in range(repetitions)
    ]  # fmt: skip
    original, names, before, groups, equivalent, planted, *found = np.mean(counted, axis=0).tolist()
    return Claims(scorer.title, sentences, original, names, planted, before, groups, equivalent, *found, repetitions)


def unseen_jumps(sentences: int, repetitions: int, seed: int = 0) -> float:
    """Share of names with jumps of 1 in twice the margin of all sentences, and no other move, called equivalent."""
    random = np.random.default_rng([seed, sentences])
    jumps = (random.random((sentences, repetitions)) < 2 * MARGIN) * 1.0
    return float((stats.equivalence_p(jumps, MARGIN) < SIGNIFICANT).mean())


def _false_claims(scorer: Scorer, study: Drawn) -> list[float]:
    null = slice(scorer.moved, None)
    against_original = stats.baseline_differences(study.original, study.perturbed)
    at_margin = against_original[:, null] + MARGIN
    return [
        float((stats.original_p(against_original) < SIGNIFICANT)[null].any()),
        float(sure(stats.name_effects(study.perturbed).p_value)[null].any()),
        float(sure(_before(study))[null].any()),
        float(sure_groups(study.perturbed, GROUPS).any()),
        float((stats.equivalence_p(at_margin, MARGIN) < SIGNIFICANT).mean()),
    ]


def _found(scorer: Scorer, study: Drawn) -> list[float]:
    against_names = sure(stats.name_effects(study.perturbed).p_value)
    against_original = stats.original_p(stats.baseline_differences(study.original, study.perturbed)) < SIGNIFICANT
    shares = [sure[-PLANTED:].mean() for sure in (against_original, against_names, sure(_before(study)))]
    return [float(against_names[scorer.moved : -PLANTED].any()), *map(float, shares)]


def _before(study: Drawn) -> np.ndarray:
    return stats.paired_t_p(stats.baseline_differences(study.original, study.perturbed, baseline="names"))


def sure(p_values: np.ndarray) -> np.ndarray:
    """Which names are called sure, corrected over the list by Holm: bool (N,)."""
    return stats.adjust(p_values, "holm") < SIGNIFICANT


def sure_groups(perturbed: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Which groups of two names or more are called different, as on the pages: bool (G,)."""
    sizes = {group: (groups == group).sum() for group in dict.fromkeys(groups.tolist())}
    contrasts = [stats.Contrast.between(groups == group, groups != group) for group, size in sizes.items() if size > 1]
    return stats.compare_groups(perturbed, contrasts, n_permutations=999).p_adjusted < SIGNIFICANT
