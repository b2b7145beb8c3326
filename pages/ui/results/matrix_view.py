"""The parts of Matrix: all cells in one picture, the cell that was clicked, the clusters of names."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.frame import components, controls, exports, markup, state, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, flip_card
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import ask_baseline
from psa_core.charts._theme import DOWN, UP
from psa_core.claims.formatting import Words, p_text
from psa_core.cube import ScoreCube, Target
from psa_core.tables.matrix import Matrix, matrix

SHOWN_TEXT = 220
STEPS, HEIGHT = 32_000, 736
HINT = "Move over a cell to read it"
_canvas = components.picture("matrix")
#: Only the selection is sent at a click; the cells, which do not change, are not sent again.
_selection = components.teller("matrix_selection", variable="psaMatrix", event="psa-matrix")


def ordered(study: StudyContext) -> Matrix:
    """The study's matrix against the baseline that Names has."""
    return study.compute_slowly(matrix, baseline=ask_baseline(study))


def cells(study: StudyContext, found: Matrix) -> None:
    """Every cell; a click selects its sentence and its name on every page."""
    if not np.nan_to_num(found.values).any():
        typography.second("Every cell is 0: no name changes the score of any sentence.")
        return
    ids = study.cube.sentences["sentence_id"].to_numpy()[found.rows].astype(str).tolist()
    names = study.cube.names["name"].to_numpy()[found.columns].tolist()
    baseline = str(st.session_state[Key.NAMES_BASELINE])
    _canvas(
        key="matrix",
        data={**_static(study.target_key, study.cube, found, study.target, baseline=baseline)}
        | {"names": [study.labels[name] for name in names], "hint": HINT},
        height=HEIGHT,
        on_cell_change=partial(_take, ids, names),
    )
    row = ids.index(study.seen.sentence) if study.seen.sentence in ids else -1
    columns = [place for place, name in enumerate(names) if name in study.seen.names]
    _selection(key="matrix_selection", data={"columns": columns, "row": row})
    controls.hide_switch()
    typography.small_print(
        "One row a sentence, one column a name. Click a cell to read its sentence; your selection is kept on every "
        "page. Ctrl and the wheel, or + and −, zoom; drag to move; arrow keys and Enter choose a cell."
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _static(
    key: context.TargetKey, _cube: ScoreCube, _found: Matrix, _target: Target, *, baseline: str
) -> dict[str, Any]:
    """The data that clicks do not change: cells as 16-bit numbers, the sentences, the colours."""
    largest = float(np.nanmax(np.abs(_found.values)))
    numbers = np.round(np.nan_to_num(_found.values) / largest * STEPS).astype("<i2")
    texts = _cube.sentences["text"].to_numpy()[_found.rows]
    words = Words.of(_target)
    return {
        "cells": base64.b64encode(numbers.tobytes()).decode("ascii"),
        "unit": words.scale * largest / STEPS,
        "limit": words.scale * _found.limit,
        "digits": 4 if words.scale == 1 else 2,
        "ends": [words.change(end) for end in (-_found.limit, _found.limit)],
        "texts": [str(text)[:SHOWN_TEXT] for text in texts],
        "edges": [int(place) + 1 for place in np.flatnonzero(np.diff(_found.cluster))],
        "up": UP,
        "down": DOWN,
    }


def _take(ids: Sequence[str], names: Sequence[str]) -> None:
    """Select the sentence and the name of the cell that was clicked."""
    cell = st.session_state["matrix"]["cell"]
    if not isinstance(cell, dict):
        return
    row, column = cell.get("row"), cell.get("column")
    if not isinstance(row, int) or not isinstance(column, int):  # what a client sends need not be a cell
        return
    if 0 <= row < len(ids) and 0 <= column < len(names):
        kept = [name for name in state.view().names if name != names[column]]
        state.choose(sentence=ids[row], names=(*kept, names[column])[-state.MAX_NAMES :])


def chosen_cell(study: StudyContext) -> None:
    """The selected sentence with the name that was selected last."""
    places = np.flatnonzero(study.cube.sentences["sentence_id"].astype(str).to_numpy() == str(study.seen.sentence))
    if not len(places) or not study.seen.names:
        return
    name = study.seen.names[-1]
    row, column, label = int(places[0]), study.cube.names["name"].tolist().index(name), study.labels[name]
    original, perturbed = study.cube.scores(study.target.name)
    score = partial(study.words.level, digits=3)
    with st.container(border=True):
        text = study.perturbation.text(row, column)
        st.html(markup.sentence(text if name == label else text.replace(name, label)))
        typography.second(
            f"{study.axis}: {score(original[row])} as it is, {score(perturbed[row, column])} with {label}; the names' "
            f"mean here is {score(np.nanmean(perturbed[row]))}."
        )
        flip_card.transcript(study, row, name)


def clusters(study: StudyContext, found: Matrix) -> None:
    """Clusters of names with similar effects."""
    if len(found.clusters) < 2:
        return
    st.header("Which names behave alike?", anchor=False)
    table = found.clusters
    explained = table["group"] != ""
    shown = study.in_unit(table, "mean").assign(
        members=[", ".join(study.labels[name] for name in members) for members in table["members"]],
        group=table["group"].where(explained, "–"),
        inside=table["inside"].astype("Int64").where(explained),
        total=table["total"].astype("Int64").where(explained),
        p_adjusted=table["p_adjusted"].map(p_text),
    )
    heads = {
        "cluster": exports.head("From left", 80),
        "names": "Names",
        "mean": exports.head("Mean effect", help=f"Against the other names{study.of_points}"),
        "group": "Matching group",
        "inside": "in the cluster",
        "total": "in the list",
        "p_adjusted": "p",
        "members": exports.head("Who", "large"),
    }
    alt = "Clusters of names with the group that explains each"
    exports.table(exports.signed(shown[[*heads]], {"mean": study.digits(3)}), alt, heads)
    written = table.assign(members=table["members"].map("; ".join))
    exports.csv_button(written, f"clusters.{study.target.name}.csv", key="matrix_csv")
