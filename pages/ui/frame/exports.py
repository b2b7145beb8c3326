"""Download tables as CSV that is safe in a spreadsheet, and charts as pictures."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO

import pandas as pd
import streamlit as st

from psa_core.charts._altair import to_png
from psa_core.charts.print.caption import Caption, captioned
from psa_core.inputs import spreadsheet


def csv(table: pd.DataFrame) -> bytes:
    """A table as CSV whose texts cannot run as formulas."""
    return _encoded(spreadsheet.write, table)


def exact_csv(table: pd.DataFrame) -> bytes:
    """A table as CSV for a program to read, with every text as it is."""
    return _encoded(spreadsheet.write_exactly, table)


def _encoded(write: Callable[[pd.DataFrame, IO[str]], None], table: pd.DataFrame) -> bytes:
    stream = io.StringIO()
    write(table, stream)
    return stream.getvalue().encode("utf-8")


def csv_button(table: pd.DataFrame, file_name: str, *, key: str) -> None:
    """A download button; the file is made when it is asked for."""
    st.download_button(
        "CSV",
        lambda: csv(table),
        file_name=file_name,
        mime="text/csv",
        key=key,
        icon=":material/download:",
        on_click="ignore",
    )


def picture_buttons(draw: Callable[[], str], stem: str, words: Caption, *, key: str) -> None:
    """A chart dark on white, as SVG and PNG; drawn when it is asked for, without a browser.

    Parameters
    ----------
    draw : callable
        Makes the SVG.
    stem : str
        Of the file name.
    words : Caption
        Written into the picture, which may be looked at without the page.
    key : str
        Of the buttons; the format is added.
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


def row() -> st.delta_generator.DeltaGenerator:
    """A line for buttons beneath a chart."""
    return st.container(horizontal=True, gap="small")
