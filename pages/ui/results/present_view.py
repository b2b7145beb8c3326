"""The views of Present: each one finding in large type with its picture, turned by buttons or keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.frame import address, controls, shell, typography
from pages.ui.frame.components import component
from pages.ui.frame.keys import Key
from pages.ui.results import flip_card, groups_view, names_view
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts._theme import DOWN, UP, enlarged
from psa_core.charts.caption import model_and_file
from psa_core.charts.intervals import group_differences
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.claims.groups import group_finding
from psa_core.inputs.groups import grouping
from psa_core.plurals import counted
from psa_core.report import excerpt, swap_pieces

ENDS, MAX_NAMES_SHOWN, FEW_TICKS, MAX_GROUPS, MAX_PASSAGES = 4, 40, 3, 8, 3
STILL = {"staticPlot": True}
#: Which view shows what the page shows that one comes from.
START = {"names": "The names", "thresholds": "The threshold", "sentences": "The labels"}
STAGE = Path(__file__).with_name("present.css")
#: For who does not see the page: its title, which takes no room.
HEADING = '<h1 style="position: absolute; width: 1px; height: 1px; overflow: hidden; margin: 0">Present</h1>'
_cycling = component("cycling", '<div class="cycling"></div>')
_keys = component("present_keys")


def views(study: StudyContext) -> dict[str, Callable[[], None]]:
    """Each view's title and what draws it."""
    found = {"The study": _title, "The sentence": _sentence}
    if study.do_names_differ:
        found["The names"] = _names
        if grouping(study.cube.names, most=MAX_GROUPS):
            found["The groups"] = _groups
    flips = len(study.flips())
    if study.do_names_differ or flips:
        found["The threshold"] = _threshold
    if flips:
        found["The labels"] = _labels
    return {title: partial(draw, study) for title, draw in found.items()}


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
        controls.hide_switch()
        with st.container(key="present_leave", width="content"):
            shell.link(came_from if came_from in START else "study", "Leave", icon=":material/close:")

    def turn() -> None:
        to = st.session_state["present_keys"]["to"]
        if isinstance(to, int) and 1 <= to <= last:  # what a client sends need not be a view
            address.put(Key.PRESENT_VIEW, to)

    _keys(key="present_keys", data={"at": at, "last": last}, on_to_change=turn)
    return titles[at - 1]


def _title(study: StudyContext) -> None:
    model, file = model_and_file(study.cube)
    sizes = " × ".join(map(counted, study.cube.shape, (study.cube.noun, "name")))
    asked = study.words.phrase.partition(" to “")[2]  # a judge's question, which has a question mark of its own
    typography.finding(f"What does the name alone do to the {study.words.brief}?")
    if asked:
        typography.second(f"“{asked}")
    typography.second(f"{sizes} · {model} · {file} · flagged at {study.words.at(study.threshold)} and above")


def _sentence(study: StudyContext) -> None:
    """The most name-sensitive sentence with each name, lowest score first; a long list is thinned out evenly."""
    typography.finding(study.corpus_finding().headline)
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
    data = {
        "target": study.words.brief,
        "low": float(low),
        "high": float(high),
        "threshold": study.threshold,
        "flagged": f"flagged at {study.words.at(study.threshold)}",
        "original": float(original[sentence]),
        "scores": scores.tolist(),
        "written": [study.words.level(score, 2) for score in scores.tolist()],
        "pieces": pieces,
        "colours": [DOWN, UP],
    }
    _cycling(key="present_sentence", data=data)


def _names(study: StudyContext) -> None:
    table = study.names(baseline=study.baseline)
    typography.finding(study.name_finding(table, study.baseline).headline)
    bars = names_view.few_bars(study, table, ENDS)
    figure = enlarged(bars.to_plotly_json())
    figure["layout"]["xaxis"] |= {"nticks": FEW_TICKS, "tickangle": 0}  # large numbers touch on a narrow screen
    st.plotly_chart(figure, key="present_bars", config=STILL, alt="The names that move the score most")


def _groups(study: StudyContext) -> None:
    by_column, column = groups_view.by_column(study, most=MAX_GROUPS)
    typography.finding(group_finding(by_column[column], study.target.name, column=column).headline)
    drawing = group_differences(by_column[column], target="the score")
    st.vega_lite_chart(drawing.rows, enlarged(drawing.spec), alt="Group differences with their noise floors")


def _threshold(study: StudyContext) -> None:
    typography.finding(study.threshold_finding().headline)
    value = float(study.at_threshold()["label_dist"].iloc[0])
    options = CurveOptions(study.threshold, value, target=f"the {study.words.brief}")
    curve = label_dist_figure(study.compute_slowly(tables.label_dist_table), options)
    figure = enlarged(curve.to_plotly_json(), 1.4)
    figure["layout"]["height"] = 560
    st.plotly_chart(figure, key="present_curve", config=STILL, alt="Labels that change with the name, by threshold")


def _labels(study: StudyContext) -> None:
    typography.finding("Examples of changed labels")  # how many there are, the view before has said
    with st.container():
        flip_card.examples(study, 3 if study.cube.noun == "sentence" else 2)  # as many as a wall has room for
