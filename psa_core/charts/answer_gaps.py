"""Measures of answers by pairs of groups, as one picture of coloured squares."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import shown_label
from psa_core.charts.country_heat import CLICKED, DIVERGING, Cell, frame, squares

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, MARGIN_PIXELS, LABEL_PIXELS, COLUMN_PIXELS = 40, 100, 160, 190
#: Letters in a line of a heading and of a label: on a phone a column is to stand beside the labels.
HEAD_LETTERS, LABEL_LETTERS = 24, 20
#: Standard errors at which a colour is strongest.
STRONGEST = 5.0


def answer_gaps(table: pd.DataFrame, *, selected: tuple[str, str] | None = None) -> go.Figure:
    """Draw each measure (a row) between each two groups (a column): the difference in words, coloured by its size.

    `table` has ``measure, title, pair, short, words, strength, is_marked``; ``strength`` is in standard errors, and “·”
    stands where a difference is not marked. The square `selected` (measure, pair) gets a frame. Each square has its
    measure and pair in ``customdata``, on marks that can be clicked.
    """
    import plotly.graph_objects as go

    rows: Sequence[str] = table["measure"].drop_duplicates().tolist()
    pairs: Sequence[str] = table["pair"].drop_duplicates().tolist()
    titles = dict(zip(table["measure"], table["title"], strict=True))
    depths = np.full((len(rows), len(pairs)), np.nan)
    texts = np.full(depths.shape, "", object)
    hover = np.full(depths.shape, "not measured", object)
    for row in table.itertuples():
        place = rows.index(row.measure), pairs.index(row.pair)
        depths[place] = row.strength if row.is_marked else 0.0
        texts[place] = shown_label(row.short) if row.is_marked else "·"
        hover[place] = shown_label(row.words if row.is_marked else f"{row.words}: could be chance", width=80)
    cells: list[Cell] = [
        (r, c, (measure, pair), f"{shown_label(titles[measure])}: <b>{hover[r, c]}</b>")
        for r, measure in enumerate(rows)
        for c, pair in enumerate(pairs)
    ]
    layout = _theme.house_layout(MARGIN_PIXELS + ROW_PIXELS * len(rows)) | CLICKED
    heads = [_lines(pair, HEAD_LETTERS, 4) for pair in pairs]
    labels = [_lines(titles[row], LABEL_LETTERS, 2) for row in rows]
    layout |= {
        "width": LABEL_PIXELS + COLUMN_PIXELS * len(pairs),
        "shapes": [frame(r, c) for r, c, names, _ in cells if names == selected],
        "xaxis": _theme.row_axis(heads, list(range(len(pairs))), [-0.5, len(pairs) - 0.5])
        | {"side": "top", "tickangle": 0},
        "yaxis": _theme.row_axis(labels, list(range(len(rows))), [len(rows) - 0.5, -0.5]),
        "margin": {"t": MARGIN_PIXELS - 12, "b": 8, "l": 8, "r": 12},
    }
    traces = squares(depths, texts.tolist(), cells, limits=(-STRONGEST, STRONGEST), colours=DIVERGING)
    return go.Figure(data=traces, layout=layout)


def _lines(words: str, letters: int, most: int) -> str:
    return "<br>".join(map(shown_label, wrap(words, letters, max_lines=most, placeholder=" …")))
