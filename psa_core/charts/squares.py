"""Numbers in coloured squares that can be clicked: countries by class, measures by pair of groups, value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import TICK_SIZE, faded, shown_label

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, TITLE_SHIFT, BLOCK_GAP = 30, 66, 0.025
COLUMN_PIXELS, MARGIN_PIXELS, PRINTED_COLUMN = 132, 194, 92
#: Pixels of the other pictures: a row, beside and above the squares, a column.
VALUE_PIXELS, VALUE_MARGIN = 46, 96
GAP_ROW, GAP_MARGIN, GAP_LABEL, GAP_COLUMN = 40, 100, 160, 190
#: Letters in a line of a heading and of a label: on a phone a column is to stand beside the labels.
HEAD_LETTERS, LABEL_LETTERS = 24, 20
#: Standard errors at which a colour is strongest.
STRONGEST = 5.0
ONE_SIDED = ((0.0, faded(_theme.UP, 0.04)), (1.0, faded(_theme.UP, 0.72)))
DIVERGING = ((0.0, faded(_theme.DOWN, 0.72)), (0.5, faded(_theme.MUTED, 0.0)), (1.0, faded(_theme.UP, 0.72)))
#: A square's row and column, the two names that a click on it sends, and what is shown when it is hovered.
Cell = tuple[int, int, tuple[str, str], str]
#: A chart's layout with squares: no zoom, and a click that says which was hit.
CLICKED = {"clickmode": "event+select", "showlegend": False}


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that share a unit and a colour scale.

    `values` has one row a country and one column a class or target; missing values stay empty. `notes` are a second
    line under each column's heading. The strongest colour stands for `limit`, or for the largest value. `marks` say
    which values are beyond chance; None where that was not tested.
    """

    title: str
    values: pd.DataFrame
    notes: Sequence[str]
    number: str = "+.1f"
    limit: float | None = None
    marks: pd.DataFrame | None = None

    @property
    def texts(self) -> list[list[str]]:
        """The number in each square; a dot stands behind one that is not beyond chance, where that was tested."""
        texts = [[number_text(value, self.number) for value in row] for row in self.values.to_numpy(float)]
        if self.marks is None:
            return texts
        # Values without a test are not marked.
        marked = self.marks.reindex(index=self.values.index, columns=self.values.columns).eq(other=True).to_numpy()
        return [
            [text if is_marked or not text else f"{text} ·" for text, is_marked in zip(row, marks, strict=True)]
            for row, marks in zip(texts, marked, strict=True)
        ]


def country_heat(blocks: Sequence[Block], *, selected: tuple[str, str] | None = None) -> go.Figure:
    """Draw blocks side by side, whose rows are the same countries in the same order; `selected` is framed.

    Orange is more, blue is less, and the number says so too; each square carries its country and column in
    ``customdata``, on marks that can be clicked.
    """
    import plotly.graph_objects as go

    countries = blocks[0].values.index.tolist()
    layout = _theme.house_layout(TITLE_SHIFT + 38 + ROW_PIXELS * len(countries))
    counts = [max(1, block.values.shape[1]) for block in blocks]
    share = (1 - BLOCK_GAP * (len(blocks) - 1)) / sum(counts)
    traces, shapes, notes, left = [], [], [], 0.0
    for place, (block, count) in enumerate(zip(blocks, counts, strict=True)):
        x, y = (f"{axis}{place + 1 if place else ''}" for axis in "xy")
        values, columns = block.values.to_numpy(float), block.values.columns
        strongest = block.limit or float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
        texts = block.texts
        cells: list[Cell] = [
            (r, c, (country, column), f"{shown_label(country)}: {shown_label(column)} <b>{text}</b>")
            for r, country in enumerate(countries)
            for c, column in enumerate(columns)
            for text in [texts[r][c] or "nothing to compare"]
        ]
        drawn = _squares(values, texts, cells, limits=(-strongest, strongest), colours=DIVERGING)
        traces += [trace | {"xaxis": x, "yaxis": y} for trace in drawn]
        headings = [
            f"<b>{shown_label(name).replace(' ', '<br>', 1)}</b>" + (f"<br>{shown_label(note)}" if note else "")
            for name, note in zip(columns, block.notes, strict=True)
        ]
        axes = _axes(headings, list(map(shown_label, countries)))
        # Turned headings would run into their block's title.
        top = {"anchor": y, "domain": [left, left + share * count], "tickangle": 0}
        layout[f"xaxis{x[1:]}"] = axes["xaxis"] | top
        shared = {"matches": "y", "showticklabels": False} if place else {}
        layout[f"yaxis{y[1:]}"] = axes["yaxis"] | {"anchor": x} | shared
        at = {"x": 0, "xref": f"{x} domain", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
        notes.append(_theme.note(shown_label(block.title, width=60), at | {"yshift": TITLE_SHIFT}))
        shapes += [_frame(r, c) | {"xref": x, "yref": y} for r, c, pair, _ in cells if pair == selected]
        left += share * count + BLOCK_GAP
    layout |= {"width": MARGIN_PIXELS + COLUMN_PIXELS * sum(counts), "annotations": notes, "shapes": shapes, **CLICKED}
    layout["margin"] = {"t": TITLE_SHIFT + 26, "b": 8, "l": 8, "r": 12}
    return go.Figure(data=traces, layout=layout)


def printed_width(blocks: Sequence[Block]) -> int:
    """Pixels of the squares on paper."""
    return PRINTED_COLUMN * sum(max(1, block.values.shape[1]) for block in blocks)


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
    heads = [_lines(pair, HEAD_LETTERS, 4) for pair in pairs]
    labels = [_lines(titles[row], LABEL_LETTERS, 2) for row in rows]
    layout = _theme.house_layout(GAP_MARGIN + GAP_ROW * len(rows)) | _axes(heads, labels)
    layout["xaxis"] |= {"tickangle": 0}
    layout |= {
        "width": GAP_LABEL + GAP_COLUMN * len(pairs),
        "shapes": [_frame(r, c) for r, c, names, _ in cells if names == selected],
        "margin": {"t": GAP_MARGIN - 12, "b": 8, "l": 8, "r": 12},
    }
    traces = _squares(depths, texts.tolist(), cells, limits=(-STRONGEST, STRONGEST), colours=DIVERGING)
    return go.Figure(data=traces, layout=layout)


def _lines(words: str, letters: int, most: int) -> str:
    return "<br>".join(map(shown_label, wrap(words, letters, max_lines=most, placeholder=" …")))


def value_matrix(square: pd.DataFrame, *, selected: tuple[str, str] | None = None) -> go.Figure:
    """Draw the corrected distance of each pair of values; a dot stands for a pair that is not above noise.

    `square` is values by values, NaN where not above noise; the pair `selected` gets a frame. Each square carries its
    two values in ``customdata``, on marks that can be clicked.
    """
    import plotly.graph_objects as go

    values, numbers = square.index.tolist(), square.to_numpy(float)
    is_above, is_pair = np.isfinite(numbers), ~np.eye(len(values), dtype=bool)
    high = float(np.nanmax(numbers)) if is_above.any() else 1.0
    texts = np.where(is_pair, np.where(is_above, np.char.mod("%.2f", np.nan_to_num(numbers)), "·"), "")
    depths = np.where(is_pair, np.nan_to_num(numbers), np.nan)
    cells: list[Cell] = [
        (r, c, (values[r], values[c]), f"{shown_label(values[r])} and {shown_label(values[c])}: {words}")
        for r, c in zip(*(index.tolist() for index in np.nonzero(is_pair)), strict=True)
        for words in [f"<b>{numbers[r, c]:.3f}</b>" if is_above[r, c] else "not above noise"]
    ]
    labels = [shown_label(value) for value in values]
    layout = _theme.house_layout(VALUE_MARGIN + VALUE_PIXELS * len(values)) | _axes(labels, labels)
    layout["shapes"] = [_frame(r, c) for r, c, names, _ in cells if selected in (names, names[::-1])]
    traces = _squares(depths, texts.tolist(), cells, limits=(0, high), colours=ONE_SIDED)
    return go.Figure(data=traces, layout=layout)


def _axes(heads: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    """Headings above and labels beside one block of squares, of which a click says which was hit."""
    across = _theme.row_axis(heads, range(len(heads)), [-0.5, len(heads) - 0.5])
    down = _theme.row_axis(labels, range(len(labels)), [len(labels) - 0.5, -0.5])
    return {"xaxis": across | {"side": "top"}, "yaxis": down, **CLICKED}


def _squares(
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    cells: Sequence[Cell],
    *,
    limits: tuple[float, float],
    colours: Sequence[tuple[float, str]],
) -> list[dict[str, Any]]:
    """Coloured squares as Plotly traces; `texts` are escaped already, colours end at the `limits`.

    Plotly's heat map sends no clicks, so over it lie invisible marks, one for each of the `cells`.
    """
    rows, columns, names, words = zip(*cells, strict=True) if cells else ((),) * 4
    return [
        {
            "type": "heatmap",
            "z": np.clip(values, *limits),
            "zmin": limits[0],
            "zmax": limits[1],
            "colorscale": [list(stop) for stop in colours],
            "text": [[_theme.ink(text) for text in row] for row in texts],
            "texttemplate": "%{text}",
            "textfont": {"size": TICK_SIZE},
            "xgap": 2,
            "ygap": 2,
            "showscale": False,
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "x": columns,
            "y": rows,
            "mode": "markers",
            "marker": {"symbol": "square", "size": 24, "color": _theme.UNSEEN, "line": {"width": 0}},
            "customdata": [list(pair) for pair in names],
            "text": words,
            "hovertemplate": "%{text}<extra></extra>",
            "selected": {"marker": {"opacity": 0}},
            "unselected": {"marker": {"opacity": 0}},
        },
    ]


def _frame(row: int, column: int) -> dict[str, Any]:
    """A frame around one square, as a Plotly shape."""
    edges = {"x0": column - 0.47, "x1": column + 0.47, "y0": row - 0.46, "y1": row + 0.46}
    return {"type": "rect", **edges, "line": {"color": _theme.ACCENT, "width": 3}}


def number_text(value: float, form: str) -> str:
    """A number as a square shows it: a sign unless it is zero, nothing where there is none."""
    if not np.isfinite(value):
        return ""
    text = f"{value:{form}}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")
