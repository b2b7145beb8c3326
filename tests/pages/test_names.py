"""Names: the finding, the bars, the controls, and a click that follows a name everywhere."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.results import names_view
from psa_core import tables
from psa_core.claims import findings
from psa_core.claims.groups import group_finding, interaction_finding, selection_finding
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
    found = findings.name_finding(table, "toxicity")
    assert all(html.escape(words) in words_of(page) for words in (found.headline, found.evidence))
    shown = page.dataframe[0].value
    assert shown["name"].iloc[0] == "Person A"
    assert shown["score_sens"].iloc[0] == table["score_sens"][0]
    headings = json.loads(page.dataframe[0].proto.columns)
    assert [headings[bound]["label"] for bound in ("ci_low", "ci_high")] == ["95 % low", "95 % high"]
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
        from pages.ui.frame import state

        state.clicked_bar("names_bars")

    page = AppTest.from_function(click)

    def clicked(*points: object) -> tuple[str, ...]:
        page.session_state["names_bars"] = {"selection": {"points": [{"customdata": point} for point in points]}}
        return run(page).session_state["view"].names

    assert clicked(["Person B", "shown"]) == ("Person B",)
    assert clicked({"0": "Person C"}) == ("Person B", "Person C")
    assert clicked(["Person B", "shown"]) == ("Person C",)
    assert clicked() == ("Person C", "Person B")  # a click on the bar that was clicked last empties Plotly's selection
    assert clicked(["Person C"]) == ("Person B",)
    assert clicked(["Person C"], ["Person D"]) == ("Person B", "Person D")  # with the shift key


def test_a_click_draws_no_bar_again(open_page: OpenPage, run: Run) -> None:
    page = open_page("names", run=result_studies.keep())
    before = page.get("plotly_chart")[0].proto
    page.session_state["view"] = replace(page.session_state["view"], names=("Person B",))
    after = run(page).get("plotly_chart")[0].proto
    assert (after.id, after.spec) == (before.id, before.spec)
    (rules,) = [block.proto.body for block in page.get("html") if ".st-key-names_bars" in block.proto.body]
    assert rules.count("opacity: 1") == 1


def test_bars_are_made_once_whichever_of_them_is_clicked(
    open_page: OpenPage, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page("names", run=result_studies.keep(result_studies.wide()), show="10")
    names = [name for trace in bars(page) for name, *_ in trace["customdata"]]
    made, make = [], names_view.score_sens_bars
    monkeypatch.setattr(names_view, "score_sens_bars", lambda *given: made.append(1) or make(*given))

    def clicked(name: str) -> None:
        page.session_state["view"] = replace(page.session_state["view"], names=(name,))
        run(page)

    clicked(names[0])
    assert not made
    clicked(next(name for name in result_studies.wide().names["name"] if name not in names))
    assert made, "a name that is selected has its bar"


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
    assert "clear difference" in said or "than with the other names" in said
    assert "Names grouped at random differ by" in said


def test_equivalence_takes_the_readers_margin(open_page: OpenPage, run: Run, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep())
    page.session_state["names_equivalence"] = True
    run(page)
    page.number_input(key="names_margin").set_value(0.9)
    table = tables.name_test_table(result_studies.cube(), "toxicity", margin=0.9)
    assert table["equivalent"].all()
    found = findings.equivalence_finding(table, "toxicity", margin=0.9)
    assert html.escape(found.headline) in words_of(run(page))


def test_a_target_of_a_file_of_predictions_cannot_speak_markdown_in_a_label(open_page: OpenPage, run: Run) -> None:
    whole = result_studies.cube()
    targets = (replace(whole.targets[0], name="![x](y)"), whole.targets[1])
    provenance = whole.provenance | {"targets": [asdict(target) for target in targets]}
    page = open_page("names", run=result_studies.keep(replace(whole, targets=targets, provenance=provenance)))
    page.session_state["names_equivalence"] = True
    assert r"A mean change of \!\[x\]\(y\) below this" in run(page).number_input(key="names_margin").label


def test_the_table_ticks_what_the_bars_select_and_shows_what_is_looked_for(open_page: OpenPage, run: Run) -> None:
    page = open_page("names", run=result_studies.keep(), names=["Person A", "Person C"])
    assert ticked_names(page) == ["Person A", "Person C"]
    page.text_input(key="names_search").set_value("son c")
    assert run(page).dataframe[0].value["name"].tolist() == ["Person C"]
    assert ticked_names(page) == ["Person C"]


def ticked_names(page: AppTest) -> list[str]:
    """The names of the ticked rows, as the page was sent."""
    table = page.dataframe[0]
    rows = json.loads(table.proto.selection_state)["selection"]["rows"]
    return sorted(table.value["name"].iloc[rows])


def test_crossed_groups_and_a_reference_on_the_page(open_page: OpenPage, words_of: Words) -> None:
    cube = result_studies.cube()
    colours = ["red" if number % 2 else "blue" for number in range(len(cube.names))]
    halves = ["a" if number < len(cube.names) // 2 else "b" for number in range(len(cube.names))]
    crossed = replace(cube, names=cube.names.assign(colour=colours, half=halves))
    kept = result_studies.keep(crossed)
    page = open_page("names", run=kept, group="colour*half", reference="red*a")
    table = tables.crossing_table(crossed, "toxicity", "colour*half", reference="red*a")
    cells = table[table["part"] == "cells"]
    assert group_finding(cells, "toxicity", column="colour*half").headline in html.unescape(words_of(page))
    together = interaction_finding(table, "toxicity", columns="colour*half")
    assert together.headline in html.unescape(words_of(page))
    assert page.selectbox(key="reference").value == "red*a"


def test_selection_rates_on_the_page(open_page: OpenPage, words_of: Words) -> None:
    page = open_page("names", run=result_studies.keep(), group="gender", select="top", top="3")
    table = tables.selection_table(result_studies.cube(), "toxicity", "gender", select="top:3")
    found = selection_finding(table, "toxicity", column="gender")
    assert found.headline in html.unescape(words_of(page))
    assert "no bias audit under that law" in words_of(page)
    shown = next(frame.value for frame in page.dataframe if "impact_ratio" in frame.value)
    assert shown["rate"].tolist() == (100 * table["rate"]).tolist()
