"""The right side of Try it: the names' effect in words, as a chart and a table; parts of a name; a question to ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import cached, exports, markup, shell, typography
from pages.ui.frame.controls import labels_of
from pages.ui.frame.keys import Key
from pages.ui.study import language_model
from pages.ui.try_it.controls import SORTS
from pages.ui.try_it.one_sentence import FEW, Panel, Slotted, TableOne, extremes
from psa_core.charts._theme import CATEGORICAL
from psa_core.charts.caption import Caption
from psa_core.charts.drawing import drawing_svg
from psa_core.charts.sentence_dots import score_stems, sentence_dots
from psa_core.claims import findings
from psa_core.claims.formatting import Words
from psa_core.claims.reasons import one_finding
from psa_core.cube import in_unit
from psa_core.tables.parts import one_name, variants


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
            rows = pd.DataFrame({"label": shown.names, "score": panel.scores, "neutral": panel.neutral})
            drawing = score_stems(
                rows.assign(is_bold=rows["label"].isin(own)),
                target=panel.target,
                title=f"{panel.target.name} · {panel.model}",
                neutral_words=table.neutral,
                colour=CATEGORICAL[position % len(CATEGORICAL)],
            )
            exports.figure(drawing, alt=_in_words(table, panel), key_of_chart=f"try_chart_{position}")
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
    columns = {}
    for column, panel in zip(numbers, (*table.panels, *table.others), strict=True):
        target = panel.target
        frame, digits = in_unit(frame, column, target=target), "%.1f %%" if target.is_in_points else "%.3f"
        ends = {"min_value": target.scale * target.low, "max_value": target.scale * target.high}
        columns[column] = (
            st.column_config.ProgressColumn(column, format=digits, **ends)
            if target.low >= 0
            else st.column_config.NumberColumn(column, format=digits)
        )
    with st.expander("Every score as a table; the charts as pictures"):
        exports.table(frame, "Scores of every name by every model", columns)
        for position, panel in enumerate(table.panels):
            with exports.row():
                st.text(f"{panel.target.name} · {panel.model}", width="content")
                stem = f"try-it.{panel.target.name}"
                words = Caption(f"{panel.target.name} · {panel.model}", _in_words(table, panel), table.texts[0])
                exports.picture_buttons(partial(_picture, table, panel), stem, words, key=f"try_picture_{position}")


def _picture(table: TableOne, panel: Panel) -> str:
    rows = pd.DataFrame({"name": table.names, "label": table.names, "perturbed": panel.scores})
    threshold = panel.target.default_threshold
    return drawing_svg(sentence_dots(rows.assign(original=panel.neutral), target=panel.target, threshold=threshold))


def _in_words(table: TableOne, panel: Panel) -> str:
    low, high = int(np.argmin(panel.scores)), int(np.argmax(panel.scores))

    def score(place: int) -> str:
        return Words.of(panel.target).level(float(panel.scores[place]), 2)

    return (
        f"Dot plot of {len(table.names)} names. By {panel.model}, {panel.target.name} runs from "
        f"{score(low)} with {table.names[low]} to {score(high)} with {table.names[high]}."
    )


def parts(found: Slotted, table: TableOne, models: Sequence[str], labels: dict[str, str]) -> None:
    """Choose a name; see the effect of each part alone with every model."""
    several = [name for name in found.perturbation.names if len(name.split()) > 1]
    if not several:
        return
    leading = table.leading
    middle = float(np.median(leading.scores))
    first = max(several, key=lambda name: abs(leading.scores[table.names.index(labels[name])] - middle))
    with st.expander(
        "Which part of the name?", icon=":material/call_split:", on_change="rerun", key="try_parts"
    ) as part:
        if not part.open:
            return
        name = st.selectbox(
            "Name", several, index=several.index(first), format_func=lambda one: labels[one], key="try_parts_name"
        )
        forms = variants(str(name))
        texts = (found.texts[0], *replace(found.perturbation, names=tuple(forms.values())).row(0))
        columns = {}
        for model, panel in zip(models, table.panels, strict=True):
            targets = [target.name for target in cached.scorer(model).targets]
            scores = cached.scores(model, texts)[:, targets.index(panel.target.name)]
            rows = one_name(str(name), dict(zip(forms, scores[1:].tolist(), strict=True)), float(scores[0]))
            if labels[str(name)] == name:
                typography.second(f"{panel.model}: {one_finding(rows, panel.target)}")
            head = f"{panel.target.name} · {panel.model}" + " (%)" * panel.target.is_in_points
            columns[head] = panel.target.scale * rows["score"]
        shown = pd.DataFrame({"form": list(forms), **columns})
        if labels[str(name)] == name:
            shown.insert(1, "text", list(forms.values()))
        exports.table(shown, "Scores of the parts of the name")


def ask(found: Slotted) -> None:
    """The form, opened by a click; what is typed stays, and New study has it too."""
    judge = language_model.packaged()
    if judge is None:
        return
    title = "Ask a language model a question of your own"
    with st.expander(title, icon=":material/chat:", on_change="rerun", key="try_ask") as section:
        if not section.open:
            return
        names = found.perturbation.names
        labels = labels_of(list(names))
        if any(labels[name] != name for name in names):
            st.caption("A prompt has the name in it: show the names to write one.")
            return
        person = st.selectbox("About", names, key="try_ask_about")
        chosen = language_model.ask(judge, found.perturbation.text(0, names.index(person)), person)
        if chosen is None:
            return
        for name, content in chosen[1].items():
            st.download_button("Keep the question as a file", content, name, "application/json", type="tertiary")
        shell.link("new_study", "Ask it about many texts")
