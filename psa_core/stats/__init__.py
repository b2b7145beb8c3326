"""Arrays to numbers: differences, curves over thresholds, intervals, tests and noise floors.

Everything here works on the scores of one target, ``original`` (S,) and ``perturbed`` (S, N), or on differences (S, N);
nothing here knows about tables or drawing. scipy and statsmodels are imported on first use.
"""

from __future__ import annotations

from psa_core.stats.bootstrap import bootstrap_interval, label_dist_interval
from psa_core.stats.correlation import Correlation, pearson, sentence_correlation
from psa_core.stats.curves import Curve, label_dist_curve
from psa_core.stats.effect_increase import increase_p
from psa_core.stats.equivalence import equivalence_p, equivalence_sentences
from psa_core.stats.families import Families
from psa_core.stats.grid import ThresholdGrid, flip_counts, threshold_grid
from psa_core.stats.groups import (
    NoiseFloor,
    difference_without_furthest,
    group_difference,
    noise_floors,
    range_noise_floor,
)
from psa_core.stats.intervals import (
    CONFIDENCE,
    Interval,
    Intervals,
    mean_interval,
    needed_sentences,
    small_sample_warning,
)
from psa_core.stats.name_effects import NameEffects, name_effects
from psa_core.stats.original_effects import original_p
from psa_core.stats.paired import Difference, label_dist_parts, paired_difference
from psa_core.stats.power import detectable_effect
from psa_core.stats.ranks import second_opinion_p, sign_test_p, signed_rank_p
from psa_core.stats.scores import (
    Baseline,
    baseline_differences,
    checked_thresholds,
    effect_differences,
    effective_threshold,
    labels_at,
    paired_scores,
    sensitivities,
)
from psa_core.stats.significance import (
    CORRECTIONS,
    SIGNIFICANT,
    adjust,
    paired_t_p,
    standardised_effect,
)

__all__ = [
    "CONFIDENCE",
    "CORRECTIONS",
    "SIGNIFICANT",
    "Baseline",
    "Correlation",
    "Curve",
    "Difference",
    "Families",
    "Interval",
    "Intervals",
    "NameEffects",
    "NoiseFloor",
    "ThresholdGrid",
    "adjust",
    "baseline_differences",
    "bootstrap_interval",
    "checked_thresholds",
    "detectable_effect",
    "difference_without_furthest",
    "effect_differences",
    "effective_threshold",
    "equivalence_p",
    "equivalence_sentences",
    "flip_counts",
    "group_difference",
    "increase_p",
    "label_dist_curve",
    "label_dist_interval",
    "label_dist_parts",
    "labels_at",
    "mean_interval",
    "name_effects",
    "needed_sentences",
    "noise_floors",
    "original_p",
    "paired_difference",
    "paired_scores",
    "paired_t_p",
    "pearson",
    "range_noise_floor",
    "second_opinion_p",
    "sensitivities",
    "sentence_correlation",
    "sign_test_p",
    "signed_rank_p",
    "small_sample_warning",
    "standardised_effect",
    "threshold_grid",
]
