"""Order and grouping of the bars of Figure 1, on screen and in print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

HEADER_GAP = 1.6


@dataclass(frozen=True)
class BarOptions:
    """How the bars are arranged and marked.

    Attributes
    ----------
    colour_by, section_by : str
        Group columns of the table; empty for one colour, one section.
    limit : int
        Show this many highest and as many lowest names of each section; 0 shows all.
    alpha : float
        Names whose adjusted p-value is below it are marked as significant.
    axis_title : str
        What the bars measure, with its direction.
    kept : tuple of str
        Names that the limit never hides.
    labels : mapping
        Name to the text that is shown for it, where the two differ.
    colours : mapping
        Group to its colour; without it the table's own groups are coloured.
    """

    colour_by: str = ""
    section_by: str = ""
    limit: int = 0
    alpha: float = 0.05
    axis_title: str = "Mean change of the score"
    kept: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    colours: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Arrangement:
    """Bars in drawing order: `rows` with a column ``y`` (downwards), section headers and notes by their ``y``."""

    rows: pd.DataFrame
    headers: tuple[tuple[float, str], ...]
    notes: tuple[tuple[float, str], ...]
    bottom: float


def arrange(table: pd.DataFrame, options: BarOptions) -> Arrangement:
    """Give every bar its place: the section with the furthest name first, in it the highest name; see `Arrangement`."""
    if options.section_by:
        sections = [(str(value), part) for value, part in table.groupby(options.section_by, sort=True, dropna=False)]
        sections.sort(key=lambda section: -section[1]["score_sens"].abs().max())
    else:
        sections = [("", table)]
    placed, headers, notes, y = [], [], [], 0.0
    for title, part in sections:
        if title:
            headers.append((y, f"{title} · {len(part)} names"))
            y += HEADER_GAP
        ordered = part.sort_values(["score_sens", "name"], ascending=[False, True])
        top, bottom, hidden = _ends(ordered, options)
        placed.append(top.assign(y=y + np.arange(len(top))))
        y += len(top)
        if hidden:
            notes.append((y, f"… {hidden} more"))
            placed.append(bottom.assign(y=y + 1 + np.arange(len(bottom))))
            y += 1 + len(bottom)
        y += HEADER_GAP / 2 if title else 0
    return Arrangement(pd.concat(placed, ignore_index=True), tuple(headers), tuple(notes), y)


def _ends(ordered: pd.DataFrame, options: BarOptions) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Highest and lowest names, selected ones kept, and how many lie between them unseen."""
    if not options.limit or len(ordered) <= 2 * options.limit + 1:
        return ordered, ordered.iloc[:0], 0
    rank = np.arange(len(ordered))
    is_kept = ordered["name"].isin(options.kept).to_numpy()
    in_top = (rank < options.limit) | (is_kept & (rank < len(ordered) / 2))
    in_bottom = ((rank >= len(ordered) - options.limit) | is_kept) & ~in_top
    return ordered[in_top], ordered[in_bottom], int((~in_top & ~in_bottom).sum())
