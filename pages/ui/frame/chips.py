"""The current selection as chips above every panel; each can be removed, or all at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import shown_names, state
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube
from psa_core.plurals import counted
from psa_core.registry import in_short

Chip = tuple[str, str]


def show(cube: ScoreCube) -> DeltaGenerator:
    """Show the open study, without what readers left out, and the selection, from which chips can be taken away.

    Returns
    -------
    DeltaGenerator
        The line, for what else is to stand there.
    """
    seen = state.view(cube)
    study = cube.provenance.get("study", {})
    parts = [counted(cube.shape[0], "sentence"), counted(cube.shape[1], "name"), in_short(str(study.get("model", "")))]
    line = st.container(horizontal=True, vertical_alignment="center", gap="small", key="looked_at")
    with line:
        st.text(
            " × ".join(parts[:2]) + f" · {parts[2]} · {seen.target} ≥ {_digits(float(seen.threshold or 0))}",
            width="content",
        )
        chosen = _chips(seen)
        if chosen:
            st.session_state[Key.CHIPS] = chosen
            st.multiselect(
                "Selection",
                chosen,
                key=Key.CHIPS,
                format_func=partial(_words, labels=shown_names.labels(cube)),
                on_change=_taken_away,
                label_visibility="collapsed",
            )
    return line


def _digits(threshold: float) -> str:
    """Two decimals, or as many as the threshold has."""
    return max(f"{threshold:.2f}", f"{threshold:.6g}", key=len)


def _chips(seen: state.View) -> list[Chip]:
    chips = [("name", name) for name in seen.names]
    return [*chips, ("sentence", seen.sentence)] if seen.sentence else chips


def _words(chip: Chip, labels: Mapping[str, str]) -> str:
    kind, value = chip
    return f"sentence {value}" if kind == "sentence" else labels.get(value, value)


def _taken_away() -> None:
    kept: list[Chip] = st.session_state[Key.CHIPS]
    names = tuple(value for kind, value in kept if kind == "name")
    state.choose(names=names, sentence=next((value for kind, value in kept if kind == "sentence"), None))
