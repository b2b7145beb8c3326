"""What a closed tab held is freed, also where it was taken for permanent."""

from __future__ import annotations

import gc
import weakref

from pages.ui.frame import closed_tabs


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
        closed_tabs.give_back()
        assert gone() is None
    finally:
        gc.unfreeze()


def test_without_a_server_there_is_nothing_to_watch() -> None:
    assert closed_tabs.watch() is None
