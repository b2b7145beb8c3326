"""How each name is shown: as it is, or as dots while names are hidden; the URL says which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui.frame import address
from pages.ui.frame.keys import Key
from psa_core.cube import ScoreCube
from psa_core.folders.view import obfuscated


def _linked() -> dict[str, Any]:
    return address.linked(Key.HIDE_NAMES, False, read=lambda text: text == "True")


def hidden() -> bool:
    """Whether names are hidden."""
    _linked()
    return bool(st.session_state[Key.HIDE_NAMES])


def labels(cube: ScoreCube) -> dict[str, str]:
    """Maps each name of a study to the label shown for it."""
    return labels_of(cube.names["name"].astype(str).tolist())


def labels_of(names: Sequence[str]) -> dict[str, str]:
    """Maps each name to the label shown for it."""
    return obfuscated(names) if hidden() else dict(zip(names, names, strict=True))


def hide_switch() -> None:
    """Show initials instead of names on every page of a study, and for whoever gets its link."""
    tip = (
        "Shows initials in charts, tables, cards and report.html, for a screenshot; so does a link that is copied now. "
        "Data files that you download have the names."
    )
    st.toggle("Hide names", help=tip, **_linked())
