"""A click on a mark follows its name; a click on the same mark lets it go."""

from __future__ import annotations

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


def test_a_table_is_drawn_anew_only_where_its_ticks_are_not_the_selection(run: Run) -> None:
    def draw() -> None:
        import streamlit as st

        from pages.ui.frame import clicks

        st.session_state["drawn"] = clicks.ticked_table("table", st.session_state["rows"], st.session_state["chosen"])

    page = AppTest.from_function(draw)

    def drawn(rows: tuple[str, ...], *chosen: str) -> tuple[str, list[int]]:
        page.session_state["rows"], page.session_state["chosen"] = rows, chosen
        return run(page).session_state["drawn"]

    assert drawn(("A", "B", "C"), "B", "elsewhere") == ("table 0", [1])
    page.session_state["table 0"] = {"selection": {"rows": [2, 1]}}  # ticked in the table itself
    assert drawn(("A", "B", "C"), "B", "C") == ("table 0", [1, 2])
    assert drawn(("A", "B", "C"), "B", "C", "A") == ("table 1", [0, 1, 2])  # chosen by its bar
    assert drawn(("C",), "B", "C", "A") == ("table 2", [0])  # looked for by its letters
