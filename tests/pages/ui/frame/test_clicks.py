"""A click on a mark follows its name; a click on the same mark lets it go."""

from __future__ import annotations

import json
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.ui.frame.state import View

Run = Callable[[AppTest], AppTest]


def test_names_are_toggled_click_by_click(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import clicks

        clicks.toggle_names("chart")

    page = AppTest.from_function(click)
    steps = [(["A"], ("A",)), ([], ()), (["A"], ("A",)), (["A", "B"], ("A", "B")), (["B"], ("B",)), (["B"], ("B",))]
    for clicked, expected in steps:
        page.session_state["chart"] = {"selection": {"name": [{"name": name} for name in clicked]}}
        assert run(page).session_state["view"].names == expected


def test_sentence_is_opened_and_let_go(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import clicks

        clicks.choose_sentence("chart")

    page = AppTest.from_function(click)
    page.session_state["chart"] = {"selection": {"sentence": [{"sentence_id": "s1"}]}}
    assert run(page).session_state["view"].sentence == "s1"
    page.session_state["chart"] = {"selection": {}}
    assert run(page).session_state["view"].sentence is None


def test_rows_are_names_by_position(run: Run) -> None:
    def click() -> None:
        from pages.ui.frame import clicks

        clicks.take_rows("table", ("B", "A"))

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
        from pages.ui.frame import clicks

        clicks.tick("table", ("A", "B"), ("A",))
        clicks.toggle_names("chart")
        clicks.take_rows("table", ("A", "B"))

    page = AppTest.from_function(confirm)
    page.session_state["view"] = View(names=("A",))
    page.session_state["chart"] = {"selection": {"name": [{"name": "B"}]}}
    assert run(page).session_state["view"].names == ("A", "B")


def test_a_table_is_told_of_the_selection_only_where_its_ticks_are_others(run: Run) -> None:
    def draw() -> None:
        import streamlit as st

        from pages.ui.frame import clicks

        rows = st.session_state["rows"]
        clicks.tick("table", rows, st.session_state["chosen"])
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
