"""Figure 1 described once, for screen and paper: the bars' order, groups, colours and marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import OTHER, group_colours
from psa_core.plurals import counted
from psa_core.stats import SIGNIFICANT

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
    axis_title: str = "Mean change of the score"
    kept: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    colours: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Arrangement:
    """Bars in drawing order.

    Attributes
    ----------
    rows : DataFrame
        The table's columns, ``y`` (downwards), ``shown`` (the name as it is written), ``coloured_as`` (a key of
        `colours`), ``is_significant`` (marked and in full colour) and ``mark_at`` (where its asterisk is, on
        the axis of the effects).
    headers, notes : tuple of (y, text)
        Above a section, and where names are left out.
    bottom : float
        The ``y`` below the last bar.
    colours : mapping
        Colours of the groups in the legend's order; the one key is empty where bars have no group.
    """

    rows: pd.DataFrame
    headers: tuple[tuple[float, str], ...]
    notes: tuple[tuple[float, str], ...]
    bottom: float
    colours: Mapping[str, str]


def arrange(table: pd.DataFrame, options: BarOptions) -> Arrangement:
    """Give every bar its place and its looks: the section with the furthest name first, in it the highest name.

    Parameters
    ----------
    table : DataFrame
        One row per name: ``name``, ``score_sens``, ``ci_low``, ``ci_high``, ``p_adjusted`` and the group columns that
        `options` names.
    options : BarOptions
    """
    if options.section_by:
        sections = [(str(value), part) for value, part in table.groupby(options.section_by, sort=True, dropna=False)]
        sections.sort(key=lambda section: -section[1]["score_sens"].abs().max())
    else:
        sections = [("", table)]
    placed, headers, notes, y = [], [], [], 0.0
    for title, part in sections:
        if title:
            headers.append((y, f"{title} · {counted(len(part), 'name')}"))
            y += HEADER_GAP
        ordered = part.sort_values(["score_sens", "name"], ascending=[False, True])
        top, bottom, hidden = _ends(ordered, options)
        placed.append(top.assign(y=y + np.arange(len(top))))
        y += len(top)
        if hidden:
            notes.append((y, f"… {hidden:,} more"))
            placed.append(bottom.assign(y=y + 1 + np.arange(len(bottom))))
            y += 1 + len(bottom)
        y += HEADER_GAP / 2 if title else 0
    colours = _colours(table, options)
    rows = _with_looks(pd.concat(placed, ignore_index=True), options, colours)
    return Arrangement(rows, tuple(headers), tuple(notes), y, colours)


def _colours(table: pd.DataFrame, options: BarOptions) -> Mapping[str, str]:
    if not options.colour_by:
        return {"": _theme.ACCENT}
    return options.colours or group_colours(table[options.colour_by])


def _with_looks(rows: pd.DataFrame, options: BarOptions, colours: Mapping[str, str]) -> pd.DataFrame:
    groups = rows[options.colour_by].astype(str) if options.colour_by else pd.Series("", rows.index)
    labels = options.labels or {}
    return rows.assign(
        shown=[labels.get(name, name) for name in rows["name"].astype(str)],
        coloured_as=groups.where(groups.isin(list(colours)), OTHER),
        is_significant=rows["p_adjusted"] < SIGNIFICANT,
        mark_at=rows["ci_high"].where(rows["score_sens"] >= 0, rows["ci_low"]),
    )


def order(table: pd.DataFrame, options: BarOptions) -> tuple[str, ...]:
    """The names that have a bar, in drawing order."""
    return tuple(arrange(table, options).rows["name"])


def _ends(ordered: pd.DataFrame, options: BarOptions) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Highest and lowest names, selected ones kept, and how many lie between them unseen."""
    if not options.limit or len(ordered) <= 2 * options.limit + 1:
        return ordered, ordered.iloc[:0], 0
    rank = np.arange(len(ordered))
    is_kept = ordered["name"].isin(options.kept).to_numpy()
    in_top = (rank < options.limit) | (is_kept & (rank < len(ordered) / 2))
    in_bottom = ((rank >= len(ordered) - options.limit) | is_kept) & ~in_top
    return ordered[in_top], ordered[in_bottom], int((~in_top & ~in_bottom).sum())
