"""Components that draw on a canvas, and a way to update them without sending the picture again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st


def read(file: str) -> str:
    """The text of a script or style sheet in this folder."""
    return (Path(__file__).resolve().parent / file).read_text(encoding="utf-8")


def picture(name: str) -> Any:
    """A component from ``name.js``, which may use ``canvas.js``, and ``name.css``."""
    js = read("canvas.js") + read(f"{name}.js")
    return st.components.v2.component(f"psa_{name}", html=f'<div class="{name}"></div>', css=read(f"{name}.css"), js=js)


def teller(name: str, *, variable: str, event: str) -> Any:
    """A component that shows nothing: it keeps its data as a variable of the window, and says so with an event."""
    tell = f"window.{variable} = data; window.dispatchEvent(new Event('{event}'));"
    return st.components.v2.component(f"psa_{name}", js=f"export default ({{ data }}) => {{ {tell} }}")
