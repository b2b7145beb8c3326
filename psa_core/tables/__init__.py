"""Cube + method → small labelled frames: reduced first, then labelled, never melted.

Each function takes the cube and the name of one target; thresholds default to the target's own, and an unknown target
is a `CubeError`. Intervals and tests are those of :mod:`psa_core.stats`, over sentences, at 95 %.
"""

from __future__ import annotations

from psa_core.tables.corpus import sentence_table, summary, target_summary
from psa_core.tables.flips import Flips, default_thresholds, find_flips, label_dist_table
from psa_core.tables.groups import (
    condition_table,
    condition_targets,
    crossing_table,
    crossings,
    group_file_table,
    group_table,
    published_table,
    selection_file_table,
    selection_table,
)
from psa_core.tables.names import default_baseline, effect_columns, name_file_table, name_table, name_test_table
from psa_core.tables.pairs import MatchedCubes, change_table, limit_table, new_flips, paired
