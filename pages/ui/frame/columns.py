"""Headings and number formats of tables: readable column titles and sensible rounding."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from psa_core.claims.formatting import number

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
    return table.style.format({name: partial(number, digits=count, signed=True) for name, count in digits.items()})


def _column(name: str, values: pd.Series, digits: int) -> Any:
    spaced = name.replace("_", " ")
    title = TITLES.get(name, spaced[:1].upper() + spaced[1:])
    if not pd.api.types.is_float_dtype(values):
        return st.column_config.Column(title, help=HELP.get(name))
    is_p = name in ("p", "global_p", "local_p") or name.startswith("p_")
    return st.column_config.NumberColumn(title, format="%.2g" if is_p else f"%.{digits}f", help=HELP.get(name))
