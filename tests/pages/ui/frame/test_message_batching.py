"""What a short run sends leaves in one go at its end; a long one is shown piece by piece; nothing changes its place."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

from pages.ui.frame import message_batching

LONG = 60.0


def test_nothing_is_sent_before_the_end_and_then_everything_in_order() -> None:
    sent: list[int] = []
    with message_batching.held(sent.append, lambda: None, LONG) as send:
        for number in range(50):
            send(number)
        assert sent == []
    assert sent == list(range(50))


def test_what_takes_long_is_sent_when_its_time_is_over_and_from_then_on_at_once() -> None:
    sent: list[int] = []
    first = threading.Event()

    def take(number: int) -> None:
        sent.append(number)
        first.set()

    with message_batching.held(take, lambda: None, 0.01) as send:
        send(1)
        assert first.wait(LONG)
        send(2)
        send(3)
        assert sent == [1, 2, 3]
    assert sent == [1, 2, 3]


def test_what_belongs_together_is_held_longer_and_what_comes_after_it_is_not() -> None:
    sent: list[str] = []
    context = SimpleNamespace(_enqueue=sent.append, yield_check=lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_batching, "get_script_run_ctx", lambda **_: context)
        with message_batching.batch(0.05):
            with message_batching.batch(LONG):
                context._enqueue("place")
                time.sleep(0.1)
                context._enqueue("finding")
                assert sent == []
            for _ in range(1000):
                if sent:
                    break
                time.sleep(0.01)
            assert sent == ["place", "finding"]
            with message_batching.batch(LONG):
                context._enqueue("other place")
                assert sent == ["place", "finding"]
            assert sent == ["place", "finding", "other place"]
            context._enqueue("chart")
            assert sent[-1] == "chart"
    assert context._enqueue == sent.append


def test_a_run_that_is_interrupted_ends_at_its_next_element_and_shows_what_it_had() -> None:
    sent: list[int] = []

    def interrupted() -> None:
        raise KeyError("another click")

    with pytest.raises(KeyError), message_batching.held(sent.append, interrupted, LONG) as send:
        send(1)
        send(2)
    assert sent == [1]


def test_what_is_put_off_comes_after_what_is_sent_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    context = SimpleNamespace(_enqueue=sent.append)
    monkeypatch.setattr(message_batching, "get_script_run_ctx", lambda **_: context)
    with message_batching.defer() as turn:
        context._enqueue("page")
    context._enqueue("address")
    turn()
    assert sent == ["address", "page"]
