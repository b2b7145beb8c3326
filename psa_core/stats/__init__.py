"""Arrays to numbers: differences, curves over thresholds, intervals, tests and noise floors.

Everything here works on the scores of one target, ``original`` (S,) and ``perturbed`` (S, N), or on differences (S, N);
nothing here knows about tables or drawing. All raise `CubeError` where there is no sentence, shapes disagree or a value
is infinite; a missing one (NaN) is left out, with what it is paired with. What else they raise, each says. The same
``seed`` gives the same numbers; ``families`` says which sentences depend on each other. scipy and statsmodels are
imported on first use.
"""

from __future__ import annotations

from psa_core.stats.bootstrap import Difference, bootstrap_interval, label_dist_interval, paired_difference
from psa_core.stats.contrasts import Contrast, interaction_contrasts
from psa_core.stats.correlation import Correlation, pearson, sentence_correlation, trend_shape
from psa_core.stats.families import Families
from psa_core.stats.floor import Floor, brittleness_floor
from psa_core.stats.groups import Interactions, compare_groups, over_sentences
from psa_core.stats.intervals import (
    CONFIDENCE,
    Interval,
    Intervals,
    mean_interval,
    needed_sentences,
    small_sample_warning,
)
from psa_core.stats.label_dist import (
    ThresholdGrid,
    flip_counts,
    label_dist_parts,
    threshold_grid,
)
from psa_core.stats.limits import equivalence_p, equivalence_sentences, increase_p
from psa_core.stats.name_effects import NameEffects, name_effects, original_p
from psa_core.stats.ranks import second_opinion_p, sign_test_p, signed_rank_p
from psa_core.stats.repeat_floor import RepeatFloor, repeat_floors, resolvable
from psa_core.stats.scores import (
    Baseline,
    baseline_differences,
    checked_thresholds,
    effect_differences,
    effective_threshold,
    labels_at,
    labels_differ,
    mean_by_name,
    nan_mean,
    paired_scores,
    sensitivities,
    sentence_moments,
)
from psa_core.stats.significance import (
    CORRECTIONS,
    SIGNIFICANT,
    adjust,
    paired_t_p,
    standardised_effect,
)
