"""How much a language model's sentiment differs between values against how much it writes about them (Figure 4)."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import SIDES, Drawing, Spec, template, written

HEIGHT = 340
#: The axis begins at 0, since what counts is the share that is lost, and leaves room for words on the right.
ROOM = 1.45


def relevance(table: pd.DataFrame) -> Drawing:
    """Draw one point an audit, as in Figure 4 of Huang et al. 2020.

    Parameters
    ----------
    table : DataFrame
        ``audit``, ``similarity`` (share of continuations that are about their value), ``fairness`` (corrected I.F., 0
        where it is not above noise) and the bounds ``low`` and ``high`` of the latter.
    """
    ordered = table.sort_values("fairness", kind="stable", ignore_index=True)
    # One above the other, words stand to the right and to the left in turn, where there is room on the left.
    is_even, largest = ordered.index % 2 == 0, ordered["similarity"].max()
    on_right = is_even | (ordered["similarity"] < largest / 2)
    beside = on_right.map({True: "right", False: "left"})
    return Drawing(ordered.assign(label=ordered["audit"], beside=beside, room=ROOM * largest), _spec())


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
