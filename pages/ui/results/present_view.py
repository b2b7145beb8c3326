"""The views of Present: each one finding in large type with its picture, turned by buttons or keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.frame import address, controls, shell, shown_names, typography
from pages.ui.frame.keys import Key
from pages.ui.results import canvas, flip_card, names_view
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts._theme import DOWN, UP, enlarged
from psa_core.charts.intervals import group_differences
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.score_sens import BarOptions, score_sens_bars
from psa_core.claims import findings
from psa_core.claims.formatting import level
from psa_core.claims.groups import group_finding
from psa_core.plurals import counted
from psa_core.report import excerpt, swap_pieces

ENDS, MAX_NAMES_SHOWN, FEW_TICKS, MAX_GROUPS, MAX_PASSAGES = 4, 40, 3, 8, 3
STILL = {"staticPlot": True}
#: Which view shows what the page shows that one comes from.
START = {"names": "The names", "thresholds": "The threshold", "sentences": "The labels"}
# Nothing but the finding, over the whole height; type half as large again where the screen has room for it.
STAGE = """<style>
[data-testid="stHeader"] { display: none }
[data-testid="stMainBlockContainer"] { padding: 1rem 1.5rem 0 !important }
.st-key-page, :has(> .st-key-page) { width: 100% !important }
.st-key-present_stage { min-height: calc(100vh - 6.5rem); justify-content: center; gap: 2.5rem }
.st-key-present_keys { position: absolute }
.st-key-present_bar .st-key-hide_names { min-width: 8.8rem }
/* A phone's stage fills from the top: what is centred moves whenever a part of it arrives. */
@media (max-width: 640px) {
  .st-key-present_bar { min-height: 6rem }
  .st-key-present_stage { justify-content: flex-start }
}
@media (min-width: 900px) {
  html { font-size: 24px !important }
  .st-key-present_stage { min-height: calc(100vh - 5rem) }
}
</style>"""
#: For who does not see the page: its title, which takes no room.
HEADING = '<h1 style="position: absolute; width: 1px; height: 1px; overflow: hidden; margin: 0">Present</h1>'
_cycling = st.components.v2.component(
    "psa_cycling",
    html='<div class="cycling"></div>',
    css=canvas.read("cycling.css"),
    js=canvas.read("cycling.js"),
)
_keys = st.components.v2.component("psa_present_keys", js=canvas.read("present_keys.js"))


def views(study: StudyContext) -> dict[str, Callable[[], None]]:
    """Each view's title and what draws it."""
    found = {title: partial(draw, study) for title, draw in (("The study", _title), ("The sentence", _sentence))}
    found["The names"] = partial(_names, study)
    if names_view.group_columns(study, most=MAX_GROUPS):
        found["The groups"] = partial(_groups, study)
    found["The threshold"] = partial(_threshold, study)
    if len(study.flips()):
        found["The labels"] = partial(_labels, study)
    return found


def ask(titles: Sequence[str]) -> str:
    """The current view, with links to the next one and out; starts at the view of the previous page."""
    st.html(STAGE)
    last, came_from = len(titles), str(st.session_state.get(Key.PRESENT_FROM, ""))
    start = START.get(came_from, "")
    first = titles.index(start) + 1 if start in titles else 1
    address.linked(Key.PRESENT_VIEW, first, range(1, last + 1))
    at = int(st.session_state[Key.PRESENT_VIEW])
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="present_bar"):
        for words, icon, to in (("Back", "back", at - 1), ("Next", "forward", at + 1)):
            st.button(
                words,
                icon=f":material/arrow_{icon}:",
                key=f"present_{words.lower()}",
                disabled=not 1 <= to <= last,
                on_click=address.put,
                args=(Key.PRESENT_VIEW, to),
            )
        st.text(f"{at} of {last}", width="content")
        shown_names.hide_switch()
        with st.container(key="present_leave", width="content"):
            shell.link(came_from if came_from in START else "study", "Leave", icon=":material/close:")

    def turn() -> None:
        to = st.session_state[Key.PRESENT_KEYS]["to"]
        if isinstance(to, int) and 1 <= to <= last:  # what a client sends need not be a view
            address.put(Key.PRESENT_VIEW, to)

    _keys(key=Key.PRESENT_KEYS, data={"at": at, "last": last}, on_to_change=turn)
    return titles[at - 1]


def _title(study: StudyContext) -> None:
    model, file = controls.model_and_file(study.cube)
    sizes = " × ".join(map(counted, study.cube.shape, (study.cube.noun, "name")))
    typography.finding(f"What does the name alone do to {study.phrase}?")
    typography.second(f"{sizes} · {model} · {file} · flagged at {level(study.threshold)} and above")


def _sentence(study: StudyContext) -> None:
    """The most name-sensitive sentence with each name, lowest score first; a long list is thinned out evenly."""
    typography.finding(findings.corpus_finding(study.summary(), study.target).headline)
    original, perturbed = study.cube.scores(study.target.name)
    sentence = int(np.nanargmax(np.fmax.reduce(perturbed, axis=1) - np.fmin.reduce(perturbed, axis=1)))
    order = np.argsort(perturbed[sentence], kind="stable")[: int((~np.isnan(perturbed[sentence])).sum())]
    if len(order) > MAX_NAMES_SHOWN:
        order = order[np.linspace(0, len(order) - 1, MAX_NAMES_SHOWN).round().astype(int)]
    labels = [study.labels[name] for name in study.cube.names["name"].iloc[order]]
    scores = perturbed[sentence][order].astype(float)
    ends = [study.target.low, study.target.high]
    low, high = ends if np.isfinite(ends).all() else (float(scores.min()), float(scores.max()))
    swapped = (swap_pieces(study.perturbation, sentence, label) for label in labels)
    shown = ([piece for piece in every if piece.kind != "gone"] for every in swapped)
    pieces = [[list(piece) for piece in excerpt(every, MAX_PASSAGES)] for every in shown]
    data: dict[str, Any] = {
        "target": study.brief,
        "low": float(low),
        "high": float(high),
        "threshold": study.threshold,
        "original": float(original[sentence]),
        "scores": scores.tolist(),
        "pieces": pieces,
        "colours": [DOWN, UP],
    }
    _cycling(key=Key.PRESENT_SENTENCE, data=data)


def _names(study: StudyContext) -> None:
    baseline = tables.default_baseline(study.cube)
    table = study.names(baseline=baseline)
    typography.finding(findings.name_finding(study.shown(table), study.target.name, baseline=baseline).headline)
    reach = study.target.high - study.target.low  # of what the change is, the finding has said
    options = BarOptions(limit=ENDS, axis_title="Mean change", labels=study.labels, score_range=reach)
    figure = enlarged(score_sens_bars(table, options).to_plotly_json())
    figure["layout"]["xaxis"] |= {"nticks": FEW_TICKS, "tickangle": 0}  # large numbers touch on a narrow screen
    st.plotly_chart(figure, key="present_bars", config=STILL, alt="The names that move the score most")


def _groups(study: StudyContext) -> None:
    column = names_view.group_columns(study, most=MAX_GROUPS)[0]
    baseline = tables.default_baseline(study.cube)
    table = study.compute(tables.group_table, column=column, baseline=baseline, correction="holm")
    typography.finding(group_finding(table, study.target.name, column=column).headline)
    drawing = group_differences(table, target="the score")
    st.vega_lite_chart(drawing.rows, enlarged(drawing.spec), alt="Group differences with their noise floors")


def _threshold(study: StudyContext) -> None:
    rates = study.at_threshold()
    typography.finding(findings.threshold_finding(rates, study.target.name, threshold=study.threshold).headline)
    options = CurveOptions(study.threshold, float(rates["label_dist"].iloc[0]), target=f"the {study.brief}")
    curve = label_dist_figure(study.compute_slowly(tables.label_dist_table), options)
    figure = enlarged(curve.to_plotly_json(), 1.4)
    figure["layout"]["height"] = 560
    st.plotly_chart(figure, key="present_curve", config=STILL, alt="Labels that change with the name, by threshold")


def _labels(study: StudyContext) -> None:
    found = findings.sentence_finding(study.sentences(), study.target.name, threshold=study.threshold)
    typography.finding(found.headline)
    flip_card.three(study)
