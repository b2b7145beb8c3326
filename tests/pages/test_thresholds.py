"""Thresholds: one slider moves the whole app, and the words say what the numbers are there."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from psa_core import tables
from psa_core.claims import findings
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def curves(page: AppTest) -> list[str]:
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    return [trace["name"] for trace in figure["data"] if trace.get("yaxis", "y") == "y"]


def test_finding_is_exact_at_the_chosen_threshold(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("thresholds", run=result_studies.keep(), c="0.615")
    here = tables.label_dist_table(result_studies.cube(), "toxicity", thresholds=[0.615])
    found = findings.threshold_finding(here, "toxicity", threshold=0.615)
    assert all(html.escape(words) in words_of(page) for words in (found.headline, found.evidence))
    assert page.slider(key="threshold_slider").value == 0.615


def test_slider_moves_the_selection(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("thresholds", run=result_studies.keep())
    page.slider(key="threshold_slider").set_value(0.3)
    said = words_of(run(page))
    assert page.session_state["view"].threshold == 0.3
    assert "toxicity ≥ 0.30" in said


def test_a_step_of_the_threshold_draws_no_curve_again(open_page: OpenPage, run: Run) -> None:
    page = open_page("thresholds", run=result_studies.keep())
    before = page.get("plotly_chart")[0].proto
    page.slider(key="threshold_slider").set_value(0.3)
    after = run(page)
    assert after.get("plotly_chart")[0].proto == before
    here = tables.label_dist_table(result_studies.cube(), "toxicity", thresholds=[0.3])
    told = next(json.loads(part.proto.json) for part in after.get("bidi_component") if "words" in part.proto.json)
    assert told["threshold"] == 0.3 and told["words"] == f"{here['label_dist'].iloc[0]:.3f} at 0.3"


def test_selected_names_and_groups_have_curves_of_their_own(open_page: OpenPage, run: Run) -> None:
    page = open_page("thresholds", run=result_studies.keep(), names=["Person A", result_studies.EVIL_NAME])
    assert curves(page) == ["95 % interval", "Mean over names"]
    group = next(group for group in page.get("button_group") if group.key == "curves")
    group.set_value("Selected names")
    assert curves(run(page))[1:3] == ["Person A", html.escape(result_studies.EVIL_NAME, quote=False)[:27] + "…"] or (
        "&lt;img" in curves(page)[2]
    )
    next(group for group in page.get("button_group") if group.key == "curves").set_value("career")
    assert curves(run(page))[1:4] == ["actor", "leader", "singer"]


def test_every_sentence_has_its_stroke_and_only_the_line_travels(open_page: OpenPage, run: Run) -> None:
    page = open_page("thresholds", run=result_studies.keep())
    before = [
        part.proto.json
        for part in page.get("bidi_component")
        if "threshold" in part.proto.json or "low" in part.proto.json
    ]
    page.slider(key="threshold_slider").set_value(0.3)
    run(page)
    after = [
        part.proto.json
        for part in page.get("bidi_component")
        if "threshold" in part.proto.json or "low" in part.proto.json
    ]
    assert after[1] == before[1] and json.loads(after[2]) == {"threshold": 0.3}
    strokes, (_, perturbed) = json.loads(after[1]), result_studies.cube().scores("toxicity")
    cut = sum(low < 0.3 <= high for low, high in zip(strokes["low"], strokes["high"], strict=True))
    assert cut == ((perturbed.min(axis=1) < 0.3) & (perturbed.max(axis=1) >= 0.3)).sum() > 0


def test_a_column_that_numbers_the_names_is_no_group(open_page: OpenPage) -> None:
    cube = result_studies.cube()
    six = replace(cube, names=cube.names.head(6).assign(no=range(6)), perturbed=cube.perturbed[:, :6])
    page = open_page("thresholds", run=result_studies.keep(six))
    offered = page.button_group(key="curves").options
    assert "no" not in offered and len(offered) > 2
