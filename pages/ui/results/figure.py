"""A figure on a page: the chart, how to read it, its numbers as CSV, and the figure as a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from pages.ui.frame import exports, typography
from psa_core.charts.caption import Caption
from psa_core.charts.drawing import Drawing, drawing_svg


def show(
    drawing: Drawing,
    *,
    alt: str,
    note: str = "",
    stem: str = "",
    words: Caption | None = None,
    key: str = "",
    table: pd.DataFrame | None = None,
    key_of_chart: str | None = None,
    on_select: Callable[[], None] | Literal["ignore"] = "ignore",
) -> None:
    """Draw a chart, with a note on how to read it and buttons for its files.

    `alt` describes it to who does not see it. With `words`, which are written into the picture, it can be downloaded as
    ``stem``, and with `table` also its rows; `key` is that of the buttons. `on_select` is called after a click on a
    mark of the chart `key_of_chart`.
    """
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=typography.in_words(alt), key=key_of_chart, on_select=on_select)
    if note:
        typography.small_print(note)
    if words is not None:
        with exports.row():
            if table is not None:
                exports.csv_button(table, f"{stem}.csv", key=f"{key}_csv")
            exports.picture_buttons(partial(drawing_svg, drawing), stem, words, key=f"{key}_picture")
