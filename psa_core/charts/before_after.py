"""What each name does before and after a change of the model."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, filled, template

ROW_PIXELS, FRAME_PIXELS, MAX_NAMES = 30, 130, 20
WHENS = ("as it was", "retrained")


def name_changes(table: pd.DataFrame, *, labels: dict[str, str]) -> Drawing:
    """Draw each name's effect before and after, on one line.

    Parameters
    ----------
    table : DataFrame
        ``name, before, after``; only the first 20 rows are drawn.
    labels : dict
        Name to the text that is shown.
    """
    shown = table.head(MAX_NAMES)
    rows = shown.assign(label=shown["name"].map(labels))
    height = ROW_PIXELS * len(rows) + FRAME_PIXELS
    ends = zip(WHENS, ("before", "after"), strict=True)
    long = pd.concat([rows.assign(when=words, effect=rows[column]) for words, column in ends])
    return Drawing(long, filled(_changes(), height=height, y_order=rows["label"].tolist()))


@lru_cache(maxsize=1)
def _changes() -> Spec:
    import altair as alt

    base = alt.Chart().encode(alt.Y("label:N", title=None, axis=alt.Axis(labelLimit=200, labelOverlap=False)))
    axis, room = alt.Axis(format=".6~f", tickCount=6), alt.Scale(padding=12)
    x = alt.X("effect:Q", title="Effect against the other names", axis=axis, scale=room)
    lines = base.mark_rule(color=_theme.MUTED, strokeWidth=2, aria=False).encode(x="before:Q", x2="after:Q")
    zero = alt.Chart().mark_rule(color=_theme.MUTED, strokeDash=[6, 4], aria=False).encode(x=alt.datum(0))
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x,
        color=alt.Color(
            "when:N",
            scale=alt.Scale(domain=list(WHENS), range=[_theme.MUTED, _theme.ACCENT]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        shape=alt.Shape(
            "when:N", scale=alt.Scale(domain=list(WHENS), range=["circle", "diamond"]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["label:N", "when:N", alt.Tooltip("effect:Q", format="+.4f")],
    )  # fmt: skip
    return template(alt.layer(zero, lines, points))
