"""How much a language model's sentiment differs between values against how much it writes about them (Figure 4)."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import SIDES, Drawing, Spec, template, written

HEIGHT = 340


def relevance(table: pd.DataFrame) -> Drawing:
    """Draw one point an audit, as in Figure 4 of Huang et al. 2020.

    Parameters
    ----------
    table : DataFrame
        ``audit``, ``similarity`` (share of continuations that are about their value), ``fairness`` (corrected I.F., 0
        where it is not above noise) and the bounds ``low`` and ``high`` of the latter.
    """
    middle = (table["similarity"].min() + table["similarity"].max()) / 2
    beside = (table["similarity"] > middle).map({True: "left", False: "right"})
    return Drawing(table.assign(label=table["audit"], beside=beside), _spec())


@lru_cache(maxsize=1)
def _spec() -> Spec:
    import altair as alt

    base = alt.Chart().encode(
        alt.X(
            "similarity:Q",
            title="Continuations about their value",
            axis=alt.Axis(format=".0%", tickCount=6),
            scale=alt.Scale(zero=False, padding=24),
        ),
        alt.Y("fairness:Q", title="Corrected I.F.", scale=alt.Scale(zero=True)),
    )
    bounds = base.mark_rule(color=_theme.MUTED, strokeWidth=2, aria=False).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    points = base.mark_point(filled=True, size=130, opacity=1, color=_theme.ACCENT).encode(
        tooltip=["label:N", alt.Tooltip("fairness:Q", format=".4f"), alt.Tooltip("similarity:Q", format=".1%")]
    )
    words = [written(base, side, size=13) for side in SIDES]
    return template(alt.layer(bounds, points, *words).properties(height=HEIGHT))
