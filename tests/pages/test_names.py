"""Names: the finding, the bars, the controls, and a click that follows a name everywhere."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import asdict, replace

from streamlit.testing.v1 import AppTest

from psa_core import findings, tables
from tests.pages import result_studies

OpenPage = Callable[..., AppTest]
Run = Callable[[AppTest], AppTest]
Words = Callable[[AppTest], str]


def bars(page: AppTest) -> list[dict]:
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    return [trace for trace in figure["data"] if trace["type"] == "bar"]


def test_finding_and_numbers_are_those_of_the_table(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep())
    table = tables.name_table(result_studies.cube(), "toxicity")
    assert html.escape(findings.name_finding(table, "toxicity")) in words_of(page)
    shown = page.dataframe[0].value
    assert shown["name"].iloc[0] == "Person A"
    assert shown["score_sens"].iloc[0] == table["score_sens"][0]
    assert {trace["name"] for trace in bars(page)} == {"actor", "leader", "singer"}


def test_baseline_and_correction_change_the_table(open_page: OpenPage, run: Run) -> None:
    page = open_page("names", run=result_studies.keep())
    next(group for group in page.get("button_group") if group.key == "baseline").set_value("names")
    page.selectbox(key="correction").set_value("none")
    shown = run(page).dataframe[0].value.set_index("name")
    expected = tables.name_table(result_studies.cube(), "toxicity", baseline="names", correction="none")
    assert shown["score_sens"]["Person B"] == expected["score_sens"][1]


def test_clicked_bar_is_selected_and_clicked_again_is_not(run: Run) -> None:
    def click() -> None:
        from pages.ui import names_view

        names_view._bar_clicked()

    page = AppTest.from_function(click)
    page.session_state["names_bars"] = {"selection": {"points": [{"customdata": ["Person B", "shown"]}]}}
    assert run(page).session_state["view"].names == ("Person B",)
    page.session_state["names_bars"] = {"selection": {"points": [{"customdata": {"0": "Person C"}}]}}
    assert run(page).session_state["view"].names == ("Person B", "Person C")
    page.session_state["names_bars"] = {"selection": {"points": [{"customdata": ["Person B", "shown"]}]}}
    assert run(page).session_state["view"].names == ("Person C",)


def test_search_keeps_the_names_with_these_letters(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep())
    page.text_input(key="names_search").set_value("person a")
    assert sum(len(trace["customdata"]) for trace in bars(run(page)) if isinstance(trace["customdata"], list)) <= 1
    page.text_input(key="names_search").set_value("nobody")
    assert "No name of this list has these letters." in [info.value for info in run(page).info]


def test_hidden_names_are_shown_nowhere_but_in_downloads(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep())
    page.toggle(key="hide_names").set_value(True)
    run(page)
    assert "Person A" not in words_of(page)
    assert "P••••• A" in words_of(page)
    assert "Person A" not in page.dataframe[0].value["name"].tolist()


def test_groups_are_compared_with_the_noise_floor(open_page: OpenPage, words_of: Words) -> None:
    said = words_of(open_page("names", run=result_studies.keep()))
    assert "Do groups of names differ?" in said
    assert "noise floor" in said


def test_equivalence_takes_the_readers_margin(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep())
    page.session_state["names_equivalence"] = True
    run(page)
    page.number_input(key="names_margin").set_value(0.9)
    table = tables.name_test_table(result_studies.cube(), "toxicity", margin=0.9)
    assert table["equivalent"].all()
    assert html.escape(findings.equivalence_finding(table, "toxicity", margin=0.9)) in words_of(run(page))


def test_a_target_of_a_file_of_predictions_cannot_speak_markdown_in_a_label(open_page: OpenPage, run: Run) -> None:
    whole = result_studies.cube()
    targets = (replace(whole.targets[0], name="![x](y)"), whole.targets[1])
    provenance = whole.provenance | {"targets": [asdict(target) for target in targets]}
    page = open_page("names", run=result_studies.keep(replace(whole, targets=targets, provenance=provenance)))
    page.session_state["names_equivalence"] = True
    assert r"A mean change of \!\[x\]\(y\) below this" in run(page).number_input(key="names_margin").label
