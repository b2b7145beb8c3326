"""The engine: score each distinct text once, as fast as the machine allows, and lose nothing."""

from __future__ import annotations

from psa_core.scoring._base import Backend, Cells, CellScores, Grid, Precision, Progress, ScoringOptions, Watch
from psa_core.scoring._run import score, score_cells, score_slices
