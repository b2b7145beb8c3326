"""Turn clicks on charts and tables into changes of the selection."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from pages.ui.frame import state


def toggle_names(chart: str) -> None:
    """Take the name whose mark was clicked into the selection, or out of it.

    The chart remembers the marks that were clicked an odd number of times; what has changed since is what was clicked.

    Parameters
    ----------
    chart : str
        Key of a chart with a point selection called ``name``.
    """
    points = st.session_state[chart]["selection"].get("name", [])
    _toggle_changed(chart, tuple(str(point["name"]) for point in points))


def toggle_bar(chart: str) -> None:
    """Take the name whose bar was clicked into the selection, or out of it.

    Plotly's own selection is the bar that was clicked last, or nothing after a second click on it; with the shift key
    it grows and shrinks.

    Parameters
    ----------
    chart : str
        Key of a Plotly chart whose points carry their name first in ``customdata``.
    """
    memory = f"{chart} clicked"
    before: tuple[str, ...] = st.session_state.get(memory, ())
    points = [point["customdata"] for point in st.session_state[chart]["selection"]["points"] if "customdata" in point]
    now = tuple(str(_first(custom)) for custom in points)
    grown = len(now) > 1
    for name in set(now).symmetric_difference(before) if grown else now or before:
        state.toggle_name(name)
    st.session_state[memory] = now


def _first(custom: object) -> object:
    """What a point carries first; Plotly gives a list, or a mapping of positions."""
    return custom["0"] if isinstance(custom, dict) else custom[0]  # type: ignore[index]


def tick(table: str, names: tuple[str, ...], chosen: Collection[str]) -> None:
    """Tick the selected names in a table that is about to be drawn; nothing is written where they are ticked already.

    Parameters
    ----------
    table : str
        Its key.
    names : tuple of str
        The name of each row.
    chosen : collection of str
        The selection.
    """
    rows = [row for row, name in enumerate(names) if name in chosen]
    held = st.session_state.get(table)
    if rows != (sorted(held["selection"]["rows"]) if held else []):
        st.session_state[table] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    st.session_state[f"{table} told"] = rows


def take_rows(table: str, names: tuple[str, ...]) -> None:
    """Make the ticked rows of a table the selection; selected names that it does not show stay.

    A browser confirms the ticks that a table was told, maybe along with the next click elsewhere: that says nothing.

    Parameters
    ----------
    table : str
        Key of the table.
    names : tuple of str
        The name of each row as it was drawn.
    """
    rows = st.session_state[table]["selection"]["rows"]
    if sorted(rows) == st.session_state.get(f"{table} told"):
        return
    ticked = [names[row] for row in rows if row < len(names)]
    kept = [name for name in state.view().names if name not in names or name in ticked]
    state.choose(names=(*kept, *(name for name in ticked if name not in kept))[-state.MAX_NAMES :])


def choose_sentence(chart: str) -> None:
    """Open the sentence whose point was clicked; a click on it again lets it go.

    Parameters
    ----------
    chart : str
        Key of a chart with a point selection called ``sentence``.
    """
    points = st.session_state[chart]["selection"].get("sentence", [])
    state.choose(sentence=str(points[0]["sentence_id"]) if points else None)


def _toggle_changed(element: str, now: tuple[str, ...]) -> None:
    memory = f"{element} clicked"
    before = st.session_state.get(memory, ())
    for name in [*(name for name in now if name not in before), *(name for name in before if name not in now)]:
        state.toggle_name(name)
    st.session_state[memory] = now
