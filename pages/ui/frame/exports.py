"""Download tables as CSV that is safe in a spreadsheet, and charts as pictures."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.ui.frame import typography
from psa_core.charts.caption import Caption, captioned
from psa_core.charts.drawing import to_png
from psa_core.inputs import spreadsheet


def csv(table: pd.DataFrame) -> bytes:
    """A table as CSV whose texts cannot run as formulas."""
    stream = io.StringIO()
    spreadsheet.write(table, stream)
    return stream.getvalue().encode("utf-8")


def exact_csv(table: pd.DataFrame) -> bytes:
    """A table as CSV for programs, with every text unchanged."""
    stream = io.StringIO()
    spreadsheet.write_exactly(table, stream)
    return stream.getvalue().encode("utf-8")


def csv_button(table: pd.DataFrame, file_name: str, *, key: str, label: str = "CSV") -> None:
    """A download button; the file is generated on demand."""
    st.download_button(
        label,
        lambda: csv(table),
        file_name=file_name,
        mime="text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
    )


def picture_buttons(draw: Callable[[], str], stem: str, words: Caption, *, key: str) -> None:
    """A chart on white, as SVG and PNG; rendered on demand by `draw`, which makes the SVG, without a browser.

    The words are written into the picture, which may be looked at without the page; its source stands beside the
    buttons too. The format is added to `stem`, the file's name, and to `key`.
    """

    def drawn() -> str:
        return captioned(draw(), words)

    formats: dict[str, Callable[[], str | bytes]] = {"svg": drawn, "png": lambda: to_png(drawn())}
    for ending, make in formats.items():
        st.download_button(
            ending.upper(),
            make,
            file_name=f"{stem}.{ending}",
            mime="image/svg+xml" if ending == "svg" else "image/png",
            key=f"{key}_{ending}",
            icon=":material/image:",
            on_click="ignore",
        )
    if words.source:
        typography.small_print(words.source)


def row() -> st.delta_generator.DeltaGenerator:
    """A row for buttons below a chart."""
    return st.container(horizontal=True, gap="small")
