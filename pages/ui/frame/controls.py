"""Controls shared by several pages, all bound to the one selection."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import markup, state
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube


def target_picker(cube: ScoreCube) -> str:
    """Choose the target; shown only when the model has several."""
    chosen = str(state.view(cube).target)
    names = [target.name for target in cube.targets]
    if len(names) > 1:
        st.session_state[Key.TARGET] = chosen
        st.segmented_control(
            "Target", names, key=Key.TARGET, required=True, format_func=markup.literal, on_change=_take_target
        )
    return chosen


def threshold_slider(cube: ScoreCube) -> float:
    """Choose the threshold of the whole app; costs no model call."""
    target = state.target_of(cube)
    chosen = float(state.view(cube).threshold or 0.0)
    st.session_state[Key.THRESHOLD] = chosen
    st.container(key="threshold").slider(
        "Threshold: a text gets the label when its score is at least this",
        min_value=float(target.low),
        max_value=float(target.high),
        step=(target.high - target.low) / 200,
        key=Key.THRESHOLD,
        on_change=_take_threshold,
    )
    return chosen


def _take_target() -> None:
    state.choose(target=st.session_state[Key.TARGET])


def _take_threshold() -> None:
    state.choose(threshold=st.session_state[Key.THRESHOLD])
