"""How each name is shown: as it is, or as dots while names are hidden."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.frame.keys import Key
from psa_core.charts.obfuscate import obfuscated
from psa_core.cube import ScoreCube


def labels(cube: ScoreCube) -> dict[str, str]:
    """Each name of a study to what is shown for it."""
    return labels_of(cube.names["name"].astype(str).tolist())


def labels_of(names: Sequence[str]) -> dict[str, str]:
    """Each name to what is shown for it."""
    return obfuscated(names) if st.session_state.get(Key.HIDE_NAMES) else dict(zip(names, names, strict=True))


def hide_switch() -> None:
    """Show initials instead of names on every page of a study."""
    st.toggle(
        "Hide names",
        key=Key.HIDE_NAMES,
        persist_state="session",
        help="Shows initials in charts, tables and cards, for a screenshot. Downloads keep the names.",
    )
