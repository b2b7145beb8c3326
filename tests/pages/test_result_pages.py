"""What holds on every page that shows a study: an empty state, no reading of user text as markup, the shared chips."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import cached
from psa_core.cube import ScoreCube
from psa_core.jobs import run_status
from tests.pages import result_studies

pytestmark = pytest.mark.slow

PAGES = ["names", "names why", "thresholds", "sentences", "sentences matrix", "compare", "compare mitigate", "report"]
OpenPage = Callable[..., AppTest]
Words = Callable[[AppTest], str]


def _open(open_page: OpenPage, place: str, **parameters: str | list[str]) -> AppTest:
    """A page, or one part of a page, by the words for it."""
    stem, _, part = place.partition(" ")
    return open_page(stem, **parameters, **({f"{stem}_part": part} if part else {}))


@pytest.mark.parametrize("stem", PAGES)
def test_without_a_study_the_page_says_what_to_do(stem: str, open_page: OpenPage, words_of: Words) -> None:
    page = _open(open_page, stem)
    assert "No study is open yet" in words_of(page)
    assert page.button(key="load_example").label == "Load the example study"


@pytest.mark.parametrize("stem", PAGES)
def test_an_unknown_run_is_one_sentence(stem: str, open_page: OpenPage, words_of: Words) -> None:
    page = _open(open_page, stem, run="A" * 20)
    assert "This study cannot be opened" in words_of(page)
    assert "an unknown run id" in words_of(page)


@pytest.mark.parametrize("stem", PAGES)
def test_a_study_is_shown_and_its_texts_are_never_markup(stem: str, open_page: OpenPage, words_of: Words) -> None:
    page = _open(
        open_page, stem, run=result_studies.keep(), names=[result_studies.EVIL_NAME, result_studies.MARKDOWN_NAME]
    )
    assert "40 sentences × 12 names" in words_of(page)
    html = "\n".join(element.proto.body for element in page.get("html"))
    assert "<img" not in html and "<script" not in html
    for element in (*page.markdown, *page.caption, *page.title, *page.header, *page.info, *page.error):
        assert "evil.example" not in element.value and "<img" not in element.value
    for widget in (*page.button, *page.selectbox, *page.multiselect, *page.text_input, *page.metric, *page.toggle):
        assert "evil.example" not in widget.label and "<img" not in widget.label
    for chart in page.get("plotly_chart"):
        assert "<img" not in chart.proto.spec


@pytest.mark.parametrize("stem", PAGES)
def test_a_study_of_one_sentence_and_two_names(stem: str, open_page: OpenPage) -> None:
    from dataclasses import replace

    whole = result_studies.cube()
    small = replace(whole.rows([0]), names=whole.names.iloc[:2], perturbed=whole.perturbed[:1, :2])
    _open(open_page, stem, run=result_studies.keep(small))


@pytest.mark.parametrize("stem", PAGES)
def test_a_study_without_groups_or_flips(stem: str, open_page: OpenPage) -> None:
    from dataclasses import replace

    whole = result_studies.cube()
    flat = whole.original[:, None].repeat(12, axis=1)
    _open(open_page, stem, run=result_studies.keep(replace(whole, names=whole.names[["name"]], perturbed=flat)))


@pytest.mark.parametrize("stem", [*PAGES, "present"])
def test_a_study_that_is_deleted_while_its_page_is_drawn_is_one_sentence(
    stem: str, open_page: OpenPage, words_of: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = cached.cube

    def deleted(run_id: str) -> ScoreCube:
        cube = opened(run_id)
        assert run_status.delete(run_id)
        return cube

    monkeypatch.setattr(cached, "cube", deleted)
    page = _open(open_page, stem, run=result_studies.keep())
    assert "This study cannot be opened" in words_of(page)
    assert page.button(key="load_example").label == "Load the example study"
