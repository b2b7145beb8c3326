"""Compare: the studies that a session or a link knows, their metrics, and two of them cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import jobs, tables
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def calmer() -> str:
    """A second study of the same cells, in which names do half as much."""
    whole = result_studies.cube()
    middle = whole.original[:, None]
    provenance = whole.provenance | {"study": whole.provenance["study"] | {"model": "vader"}}
    perturbed = (middle + (whole.perturbed - middle) / 2).astype(np.float32)
    return result_studies.keep(replace(whole, perturbed=perturbed, provenance=provenance))


def test_one_study_has_its_numbers_and_is_told_how_to_get_a_second(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep())
    numbers = tables.summary(result_studies.cube())["toxicity"]["score_dev"]
    shown = page.dataframe[0].value
    assert shown["target"].tolist() == ["toxicity", "calm"]
    assert shown["ScoreDev"][0] == f"{numbers['value']:.3f} ({numbers['low']:.3f} to {numbers['high']:.3f})"


def test_a_link_brings_the_other_study_along(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("compare", run=result_studies.keep(), **{"with": [calmer()]})
    said = words_of(page)
    assert page.dataframe[0].value["model · sentences"].tolist() == ["keyword · sample"] * 2 + ["vader · sample"] * 2
    assert "40 sentences and 12 names in common" in said


def test_a_study_is_added_by_its_address_and_a_wrong_one_is_said(
    open_page: OpenPage, run: Run, words_of: Words
) -> None:
    page = open_page("compare", run=result_studies.keep())
    page.text_input(key="compare_add").set_value(f"http://localhost:8501/names?run={calmer()}&c=0.5")
    run(page)
    assert len(page.dataframe[0].value) == 4
    page.text_input(key="compare_add").set_value("B" * 20)
    assert "A study could not be opened" in words_of(run(page))


@pytest.mark.parametrize("second", ["vader · sample · toxicity", "keyword · sample · calm"])
def test_the_cells_that_differ_most_come_first(open_page: OpenPage, run: Run, second: str) -> None:
    page = open_page("compare", run=result_studies.keep(), **{"with": [calmer()]})
    page.selectbox(key="compare_second").set_value(second)
    shown = run(page).dataframe[1].value
    assert shown["apart"].is_monotonic_decreasing and shown["apart"].iloc[0] > 0
    assert shown["sentence"].str.contains("Person A").iloc[0]


def test_of_all_studies_on_the_machine_those_of_the_same_sentences_are_taken(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, words_of: Words
) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    audit = jobs.create({"command": "eec", "arguments": []}, {})
    jobs.write_status(jobs.root() / audit, state="finished")
    same, other = calmer(), result_studies.keep(result_studies.cube(30))
    page = open_page("compare", run=result_studies.keep())
    assert "could not be opened" not in words_of(page), "an audit is no study"
    (studies,) = page.multiselect
    assert len(studies.options) == 3 and same in studies.value and other not in studies.value
