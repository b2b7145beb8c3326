"""Static SVG versions of Figures 1 and 2, for the report."""

from __future__ import annotations

from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import to_svg
from psa_core.charts.bar_order import Arrangement, BarOptions, arrange
from psa_core.charts.curves import CELLS, DISTANCE, Curve, CurveOptions

BARS_WIDTH, CURVE_WIDTH, ROW_PIXELS = 470, 640, 19
NAME_LETTERS, GROUP_LETTERS = 24, 14
DASH_PIXELS = {
    "solid": [1, 0],
    "dash": [8, 6],
    "dot": [2, 4],
    "dashdot": [8, 4, 2, 4],
    "longdash": [14, 6],
    "longdashdot": [14, 5, 2, 5],
}


def name_figure(table: pd.DataFrame, options: BarOptions) -> str:
    """Figure 1: ScoreSens bars with intervals.

    Parameters
    ----------
    table : DataFrame
        As for `bar_order.arrange`.
    options : BarOptions

    Returns
    -------
    str
        SVG; names are escaped.
    """
    import altair as alt

    arrangement = arrange(table, options)
    scale = alt.Scale(domain=[-0.8, arrangement.bottom], nice=False, reverse=True)
    y = alt.Y("y:Q", axis=None, scale=scale)
    rows = arrangement.rows
    words = rows["shown"].str.slice(0, NAME_LETTERS)
    if options.colour_by:  # a group is told by its word as well as by its colour
        words = words + " · " + rows[options.colour_by].astype(str).str.slice(0, GROUP_LETTERS)
    names = pd.DataFrame({"y": rows["y"], "words": words})
    zero = alt.Chart(pd.DataFrame({"x": [0.0]})).mark_rule(color=_theme.INK).encode(x="x:Q")
    layers = [
        *_bars(arrangement, y, options),
        zero,
        _row_texts(names, y, "normal"),
        _row_texts(pd.DataFrame(arrangement.headers, columns=["y", "words"]), y, "bold"),
        _row_texts(pd.DataFrame(arrangement.notes, columns=["y", "words"]), y, "normal"),
    ]
    padding = {"left": 215, "right": 20, "top": 10, "bottom": 10}
    height = ROW_PIXELS * (arrangement.bottom + 1)
    return to_svg(alt.layer(*layers).properties(width=BARS_WIDTH, height=height, padding=padding))


def _bars(arrangement: Arrangement, y: Any, options: BarOptions) -> list[Any]:
    import altair as alt

    rows, colours = arrangement.rows, arrangement.colours
    rows = rows.assign(
        mark=rows["is_significant"].map({True: "*", False: ""}),
        opacity=rows["is_significant"].map({True: 1.0, False: 0.4}),
        spoken=[f"{name}: {effect:+.3f}" for name, effect in zip(rows["shown"], rows["score_sens"], strict=True)],
    )
    legend = alt.Legend(orient="top", title=None, columns=5) if options.colour_by else None
    drawn = [group for group in colours if (rows["coloured_as"] == group).any()]
    scale = alt.Scale(domain=drawn, range=[colours[group] for group in drawn])
    colour = alt.Color("coloured_as:N", legend=legend, scale=scale)
    x = alt.X("score_sens:Q", title=options.axis_title, axis=alt.Axis(format=".6~f", tickCount=7))
    opacity = alt.Opacity("opacity:Q", scale=None, legend=None)
    base = alt.Chart(rows).encode(y=y, description="spoken:N")
    mark: dict[str, Any] = {"dy": 3, "fontSize": 15, "color": _theme.INK}
    sides: list[tuple[str, Any, int]] = [("datum.score_sens >= 0", "left", 4), ("datum.score_sens < 0", "right", -4)]
    return [
        base.mark_bar(size=ROW_PIXELS * 0.66).encode(x=x, x2=alt.datum(0), color=colour, opacity=opacity),
        base.mark_rule(color=_theme.INK).encode(x="ci_low:Q", x2="ci_high:Q"),
        *(
            base.transform_filter(side).mark_text(align=align, dx=dx, **mark).encode(x="mark_at:Q", text="mark:N")
            for side, align, dx in sides
        ),
    ]


def _row_texts(texts: pd.DataFrame, y: Any, weight: Any) -> Any:
    import altair as alt

    marks = alt.Chart(texts).mark_text(align="right", dx=-8, fontSize=13, fontWeight=weight, color=_theme.INK)
    return marks.encode(x=alt.value(0), y=y, text="words:N")


def threshold_figure(table: pd.DataFrame, options: CurveOptions) -> str:
    """Figure 2: LabelDist with its interval, and flips up and down beneath it.

    Parameters
    ----------
    table : DataFrame
        As `CurveOptions` says.
    options : CurveOptions

    Returns
    -------
    str
        SVG.
    """
    import altair as alt

    x = alt.X("threshold:Q", title=options.axis_title, axis=alt.Axis(tickCount=10))
    chosen = _upright(options.threshold)
    upper = [*_distances(table, x, options), *chosen, *_notes(table, options)]
    panels = [
        alt.layer(*upper).properties(height=220),
        alt.layer(*_flips(table, x), *chosen).properties(height=150),
    ]
    return to_svg(alt.vconcat(*(panel.properties(width=CURVE_WIDTH) for panel in panels)))


def _distances(table: pd.DataFrame, x: Any, options: CurveOptions) -> list[Any]:
    """The mean's interval, and above it the curves, the mean last; a legend where there is more than the mean."""
    import altair as alt

    mean = Curve(options.mean, table["label_dist"].to_numpy(), _theme.ACCENT, "solid")
    curves = [mean, *options.drawn()]
    labels = [curve.label for curve in curves]
    rows = pd.concat(
        pd.DataFrame({"threshold": table["threshold"], "label_dist": curve.values, "curve": curve.label})
        for curve in reversed(curves)
    )
    colours = alt.Scale(domain=labels, range=[curve.colour for curve in curves])
    dashes = alt.Scale(domain=labels, range=[DASH_PIXELS[curve.dash] for curve in curves])
    legend = alt.Legend(orient="top", title=None, columns=4, symbolSize=400) if len(curves) > 1 else None
    y = alt.Y("label_dist:Q", title=DISTANCE, scale=alt.Scale(domain=[0, options.top(table)], nice=False))
    band = alt.Chart(table).encode(x, alt.Y("low:Q", title=DISTANCE), y2="high:Q")
    lines = alt.Chart(rows).encode(
        x,
        y,
        alt.Color("curve:N", scale=colours, legend=legend),
        alt.StrokeDash("curve:N", scale=dashes, legend=legend),
        strokeWidth=alt.condition(alt.datum.curve == options.mean, alt.value(3), alt.value(2)),
    )
    return [band.mark_area(color=_theme.ACCENT, opacity=0.22), lines.mark_line()]


def _flips(table: pd.DataFrame, x: Any) -> list[Any]:
    """Flips up above zero, flips down below it."""
    import altair as alt

    base = alt.Chart(table).encode(x)
    down = base.transform_calculate(minus="-datum.flips_down")
    words = "(datum.value == 0 ? '' : datum.value < 0 ? ' ↓' : ' ↑')"
    axis = alt.Axis(tickCount=5, labelExpr=f"format(abs(datum.value), ',') + {words}")
    return [
        base.mark_area(color=_theme.UP, opacity=0.6).encode(alt.Y("flips_up:Q", title=CELLS, axis=axis)),
        down.mark_area(color=_theme.DOWN, opacity=0.6).encode(alt.Y("minus:Q", title=CELLS, axis=axis)),
    ]


def _upright(threshold: float | None) -> list[Any]:
    """A line through a panel, if there is a threshold to mark."""
    import altair as alt

    if threshold is None:
        return []
    line = alt.Chart(pd.DataFrame({"x": [threshold]})).mark_rule(color=_theme.INK, strokeDash=[6, 4], strokeWidth=1.5)
    return [line.encode(x="x:Q")]


def _notes(table: pd.DataFrame, options: CurveOptions) -> list[Any]:
    """The number beside the chosen threshold."""
    import altair as alt

    if options.threshold is None:
        return []
    words = f"{options.value_at(table, options.threshold):.3f} at {options.threshold:g}"
    place: dict[str, Any] = {"align": "left", "dx": 6, "dy": 4, "baseline": "top"}
    note = alt.Chart(pd.DataFrame({"x": [options.threshold], "words": [words]}))
    return [note.mark_text(fontSize=13, color=_theme.INK, **place).encode(x="x:Q", y=alt.value(0), text="words:N")]
