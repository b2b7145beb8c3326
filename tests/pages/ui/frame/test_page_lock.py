"""Turns: one at a time, first come first served; a run that takes longer than its turn holds nobody up."""

from __future__ import annotations

import threading

import pytest

from pages.ui.frame.page_lock import Turns

LONG = 60.0


def test_turns_come_one_at_a_time_in_the_order_of_arrival() -> None:
    turns, order, inside = Turns(LONG), [], threading.Lock()
    arrived = [threading.Event() for _ in range(20)]

    def run(number: int) -> None:
        arrived[number].set()
        with turns.turn():
            assert inside.acquire(blocking=False), "two had their turn at once"
            order.append(number)
            inside.release()

    with turns.turn():
        threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda n=number: len(turns.waiting) == n + 1)
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_a_run_that_overstays_its_turn_holds_nobody_up() -> None:
    turns, others_done = Turns(0.0), threading.Event()
    with turns.turn():
        thread = threading.Thread(target=lambda: [taken(turns), others_done.set()])
        thread.start()
        assert others_done.wait(LONG)
    thread.join()
    taken(turns)


def test_a_run_that_fails_gives_its_turn_back() -> None:
    turns = Turns(LONG)
    with pytest.raises(ValueError, match="broken"), turns.turn():
        raise ValueError("broken")
    taken(turns)


def taken(turns: Turns) -> None:
    with turns.turn():
        pass


def wait_until(holds) -> None:  # type: ignore[no-untyped-def]
    for _ in range(10_000):
        if holds():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it did not come about")
