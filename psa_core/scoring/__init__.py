"""The engine: score each distinct text once, as fast as the machine allows, and lose nothing."""

from __future__ import annotations

from psa_core.scoring._base import Backend, Cells, CellScores, ScoringOptions
from psa_core.scoring._progress import Progress
from psa_core.scoring._run import score, score_cells, score_slices

__all__ = ["Backend", "CellScores", "Cells", "Progress", "ScoringOptions", "score", "score_cells", "score_slices"]
