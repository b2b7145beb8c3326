"""A numbered step of a longer page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui.frame import shell


@contextmanager
def step(number: int, title: str, hint: str) -> Iterator[None]:
    """A bordered section under a number, a title and one plain sentence; an error in it ends the page there."""
    with st.container(border=True, key=f"step_{number}"):
        words, work = st.columns([3, 10], gap="medium")
        words.header(f":primary[{number}]\u2002{title}", anchor=False)
        words.markdown(f":gray[{hint}]")
        with work, shell.show_errors():
            yield


def duration(seconds: float) -> str:
    """A short, rounded duration.

    Examples
    --------
    >>> duration(3.2), duration(75), duration(4000)
    ('3 s', '1 min', '1.1 h')
    """
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    return f"{max(1, round(seconds / 60))} min" if seconds < 3570 else f"{seconds / 3600:.1f} h"
