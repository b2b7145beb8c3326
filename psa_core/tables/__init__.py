"""Cube + method → small labelled frames: reduced first, labelled then, never melted.

Each function takes the cube and the name of one target; thresholds default to the target's own. Intervals and tests are
those of :mod:`psa_core.stats`, over sentences, at 95 %.
"""

from __future__ import annotations

from psa_core.tables.changes import MatchedCubes, change_table, limit_table, new_flips, paired
from psa_core.tables.corpus import summary, target_summary
from psa_core.tables.flips import Flips, find_flips, flip_table
from psa_core.tables.groups import group_columns, group_file_table, group_table
from psa_core.tables.names import default_baseline, effect_columns, name_file_table, name_table, name_test_table
from psa_core.tables.sentences import sentence_table
from psa_core.tables.thresholds import default_thresholds, label_dist_table

__all__ = [
    "Flips",
    "MatchedCubes",
    "change_table",
    "default_baseline",
    "default_thresholds",
    "effect_columns",
    "find_flips",
    "flip_table",
    "group_columns",
    "group_file_table",
    "group_table",
    "label_dist_table",
    "limit_table",
    "name_file_table",
    "name_table",
    "name_test_table",
    "new_flips",
    "paired",
    "sentence_table",
    "summary",
    "target_summary",
]
