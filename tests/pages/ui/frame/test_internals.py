"""What is changed inside Streamlit and the interpreter: it is there in every version that the project may be installed
with, what has to arrive later does, and what a closed tab held is freed."""

from __future__ import annotations

import dataclasses
import gc
import inspect
import re
import sys
import tomllib
import types
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit
from packaging.requirements import Requirement
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from pages.ui.frame import internals

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def thaw(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(internals, "_modules_frozen", 0)
    yield
    gc.unfreeze()


def test_they_are_there_and_the_next_version_is_not_allowed() -> None:
    assert "_enqueue" in {field.name for field in dataclasses.fields(ScriptRunContext)}
    assert hasattr(PagesManager, "uses_pages_directory")
    source = inspect.getsource(Runtime) + inspect.getsource(MemorySessionStorage)
    for name in ("_session_mgr", "_get_async_objs", "_cache"):
        assert re.search(rf"\b{name}\b", source), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = (one for one in map(Requirement, project["dependencies"]) if one.name == "streamlit")
    major, minor = map(int, streamlit.__version__.split(".")[:2])
    assert streamlit.__version__ in bound.specifier and f"{major}.{minor + 1}.0" not in bound.specifier


def test_only_one_module_uses_them() -> None:
    inside = re.compile(r"\._(enqueue|session_mgr|session_storage|get_async_objs)\b|\"_enqueue\"|PagesManager")
    users = [path.stem for path in (ROOT / "pages").rglob("*.py") if inside.search(path.read_text(encoding="utf-8"))]
    assert users == ["internals"]


def test_what_is_put_off_comes_after_what_is_sent_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    context = SimpleNamespace(_enqueue=sent.append)
    monkeypatch.setattr(internals, "get_script_run_ctx", lambda **_: context)
    with internals.defer() as turn:
        context._enqueue("page")
    context._enqueue("address")
    turn()
    assert sent == ["address", "page"]


class Session:
    """Something in a cycle, as Streamlit's sessions are."""

    def __init__(self) -> None:
        self.itself = self


def test_a_session_that_was_taken_for_permanent_is_collected() -> None:
    session = Session()
    gone = weakref.ref(session)
    try:
        gc.freeze()
        del session
        gc.collect()
        assert gone() is not None
        internals.release_memory()
        assert gone() is None
    finally:
        gc.unfreeze()


def test_without_a_server_there_is_nothing_to_watch() -> None:
    assert internals.watch_closed_tabs() is None


def test_modules_that_came_are_taken_out_of_sight_once(thaw: None) -> None:
    gc.unfreeze()
    assert internals.freeze_modules()
    assert gc.get_freeze_count() > 10_000
    assert not internals.freeze_modules()


def test_further_modules_are_taken_out_of_sight_too(thaw: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert internals.freeze_modules()
    for number in range(internals.NEW_MODULES):
        monkeypatch.setitem(sys.modules, f"made_up_{number}", types.ModuleType(f"made_up_{number}"))
    assert internals.freeze_modules()


def test_what_a_page_leaves_behind_afterwards_is_still_collected(thaw: None) -> None:
    class Left:
        def __init__(self) -> None:
            self.itself = self

    internals.freeze_modules()
    Left()
    assert any(isinstance(item, Left) for item in gc.get_objects())
    gc.collect()
    assert not any(isinstance(item, Left) for item in gc.get_objects())
