"""Which sentences a threshold cuts: those whose label depends on the name, coloured as the line moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from pages.ui.frame import typography
from pages.ui.frame.keys import Key
from pages.ui.results import canvas, context
from pages.ui.results.context import StudyContext
from psa_core import stats
from psa_core.charts._theme import MUTED, UP
from psa_core.plurals import counted

MAX_STROKES, DIGITS = 400, 4
_strokes = canvas.picture("crossing")
#: The threshold travels by itself: the strokes stay what they are, and are not sent again.
_line = canvas.teller("crossing_line", variable="psaThreshold", event="psa-threshold")


def show(study: StudyContext) -> None:
    """Every sentence's range over the names, or an even part of them, and how many the threshold cuts."""
    st.header("Borderline sentences", anchor=False)
    original, perturbed = study.cube.scores(study.target.name)
    lowest, highest = (stats.labels_at(end(perturbed, axis=1), study.threshold) for end in (np.min, np.max))
    cut = int(np.count_nonzero(lowest != highest))
    those = f"the label of {cut:,} of {counted(len(original), 'sentence')}" if cut else "no sentence's label"
    typography.second(f"At {study.threshold:g} {those} depends on the name.")
    strokes = _ranges(study.target_key, study.cube)
    _strokes(key=Key.THRESHOLDS_CROSSING, data=strokes, height=264)
    _line(key=Key.THRESHOLDS_LINE, data={"threshold": study.threshold})
    shown = f" {MAX_STROKES} evenly spaced ones are drawn." if len(original) > MAX_STROKES else ""
    typography.small_print(
        f"Each line spans a sentence's lowest to highest {study.target.name} over names; the tick is its original "
        f"score (sort order). Coloured: the names fall on both sides of the threshold (dashed).{shown}"
    )


@st.cache_resource(max_entries=16, show_spinner=False)
def _ranges(key: context.TargetKey, _cube: Any) -> dict[str, Any]:
    """What does not change with the threshold."""
    original, perturbed = _cube.scores(key[1])
    order = np.argsort(original, kind="stable")
    if len(order) > MAX_STROKES:
        order = order[np.linspace(0, len(order) - 1, MAX_STROKES).round().astype(int)]
    low, high = perturbed.min(axis=1), perturbed.max(axis=1)
    lowest, highest = float(min(low.min(), original.min())), float(max(high.max(), original.max()))
    target = _cube.targets[_cube.target_index(key[1])]
    ends = [end if np.isfinite(end) else seen for end, seen in ((target.low, lowest), (target.high, highest))]
    columns = {"low": low, "high": high, "original": original}
    return {
        **{name: np.round(values[order].astype(float), DIGITS).tolist() for name, values in columns.items()},
        "bottom": float(ends[0]),
        "top": float(ends[1]),
        "colour": UP,
        "muted": MUTED,
        "alt": f"Range of {key[1]} over the names for {counted(len(order), 'sentence')}, and the threshold",
    }
