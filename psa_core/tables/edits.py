"""Neutral edits: what each did to a score, and what they did on average, as the bars of names are."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.study import perturbation_of, spec_of
from psa_core.study.controls import controls_of


def edit_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Every edit about nobody, largest first: ``sentence_id``, ``edit`` (``Monday → Friday``), ``change`` of the score.

    Without rows where the study has no such edits, or does not say which they were.
    """
    moved, edits = _moved(cube, target), []
    spec = spec_of(cube) if cube.controls is not None and "study" in cube.provenance else None
    if spec is not None and spec.controls == moved.shape[1]:
        edits = [*controls_of(perturbation_of(cube, target), spec.controls, spec.seed).changes]
    ids = np.repeat(cube.sentences["sentence_id"].to_numpy()[: len(edits)], moved.shape[1])
    words = [words for own in edits for words in own]
    table = pd.DataFrame({"sentence_id": ids, "edit": words, "change": moved[: len(edits)].ravel().astype(float)})
    return table.sort_values("change", key=abs, ascending=False, kind="stable", ignore_index=True)


def edit_span(cube: ScoreCube, target: str) -> tuple[float, float] | None:
    """The lowest and the highest mean change over sentences of an edit about nobody, each scored as a name is.

    None where the study has fewer than two such edits.
    """
    moved = _moved(cube, target)
    known = moved[np.isfinite(moved).all(axis=1)].astype(float)
    if known.shape[1] < 2 or not len(known):
        return None
    means = known.mean(axis=0)
    return float(means.min()), float(means.max())


def _moved(cube: ScoreCube, target: str) -> np.ndarray:
    """(S, C): how far each edit moves the score of its text."""
    if cube.controls is None:
        return np.empty((len(cube.sentences), 0), np.float32)
    scores = cube.controls[:, :, cube.target_index(target)]
    return scores[:, 1:] - scores[:, :1]
