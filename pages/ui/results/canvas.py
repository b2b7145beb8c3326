"""Components that draw on a canvas, and what tells them of a change without sending the picture again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).resolve().parent


def picture(name: str) -> Any:
    """A component from ``name.js``, which may use what ``canvas.js`` has, and ``name.css``."""
    shared, own, style = (
        (HERE / file).read_text(encoding="utf-8") for file in ("canvas.js", f"{name}.js", f"{name}.css")
    )
    return st.components.v2.component(f"psa_{name}", html=f'<div class="{name}"></div>', css=style, js=shared + own)


def teller(name: str, *, variable: str, event: str) -> Any:
    """A component that shows nothing: it keeps its data as a variable of the window, and says so with an event."""
    tell = f"window.{variable} = data; window.dispatchEvent(new Event('{event}'));"
    return st.components.v2.component(f"psa_{name}", js=f"export default ({{ data }}) => {{ {tell} }}")
