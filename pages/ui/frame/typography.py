"""Words beside the charts: the finding in large type, how sure it is behind a line that opens, the small print."""

from __future__ import annotations

import html

import streamlit as st

from pages.ui.frame.markup import SERIF
from psa_core.tables.findings import Finding

#: Long file names are broken, and no number or sign stands alone on a last line.
WRAP = "overflow-wrap: anywhere; text-wrap: pretty"
LARGE = f"{SERIF}; font-size: 1.5rem; line-height: 1.38; margin: 0.2rem 0 0.4rem; max-width: 68rem; {WRAP}"
READING = f"margin: 0; font-size: 1.08rem; line-height: 1.5; max-width: 68rem; {WRAP}"
SMALL = f"margin: 0; font-size: 0.9rem; opacity: 0.78; max-width: 68rem; {WRAP}"


def finding(said: Finding | str) -> None:
    """The one sentence that a page states, large enough for the last row."""
    _say(said, LARGE)


def second(said: Finding | str) -> None:
    """A further sentence, in reading size."""
    _say(said, READING)


def small_print(text: str) -> None:
    """Details in small type."""
    _say(text, SMALL)


def _say(said: Finding | str, style: str) -> None:
    if isinstance(said, str):
        said = Finding(said)
    st.html(f'<p style="{style}">{_escaped(said.headline)}</p>{_how_sure(said.evidence)}')


def _escaped(text: str) -> str:
    """As markup, in which no percent sign begins a line."""
    return html.escape(text).replace(" %", "&nbsp;%")


def _how_sure(evidence: str) -> str:
    """One line that opens; the browser does it, so nothing runs again."""
    if not evidence:
        return ""
    words = _escaped(evidence)
    return (
        '<details style="margin: 0.1rem 0 0.3rem"><summary style="cursor: pointer; width: fit-content; '
        f'font-size: 0.95rem; opacity: 0.85">How sure?</summary><p style="{READING}">{words}</p></details>'
    )
