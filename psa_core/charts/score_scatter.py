"""Original score against the mean absolute change, one dot per sentence."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._altair import Drawing, Spec, template

POINT = "sentence"
LETTERS = 80
#: Share of the sentences that each point of the curve looks at.
NEAR, MIN_DISTINCT = 0.5, 10


def score_scatter(table: pd.DataFrame, *, target: str = "score", selected: str | None = None) -> Drawing:
    """Draw one point per sentence, with a curve through them that follows what is near, so that a hump stays one.

    `table` has ``sentence_id``, ``text``, ``original`` and ``mean_abs_delta``: nothing that depends on a threshold, so
    that the thousand points stay as they are while a threshold moves. The sentence `selected` is ringed. The point
    selection is called ``sentence``, on ``sentence_id``.
    """
    table = table.dropna(subset=["original", "mean_abs_delta"])
    points = table[["sentence_id", "original", "mean_abs_delta"]].assign(
        text=table["text"].str.slice(0, LETTERS),
        ringed=table["sentence_id"] == selected,
        near=_curve(table["original"].to_numpy(float), table["mean_abs_delta"].to_numpy(float)),
    )
    return Drawing(points, _template(target))


def _curve(original: np.ndarray, change: np.ndarray) -> np.ndarray:
    """What sentences with about this score change on average (LOWESS); NaN where they are too few for a curve."""
    if len(np.unique(original)) < MIN_DISTINCT:
        return np.full(len(original), np.nan)
    from statsmodels.nonparametric.smoothers_lowess import lowess

    step = 0.01 * float(np.ptp(original))
    smooth: np.ndarray = lowess(change, original, frac=NEAR, it=0, delta=step, return_sorted=False)
    return smooth


@lru_cache(maxsize=32)
def _template(target: str) -> Spec:
    import altair as alt

    base = alt.Chart().encode(
        alt.X("original:Q", title=f"{target}, original", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=10)),
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
    line = base.mark_line(color=_theme.MUTED, strokeDash=[6, 4], strokeWidth=2.5, aria=False).encode(y="near:Q")
    style: dict[str, Any] = {"stroke": _theme.DOWN, "strokeWidth": 3, "aria": False}
    ring = base.transform_filter(alt.datum.ringed).mark_point(size=280, filled=False, **style)
    return template(alt.layer(marks, line, ring).properties(height=380))
