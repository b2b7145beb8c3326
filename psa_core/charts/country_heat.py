"""Table 1 of Barriere & Cifuentes (2024) as a heat map of countries and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import TICK_SIZE, faded, shown_label
from psa_core.charts._squares import CLICKED, frame, squares, targets

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW_PIXELS, TITLE_SHIFT = 30, 66
COLUMN_PIXELS, MARGIN_PIXELS = 132, 194
STRONGEST, WEAKEST = 0.72, 0.0
DIVERGING = (
    (0.0, faded(_theme.DOWN, STRONGEST)),
    (0.5, faded(_theme.MUTED, WEAKEST)),
    (1.0, faded(_theme.UP, STRONGEST)),
)


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that share a unit and a colour scale.

    Attributes
    ----------
    title : str
        What the numbers are.
    values : DataFrame
        One row a country, one column a class or target; missing values stay empty.
    notes : sequence of str
        A second line under each column's heading; may be empty strings.
    number : str
        Format of a number, such as ``+.1f``.
    limit : float or None
        Value of the strongest colour; None takes the largest one.
    """

    title: str
    values: pd.DataFrame
    notes: Sequence[str]
    number: str = "+.1f"
    limit: float | None = None

    @property
    def strongest(self) -> float:
        """The value of the strongest colour."""
        values = self.values.to_numpy(float)
        return self.limit or float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0


def country_heat(blocks: Sequence[Block], *, selected: tuple[str, str] | None = None) -> go.Figure:
    """Draw the blocks side by side over the same countries.

    Parameters
    ----------
    blocks : sequence of Block
        With the same countries in the same order, from top to bottom.
    selected : tuple of str, optional
        Country and column that get a frame.

    Returns
    -------
    Figure
        Orange is more, blue is less, and the number says so too; each square carries its country and column in
        ``customdata``, on marks that can be clicked.
    """
    from plotly.subplots import make_subplots

    widths = [max(1.0, block.values.shape[1]) for block in blocks]
    grid = make_subplots(rows=1, cols=len(blocks), shared_yaxes=True, column_widths=widths, horizontal_spacing=0.025)
    countries = blocks[0].values.index.tolist()
    grid.update_layout(_theme.figure(TITLE_SHIFT + 38 + ROW_PIXELS * len(countries), showlegend=False).layout)
    for column, block in enumerate(blocks, start=1):
        grid.add_trace(_heat(block), row=1, col=column)
        grid.add_trace(_targets(block), row=1, col=column)
        _head(grid, block, column)
        if selected and selected[0] in countries and selected[1] in block.values.columns:
            square = block.values.index.get_loc(selected[0]), block.values.columns.get_loc(selected[1])
            grid.add_shape(**frame(*square), row=1, col=column)
    ticks = [_theme.ink(shown_label(country)) for country in countries]
    grid.update_yaxes(tickvals=list(range(len(countries))), range=[len(countries) - 0.5, -0.5], fixedrange=True)
    grid.update_yaxes(ticktext=ticks, tickfont_size=TICK_SIZE, showgrid=False, zeroline=False, ticks="")
    grid.update_xaxes(side="top", showgrid=False, zeroline=False, fixedrange=True, tickfont_size=TICK_SIZE, ticks="")
    grid.update_xaxes(tickangle=0)  # turned ones would run into their block's title
    width = MARGIN_PIXELS + COLUMN_PIXELS * sum(block.values.shape[1] for block in blocks)
    return grid.update_layout(width=width, margin={"t": TITLE_SHIFT + 26, "b": 8, "l": 8, "r": 12}, **CLICKED)


def _heat(block: Block) -> go.Heatmap:
    values, limit = block.values.to_numpy(float), block.strongest
    texts = [[number_text(value, block.number) for value in row] for row in values]
    return squares(values, texts, low=-limit, high=limit, colours=DIVERGING)


def _targets(block: Block) -> go.Scatter:
    rows, columns = (index.ravel() for index in np.indices(block.values.shape))
    names = [(block.values.index[row], block.values.columns[column]) for row, column in zip(rows, columns, strict=True)]
    numbers = [
        number_text(value, block.number) or "nothing to compare" for value in block.values.to_numpy(float).ravel()
    ]
    texts = [
        f"{shown_label(country)}: {shown_label(name)} <b>{number}</b>"
        for (country, name), number in zip(names, numbers, strict=True)
    ]
    return targets(rows, columns, names, texts)


def _head(grid: go.Figure, block: Block, column: int) -> None:
    headings = [
        _theme.ink(f"<b>{shown_label(name).replace(' ', '<br>', 1)}</b>" + (f"<br>{shown_label(note)}" if note else ""))
        for name, note in zip(block.values.columns, block.notes, strict=True)
    ]
    positions = list(range(len(headings)))
    grid.update_xaxes(tickvals=positions, ticktext=headings, range=[-0.5, len(headings) - 0.5], row=1, col=column)
    suffix = "" if column == 1 else str(column)
    grid.add_annotation(
        x=0,
        xref=f"x{suffix} domain",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=TITLE_SHIFT,
        text=_theme.ink(shown_label(block.title, width=60)),
        font={"size": TICK_SIZE},
        showarrow=False,
    )


def number_text(value: float, form: str) -> str:
    """A number as a square shows it: a sign unless it is zero, nothing where there is none."""
    if not np.isfinite(value):
        return ""
    text = f"{value:{form}}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")
