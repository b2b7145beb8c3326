"""The one selection: from the URL and back, valid or silently forgotten; changed by clicks on marks and rows."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame.state import View

Run = Callable[[AppTest], AppTest]
RUN = "abcdefghijklmnopqrst"


def script() -> None:
    """A page that shows the selection within a cube of two names and three sentences."""
    import numpy as np
    import pandas as pd
    import streamlit as st

    from pages.ui.frame import controls, state
    from psa_core.cube import ScoreCube, Target

    sentences = pd.DataFrame(
        {
            "sentence_id": ["a", "b", "c"],
            "text": ["he"] * 3,
            "anchor": ["he"] * 3,
            "start": [0] * 3,
            "end": [2] * 3,
            "role": ["subject"] * 3,
        }
    )
    cube = ScoreCube(
        sentences,
        pd.DataFrame({"name": ["Ann", "Bob"]}),
        (Target("toxicity"), Target("sentiment", -1, 1)),
        np.zeros((3, 2), np.float32),
        np.zeros((3, 2, 2), np.float32),
    )
    state.sync(st.session_state.get("page", "names"))
    st.session_state["seen"] = state.view(cube)
    st.session_state["thresholds"] = state.thresholds(cube)
    controls.study_bar(cube)
    st.button("sentiment", on_click=state.choose, kwargs={"target": "sentiment"})
    st.button("half", on_click=state.choose, kwargs={"threshold": 0.25})
    st.button("bob", on_click=state.toggle_name, args=("Bob",))
    st.button("quarter, later", on_click=state.choose, kwargs={"threshold": 0.75, "at_pause": True})
    st.button("other", on_click=state.choose, kwargs={"run": "z" * 20})


def opened(**parameters: str | list[str]) -> AppTest:
    page = AppTest.from_function(script, default_timeout=60)
    for name, value in parameters.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def address(page: AppTest) -> dict[str, list[str]]:
    """The page's query parameters; the test driver holds them as it was given them, alone or in lists."""
    return {name: value if isinstance(value, list) else [value] for name, value in page.query_params.items()}


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click()
    page.run()
    assert not page.exception, page.exception
    return page


def test_a_link_reproduces_the_view() -> None:
    page = opened(run=RUN, target="sentiment", c="-0.25", names=["Bob", "Ann"], s="b")
    seen = page.session_state["seen"]
    assert (seen.run, seen.target, seen.threshold, seen.names, seen.sentence) == (
        RUN, "sentiment", -0.25, ("Bob", "Ann"), "b",
    )  # fmt: skip
    assert address(page)["names"] == ["Bob", "Ann"]


@pytest.mark.parametrize("run", ["../../etc/passwd", "short", "a" * 40, "with space and more.."])
def test_what_is_no_run_id_is_forgotten(run: str) -> None:
    page = opened(run=run)
    assert page.session_state["seen"].run is None
    assert "run" not in address(page)


def test_unknown_values_fall_back_silently() -> None:
    seen = opened(run=RUN, target="anger", c="7", names=["Carl", "Ann", "Ann"], s="zzz").session_state["seen"]
    assert (seen.target, seen.threshold, seen.names, seen.sentence) == ("toxicity", 0.5, ("Ann",), None)


@pytest.mark.parametrize("c", ["nan", "inf", "", "0.5.5", "DROP TABLE"])
def test_a_threshold_that_is_no_number_is_the_default(c: str) -> None:
    assert opened(run=RUN, c=c).session_state["seen"].threshold == 0.5


def test_choices_go_into_the_url_and_each_target_has_a_threshold_of_its_own() -> None:
    page = press(opened(run=RUN), "half")
    assert address(page)["c"] == ["0.25"]
    page = press(page, "sentiment")
    assert address(page)["target"] == ["sentiment"]
    assert address(page)["c"] == [":0.25"]
    assert page.session_state["seen"].threshold == 0.0
    assert page.session_state["thresholds"] == {"toxicity": 0.25, "sentiment": 0.0}
    page = press(page, "half")
    assert address(page)["c"] == ["0.25", ":0.25"]
    again = opened(**address(page))
    assert again.session_state["thresholds"] == {"toxicity": 0.25, "sentiment": 0.25}
    assert again.session_state["seen"].threshold == 0.25


@pytest.mark.parametrize(
    ("target", "c", "toxicity", "sentiment"),
    [
        ("", "0.3", 0.3, 0.0),
        ("sentiment", "0.3", 0.5, 0.3),
        ("sentiment", "toxicity:0.3", 0.3, 0.0),
        ("", "sentiment:-0.3", 0.5, -0.3),
        ("toxicity", "sentiment:9", 0.5, 0.0),
    ],
)
def test_a_threshold_in_a_link_belongs_to_the_target_it_names(
    target: str, c: str, toxicity: float, sentiment: float
) -> None:
    page = opened(run=RUN, target=target, c=c)
    assert page.session_state["thresholds"] == {"toxicity": toxicity, "sentiment": sentiment}


def test_what_changes_many_times_on_its_way_is_one_step_of_the_history() -> None:
    page = press(opened(run=RUN, c="0.3"), "quarter, later")
    assert page.session_state["seen"].threshold == 0.75
    assert address(page)["c"] == ["0.3"]
    assert page.session_state["address_waiting"] == {"c": ["0.75"]}
    page = press(page, "bob")
    assert page.session_state["seen"].threshold == 0.75 and page.session_state["seen"].names == ("Bob",)


def test_a_name_is_chosen_and_taken_away() -> None:
    page = press(opened(run=RUN, names="Ann", s="a"), "bob")
    assert page.session_state["seen"].names == ("Ann", "Bob")
    assert press(page, "bob").session_state["seen"].names == ("Ann",)


def test_another_study_forgets_the_selection() -> None:
    page = press(opened(run=RUN, target="sentiment", names="Ann", c="0.1", s="a"), "other")
    assert address(page) == {"run": ["z" * 20]}


def test_taking_a_chip_away_takes_it_out_of_the_selection() -> None:
    page = opened(run=RUN, names=["Ann", "Bob"], s="c")
    page.multiselect(key="chips").set_value([("name", "Bob")])
    page.run()
    seen = page.session_state["seen"]
    assert (seen.names, seen.sentence) == (("Bob",), None)


def test_a_page_change_keeps_the_view_though_the_url_is_bare() -> None:
    page = opened(run=RUN, names="Ann")
    for name in list(page.query_params):
        del page.query_params[name]
    page.session_state["page"] = "sentences"
    page.run()
    assert page.session_state["seen"].names == ("Ann",)
    assert address(page)["run"] == [RUN]


def test_a_bare_url_on_the_same_page_is_a_step_back_to_the_start() -> None:
    page = opened(run=RUN, names="Ann")
    for name in list(page.query_params):
        del page.query_params[name]
    page.run()
    assert page.session_state["seen"].run is None and page.session_state["seen"].names == ()


def test_names_are_toggled_click_by_click(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import state

        state.clicked_names("chart")

    page = AppTest.from_function(click)
    steps = [(["A"], ("A",)), ([], ()), (["A"], ("A",)), (["A", "B"], ("A", "B")), (["B"], ("B",)), (["B"], ("B",))]
    for clicked, expected in steps:
        page.session_state["chart"] = {"selection": {"name": [{"name": name} for name in clicked]}}
        assert run(page).session_state["view"].names == expected


def test_sentence_is_opened_and_let_go(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import state

        state.clicked_sentence("chart")

    page = AppTest.from_function(click)
    page.session_state["chart"] = {"selection": {"sentence": [{"sentence_id": "s1"}]}}
    assert run(page).session_state["view"].sentence == "s1"
    page.session_state["chart"] = {"selection": {}}
    assert run(page).session_state["view"].sentence is None


def test_rows_are_names_by_position(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import state

        state.clicked_rows("table", ("B", "A"))

    page = AppTest.from_function(click)
    page.session_state["view"] = View(names=("A", "elsewhere"))
    for rows, expected in [([1], ("A", "elsewhere")), ([], ("elsewhere",)), ([0, 7], ("elsewhere", "B"))]:
        page.session_state["table"] = {"selection": {"rows": rows}}
        assert run(page).session_state["view"].names == expected
    page.session_state["view"] = View()
    for rows, expected in [([1], ("A",)), ([1, 0], ("A", "B")), ([0], ("B",)), ([0, 7], ("B",))]:
        page.session_state["table"] = {"selection": {"rows": rows}}
        assert run(page).session_state["view"].names == expected


def test_a_table_that_confirms_its_ticks_takes_no_name_away(run: Run) -> None:
    def confirm() -> None:
        from pages.ui.frame import state

        state.tick("table", ("A", "B"), ("A",))
        state.clicked_names("chart")
        state.clicked_rows("table", ("A", "B"))

    page = AppTest.from_function(confirm)
    page.session_state["view"] = View(names=("A",))
    page.session_state["chart"] = {"selection": {"name": [{"name": "B"}]}}
    assert run(page).session_state["view"].names == ("A", "B")


def test_a_table_is_told_of_the_selection_only_where_its_ticks_are_others(run: Run) -> None:
    def draw() -> None:
        import streamlit as st

        from pages.ui.frame import state

        rows = st.session_state["rows"]
        state.tick("table", rows, st.session_state["chosen"])
        st.dataframe({"name": list(rows)}, key="table", on_select="rerun")

    page = AppTest.from_function(draw)

    def told(rows: tuple[str, ...], *chosen: str) -> list[int] | None:
        page.session_state["rows"], page.session_state["chosen"] = rows, chosen
        words = run(page).dataframe[0].proto.selection_state
        return json.loads(words)["selection"]["rows"] if words else None

    assert told(("A", "B", "C")) is None
    assert told(("A", "B", "C"), "B", "elsewhere") == [1]
    assert told(("A", "B", "C"), "B", "elsewhere") is None
    assert told(("A", "B", "C"), "B", "C", "A") == [0, 1, 2]  # chosen by its bar
    assert told(("C",), "B", "C", "A") == [0]  # looked for by its letters
