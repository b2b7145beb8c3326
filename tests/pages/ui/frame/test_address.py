"""Widgets in the address: links and steps back win, defaults leave it, another page brings it over."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from pages.ui.frame import address

    address.bring_over(st.session_state.get("which", "first"), ["run"])
    st.selectbox("One", ["a", "b", "c"], **address.linked("one", "a", ["a", "b", "c"], clears=("number_of_page",)))
    st.pills("Some", ["x", "y", "z"], selection_mode="multi", **address.linked("some", ["x"], ["x", "y", "z"]))
    st.number_input("Number", **address.linked("number", 0.5))
    st.text_input("Words", **address.linked("words", "", longest=5))
    st.number_input("Page", step=1, **address.linked("number_of_page", 1, range(1, 4)))
    st.button("put", on_click=address.put, args=("one", "c"))


def opened(**parameters: str | list[str]) -> AppTest:
    page = AppTest.from_function(script, default_timeout=60)
    return linked(page, **parameters)


def linked(page: AppTest, **parameters: str | list[str]) -> AppTest:
    for name in list(page.query_params):
        del page.query_params[name]
    for name, value in parameters.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception, page.exception
    return page


def values(page: AppTest) -> list[object]:
    return [page.session_state[key] for key in ("one", "some", "number", "words", "number_of_page")]


def test_a_link_sets_the_widgets_and_what_it_cannot_mean_is_the_default() -> None:
    assert values(opened()) == ["a", ["x"], 0.5, "", 1]
    assert values(opened(one="b", some=["y", "z"], number="0.2", words="much too long", number_of_page="3")) == [
        "b", ["y", "z"], 0.2, "much ", 3,
    ]  # fmt: skip
    assert values(opened(one="d", some="w", number="nan", number_of_page="9")) == ["a", ["x"], 0.5, "", 1]


def test_a_change_goes_into_the_address_the_default_leaves_it_and_a_step_back_wins() -> None:
    page = opened(one="b", number_of_page="3", run="r")
    page.selectbox[0].set_value("c")
    page.run()
    assert page.query_params["one"] in ("c", ["c"]) and "number_of_page" not in page.query_params
    assert values(page)[0] == "c" and values(page)[-1] == 1
    page.selectbox[0].set_value("a")
    page.run()
    assert "one" not in page.query_params and page.query_params["run"] in ("r", ["r"])
    page = linked(page, one="b", number_of_page="3", run="r")
    assert values(page)[0] == "b" and values(page)[-1] == 3
    page.button[0].click()
    page.run()
    assert values(page)[0] == "c" and page.query_params["one"] in ("c", ["c"])


@pytest.mark.parametrize(("turned", "kept"), [("second", "b"), ("first", "a")])
def test_another_page_brings_the_address_over_and_the_same_page_is_a_step_back(turned: str, kept: str) -> None:
    page = opened(one="b", stranger="s")
    page.session_state["which"] = turned
    page = linked(page)
    assert values(page)[0] == kept
    assert "stranger" not in page.query_params
