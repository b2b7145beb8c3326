"""Text beside the charts: the finding in large type, its evidence in an expandable line, and small print.

Pages of a study of documents say “document” where others say “sentence”: see `texts_are`.
"""

from __future__ import annotations

import html

import streamlit as st

from pages.ui.frame.markup import SERIF
from psa_core.claims.findings import Finding
from psa_core.plurals import called

#: Long file names are broken, and no number or sign stands alone on a last line.
WRAP = "overflow-wrap: anywhere; text-wrap: pretty"
#: On a phone a finding is smaller, on every page, and nothing else is.
FINDING_SIZE = "clamp(1.2rem, 0.7rem + 2vw, 1.5rem)"
LARGE = f"{SERIF}; font-size: {FINDING_SIZE}; line-height: 1.38; margin: 0.2rem 0 0.4rem; max-width: 68rem; {WRAP}"
READING = f"margin: 0; font-size: 1.08rem; line-height: 1.5; max-width: 68rem; {WRAP}"
SMALL = f"margin: 0; font-size: 0.9rem; opacity: 0.78; max-width: 68rem; {WRAP}"


def texts_are(noun: str) -> None:
    """Say what the texts of this page are called; until a page says so, ``sentence``."""
    st.session_state["noun"] = noun


def in_words(text: str) -> str:
    """Words about sentences, as this page calls its texts."""
    return called(text, st.session_state.get("noun", "sentence"))


def finding(statement: Finding | str) -> None:
    """The main finding of a page, large enough to be read from the last row."""
    _paragraph(statement, LARGE)


def second(statement: Finding | str) -> None:
    """A further sentence, in reading size."""
    _paragraph(statement, READING)


def small_print(text: str) -> None:
    """Details in small type."""
    _paragraph(text, SMALL)


def _paragraph(statement: Finding | str, style: str) -> None:
    said = Finding(statement) if isinstance(statement, str) else statement
    # No line begins with a percent sign.
    headline, evidence = (
        html.escape(in_words(text)).replace(" %", "&nbsp;%") for text in (said.headline, said.evidence)
    )
    # An expandable line that the browser opens, so the page does not rerun.
    more = (
        '<details style="margin: 0.1rem 0 0.3rem"><summary style="cursor: pointer; width: fit-content; '
        f'font-size: 0.95rem; opacity: 0.85">How sure?</summary><p style="{READING}">{evidence}</p></details>'
    )
    st.html(f'<p style="{style}">{headline}</p>{more if evidence else ""}')
