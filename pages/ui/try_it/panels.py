"""The right side of Try it: the effect of the names as a sentence, a chart and a table."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import exports, markup
from pages.ui.frame.keys import Key
from pages.ui.try_it.controls import SORTS
from pages.ui.try_it.one_sentence import FEW, Slotted, TableOne, extremes
from psa_core.charts import try_it
from psa_core.charts._theme import CATEGORICAL
from psa_core.charts.caption import Caption
from psa_core.charts.drawing import drawing_svg
from psa_core.charts.sentence_dots import sentence_dots
from psa_core.claims import findings


def finding(table: TableOne, found: Slotted) -> None:
    """The highest and the lowest sentence of the headline's model, and their difference."""
    panel = table.leading
    order = table.sorted_by(panel)
    blocks = []
    for position in (order[0], order[-1]):
        pieces = found.perturbation.pieces(0, table.names[position])
        shown = [("same" if anchor is None else "come", form) for _, anchor, form in pieces]
        blocks.append(markup.scored_sentence(shown, float(panel.scores[position]), panel.target))
    st.html(markup.side_by_side(blocks))
    words = findings.try_it_finding(table.names, panel.scores, panel.target, threshold=panel.target.default_threshold)
    st.html(markup.plain(f"Nothing but the name changed. {words} Model: {panel.model}."))


def chart(table: TableOne, own: frozenset[str]) -> None:
    """The chart, in the chosen order."""
    order = table.sorted_by(table.leading if st.session_state.get(Key.TRY_SORT, SORTS[0]) == SORTS[0] else None)
    shown = table.at(extremes(table, order, kept=own))
    with st.grid(columns=min(2, len(shown.panels)), min_column_width=330, gap="medium"):
        for position, panel in enumerate(shown.panels):
            colour = CATEGORICAL[position % len(CATEGORICAL)]
            picture = try_it.figure(shown.names, panel, neutral_words=table.neutral, bold=own, colour=colour)
            key = f"try_chart_{position}"
            st.plotly_chart(picture, key=key, config={"displayModeBar": False}, alt=_in_words(table, panel))
    if len(shown.names) < len(table.names):
        half = FEW // 2
        kept = ", and those that you typed" if own else ""
        st.caption(
            f"The first {half} and the last {half} of {len(table.names)} names{kept}; the table below has them all."
        )


def scores(table: TableOne) -> None:
    """Every number, and the texts that were scored."""
    frame = table.at(table.sorted_by(table.leading)).frame()
    numbers = [column for column in frame.columns if "·" in column]
    panels = (*table.panels, *table.others)
    columns = {
        column: st.column_config.ProgressColumn(
            column, min_value=panel.target.low, max_value=panel.target.high, format="%.3f"
        )
        if panel.target.low >= 0
        else st.column_config.NumberColumn(column, format="%.3f")
        for column, panel in zip(numbers, panels, strict=True)
    }
    with st.expander("Every score as a table; the charts as pictures"):
        st.dataframe(frame, hide_index=True, column_config=columns, alt="Scores of every name by every model")
        for position, panel in enumerate(table.panels):
            with exports.row():
                st.text(f"{panel.target.name} · {panel.model}", width="content")
                stem = f"try-it.{panel.target.name}"
                words = Caption(f"{panel.target.name} · {panel.model}", _in_words(table, panel), table.texts[0])
                exports.picture_buttons(partial(_picture, table, panel), stem, words, key=f"try_picture_{position}")


def _picture(table: TableOne, panel: try_it.Panel) -> str:
    rows = pd.DataFrame({"name": table.names, "label": table.names, "perturbed": panel.scores})
    threshold = panel.target.default_threshold
    return drawing_svg(sentence_dots(rows.assign(original=panel.neutral), target=panel.target, threshold=threshold))


def _in_words(table: TableOne, panel: try_it.Panel) -> str:
    low, high = int(np.argmin(panel.scores)), int(np.argmax(panel.scores))
    return (
        f"Dot plot of {len(table.names)} names. By {panel.model}, {panel.target.name} runs from "
        f"{panel.scores[low]:.2f} with {table.names[low]} to {panel.scores[high]:.2f} with {table.names[high]}."
    )
