"""Figure 1 of the paper: ScoreSens of each name as bars with intervals, for screen and paper."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import (
    MAX_GROUPS,
    OTHER,
    TICK_SIZE,
    TITLE_SIZE,
    faded,
    group_colours,
    of_changes,
    shown_label,
)
from psa_core.charts.plotly_svg import figure_svg
from psa_core.cube import POINTS, in_unit, scale_of
from psa_core.plurals import counted
from psa_core.stats import SIGNIFICANT

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEADER_GAP = 1.6
ROW_PIXELS, MARGIN_PIXELS, PRINTED_WIDTH = 25, 76, 470
LEGEND_PIXELS, LEGEND_COLUMNS = 26, 5
LABEL_MARGIN, LETTER_PIXELS, GROUP_LETTERS = 24, 7.7, 14
#: Between names and bars, where the asterisk of the bar that reaches furthest to the left stands.
ASTERISK_PIXELS = 10
PATTERNS = ("", "/", "x", "-", "\\", "+", ".", "|")
HOVER = (
    "<b>%{{customdata[1]}}</b><br>%{{x:{0}}}{1}<br>95 % interval %{{customdata[2]:{0}}} to %{{customdata[3]:{0}}}"
    "<br>adjusted p = %{{customdata[4]:.3g}}<extra></extra>"
)


@dataclass(frozen=True)
class BarOptions:
    """How the bars are arranged and marked.

    Bars are coloured by one group column of the table and divided into sections by another. `limit` shows so many
    highest and as many lowest names of each section (0: all), and always the names `kept`. `labels` have the text that
    is shown for a name, `colours` a group's, where they are given. No change is larger than `score_range`, so the axis
    ends there. Behind the bars lies the `band` of what edits about nobody do, from the lowest to the highest mean
    change.
    """

    colour_by: str = ""
    section_by: str = ""
    limit: int = 0
    #: Short, for a phone: of what, the sentence above says.
    axis_title: str = "Mean change"
    kept: tuple[str, ...] = ()
    labels: Mapping[str, str] | None = None
    colours: Mapping[str, str] | None = None
    score_range: float = float("inf")
    band: tuple[float, float] | None = None


@dataclass(frozen=True)
class Arrangement:
    """Bars in drawing order.

    `rows` are the table's with ``y`` (downwards), ``shown`` (the name as it is written), ``coloured_as`` (a key of
    `colours`, which are in the legend's order and empty where bars have no group) and ``is_significant`` (marked and in
    full colour). `headers` stand above a section, `notes` where names are left out: both ``(y, text)``; `bottom` is
    below.
    """

    rows: pd.DataFrame
    headers: tuple[tuple[float, str], ...]
    notes: tuple[tuple[float, str], ...]
    bottom: float
    colours: Mapping[str, str]


def arrange(table: pd.DataFrame, options: BarOptions) -> Arrangement:
    """Give every bar its place and its looks: the section with the furthest name first, in it the highest name.

    `table` has one row per name: ``name``, ``score_sens``, ``ci_low``, ``ci_high``, ``p_adjusted`` and the group
    columns that the options name.
    """
    sections = [("", table)]
    if options.section_by:
        sections = [(str(value), part) for value, part in table.groupby(options.section_by, sort=True, dropna=False)]
        sections.sort(key=lambda section: -section[1]["score_sens"].abs().max())
    placed, headers, notes, y = [], [], [], 0.0
    for title, part in sections:
        if title:
            headers.append((y, f"{title} · {counted(len(part), 'name')}"))
            y += HEADER_GAP
        ordered = part.sort_values(["score_sens", "name"], ascending=[False, True])
        count, rank = len(ordered), np.arange(len(ordered))
        limit = options.limit if options.limit and count > 2 * options.limit + 1 else count
        is_kept = ordered["name"].isin(options.kept).to_numpy()
        in_top = (rank < limit) | (is_kept & (rank < count / 2))
        in_bottom = ((rank >= count - limit) | is_kept) & ~in_top
        placed.append(ordered[in_top].assign(y=y + np.arange(in_top.sum())))
        y += int(in_top.sum())
        if hidden := int((~in_top & ~in_bottom).sum()):
            notes.append((y, f"… {hidden:,} more"))
            y += 1
        placed.append(ordered[in_bottom].assign(y=y + np.arange(in_bottom.sum())))
        y += int(in_bottom.sum()) + (HEADER_GAP / 2 if title else 0)
    rows, colours = pd.concat(placed, ignore_index=True), {"": _theme.ACCENT}
    groups = pd.Series("", rows.index)
    if options.colour_by:
        colours = dict(options.colours or group_colours(table[options.colour_by]))
        groups = rows[options.colour_by].astype(str)
    labels = options.labels or {}
    rows = rows.assign(
        shown=[labels.get(name, name) for name in rows["name"].astype(str)],
        coloured_as=groups.where(groups.isin(list(colours)), OTHER),
        is_significant=rows["p_adjusted"] < SIGNIFICANT,
    )
    return Arrangement(rows, tuple(headers), tuple(notes), y, colours)


def order(table: pd.DataFrame, options: BarOptions) -> tuple[str, ...]:
    """The names that have a bar, in drawing order."""
    return tuple(arrange(table, options).rows["name"])


def highlight(drawn: Sequence[str], names: Collection[str]) -> str:
    """Style rules that mark the bars of these names and make their labels bold, in a page that has the bars.

    Drawing the bars takes a browser longer than everything else that a click asks for; so it is not done again. `drawn`
    are the names in drawing order.
    """
    rows = [row for row, name in enumerate(drawn) if name in names]
    bands = [f'.shape-group[data-index="{row}"] path {{opacity: 1 !important}}' for row in rows]
    return "\n".join([*bands, *(f".ytick:nth-child({row + 1}) text {{font-weight: 700 !important}}" for row in rows)])


def name_figure(table: pd.DataFrame, options: BarOptions) -> str:
    """The bars as SVG for paper, where a group has its word as well as its colour."""
    if options.colour_by:
        labels, groups = options.labels or {}, table[options.colour_by].astype(str).str.slice(0, GROUP_LETTERS)
        pairs = zip(table["name"].astype(str), groups, strict=True)
        options = replace(options, labels={name: f"{labels.get(name, name)} · {group}" for name, group in pairs})
    return figure_svg(score_sens_bars(table, options, width=40), width=PRINTED_WIDTH)


def score_sens_bars(table: pd.DataFrame, options: BarOptions, *, width: int = 28) -> go.Figure:
    """Draw one horizontal bar per name, sorted, with its confidence interval; `table` as for `arrange`.

    Each bar carries its name, of which `width` letters are written, in ``customdata[0]``. Significant names have a full
    bar and an asterisk, the others a pale bar; groups differ by colour and by hatching. Behind each bar lies a band
    that nobody sees, see `highlight`.
    """
    import plotly.graph_objects as go

    scale = scale_of(table)
    band = options.band and (scale * options.band[0], scale * options.band[1])
    options = replace(options, score_range=scale * options.score_range, band=band)
    arrangement = arrange(in_unit(table, "score_sens", "ci_low", "ci_high"), options)
    hover = HOVER.format(*(("+.2f", " points") if scale == POINTS else ("+.4f", "")))
    rows, span = arrangement.rows, _span(arrangement.rows, options)
    of_group = dict(tuple(rows.groupby("coloured_as", sort=False)))
    traces = [
        # What is grey stays plain; the others differ by hatching as well as by colour.
        _bars(of_group[value], value, colour, "" if value == OTHER else PATTERNS[index % len(PATTERNS)], hover)
        for index, (value, colour) in enumerate(arrangement.colours.items())
        if value in of_group
    ]
    groups = min(rows[options.colour_by].nunique(), MAX_GROUPS) if options.colour_by else 0
    legend_pixels = LEGEND_PIXELS * -(-groups // LEGEND_COLUMNS)
    labels = [shown_label(name, width=width) for name in rows["shown"]]
    # Room for the longest label; a margin that Plotly finds by itself makes it draw everything twice.
    letters = [
        *map(len, map(html.unescape, labels)),
        *(len(text) for _, text in arrangement.headers + arrangement.notes),
    ]
    layout = _theme.house_layout(round(MARGIN_PIXELS + ROW_PIXELS * max(6.0, arrangement.bottom)) + legend_pixels)
    behind = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "layer": "below", "opacity": 0}
    behind |= {"fillcolor": faded(_theme.MUTED, 0.25), "line": {"width": 0}}
    upright = {"xref": "x", "y0": 0, "y1": 1, "yref": "paper", "opacity": 1}
    beside = {"x": 0, "xref": "paper", "xanchor": "right", "xshift": -6 - ASTERISK_PIXELS, "yref": "y"}
    # Above the numbers; a title of the axis itself slips beneath them where the legend has many lines.
    above = {"x": 0.5, "xref": "paper", "y": 1, "yref": "paper", "yanchor": "bottom", "yshift": 24}
    notes = [(y, f"<b>{shown_label(text, width=40)}</b>") for y, text in arrangement.headers]
    at_top = {"xref": "container", "yref": "container", "y": 1, "yanchor": "top", "font": {"size": TICK_SIZE}}
    layout |= {
        "margin": {"l": round(LABEL_MARGIN + LETTER_PIXELS * max(letters)), "r": 24, "t": 60 + legend_pixels, "b": 8},
        "legend": layout["legend"] | at_top,
        "shapes": [
            *(behind | {"y0": float(y) - 0.5, "y1": float(y) + 0.5} for y in rows["y"]),
            *([behind | {"x0": band[0], "x1": band[1], **upright}] if band else []),
        ],
        "annotations": [
            *(_theme.note(text, beside | {"y": y}) for y, text in [*notes, *arrangement.notes]),
            _theme.note(shown_label(of_changes(options.axis_title, scale), width=90), above, size=TITLE_SIZE),
        ],
        "xaxis": layout["xaxis"]
        | {"side": "top", "range": span, "tickformat": ".6~f", "tickfont": {"size": TICK_SIZE}, "fixedrange": True}
        | {"zeroline": True, "zerolinecolor": _theme.MUTED, "zerolinewidth": 1.5, "automargin": False}
        | {"tickangle": 0, "nticks": 4},  # beside the table on a small screen, more would turn or overlap
        "yaxis": _theme.row_axis(labels, rows["y"], [arrangement.bottom - 0.3, -0.8])
        | {"ticklabelstandoff": ASTERISK_PIXELS, "automargin": False},
    }
    return go.Figure(data=[*traces, _asterisks(rows[rows["is_significant"]], span)], layout=layout)


def _asterisks(significant: pd.DataFrame, span: Sequence[float]) -> dict[str, Any]:
    """One behind the interval of each significant name, on the side to which its bar points."""
    is_up = (significant["score_sens"] >= 0).to_numpy()
    ends = np.where(is_up, significant["ci_high"], significant["ci_low"])
    return {
        "type": "scatter",
        "x": np.clip(ends, span[0], span[1]),
        "y": significant["y"],
        "mode": "text",
        "text": [_theme.ink("\u2002*" if up else "*\u2002") for up in is_up],
        "textposition": ["middle right" if up else "middle left" for up in is_up],
        "textfont": {"size": 17},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _bars(rows: pd.DataFrame, value: str, colour: str, pattern: str, hover: str) -> dict[str, Any]:
    shown = [shown_label(name, width=80) for name in rows["shown"]]
    limits = {"array": rows["ci_high"] - rows["score_sens"], "arrayminus": rows["score_sens"] - rows["ci_low"]}
    hatching = {"shape": pattern, "size": 7, "solidity": 0.28, "fillmode": "overlay"}
    return {
        "type": "bar",
        "x": rows["score_sens"],
        "y": rows["y"],
        "orientation": "h",
        "width": 0.7,
        "name": shown_label(value),
        "showlegend": bool(value),
        "customdata": np.column_stack([rows["name"], shown, rows["ci_low"], rows["ci_high"], rows["p_adjusted"]]),
        "hovertemplate": hover,
        "error_x": {"type": "data", "symmetric": False, **limits, "color": _theme.MUTED, "thickness": 1.3, "width": 3},
        "marker": {
            "color": [colour if significant else faded(colour) for significant in rows["is_significant"]],
            "line": {"color": colour, "width": 1},
            "pattern": {**hatching, "fgcolor": "rgba(255, 255, 255, 0.75)"},
        },
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
    }


def _span(rows: pd.DataFrame, options: BarOptions) -> list[float]:
    """From the lowest to the highest end of bars, intervals and band, with 0, not beyond what the score can change."""
    ends = rows[["score_sens", "ci_low", "ci_high"]].clip(-options.score_range, options.score_range)
    behind = options.band or (0.0, 0.0)
    low, high = min(0.0, behind[0], ends.min().min()), max(0.0, behind[1], ends.max().max())
    room = 0.04 * (high - low or 0.02)
    return [float(low - room), float(high + room)]
