"""Arrays to numbers: differences, curves over thresholds, intervals, tests and noise floors.

Everything here works on the scores of one target, ``original`` (S,) and ``perturbed`` (S, N), or on differences (S, N);
nothing here knows about tables or drawing. All raise `CubeError` where there is no sentence, shapes disagree or a value
is infinite; a missing one (NaN) is left out, with what it is paired with. What else they raise, each says. The same
``seed`` gives the same numbers; ``families`` says which sentences depend on each other. scipy and statsmodels are
imported on first use.
"""

from __future__ import annotations

from psa_core.stats.bootstrap import (
    Correlation,
    Difference,
    bootstrap_interval,
    paired_difference,
    pearson,
    sentence_correlation,
    trend_shape,
)
from psa_core.stats.families import Families
from psa_core.stats.floors import Floor, RepeatFloor, brittleness_floor, repeat_floors, resolvable
from psa_core.stats.groups import Contrast, compare_groups, interaction_contrasts, over_sentences
from psa_core.stats.label_dist import label_dist_interval, label_dist_parts, threshold_grid
from psa_core.stats.means import (
    CONFIDENCE,
    CORRECTIONS,
    SIGNIFICANT,
    Interval,
    adjust,
    mean_interval,
    needed_sentences,
    paired_t_p,
    small_sample_warning,
    standardised_effect,
)
from psa_core.stats.name_effects import name_effects, original_p
from psa_core.stats.name_tests import (
    equivalence_p,
    equivalence_sentences,
    increase_p,
    second_opinion_p,
    sign_test_p,
    signed_rank_p,
)
from psa_core.stats.scores import (
    Baseline,
    baseline_differences,
    checked_thresholds,
    effect_differences,
    effective_threshold,
    known_pairs,
    labels_at,
    labels_differ,
    mean_by_name,
    nan_mean,
    paired_scores,
    sensitivities,
    sentence_moments,
)
