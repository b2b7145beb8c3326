"""What is loaded is looked through by the garbage collector once, not after every page run."""

from __future__ import annotations

import gc
import sys
import types

import pytest

from pages.ui.frame import gc_tuning


@pytest.fixture(autouse=True)
def thaw(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(gc_tuning, "_modules_then", 0)
    yield
    gc.unfreeze()


def test_modules_that_came_are_taken_out_of_sight_once() -> None:
    gc.unfreeze()
    assert gc_tuning.freeze_modules()
    assert gc.get_freeze_count() > 10_000
    assert not gc_tuning.freeze_modules()


def test_further_modules_are_taken_out_of_sight_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gc_tuning.freeze_modules()
    for number in range(gc_tuning.MODULES):
        monkeypatch.setitem(sys.modules, f"made_up_{number}", types.ModuleType(f"made_up_{number}"))
    assert gc_tuning.freeze_modules()


def test_what_a_page_leaves_behind_afterwards_is_still_collected() -> None:
    class Left:
        def __init__(self) -> None:
            self.itself = self

    gc_tuning.freeze_modules()
    Left()
    assert any(isinstance(item, Left) for item in gc.get_objects())
    gc.collect()
    assert not any(isinstance(item, Left) for item in gc.get_objects())
