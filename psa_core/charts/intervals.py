"""Charts with a row for each group, factor, study, name or system, and a mark with its interval in it."""

from __future__ import annotations

import pandas as pd

from psa_core import models
from psa_core.charts import _theme
from psa_core.charts._theme import of_changes
from psa_core.charts.drawing import (
    CIRCLE,
    DASHED,
    DIAMOND,
    HELP,
    Drawing,
    Spec,
    by_kind,
    drawing,
    layer,
    quantity,
    row_axis,
    words,
)
from psa_core.cube import in_unit, scale_of

#: Colour and shape of what is marked, and of what is not.
MARKED, PLAIN = (_theme.UP, DIAMOND), (_theme.ACCENT, CIRCLE)
WHISKER: Spec = {"color": _theme.ACCENT, "strokeWidth": 2.5, "aria": False}
LEGEND = {"orient": "top", "labelLimit": 320, "columns": 1}
# In two lines, as the legend is: a phone has no room for them side by side.
FACTORS_TITLE = ["Standard deviations", "of the names' effects"]
MAX_NAMES = 20
WHENS = ("as it was", "retrained")
#: Colour and mark of the three verdicts, in the paper's order: not significant, first side higher, second side higher.
LOOKS = ((_theme.MUTED, "●"), (_theme.UP, "▲"), (_theme.DOWN, "▼"))
#: Between the lines of a label; system and target names cannot hold it.
BREAK = "\n"


def group_differences(table: pd.DataFrame, *, target: str = "", title: str = "") -> Drawing:
    """Draw the differences of a `tables.group_table` with their intervals, over the noise floor.

    A wide grey band per group is the noise floor; a point with whiskers is the difference. A diamond lies outside its
    band, a circle inside. `title` is the axis's, where it is no difference in a target.
    """
    scale, floor = scale_of(table), ("noise_low", "noise_high")
    ends = ("difference", "difference_low", "difference_high")
    rows = (
        in_unit(table, *ends, *floor)
        .assign(
            shown=table["group"].astype(str).str.replace("*", " × ") + " (" + table["names"].astype(str) + ")",
            kind=table["above_noise"].astype(bool).map({True: "outside", False: "within"}),
        )
        .sort_values("difference", ascending=False, kind="stable")
    )
    y = row_axis("shown", rows["shown"], labelLimit=220)
    x = quantity(
        "noise_low",
        title=of_changes(title or f"Difference in {target}", scale),
        axis={"format": ".6~f", "tickCount": 8},
    )
    tooltip = [
        words("shown", title="group"),
        *(
            quantity(field, format="+.4f" if scale == 1 else "+.2f", title=of_changes(each, scale))
            for field, each in zip(ends, ("difference", "95 % low", "95 % high"), strict=True)
        ),
        quantity("p_noise", format=".3f", title="share of random groups as different"),
    ]
    kinds = by_kind("kind", {"outside": MARKED, "within": PLAIN}, {**LEGEND, "title": "Noise floor (grey)"})
    whisker = {"x": quantity("difference_low"), "x2": {"field": "difference_high"}}
    layers = [
        layer("bar", y | {"x": x, "x2": {"field": "noise_high"}}, color=_theme.MUTED, opacity=0.32, size=24),
        layer("rule", {"x": {"datum": 0}}, strokeWidth=1.5, **HELP),
        layer("rule", y | whisker, **WHISKER),
        layer("point", y | kinds | {"x": quantity("difference"), "tooltip": tooltip}, filled=True, size=170, opacity=1),
    ]
    return drawing(rows, layers, height=46 * len(rows) + 144)


def value_dots(table: pd.DataFrame, score: str) -> Drawing:
    """Draw each value's mean score as a dot on the band in which chance alone would put it, with all others.

    `table` is ``value, mean, low, high``, from top to bottom; `score` says what the scores are.
    """
    kinds = {"outside": (_theme.ACCENT, DIAMOND), "within": (_theme.MUTED, CIRCLE)}
    is_inside = (table["mean"] >= table["low"]) & (table["mean"] <= table["high"])
    rows = table.assign(kind=is_inside.map({True: "within", False: "outside"}))
    y = row_axis("value", rows["value"], labelLimit=220, labelOverlap=False)
    # As wide as half a label: on a phone one at the very end is cut.
    scale = {"zero": False, "nice": False, "padding": 16}
    x = quantity("low", title=f"Mean score by {score} (0 to 1)", scale=scale, axis={"tickCount": 6})
    looks = by_kind("kind", kinds, {"orient": "top", "title": "Chance alone (grey, 95 %)"})
    tooltip = [words("value"), quantity("mean", format=".3f")]
    layers = [
        layer("bar", y | {"x": x, "x2": {"field": "high"}}, color=_theme.MUTED, opacity=0.32, size=20),
        layer("point", y | looks | {"x": quantity("mean"), "tooltip": tooltip}, filled=True, size=150, opacity=1),
    ]
    return drawing(rows, layers, height=34 * len(rows) + 96)


def coefficients(table: pd.DataFrame, *, scale: int = 1) -> Drawing:
    """Draw a forest plot of a `FactorAnalysis`'s ``coefficients``: a point with its 95 % interval for each factor.

    A diamond where the interval excludes 0, a circle where it includes it. A row has its words above its point: beside
    it they would leave a phone no room to draw.
    """
    rows = table[table["coefficient"].notna()]
    kinds = {"clearly different from zero": MARKED, "could be zero": PLAIN}
    leaves_out = (rows["low"] > 0) | (rows["high"] < 0)
    rows = rows.assign(kind=leaves_out.map(dict(zip([True, False], kinds, strict=True))))
    y, shared = row_axis("label", rows["label"], labels=False), {"title": FACTORS_TITLE}
    tooltip = [
        words("label", title="factor"),
        quantity("coefficient", format="+.3f", title="standard deviations"),
        quantity("low", format="+.3f", title="95 % low"),
        quantity("high", format="+.3f", title="95 % high"),
        quantity("in_score", format="+.4f", title=of_changes("on the score's scale", scale)),
        quantity("p_adjusted", format=".3g", title="corrected p"),
    ]
    x = quantity("coefficient", axis={"format": ".6~f", "tickCount": 6}, **shared)
    looks = by_kind("kind", kinds, {**LEGEND, "title": "95 % interval"})
    label: Spec = {"align": "left", "dy": -18, "fontSize": 14, "color": _theme.PAGE_INK, "aria": False}
    layers = [
        layer("tick", y | {"x": {"datum": 0}}, size=24, thickness=1.5, **HELP),
        layer("rule", y | {"x": quantity("low", **shared), "x2": {"field": "high"}}, **WHISKER),
        layer("point", y | looks | {"x": x, "tooltip": tooltip}, filled=True, size=150, opacity=1),
        layer("text", y | {"x": {"value": 0}, "text": words("label")}, **label),
    ]
    return drawing(rows, layers, height=44 * len(rows) + 178)


def shares(table: pd.DataFrame) -> Drawing:
    """Draw the factors' shares of the variance of the names' effects: ``FactorAnalysis.shares`` of `tables.factors`."""
    rows = table.assign(percent=100 * table["share"])
    encoding = row_axis("factor", rows["factor"], labelLimit=220) | {
        "x": quantity("percent", title="Per cent of the names' differences", scale={"domain": [0, 100]}),
        "opacity": {"condition": {"test": "datum.is_significant", "value": 1}, "value": 0.4},
        "tooltip": [words("factor"), quantity("percent", format=".1f", title="per cent")],
    }
    return drawing(rows, [layer("bar", encoding, color=_theme.ACCENT, height=18)], height=44 * len(rows) + 70)


def metric_intervals(table: pd.DataFrame, *, title: str) -> Drawing:
    """Draw a metric of several studies, largest first, with its intervals: distinct ``label``, ``value, low, high``."""
    rows = table[["label", "value", "low", "high"]].sort_values("value", ascending=False, kind="stable")
    y = row_axis("label", rows["label"], labelLimit=200, labelOffset=-14, labelExpr="split(datum.label, ' · ')")
    tooltip = [words("label"), *(quantity(field, format=".4f") for field in ("value", "low", "high"))]
    x = quantity("value", title=title, scale={"zero": True}, axis={"format": ".6~f", "tickCount": 6})
    bars = {"x": x, "x2": {"datum": 0}, "tooltip": tooltip}
    layers = [
        layer("bar", y | bars, size=20, color=_theme.ACCENT, opacity=0.85),
        layer("rule", y | {"x": quantity("low"), "x2": {"field": "high"}}, strokeWidth=3, **HELP),
    ]
    return drawing(rows, layers, height=70 * len(rows) + 84)


def name_changes(table: pd.DataFrame, *, labels: dict[str, str]) -> Drawing:
    """Draw each name's effect before and after, on one line, for the first 20 rows of ``name, before, after``."""
    shown = table.head(MAX_NAMES)
    rows = shown.assign(label=shown["name"].map(labels))
    ends = zip(WHENS, ("before", "after"), strict=True)
    long = pd.concat([rows.assign(when=when, effect=rows[column]) for when, column in ends])
    y = row_axis("label", rows["label"], labelLimit=200, labelOverlap=False)
    axis = {"format": ".6~f", "tickCount": 6}
    x = quantity("effect", title="Effect against the other names", axis=axis, scale={"padding": 12})
    tooltip = [words("label"), words("when"), quantity("effect", format="+.4f")]
    looks = dict(zip(WHENS, [(_theme.MUTED, CIRCLE), (_theme.ACCENT, DIAMOND)], strict=True))
    kinds = by_kind("when", looks, {"title": None, "orient": "top"})
    layers = [
        layer("rule", {"x": {"datum": 0}}, **DASHED),
        layer("rule", y | {"x": quantity("before"), "x2": {"field": "after"}}, strokeWidth=2, **HELP),
        layer("point", y | kinds | {"x": x, "tooltip": tooltip}, filled=True, size=110, opacity=1),
    ]
    return drawing(long, layers, height=30 * len(rows) + 130)


def delta_boxes(deltas: pd.DataFrame, systems: pd.DataFrame, verdicts: tuple[str, ...], *, points: bool) -> Drawing:
    """Draw a box of score differences for each system, with its Δ-spread beneath its name.

    Figures 1 and 2 of Kiritchenko & Mohammad (2018). `deltas` has ``system, target, delta``, one row a sentence pair,
    differences as shares of the range; `systems` one row a box from top to bottom, ``system, target, verdict, spread``.
    The three `verdicts`, in the paper's order, tell colour and mark; another one is a `ValueError`. With `points` every
    pair has a stroke, else only those beyond the whiskers, which reach 1.5 times the interquartile range.
    """
    if unknown := set(systems["verdict"]) - set(verdicts):
        raise ValueError(f"{sorted(unknown)} not in {verdicts}")
    mark_of = {verdict: mark for verdict, (_, mark) in zip(verdicts, LOOKS, strict=True)}
    short = systems["system"].map(models.titled)
    shown = short if short.nunique() == systems["system"].nunique() else systems["system"]
    marks, spreads = systems["verdict"].map(mark_of), systems["spread"].map("{:.3f}".format)
    boxes = systems[["system", "target"]].assign(
        label=marks + " " + shown + BREAK + systems["target"] + BREAK + "Δ-spread " + spreads,
        verdict=marks + " " + systems["verdict"],
    )
    rows = deltas[["system", "target", "delta"]].merge(boxes, on=["system", "target"]).round({"delta": 5})
    legend = {"orient": "top", "title": None, "labelLimit": 300, "symbolOpacity": 1, "columns": 1}  # as a phone needs
    scale = {
        "domain": [f"{mark} {verdict}" for verdict, mark in mark_of.items()],
        "range": [colour for colour, _ in LOOKS],
    }
    # Labels stand on the middle of their three lines.
    axis = {"labelExpr": f"split(datum.label, {BREAK!r})", "labelLimit": 170, "labelFontSize": 13, "labelOffset": -16}
    encoding = row_axis("label", boxes["label"], **axis) | {
        "x": quantity(
            "delta", title=["Δ of the score,", "as a share of its range"], axis={"format": ".6~f", "tickCount": 8}
        ),
        "color": words("verdict", scale=scale, legend=legend),
    }
    whisker: Spec = {"color": _theme.MUTED}
    looks: Spec = {
        "box": {"stroke": _theme.PAGE_INK, "fillOpacity": 0.25 if points else 0.75},
        "ticks": {"size": 14, **whisker},
        "rule": whisker,
        "outliers": False if points else {"size": 12, "opacity": 0.45},
        "median": {"color": _theme.PAGE_INK},
    }
    layers = [
        layer("rule", {"x": {"datum": 0}}, **HELP),
        *([layer("tick", encoding, thickness=1, size=30, opacity=0.25)] if points else []),
        layer("boxplot", encoding, extent=1.5, size=20, **looks),
    ]
    return drawing(rows, layers, height=196 + 64 * len(systems))
