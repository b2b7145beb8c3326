"""Tables and figures on a page, with their downloads: CSV that is safe in a spreadsheet, charts as pictures."""

from __future__ import annotations

import io
import mimetypes
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.ui.frame import typography
from psa_core.charts.caption import Caption, captioned
from psa_core.charts.drawing import Drawing, drawing_svg, to_png
from psa_core.claims.formatting import number
from psa_core.inputs import spreadsheet

#: Rows whose numbers are written one by one.
MOST_WRITTEN = 100
TITLES = {
    "ci_low": "95 % low",
    "ci_high": "95 % high",
    "delta": "Δ",
    "delta_low": "Δ, 95 % low",
    "delta_high": "Δ, 95 % high",
    "high": "95 % high",
    "iso3": "Code",
    "low": "95 % low",
    "mean_difference": "Mean Δ",
    "mean_negative": "Mean of negative Δ",
    "mean_positive": "Mean of positive Δ",
    "p": "p",
    "p, Holm": "p, Holm",
    "p_adjusted": "p, corrected",
    "p_clustered": "p, by template",
    "p_value": "p",
    "spread": "Δ-spread",
    "value_a": "Value",
    "value_b": "Other value",
    "w1": "Distance",
}

#: What stands behind the question mark of a heading.
HELP = {"w1": "W1, the Wasserstein distance between the two distributions of scores; chance alone shows the floor"}


def csv(table: pd.DataFrame, *, exact: bool = False) -> bytes:
    """A table as CSV whose texts cannot run as formulas; an `exact` one, for programs, has every text unchanged."""
    stream = io.StringIO()
    (spreadsheet.write_exactly if exact else spreadsheet.write)(table, stream)
    return stream.getvalue().encode("utf-8")


def download(label: str, content: Any, file_name: str, *, key: str, icon: str = "download", **how: Any) -> None:
    """A download button; a function as `content` is called on a click only."""
    st.download_button(
        label,
        content,
        file_name=file_name,
        mime=mimetypes.guess_type(file_name)[0],
        key=key,
        icon=f":material/{icon}:",
        on_click="ignore",
        **how,
    )


def csv_button(table: pd.DataFrame, file_name: str, *, key: str, label: str = "CSV") -> None:
    download(label, lambda: csv(table), file_name, key=key)


def picture_buttons(draw: Callable[[], str], stem: str, words: Caption, *, key: str) -> None:
    """A chart on white, as SVG and PNG; rendered on demand by `draw`, which makes the SVG, without a browser.

    The words are written into the picture, which may be looked at without the page; its source stands beside the
    buttons too. The format is added to `stem`, the file's name, and to `key`.
    """

    def drawn() -> str:
        return captioned(draw(), words)

    formats: dict[str, Callable[[], str | bytes]] = {"svg": drawn, "png": lambda: to_png(drawn())}
    for ending, make in formats.items():
        download(ending.upper(), make, f"{stem}.{ending}", key=f"{key}_{ending}", icon="image")
    if words.source:
        typography.small_print(words.source)


def head(title: str, width: int | str | None = None, format: str | None = None, *, help: str | None = None) -> Any:
    """A column's heading, its width in pixels or words, and a number format where the column has numbers."""
    if format is None:
        return st.column_config.Column(title, width=width, help=help)
    return st.column_config.NumberColumn(title, width=width, help=help, format=format)


def table(shown: Any, alt: str, heads: Mapping[str, Any] | None = None, **how: Any) -> Any:
    """A table, or one that is `signed`, without its row numbers; `alt` describes it to who does not see it."""
    return st.dataframe(shown, hide_index=True, alt=alt, column_config=heads, placeholder="–", **how)


def row() -> st.delta_generator.DeltaGenerator:
    """A row for buttons below a chart."""
    return st.container(horizontal=True, gap="small")


def figure(
    drawing: Drawing,
    *,
    alt: str,
    note: str = "",
    stem: str = "",
    words: Caption | None = None,
    key: str = "",
    table: pd.DataFrame | None = None,
    key_of_chart: str | None = None,
    width: int = 760,
    on_select: Callable[[], None] | Literal["ignore"] = "ignore",
) -> None:
    """Draw a chart, with a note on how to read it and buttons for its files.

    `alt` describes it to who does not see it. With `words`, which are written into the picture, it can be downloaded as
    ``stem``, so many pixels wide, and with `table` also its rows; `key` is that of the buttons. `on_select` is called
    after a click on a mark of the chart `key_of_chart`.
    """
    st.vega_lite_chart(
        drawing.rows,
        drawing.spec,
        height=drawing.spec.get("height", "content"),  # the page has the room before the chart is drawn
        alt=typography.in_words(alt),
        key=key_of_chart,
        on_select=on_select,
    )
    if note:
        typography.small_print(note)
    if words is not None:
        with row():
            if table is not None:
                csv_button(table, f"{stem}.csv", key=f"{key}_csv")
            picture_buttons(partial(drawing_svg, drawing, width=width), stem, words, key=f"{key}_picture")


def config(table: pd.DataFrame, given: Mapping[str, Any] | None = None, *, digits: int = 3) -> dict[str, Any]:
    """A readable heading and number format for each column of a table that has none yet.

    Examples
    --------
    >>> found = config(pd.DataFrame({"p_value": [0.01], "original_count": [3]}))
    >>> [found[column]["label"] for column in found]
    ['p', 'Original count']
    """
    return {str(column): _column(str(column), table[column], digits) for column in table.columns} | dict(given or {})


def signed(table: pd.DataFrame, digits: Mapping[str, int]) -> Any:
    """A table for `st.dataframe` in which these columns have a sign: a real minus, which no format of a column writes.

    A long table is only rounded, since each of its cells would be written at every run of the page.
    """
    if len(table) > MOST_WRITTEN:
        return table.round(dict(digits))
    written = {name: partial(number, digits=count, signed=True) for name, count in digits.items()}
    return table.style.format(written, na_rep="–")


def _column(name: str, values: pd.Series, digits: int) -> Any:
    spaced = name.replace("_", " ")
    title = TITLES.get(name, spaced[:1].upper() + spaced[1:])
    if not pd.api.types.is_float_dtype(values):
        return st.column_config.Column(title, help=HELP.get(name))
    is_p = name in ("p", "global_p", "local_p") or name.startswith("p_")
    return st.column_config.NumberColumn(title, format="%.2g" if is_p else f"%.{digits}f", help=HELP.get(name))
