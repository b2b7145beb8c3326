"""The parts of Matrix: all cells in one picture, the cell that was clicked, the clusters of names."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.frame import address, exports, markup, shown_names, state, typography
from pages.ui.frame.keys import Key
from pages.ui.results import canvas, context, measured
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import BASELINES, p_text
from psa_core.charts._theme import DOWN, UP
from psa_core.tables.matrix import Matrix, matrix

SHOWN_TEXT = 220
STEPS = 32_000
HINT = "Orange raises, blue lowers it"
_canvas = canvas.picture("matrix")
#: What is selected travels by itself: the cells stay what they are, and are not sent again at every click.
_selection = canvas.teller("matrix_selection", variable="psaMatrix", event="psa-matrix")


def ordered(study: StudyContext) -> Matrix:
    """The study's matrix against the chosen baseline."""
    baseline = st.segmented_control(
        "Change from",
        BASELINES,
        format_func=BASELINES.get,
        required=True,
        **address.linked(Key.MATRIX_BASELINE, "names" if len(study.cube.names) > 1 else "original", BASELINES),
    )
    return _matrix(study.target_key, study.cube, baseline=str(baseline))


@st.cache_resource(max_entries=16, show_spinner="Ordering sentences and names", show_time=True)
def _matrix(key: context.TargetKey, _cube: Any, *, baseline: str) -> Matrix:
    return matrix(_cube, key[1], baseline=baseline)  # type: ignore[arg-type]


def cells(study: StudyContext, found: Matrix) -> None:
    """Every cell; a click selects its sentence and its name on every page."""
    sentences, names = study.cube.sentences["sentence_id"], study.cube.names["name"]
    ids, list_of_names = sentences.to_numpy()[found.rows], names.to_numpy()[found.columns]
    static = _static(study.target_key, study.cube, found, baseline=str(st.session_state.get(Key.MATRIX_BASELINE)))
    _canvas(
        key=Key.MATRIX,
        data={**static, "names": [study.labels[name] for name in list_of_names], "hint": HINT},
        height=646,
        on_cell_change=partial(_take, [str(one) for one in ids], list_of_names.tolist()),
    )
    chosen = {
        "columns": [place for place, name in enumerate(list_of_names) if name in study.seen.names],
        "row": next((place for place, one in enumerate(ids) if str(one) == study.seen.sentence), -1),
    }
    _selection(key=Key.MATRIX_SELECTION, data=chosen)
    shown_names.hide_switch()
    typography.small_print(
        "One row a sentence, one column a name. Orange: the name raises the score; blue: it lowers it; the strongest "
        f"colour stands for {found.limit:.3g} and more. Ctrl and the wheel, or + and −, zoom; drag to move; arrow keys "
        "and Enter choose a cell."
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _static(key: context.TargetKey, _cube: Any, _found: Matrix, *, baseline: str) -> dict[str, Any]:
    """What does not change with a click: cells as 16-bit numbers, the sentences, the colours."""
    largest = float(np.abs(_found.values).max()) or 1.0
    numbers = np.round(_found.values / largest * STEPS).astype("<i2")
    texts = _cube.sentences["text"].to_numpy()[_found.rows]
    return {
        "cells": base64.b64encode(numbers.tobytes()).decode("ascii"),
        "unit": largest / STEPS,
        "limit": _found.limit,
        "texts": [str(text)[:SHOWN_TEXT] for text in texts],
        "edges": [int(place) + 1 for place in np.flatnonzero(np.diff(_found.cluster))],
        "up": UP,
        "down": DOWN,
    }


def _take(ids: Sequence[str], names: Sequence[str]) -> None:
    """Select the sentence and the name of the cell that was clicked."""
    cell = st.session_state[Key.MATRIX]["cell"]
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
    names = study.cube.names["name"].tolist()
    chosen = [name for name in study.seen.names if name in names]
    if not len(places) or not chosen:
        typography.small_print("Click a cell to read its sentence. Your selection is kept on every page.")
        return
    row, column = int(places[0]), names.index(chosen[-1])
    original, perturbed = study.cube.scores(study.target.name)
    with st.container(border=True):
        text = measured.perturbation(study).text(row, column)
        name, label = names[column], study.labels[names[column]]
        st.html(markup.sentence(text if name == label else text.replace(name, label)))
        typography.second(
            f"{study.target.name} {original[row]:.3f} as it is, {perturbed[row, column]:.3f} with {label}; "
            f"the names' mean here is {perturbed[row].mean():.3f}."
        )


def clusters(study: StudyContext, found: Matrix) -> None:
    """The names that behave alike."""
    if len(found.clusters) < 2:
        return
    st.header("Which names behave alike?", anchor=False)
    table = found.clusters
    explained = table["group"] != ""
    shown = table.assign(
        members=[", ".join(study.labels[name] for name in members) for members in table["members"]],
        group=table["group"].where(explained, "–"),
        inside=table["inside"].astype("Int64").where(explained),
        total=table["total"].astype("Int64").where(explained),
        p_adjusted=[p_text(p) for p in table["p_adjusted"]],
    )
    st.dataframe(
        shown[["cluster", "names", "mean", "group", "inside", "total", "p_adjusted", "members"]],
        hide_index=True,
        placeholder="–",
        alt="Clusters of names with the group that explains each",
        column_config={
            "cluster": st.column_config.NumberColumn("From left", width=80),
            "names": "Names",
            "mean": st.column_config.NumberColumn("Mean effect", format="%+.3f"),
            "group": "Group that goes with it",
            "inside": "in the cluster",
            "total": "in the list",
            "p_adjusted": "p",
            "members": st.column_config.TextColumn("Who", width="large"),
        },
    )
    with exports.row():
        exports.csv_button(
            table.assign(members=table["members"].map("; ".join)), f"clusters.{study.target.name}.csv", key="matrix_csv"
        )
