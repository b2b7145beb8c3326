"""Components in the browser: each is a script in this folder, ``name.js``, and maybe a style sheet, ``name.css``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).resolve().parent


def component(name: str, html: str | None = None, *, script: str = "") -> Any:
    """A component from its files; `script` stands before its own, or is all of it."""
    js, css = ((FOLDER / name).with_suffix(ending) for ending in (".js", ".css"))
    script += js.read_text(encoding="utf-8") if js.is_file() else ""
    style = css.read_text(encoding="utf-8") if css.is_file() else None
    return st.components.v2.component(f"psa_{name}", html=html, css=style, js=script)


def picture(name: str) -> Any:
    """One that draws on a canvas, with the functions of ``canvas.js``."""
    drawing = (FOLDER / "canvas.js").read_text(encoding="utf-8")
    return component(name, f'<div class="{name}"></div>', script=drawing)


def teller(name: str, *, variable: str, event: str) -> Any:
    """One that shows nothing: it keeps its data as a variable of the window, and says so with an event.

    So the cells of a picture are not sent again with what changes at a click.
    """
    tell = f"window.{variable} = data; window.dispatchEvent(new Event('{event}'));"
    return component(name, script=f"export default ({{ data }}) => {{ {tell} }}")
