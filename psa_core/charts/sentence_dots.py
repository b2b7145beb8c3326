"""One sentence over all names: a dot per name on the score axis; and Table 1, the same for each model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._theme import of_scores
from psa_core.charts.drawing import (
    CIRCLE,
    CLICKED,
    HELP,
    NAME_CLICK,
    Drawing,
    Spec,
    by_kind,
    drawing,
    layer,
    quantity,
    ring,
    row_axis,
    words,
    written,
)
from psa_core.cube import Target, in_unit
from psa_core.stats import labels_at

KINDS = {"label 1": (_theme.UP, "triangle-up"), "label 0": (_theme.DOWN, CIRCLE)}
ROWS_WITH_LABELS = 60
# Axes and legend are fitted into the height.
ROW_PIXELS, FRAME_PIXELS, STRIP_PIXELS = 21, 76, 480
# On a strip: names written out at either end, and the part of its height that a line of letters takes.
ENDS, LINE = 3, 0.045
# Parts of the width: what the word beside a line takes, and up to where a name has room on the right of its dot.
WORD, ROOM_UNTIL = 0.18, 0.6
#: Of Table 1: pixels of a row, the part of the range beside the marks, and the width up to which a range is all shown.
STEM_PIXELS, STEM_ROOM, WIDE = 24, 0.22, 4.0


def sentence_dots(table: pd.DataFrame, *, target: Target, threshold: float, selected: tuple[str, ...] = ()) -> Drawing:
    """Draw the score of one sentence with each name, its original score and the threshold.

    `table` has one row per name: ``name``, ``label`` (the text that is shown, distinct), ``perturbed``, and
    ``original`` (the same in all rows). Dots at or above the threshold are triangles, the others circles, those
    `selected` ringed. Up to 60 names get a row each; more share a strip, in the order of their scores, with the names
    at the ends written above and below, and the selected ones as far as there is room. The point selection is called
    ``name``.
    """
    table, target, threshold = _in_unit(table, ("perturbed", "original"), target, threshold)
    columns = ["name", "label", "perturbed", "original", "flagged"]
    dots = table[columns].sort_values("perturbed", ascending=False, kind="stable")
    count = len(dots)
    dots = dots.assign(
        kind=dots["flagged"].map(dict(zip([True, False], KINDS, strict=True))),
        ringed=dots["name"].isin(selected),
        rank=range(1, count + 1),
        threshold=threshold,
        **_rule_sides(float(dots["original"].iloc[0]), threshold, target),
    )
    rules = [*_rule("original", []), *_rule("threshold", [5, 4])]
    if count <= ROWS_WITH_LABELS:
        y = row_axis("label", dots["label"], labelLimit=180, labelFontSize=13)
        return drawing(dots, [*rules, *_dots(target, y)], height=FRAME_PIXELS + ROW_PIXELS * count, click=NAME_CLICK)
    scale, axis = {"reverse": True, "nice": False, "padding": 14}, {"labels": False, "grid": False}
    y = {"y": quantity("rank", title="Names, highest score first", scale=scale, axis=axis)}
    place = {"x": quantity("perturbed"), "y": quantity("line")}
    to_label = place | {"y": quantity("rank"), "y2": {"field": "line"}}
    leaders = layer("rule", to_label, where="datum.beside !== ''", opacity=0.6, **HELP)
    layers = [*rules, leaders, *_dots(target, y), *written(place)]
    return drawing(with_labels(dots, target), layers, height=STRIP_PIXELS, click=NAME_CLICK)


def _in_unit(
    table: pd.DataFrame, columns: tuple[str, ...], target: Target, threshold: float
) -> tuple[pd.DataFrame, Target, float]:
    """Scores, the range of their target, and a threshold as people read them; labels are those of the scores."""
    scale = target.scale
    ends = replace(target, low=scale * target.low, high=scale * target.high)
    flagged = labels_at(table[columns[0]], threshold)
    return in_unit(table, *columns, target=target).assign(flagged=flagged), ends, scale * threshold


def _digits(target: Target, decimals: int) -> str:
    """The format of scores with so many decimals on their own scale."""
    return f".{decimals if target.scale == 1 else decimals - 2}f"


def _rule_sides(original: float, threshold: float, target: Target) -> dict[str, str]:
    """On which side of its line each word stands: right, left near the right end, and apart where lines are near."""
    values = {"original": original, "threshold": threshold}
    room = WORD * (target.high - target.low)
    if not np.isfinite(room) or abs(original - threshold) < 2 * room:
        first, second = sorted(values, key=lambda word: values[word])
        return {f"{first}_side": "left", f"{second}_side": "right"}
    return {f"{word}_side": "left" if value > target.high - room else "right" for word, value in values.items()}


def with_labels(dots: pd.DataFrame, target: Target) -> pd.DataFrame:
    """Say where names are written on a strip: ``beside`` which side of their dot, and on which ``line``, so that none
    lies upon another; rows that are not written have no side.

    The first and the last names stand above and below all dots, each at the end of a thin line to its dot: a name that
    reaches to the right further out the lower its score, so that no thin line runs through another's letters.
    """
    count = len(dots)
    line_ranks = LINE * count / (1 - LINE * 2 * (ENDS + 1))
    bounds = np.array([target.low, target.high])
    low, high = bounds if np.isfinite(bounds).all() else dots["perturbed"].agg(["min", "max"])
    turn = low + ROOM_UNTIL * (high - low)
    beside = (dots["perturbed"] > turn).map({True: "left", False: "right"}).tolist()
    scores = dots["perturbed"].tolist()
    lines: dict[int, float] = {}
    for ends, edge, step in ((range(ENDS), 1.0, -line_ranks), (range(count - ENDS, count), float(count), line_ranks)):
        outwards = sorted(ends, key=lambda i: (beside[i] == "left", scores[i] if beside[i] == "left" else -scores[i]))
        lines |= {i: edge + step * (place + 1) for place, i in enumerate(outwards)}
    for i in np.flatnonzero(dots["ringed"]):
        if all(abs(i + 1 - line) >= line_ranks for line in lines.values()):
            lines[int(i)] = float(i + 1)
    return dots.assign(
        line=[lines.get(i, i + 1.0) for i in range(count)],
        beside=[side if i in lines else "" for i, side in enumerate(beside)],
    )


def _dots(target: Target, y: Spec) -> list[Spec]:
    """A mark for each name, and a ring around the selected ones."""
    domain = [target.low, target.high]
    title = of_scores(target.phrase.partition(" to “")[0] or target.name, target.scale)
    scale: Spec = {"domain": domain} if np.isfinite(domain).all() else {"zero": False}
    place = y | {"x": quantity("perturbed", title=title, scale=scale, axis={"tickCount": 6})}
    tooltip = [words("label", title="name"), quantity("perturbed", format=_digits(target, 3), title=title)]
    marks = layer(
        "point", place | by_kind("kind", KINDS, None) | {"tooltip": tooltip}, filled=True, size=90, opacity=0.95
    )
    return [marks | CLICKED, ring(place, size=280, stroke=_theme.MUTED)]


def _rule(field: str, dash: list[int]) -> list[Spec]:
    """An upright line with its word on the side that its rows say."""
    x = _upright(field)
    style: Spec = {"baseline": "top", "dy": -14, "fontSize": 13, "aria": False, "color": _theme.PAGE_INK}
    word = x | {"y": {"value": 0}, "text": {"value": field}}
    return [
        layer("rule", x, strokeWidth=2, strokeDash=dash, **HELP),
        *(
            layer("text", word, where=f"datum.{field}_side === '{side}'", align=align, dx=dx, **style)
            for side, align, dx in (("left", "right", -4), ("right", "left", 4))
        ),
    ]


def _upright(field: str) -> Spec:
    """One place on the axis for all rows, which have the same number there."""
    return {"x": quantity(field, aggregate="mean")}


def score_stems(
    table: pd.DataFrame, *, target: Target, title: str, neutral_words: str, colour: str = _theme.ACCENT
) -> Drawing:
    """Draw the score of one sentence with each name, on a stem from its score with neutral words.

    `table` has one row per name, from top to bottom: ``label`` (the text that is shown, distinct), ``is_bold`` (set
    apart, such as the names that the user typed), ``score``, and ``neutral`` (the same in all rows). Filled marks reach
    the target's threshold. The `colour` is the model's and tells nothing else.
    """
    shown, per_cent = of_scores(target.name, target.scale), " %" * target.is_in_points
    table, target, threshold = _in_unit(table, ("score", "neutral"), target, target.default_threshold)
    ends = table[["score", "neutral"]]
    is_wide = target.high - target.low > WIDE * target.scale
    low, high = (ends.min().min(), ends.max().max()) if is_wide else (target.low, target.high)
    room = STEM_ROOM * max(high - low, 1e-6)
    is_right, texts = table["score"] >= table["neutral"], ends.map(f"{{:{_digits(target, 2)}}}{per_cent}".format)
    texts = texts.replace("-", "−", regex=True)
    rows = table.assign(
        number=texts["score"],
        threshold=threshold,
        beside=is_right.map({True: "right", False: "left"}),
    )
    bold = json.dumps(rows.loc[rows["is_bold"], "label"].tolist())
    weight = {"condition": {"test": f"indexof({bold}, datum.value) >= 0", "value": "bold"}, "value": "normal"}
    y = row_axis("label", rows["label"], labelLimit=180, labelOverlap=False, labelFontWeight=weight, grid=True)
    scale = {"domain": [low - room, high + room], "nice": False, "zero": False}
    place = y | {"x": quantity("score", title=None, scale=scale, axis={"tickCount": 3, "grid": False})}
    looks = {
        "fill": {"condition": {"test": "datum.flagged", "value": colour}, "value": "transparent"},
        "tooltip": [
            words("label", title="name"),
            quantity("score", format=_digits(target, 3), title=shown),
        ],
    }
    word: Spec = {"fontSize": 12, "color": _theme.PAGE_INK, "aria": False}
    rules = [("neutral", f"“{neutral_words}” {texts['neutral'].iloc[0]}", [1, 0])]
    rules += (
        [("threshold", f"flagged at {threshold:g}{per_cent}".replace("-", "−"), [2, 3])]
        if low - room <= threshold <= high + room
        else []
    )
    layers = [
        *(layer("rule", _upright(field), strokeWidth=1.5, strokeDash=dash, **HELP) for field, _, dash in rules),
        layer("rule", place | {"x2": {"field": "neutral"}}, color=colour, opacity=0.45, strokeWidth=3, aria=False),
        layer("point", place | looks, size=130, stroke=colour, strokeWidth=2, opacity=1),
        *written(place, "number"),
        *(
            layer("text", _upright(field) | {"y": {"value": at}, "text": {"value": text}}, dy=dy, **word)
            for (field, text, _), at, dy in zip(rules, ("height", 0), (34, -8), strict=False)
        ),
    ]
    found = drawing(rows, layers, height=FRAME_PIXELS + STEM_PIXELS * len(rows))
    found.spec["title"] = {"text": title, "anchor": "start", "fontSize": 15, "color": _theme.PAGE_INK, "offset": 14}
    return found
