"""Run the Equity Evaluation Corpus audit on several models, in both spellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from psa_core import models
from psa_core.audits._grid import Grid
from psa_core.audits.eec import corpus
from psa_core.audits.run import Running, score_grid, scoring_record
from psa_core.cube import ScoreCube
from psa_core.errors import ModelError
from psa_core.models import Scorer


@dataclass(frozen=True, eq=False)
class Audited:
    """What an audit gives.

    Attributes
    ----------
    systems : mapping
        Model id to its scores.
    respelled : mapping
        The same where *disappointed* is written in the other way; without models that cannot tell, such as a file of
        predictions, and empty when the design does not have the word.
    records : mapping
        Model id to what its scoring took.
    """

    systems: Mapping[str, ScoreCube]
    respelled: Mapping[str, ScoreCube]
    records: Mapping[str, Any]


def audit(design: corpus.Design, model_ids: Sequence[str], spelling: str, running: Running) -> Audited:
    """Score a design with some models."""
    other = corpus.spelled(design, next(name for name in corpus.SPELLINGS if name != spelling))
    changed = np.flatnonzero((design.rows["emotion_word"] != other.rows["emotion_word"]).to_numpy())
    running.tell("Loading the models")
    scorers = {model_id: models.load(model_id) for model_id in model_ids}  # all first: a wrong id is told at once
    systems: dict[str, ScoreCube] = {}
    respelled: dict[str, ScoreCube] = {}
    records: dict[str, Any] = {}
    for number, (model_id, scorer) in enumerate(scorers.items()):
        running.tell(f"Scoring, system {number + 1} of {len(scorers)}")
        scores = score_grid(scorer, corpus.cells(design), running.part(number, len(scorers)))
        systems[model_id] = corpus.cube(design, scorer.targets, scores.perturbed)
        records[model_id] = scoring_record(scorer, scores)
        if len(changed) and (rows := _rows(scorer, corpus.cells(other), changed, running)) is not None:
            perturbed = scores.perturbed.copy()
            perturbed[changed] = rows
            respelled[model_id] = corpus.cube(other, scorer.targets, perturbed)
    return Audited(systems, respelled, records)


def _rows(scorer: Scorer, cells: Grid, rows: np.ndarray, running: Running) -> np.ndarray | None:
    """Scores of some rows, or None from a model that does not know these sentences."""
    some = Grid(cells.names, [cells.first[row] for row in rows], [cells.texts[row] for row in rows])
    try:
        return score_grid(scorer, some, replace(running, on_window=None)).perturbed
    except ModelError:
        return None
