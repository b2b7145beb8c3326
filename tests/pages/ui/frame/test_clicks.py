"""A click on a mark follows its name; a click on the same mark lets it go."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

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

        clicks.toggle_rows("table", ("B", "A"))

    page = AppTest.from_function(click)
    for rows, expected in [([1], ("A",)), ([1, 0], ("A", "B")), ([0], ("B",)), ([0, 7], ("B",))]:
        page.session_state["table"] = {"selection": {"rows": rows}}
        assert run(page).session_state["view"].names == expected
