"""A study whose score no name changes says so once on each page, and draws no chart of zeros."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core.cube import ScoreCube
from tests.pages import result_studies

pytestmark = pytest.mark.slow
OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]
SAID = "Changing only the name never changes the toxicity score in these 40 sentences."


def blind(original: float = 0.0) -> ScoreCube:
    """Every name has its sentence's score, which is so much higher than that of the original."""
    cube = result_studies.cube()
    scores = np.repeat(cube.original[:, None, :], cube.shape[1], axis=1)
    return replace(cube, original=np.clip(cube.original - np.float32(original), 0, 1), perturbed=scores)


def charts(page: AppTest) -> int:
    return len(page.get("plotly_chart")) + len(page.get("vega_lite_chart"))


def test_overview_says_it_and_what_to_do_next(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("study", run=result_studies.keep(blind()))
    said = words_of(page)
    assert SAID in said and "What to do" in said and not charts(page)
    assert not any(words in said for words in ("Groups of names", "Because", "Changed labels", "ranking"))


def test_labels_that_differ_from_the_originals_are_still_shown(open_page: OpenPage, words_of: Words) -> None:
    said = words_of(open_page("study", run=result_studies.keep(blind(0.3))))
    assert SAID in said and "Changed labels" in said and "now flagged" in said


def test_names_has_no_ranking_to_doubt_and_nothing_to_explain(open_page: OpenPage, words_of: Words) -> None:
    run = result_studies.keep(blind())
    said = words_of(open_page("names", run=run))
    assert "ranking of names" not in said and "The mean is the same for all groups, over 40 sentences." in said
    page = open_page("names", names_part="why", run=run)
    assert SAID in words_of(page) and not page.get("vega_lite_chart")


def test_the_matrix_says_it_in_place_of_an_empty_picture(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("sentences", sentences_part="matrix", run=result_studies.keep(blind()))
    assert "Every cell is 0: no name changes the score of any sentence." in words_of(page)


def test_present_has_the_question_and_the_sentence_only(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("present", run=result_studies.keep(blind()), view_on="2")
    assert SAID in words_of(page) and page.button(key="present_next").disabled
