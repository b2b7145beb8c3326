"""Words beside the charts: the finding in large type, the small print in small."""

from __future__ import annotations

import html

import streamlit as st

from pages.ui.frame.markup import SERIF

#: Long file names are broken, and no number or sign stands alone on a last line.
WRAP = "overflow-wrap: anywhere; text-wrap: pretty"


def finding(text: str) -> None:
    """The one sentence that a page states, large enough for the last row."""
    style = f"{SERIF}; font-size: 1.5rem; line-height: 1.38; margin: 0.2rem 0 0.4rem; max-width: 68rem; {WRAP}"
    st.html(f'<p style="{style}">{html.escape(text)}</p>')


def second(text: str) -> None:
    """A further sentence, in reading size."""
    style = f"margin: 0; font-size: 1.08rem; line-height: 1.5; max-width: 68rem; {WRAP}"
    st.html(f'<p style="{style}">{html.escape(text)}</p>')


def small_print(text: str) -> None:
    """Details in small type."""
    style = f"margin: 0; font-size: 0.9rem; opacity: 0.78; max-width: 68rem; {WRAP}"
    st.html(f'<p style="{style}">{html.escape(text)}</p>')
