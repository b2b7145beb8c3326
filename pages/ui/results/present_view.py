"""The views of Present: each one finding in large type with its picture, turned by buttons or arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.ui.frame import address, shell, shown_names, typography
from pages.ui.frame.keys import Key
from pages.ui.results import flip_card, measured, names_view
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts._theme import DOWN, UP
from psa_core.charts.bar_order import BarOptions
from psa_core.charts.curves import CurveOptions
from psa_core.charts.enlarged import enlarged
from psa_core.charts.group_differences import group_differences
from psa_core.charts.label_dist import label_dist_figure
from psa_core.charts.score_sens import score_sens_bars
from psa_core.report import swap_pieces
from psa_core.tables import findings

HERE = Path(__file__).resolve().parent
ENDS, MAX_NAMES_SHOWN, FEW_TICKS = 4, 40, 5
STILL = {"staticPlot": True}
# Nothing but the finding; type half as large again where the screen has room for it.
STAGE = """<style>
[data-testid="stHeader"] { display: none }
[data-testid="stMainBlockContainer"] { padding-top: 1rem !important }
.st-key-page, :has(> .st-key-page) { width: 100% !important }
@media (max-width: 640px) { .st-key-present_bar { min-height: 5.5rem } }
@media (min-width: 900px) { html { font-size: 24px !important } }
</style>"""
#: For who does not see the page: its title, which takes no room.
HEADING = '<h1 style="position: absolute; width: 1px; height: 1px; overflow: hidden; margin: 0">Present</h1>'
_cycling = st.components.v2.component(
    "psa_cycling",
    html='<div class="cycling"></div>',
    css=(HERE / "cycling.css").read_text(encoding="utf-8"),
    js=(HERE / "cycling.js").read_text(encoding="utf-8"),
)


def heading() -> None:
    """The page's title, for who does not see it."""
    st.html(HEADING)


def views(study: StudyContext) -> dict[str, Callable[[], None]]:
    """Each view's title and what draws it."""
    found = {"The sentence": partial(_sentence, study), "The names": partial(_names, study)}
    if names_view.group_columns(study, most=8):
        found["The groups"] = partial(_groups, study)
    found["The threshold"] = partial(_threshold, study)
    if len(_flips(study)):
        found["The labels"] = partial(_labels, study)
    return found


def ask(titles: Sequence[str]) -> str:
    """Which view is on, with the ways to the next one and out."""
    st.html(STAGE)
    numbers = range(1, len(titles) + 1)
    address.linked(Key.PRESENT_VIEW, 1, numbers)
    at = int(st.session_state[Key.PRESENT_VIEW])
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="present_bar"):
        for words, icon, step, key in (("Back", "back", -1, "Left"), ("Next", "forward", 1, "Right")):
            st.button(
                words,
                icon=f":material/arrow_{icon}:",
                key=f"present_{words.lower()}",
                shortcut=key,
                disabled=at + step not in numbers,
                on_click=address.put,
                args=(Key.PRESENT_VIEW, at + step),
            )
        st.text(f"{at} of {len(titles)}", width="content")
        shown_names.hide_switch()
        shell.link("names", "Leave", icon=":material/close:")
    return titles[at - 1]


def _sentence(study: StudyContext) -> None:
    typography.finding(findings.corpus_finding(measured.summary(study), study.target.name).headline)
    _, perturbed = study.cube.scores(study.target.name)
    _cycling(key=Key.PRESENT_SENTENCE, data=_worn(study, int(np.argmax(np.ptp(perturbed, axis=1)))))


def _worn(study: StudyContext, sentence: int) -> dict[str, Any]:
    """A sentence with each name, lowest score first; of a long list an even part."""
    original, perturbed = study.cube.scores(study.target.name)
    order = np.argsort(perturbed[sentence], kind="stable")
    if len(order) > MAX_NAMES_SHOWN:
        order = order[np.linspace(0, len(order) - 1, MAX_NAMES_SHOWN).round().astype(int)]
    names, texts = study.cube.names["name"].tolist(), measured.perturbation(study)
    scores = perturbed[sentence][order].astype(float)
    ends = [study.target.low, study.target.high]
    low, high = ends if np.isfinite(ends).all() else (float(scores.min()), float(scores.max()))
    return {
        "target": study.target.name,
        "low": float(low),
        "high": float(high),
        "threshold": study.threshold,
        "original": float(original[sentence]),
        "scores": scores.tolist(),
        "pieces": [
            [list(piece) for piece in swap_pieces(texts, sentence, study.labels[names[place]]) if piece.kind != "gone"]
            for place in order
        ],
        "colours": [DOWN, UP],
    }


def _names(study: StudyContext) -> None:
    baseline = tables.default_baseline(study.cube)
    table = measured.names(study, baseline=baseline)
    shown = names_view.shown(table, study)
    typography.finding(findings.name_finding(shown, study.target.name, baseline=baseline).headline)
    options = BarOptions(limit=ENDS, axis_title=f"Mean change of {study.target.name}", labels=study.labels)
    figure = enlarged(score_sens_bars(table, options).to_plotly_json())
    figure["layout"]["xaxis"]["nticks"] = FEW_TICKS  # more large numbers stand askew on a narrow screen
    st.plotly_chart(figure, key="present_bars", config=STILL, alt="The names that move the score most")


def _groups(study: StudyContext) -> None:
    column = names_view.group_columns(study, most=8)[0]
    table = measured.groups(study, column, baseline=tables.default_baseline(study.cube), correction="holm")
    typography.finding(findings.group_finding(table, study.target.name, column=column).headline)
    drawing = group_differences(table, target=study.target.name)
    st.vega_lite_chart(drawing.rows, enlarged(drawing.spec), alt="Group differences with their noise floors")


def _threshold(study: StudyContext) -> None:
    here = measured.at_threshold(study)
    typography.finding(findings.threshold_finding(here, study.target.name, threshold=study.threshold).headline)
    options = CurveOptions(study.threshold, float(here["label_dist"].iloc[0]), target=study.target.name)
    figure = enlarged(label_dist_figure(measured.thresholds(study), options).to_plotly_json(), 1.4)
    figure["layout"]["height"] = 560
    st.plotly_chart(figure, key="present_curve", config=STILL, alt="Labels that change with the name, by threshold")


def _flips(study: StudyContext) -> tables.Flips:
    return tables.find_flips(study.cube, study.target.name, threshold=study.threshold)


def _labels(study: StudyContext) -> None:
    table = measured.sentences(study)
    typography.finding(findings.sentence_finding(table, study.target.name, threshold=study.threshold).headline)
    flip_card.three(study)
