"""How much a language model's sentiment differs between values against how much it writes about them (Figure 4)."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import SIDES, Drawing, Spec, template, written

HEIGHT = 340
#: Pixels, about: of the drawing where it is narrow, of a letter, of a line, between a point and its words.
WIDTH, LETTER, LINE, GAP = 600, 7, 16, 10
#: The axis begins at 0, since what counts is the share that is lost, and leaves room for words on the right.
ROOM = 1.45
#: Where something is written: from, to, and at which height, in pixels.
Place = tuple[float, float, float]


def relevance(table: pd.DataFrame) -> Drawing:
    """Draw one point an audit, as in Figure 4 of Huang et al. 2020.

    `table` is ``audit``, ``similarity`` (share of continuations that are about their value), ``fairness`` (corrected
    I.F., 0 where it is not above noise) and the latter's bounds ``low`` and ``high``.
    """
    ordered = table.sort_values("fairness", kind="stable", ignore_index=True)
    room = ROOM * ordered["similarity"].max()
    return Drawing(ordered.assign(label=ordered["audit"], beside=_sides(ordered, room), room=room), _spec())


def _sides(table: pd.DataFrame, room: float) -> list[str]:
    """Right of each point; left where words on the right would lie upon others, and on the left there is room."""
    x = WIDTH * table["similarity"] / (room or 1)
    y = HEIGHT * table["fairness"] / (table["high"].max() or 1)
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


@lru_cache(maxsize=1)
def _spec() -> Spec:
    import altair as alt

    base = alt.Chart().encode(
        alt.X(
            "similarity:Q",
            title="Continuations about their value",
            axis=alt.Axis(format=".0%", tickCount=6),
            scale=alt.Scale(zero=True),
        ),
        alt.Y("fairness:Q", title="Corrected I.F.", scale=alt.Scale(zero=True)),
    )
    bounds = base.mark_rule(color=_theme.MUTED, strokeWidth=2, aria=False).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    points = base.mark_point(filled=True, size=130, opacity=1, color=_theme.ACCENT).encode(
        tooltip=["label:N", alt.Tooltip("fairness:Q", format=".4f"), alt.Tooltip("similarity:Q", format=".1%")]
    )
    room = alt.Chart().mark_point(opacity=0, aria=False).encode(alt.X("max(room):Q"))
    words = [written(base, side, size=13) for side in SIDES]
    return template(alt.layer(bounds, points, room, *words).properties(height=HEIGHT))
