"""Present: one finding a view, the sentence with every name, and no way to show a view that is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def test_the_widest_sentence_wears_every_name_in_the_order_of_their_scores(open_page: OpenPage, run: Run) -> None:
    page = open_page("present", run=result_studies.keep(), view_on="2")
    cube = result_studies.cube()
    _, perturbed = cube.scores("toxicity")
    row = perturbed[np.argmax(np.ptp(perturbed, axis=1))]
    sent = json.loads(page.get("bidi_component")[1].proto.json)
    assert sent["scores"] == pytest.approx(np.sort(row).tolist())
    texts = ["".join(text for kind, text in pieces if kind == "come") for pieces in sent["pieces"]]
    assert texts[-1].startswith(cube.names["name"][int(row.argmax())])
    page.toggle(key="hide_names").set_value(True)
    run(page)
    assert texts[-1] not in page.get("bidi_component")[1].proto.json


def test_too_few_families_are_said_on_every_slide_and_page(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    alike = replace(cube, sentences=cube.sentences.assign(family=np.arange(40) % 5))
    run_id = result_studies.keep(alike)
    for page in (open_page("names", run=run_id), *(open_page("present", run=run_id, view_on=str(n)) for n in (1, 2))):
        (banner,) = page.info
        assert (
            banner.value == "40 sentences in 5 families are too few to say anything. Results come from 12 families on."
        )


def test_the_page_has_its_heading_also_without_a_study(open_page: OpenPage, words_of: Words) -> None:
    assert ">Present</h1>" in words_of(open_page("present"))


def test_buttons_turn_the_views_and_stop_at_the_ends(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("present", run=result_studies.keep(), view_on="99")
    assert page.button(key="present_back").disabled
    said = []
    while not page.button(key="present_next").disabled:
        page.button(key="present_next").click()
        said.append(words_of(run(page)))
    assert len(said) == len(set(said)) > 2
    assert page.query_params["view_on"] in ([str(len(said) + 1)], str(len(said) + 1))


def test_a_judges_question_ends_with_its_own_question_mark(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    phrase = "chance of “Yes” to “Would you rent this flat to them?”"
    targets = (replace(cube.targets[0], phrase=phrase, unit="points"), *cube.targets[1:])
    told = {**cube.provenance, "targets": [asdict(target) for target in targets]}
    asked = replace(cube, targets=targets, provenance=told)
    said = words_of(open_page("present", run=result_studies.keep(asked)))
    assert (
        "What does the name alone do to the chance of “Yes”?" in said and "“Would you rent this flat to them?”" in said
    )
    assert "”?”" not in said and "?”?" not in said and "flagged at 50 %" in said
