"""Original score against the mean absolute change, one dot per sentence."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, template

POINT = "sentence"
LETTERS = 80
#: Share of the sentences that each point of the curve looks at.
NEAR = 0.5


def score_scatter(table: pd.DataFrame, *, target: str = "score", selected: str | None = None) -> Drawing:
    """Draw one point per sentence, with a curve through them that follows what is near, so that a hump stays one.

    Parameters
    ----------
    table : DataFrame
        ``sentence_id``, ``text``, ``original`` and ``mean_abs_delta``: nothing that hangs on a threshold, so that the
        thousand points stay as they are while a threshold moves.
    target : str
        Name of the score, for the axis.
    selected : str or None
        Sentence to ring.

    Returns
    -------
    Drawing
        With a point selection called ``sentence`` on ``sentence_id``.
    """
    points = table[["sentence_id", "original", "mean_abs_delta"]].assign(
        text=table["text"].str.slice(0, LETTERS),
        ringed=table["sentence_id"] == selected,
    )
    return Drawing(points, _template(target))


@lru_cache(maxsize=32)
def _template(target: str) -> Spec:
    import altair as alt

    base = alt.Chart().encode(
        alt.X("original:Q", title=f"Original {target}", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=10)),
        alt.Y("mean_abs_delta:Q", title="Mean size of the change"),
    )
    marks = base.mark_point(size=52, filled=True, opacity=0.6, color=_theme.ACCENT).encode(
        tooltip=[
            alt.Tooltip("text:N", title="sentence"),
            alt.Tooltip("original:Q", format=".3f"),
            alt.Tooltip("mean_abs_delta:Q", format=".4f", title="mean size of the change"),
        ],
    )
    marks = marks.add_params(alt.selection_point(name=POINT, fields=["sentence_id"]))
    line = base.transform_loess("original", "mean_abs_delta", bandwidth=NEAR).mark_line(
        color=_theme.MUTED, strokeDash=[6, 4], strokeWidth=2.5, aria=False
    )
    style: dict[str, Any] = {"stroke": _theme.DOWN, "strokeWidth": 3, "aria": False}
    ring = base.transform_filter(alt.datum.ringed).mark_point(size=280, filled=False, **style)
    return template(alt.layer(marks, line, ring).properties(height=380))
