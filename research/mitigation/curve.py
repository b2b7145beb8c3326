"""Fairness against relevance, a curve for each method over its strengths (Huang et al. 2020, Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from psa_core.charts import _theme
from psa_core.charts.drawing import CONFIG, PRINTED_AXIS, SIZES
from research.mitigation.language import PARTS, Audit, by_training, pairs_of, similarity

SIDE = 250
COLOURS = (_theme.ACCENT, _theme.UP, _theme.DOWN)


def points(audits: Sequence[Audit]) -> pd.DataFrame:
    """Where each training of one attribute leads, from the model as it was.

    ``score, method, strength, kept, left, low, high``: the share of the relevance and of the corrected I.F. that is
    left of the model's own, means over the seeds that were above noise before, and the lowest and highest seed.
    Strength 0, where both are 1, is the model as it was. A score is left out where it had a part in the training.
    """
    rows = []
    for some in by_training(pairs_of(audits)).values():
        recipe = (some[0][1].training or {})["recipe"]
        before, after = (sum(similarity(pair[end]) for pair in some) for end in (0, 1))
        for score in some[0][0].result.cube.scorers:
            left = _left(some, score)
            if left and before and after and PARTS.get(recipe["method"]) != score:
                mean = sum(left) / len(left)
                of_it = (score, recipe["method"])
                rows += [(*of_it, 0.0, 1.0, 1.0, 1.0, 1.0)]
                rows += [(*of_it, recipe["strength"], after / before, mean, min(left), max(left))]
    columns = ["score", "method", "strength", "kept", "left", "low", "high"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(["score", "method", "strength"], ignore_index=True)


def _left(some: Sequence[tuple[Audit, Audit]], score: str) -> list[float]:
    """After / before, of each seed whose number was above noise before."""
    numbers = [[one.result.tables.summary[score]["individual_fairness"] for one in pair] for pair in some]
    return [after["corrected"] / before["corrected"] for before, after in numbers if before["above_noise"]]


def picture(audits: Sequence[Audit]) -> str | None:
    """The curves as SVG, a panel for each score; None where there is nothing to compare."""
    import altair as alt
    import vl_convert

    found = points(audits)
    if found.empty:
        return None
    share = alt.Axis(format=".0%", tickCount=4)
    methods = sorted(found["method"].unique())
    colours = alt.Scale(domain=methods, range=list(COLOURS))
    base = alt.Chart(found).encode(
        alt.X("kept:Q", title="Relevance kept", axis=share, scale=alt.Scale(zero=False, padding=20)),
        alt.Y("left:Q", title="Corrected I.F. left", axis=share, scale=alt.Scale(zero=True)),
        alt.Color("method:N", title=None, scale=colours, legend=alt.Legend(orient="top")),
    )
    line = base.mark_line(strokeWidth=2).encode(order="strength:Q")
    seeds = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=70, opacity=1)
    trained = base.transform_filter("datum.strength > 0")
    words = trained.mark_text(align="left", dx=8, dy=-8, fontSize=13).encode(text="strength:Q")
    panel = alt.layer(line, seeds, dots, words, data=found).properties(width=SIDE, height=SIDE)
    chart = panel.facet(column=alt.Column("score:N", title=None, header=alt.Header(labelFontSize=14)))
    printed = chart.properties(background=_theme.PAPER).configure(locale=CONFIG["locale"])
    printed = printed.configure_axis(domain=False, ticks=False, **PRINTED_AXIS, **SIZES)
    printed = printed.configure_view(stroke=None).configure_legend(labelColor=_theme.INK, labelFontSize=13)
    return vl_convert.vegalite_to_svg(printed.to_dict())
