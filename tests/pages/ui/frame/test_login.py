"""With ``PSA_LOGIN=1`` nothing is shown before somebody has logged in, and people are told apart by their login."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui.frame import visitor

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("file", ["app.py", "pages/try_it.py", "pages/study.py"])
def test_nothing_is_shown_before_the_login(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitor.LOGIN, "1")
    page = AppTest.from_file(str(ROOT / file), default_timeout=120).run()
    assert not page.exception
    assert [button.label for button in page.button] == ["Log in"]
    assert not page.text_input and not page.dataframe


def test_the_page_is_there_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitor.LOGIN, "1")
    monkeypatch.setattr(st, "user", {"is_logged_in": True, "sub": "ann"})
    page = AppTest.from_file(str(ROOT / "pages" / "study.py"), default_timeout=120).run()
    assert not page.exception and "Log in" not in [button.label for button in page.button]


def test_people_are_told_apart_by_their_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PSA_HISTORY", raising=False)
    monkeypatch.setattr(st, "context", SimpleNamespace(headers={}, cookies={}))
    monkeypatch.setattr(st, "session_state", {})

    def key(person: str) -> str:
        monkeypatch.setattr(st, "user", {"is_logged_in": True, "iss": "https://login.example.org", "sub": person})
        return visitor.key()

    assert key("ann") == key("bob")  # without the setting, only the session tells
    monkeypatch.setenv(visitor.LOGIN, "1")
    assert key("ann") == key("ann") != key("bob")
    assert "ann" not in key("ann")
