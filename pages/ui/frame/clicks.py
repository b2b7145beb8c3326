"""Turn clicks on charts and tables into changes of the selection."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from pages.ui.frame import state


def toggle_names(chart: str) -> None:
    """Toggle the selection of the name whose mark was clicked, in a chart with a point selection called ``name``.

    The chart remembers the marks that were clicked an odd number of times; what has changed since is what was clicked.
    """
    now = tuple(str(point["name"]) for point in st.session_state[chart]["selection"].get("name", []))
    before = _remember(chart, now)
    for name in [*(name for name in now if name not in before), *(name for name in before if name not in now)]:
        state.toggle_name(name)


def toggle_bar(chart: str) -> None:
    """Toggle the name whose bar was clicked; the points of the Plotly chart carry their name first in ``customdata``.

    Plotly's own selection is the bar that was clicked last, or nothing after a second click on it; with the shift key
    it grows and shrinks.
    """
    carried = [point["customdata"] for point in st.session_state[chart]["selection"]["points"] if "customdata" in point]
    now = tuple(str(custom["0"] if isinstance(custom, dict) else custom[0]) for custom in carried)
    before = _remember(chart, now)
    for name in set(now).symmetric_difference(before) if len(now) > 1 else now or before:
        state.toggle_name(name)


def _remember(chart: str, now: tuple[str, ...]) -> tuple[str, ...]:
    """Store what is selected in a chart; returns the previous selection."""
    before: tuple[str, ...] = st.session_state.get(f"{chart} clicked", ())
    st.session_state[f"{chart} clicked"] = now
    return before


def tick(table: str, names: tuple[str, ...], chosen: Collection[str]) -> None:
    """Tick the rows of the chosen names in a table before it is drawn; no effect if they are ticked already."""
    rows = [row for row, name in enumerate(names) if name in chosen]
    earlier = st.session_state.get(table)
    if rows != (sorted(earlier["selection"]["rows"]) if earlier else []):
        st.session_state[table] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.session_state[f"{table} told"] = rows


def take_rows(table: str, names: tuple[str, ...]) -> None:
    """Select the names of the ticked rows of a table; selected names that it does not show stay selected.

    A browser confirms the ticks that a table was told, maybe along with the next click elsewhere: that says nothing.
    """
    rows = st.session_state[table]["selection"]["rows"]
    if sorted(rows) == st.session_state.get(f"{table} told"):
        return
    ticked = [names[row] for row in rows if row < len(names)]
    kept = [name for name in state.view().names if name not in names or name in ticked]
    state.choose(names=(*kept, *(name for name in ticked if name not in kept))[-state.MAX_NAMES :])


def choose_sentence(chart: str) -> None:
    """Open the sentence whose point was clicked, in a selection called ``sentence``; a second click closes it."""
    points = st.session_state[chart]["selection"].get("sentence", [])
    state.choose(sentence=str(points[0]["sentence_id"]) if points else None)
