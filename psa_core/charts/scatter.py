"""Charts with a point for each sentence, name, audit or strength, by two of its numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import of_changes, of_scores
from psa_core.charts.drawing import (
    CIRCLE,
    CLICKED,
    DASHED,
    HELP,
    NAME_CLICK,
    Drawing,
    Spec,
    by_kind,
    diagonal,
    drawing,
    layer,
    quantity,
    ring,
    words,
    written,
)
from psa_core.cube import in_unit, scale_of

POINT = "sentence"
LETTERS = 80
#: Share of the sentences that each point of the curve looks at.
NEAR, MIN_DISTINCT = 0.5, 10
#: A written name takes about this part of the plot.
MAX_LABELS_WRITTEN, LETTERS_WIDE, LETTERS_HIGH = 4, 0.25, 0.045
HEIGHT = 360
#: Pixels, about, of Figure 4: its drawing where it is narrow, a letter, a line, between a point and its words.
RELEVANCE_HEIGHT, WIDTH, LETTER, LINE, GAP = 340, 600, 7, 16, 10
#: The axis begins at 0, since what counts is the share that is lost, and leaves room for words on the right.
ROOM = 1.45


def score_scatter(table: pd.DataFrame, *, target: str = "score", selected: str | None = None) -> Drawing:
    """Draw one point per sentence, with a curve through them that follows what is near, so that a hump stays one.

    `table` has ``sentence_id``, ``text``, ``original`` and ``mean_abs_delta``: nothing that depends on a threshold, so
    that the thousand points stay as they are while a threshold moves. The sentence `selected` is ringed. The point
    selection is called ``sentence``, on ``sentence_id``.
    """
    scale = scale_of(table)
    table = in_unit(table.dropna(subset=["original", "mean_abs_delta"]), "original", "mean_abs_delta")
    points = table[["sentence_id", "original", "mean_abs_delta"]].assign(
        text=table["text"].str.slice(0, LETTERS),
        ringed=table["sentence_id"] == selected,
        near=_curve(table["original"].to_numpy(float), table["mean_abs_delta"].to_numpy(float)),
    )
    x = {
        "x": quantity(
            "original", title=of_scores(f"{target}, original", scale), scale={"zero": False}, axis={"tickCount": 10}
        )
    }
    place = x | {
        "y": quantity("mean_abs_delta", title=of_changes("Mean size of the change", scale), axis={"format": ".6~g"})
    }
    tooltip = [
        words("text", title="sentence"),
        quantity("original", format=".3f" if scale == 1 else ".1f", title=of_scores("original", scale)),
        quantity(
            "mean_abs_delta",
            format=".4f" if scale == 1 else ".2f",
            title=of_changes("mean size of the change", scale),
        ),
    ]
    marks = layer("point", {**place, "tooltip": tooltip}, size=52, filled=True, opacity=0.6, color=_theme.ACCENT)
    layers = [
        marks | CLICKED,
        layer("line", x | {"y": quantity("near")}, strokeWidth=2.5, **DASHED),
        ring(place, size=280, stroke=_theme.DOWN),
    ]
    return drawing(points, layers, height=380, click={"name": POINT, "fields": ["sentence_id"]})


def _curve(original: np.ndarray, change: np.ndarray) -> np.ndarray:
    """What sentences with about this score change on average (LOWESS); NaN where they are too few for a curve."""
    if len(np.unique(original)) < MIN_DISTINCT:
        return np.full(len(original), np.nan)
    from statsmodels.nonparametric.smoothers_lowess import lowess

    step = 0.01 * float(np.ptp(original))
    smooth: np.ndarray = lowess(change, original, frac=NEAR, it=0, delta=step, return_sorted=False)
    return smooth


def name_scatter(
    table: pd.DataFrame, *, titles: tuple[str, str], selected: tuple[str, ...], labels: dict[str, str]
) -> Drawing:
    """Draw what each name does in two studies; on the diagonal it does the same in both.

    `table` is ``name, first, second``, `titles` are those of the studies, `selected` names are ringed and `labels` has
    the text that is shown for each name. Up to four names furthest from the diagonal are written out, as far as their
    letters have room. The point selection is called ``name``.
    """
    ends = table[["first", "second"]]
    low, high = float(ends.min().min()), float(ends.max().max())
    right = (table["first"] > (low + high) / 2).map({True: "left", False: "right"})
    rows = table.assign(
        label=table["name"].map(labels),
        ringed=table["name"].isin(selected),
        beside=right.where(_has_room(table, high - low), ""),
        low=low,
        high=high,
    )
    axis = {"format": ".0%", "tickCount": 7}
    place = {
        channel: quantity(column, title=f"{title}, mean change", axis=axis)
        for channel, column, title in zip("xy", ("first", "second"), titles, strict=True)
    }
    tooltip = [words("label"), *(quantity(field, format="+.2%") for field in ("first", "second"))]
    marks = layer("point", {**place, "tooltip": tooltip}, filled=True, size=80, color=_theme.ACCENT, opacity=0.85)
    layers = [diagonal(), marks | CLICKED, *written(place), ring(place, size=300, stroke=_theme.UP)]
    return drawing(rows, layers, height=430, click=NAME_CLICK)


def _has_room(table: pd.DataFrame, score_range: float) -> pd.Series:
    """Which names are written: the furthest from the diagonal, none upon the letters of another."""
    written: list[int] = []
    spots = table[["first", "second"]].to_numpy()
    for place in (table["first"] - table["second"]).abs().argsort()[::-1][:MAX_LABELS_WRITTEN]:
        across, along = abs(spots[written] - spots[place]).T / (score_range or 1.0)
        if not ((across < LETTERS_WIDE) & (along < LETTERS_HIGH)).any():
            written.append(place)
    return pd.Series(range(len(table)), table.index).isin(written)


def averaging_curves(table: pd.DataFrame, *, chosen: int, scale: int = 1) -> Drawing:
    """Draw what averaging over more names loses and gains, by `mitigate.averaging_table`, and mark a chosen number.

    `scale` is that of the target, which both are changes of.
    """
    columns = {"score_change": "Change of the original score", "list_dependence": "Dependence on the list of names"}
    rows = table[["names", *columns]].rename(columns=columns).melt("names", var_name="kind", value_name="size")
    rows["size"] *= scale
    legend = {"orient": "top", "title": None, "labelLimit": 300, "columns": 1, "symbolType": "stroke"}
    looks = dict(zip(columns.values(), [(_theme.UP, [1, 0]), (_theme.ACCENT, [7, 4])], strict=True))
    steps = {"values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], "grid": False, "format": "d"}
    encoding = by_kind("kind", looks, legend | {"symbolSize": 400}, "strokeDash") | {
        "x": quantity("names", title="Names averaged over", scale={"type": "log", "nice": False}, axis=steps),
        "y": quantity("size", title=of_changes("On the scale of the score", scale), axis={"format": ".6~f"}),
        "tooltip": [words("kind"), quantity("names"), quantity("size", format=".4f")],
    }
    mark: Spec = {**HELP, "strokeWidth": 2, "strokeDash": [5, 4]}
    layers = [
        layer("rule", {"x": quantity("chosen", aggregate="mean")}, **mark),
        layer("line", encoding, strokeWidth=3, point={"size": 70}),
    ]
    return drawing(rows.assign(chosen=chosen), layers, height=HEIGHT)


def original_scores(table: pd.DataFrame, *, target: str, scale: int = 1) -> Drawing:
    """Draw each original sentence's score before and after: ``before, after, text``, and if its label ``changed``.

    `scale` is that of the target.
    """
    kinds = {"label changes": (_theme.UP, "square"), "label stays": (_theme.ACCENT, CIRCLE)}
    ends, digits = scale * table[["before", "after"]], ".3f" if scale == 1 else ".1f"
    rows = ends.assign(
        text=table["text"].str.slice(0, 120),
        kind=table["changed"].map(dict(zip([True, False], kinds, strict=True))),
        low=float(ends.min().min()),
        high=float(ends.max().max()),
    )
    encoding = by_kind("kind", kinds, {"orient": "top", "title": None}) | {
        "x": quantity("before", title=of_scores(f"{target} as it was", scale), axis={"tickCount": 6}),
        "y": quantity("after", title=of_scores(f"{target} averaged over names", scale), axis={"tickCount": 6}),
        "tooltip": [
            words("text"),
            *(quantity(field, format=digits) for field in ("before", "after")),
        ],
    }
    return drawing(rows, [diagonal(), layer("point", encoding, filled=True, size=52, opacity=0.75)], height=HEIGHT)


def trade_off(table: pd.DataFrame, *, chosen: float, cost: str) -> Drawing:
    """Draw sensitivity against cost, one point a strength, in the order of the strengths; the chosen one is marked.

    `table` is ``strength, cost, score_dev`` and the latter's bounds ``low, high`` (equal to it where there is no
    interval); strength 0 is the classifier as it was. `cost` says what the horizontal axis is.
    """
    rows = table.sort_values("strength")
    rows = rows.assign(
        label=[f"{strength:g}" if strength else "as it was" for strength in rows["strength"]],
        picked=rows["strength"] == chosen,
    )
    x = {"x": quantity("cost", title=cost, axis={"tickCount": 6}, scale={"zero": False})}
    place = x | {"y": quantity("score_dev", title="ScoreDev on held-out names", scale={"zero": True})}
    colours = words("picked", scale={"domain": [True, False], "range": [_theme.UP, _theme.ACCENT]}, legend=None)
    tooltip = [words("label"), *(quantity(field, format=".4f") for field in ("score_dev", "cost"))]
    label: Spec = {"align": "left", "dx": 11, "dy": -9, "fontSize": 14, "color": _theme.PAGE_INK}
    bounds = {"y": quantity("low"), "y2": {"field": "high"}}
    layers = [
        layer("line", place | {"order": quantity("strength")}, color=_theme.MUTED, strokeWidth=2),
        layer("rule", x | bounds, color=_theme.MUTED, strokeWidth=2),
        layer("point", place | {"color": colours, "tooltip": tooltip}, filled=True, size=130, opacity=1),
        layer("text", place | {"text": words("label")}, **label),
    ]
    return drawing(rows, layers, height=HEIGHT)


def relevance(table: pd.DataFrame) -> Drawing:
    """Draw one point an audit: its sentiment's differences against its relevance (Figure 4 of Huang et al. 2020).

    `table` is ``audit``, ``similarity`` (share of continuations that are about their value), ``fairness`` (corrected
    I.F., 0 where it is not above noise) and the latter's bounds ``low`` and ``high``.
    """
    rows = table.sort_values("fairness", kind="stable", ignore_index=True)
    room = ROOM * rows["similarity"].max()
    axis = {"format": ".0%", "tickCount": 6}
    x = {"x": quantity("similarity", title="Continuations about their value", axis=axis, scale={"zero": True})}
    place = x | {"y": quantity("fairness", title="Corrected I.F.", scale={"zero": True})}
    tooltip = [words("label"), quantity("fairness", format=".4f"), quantity("similarity", format=".1%")]
    layers = [
        layer("rule", x | {"y": quantity("low"), "y2": {"field": "high"}}, strokeWidth=2, **HELP),
        layer("point", place | {"tooltip": tooltip}, filled=True, size=130, opacity=1, color=_theme.ACCENT),
        layer("point", {"x": quantity("room", aggregate="max")}, opacity=0, aria=False),
        *written(place),
    ]
    rows = rows.assign(label=rows["audit"], beside=_sides(rows, room), room=room)
    return drawing(rows, layers, height=RELEVANCE_HEIGHT)


def two_distributions(
    scores: np.ndarray, first: np.ndarray, second: np.ndarray, *, names: tuple[str, str], score: str
) -> Drawing:
    """Draw two empirical distribution functions with the gap between them shaded; its area is W1.

    `scores` (G,) ascend; `first` and `second` (G,) are the shares of two values' continuations with at most that score.
    """
    wide = pd.DataFrame({"score": scores, "first": first, "second": second})
    rows = pd.concat([wide.assign(kind=name, share=share) for name, share in zip(names, (first, second), strict=True)])
    x = {"x": quantity("score", title=score, scale={"domain": [0, 1]})}
    title, axis = "Share of the continuations", {"format": ".0%", "tickCount": 6}
    shares = {"title": title, "axis": axis, "scale": {"domain": [0, 1]}}
    looks = dict(zip(names, ((_theme.CATEGORICAL[0], [1, 0]), (_theme.CATEGORICAL[1], [7, 4])), strict=True))
    legend = {"orient": "top", "title": None, "symbolType": "stroke", "symbolSize": 400}
    line = by_kind("kind", looks, legend, "strokeDash") | {
        "y": quantity("share", **shares),
        "tooltip": [words("kind"), quantity("score", format=".2f"), quantity("share", format=".0%")],
    }
    gap = {"y": quantity("first", **shares), "y2": {"field": "second"}}
    layers = [
        layer("area", x | gap, interpolate="step-after", opacity=0.3, **HELP),
        layer("line", x | line, interpolate="step-after", strokeWidth=2.5),
    ]
    return drawing(rows, layers, height=HEIGHT)


def _sides(table: pd.DataFrame, room: float) -> list[str]:
    """Right of each point; left where words on the right would lie upon others, and on the left there is room."""
    x = WIDTH * table["similarity"] / (room or 1)
    y = RELEVANCE_HEIGHT * table["fairness"] / (table["high"].max() or 1)
    taken = [(left, left, height) for left, height in zip(x, y, strict=True)]
    sides = []
    for at, height, label in zip(x, y, table["audit"].astype(str), strict=True):
        wide = LETTER * len(label)
        places = {"right": (at + GAP, at + GAP + wide, height), "left": (at - GAP - wide, at - GAP, height)}
        free = (
            side
            for side, (low, high, _) in places.items()
            if low >= 0
            and not any(low <= end and start <= high and abs(height - other) < LINE for start, end, other in taken)
        )
        side = next(free, "right")
        taken.append(places[side])
        sides.append(side)
    return sides
