"""The fair lock: one at a time, first come first served; a run that takes longer than its turn holds nobody up."""

from __future__ import annotations

import threading

import pytest

from pages.ui.frame.page_lock import FairLock

LONG = 60.0


def test_turns_come_one_at_a_time_in_the_order_of_arrival() -> None:
    lock, order, inside = FairLock(), [], threading.Lock()
    arrived = [threading.Event() for _ in range(20)]

    def run(number: int) -> None:
        arrived[number].set()
        with lock.turn():
            assert inside.acquire(blocking=False), "two had their turn at once"
            order.append(number)
            inside.release()

    with lock.turn():
        threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda n=number: len(lock.waiting) == n + 1)
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_a_run_that_overstays_its_turn_holds_nobody_up() -> None:
    lock, others_done = FairLock(0.0), threading.Event()
    with lock.turn():
        thread = threading.Thread(target=lambda: [taken(lock), others_done.set()])
        thread.start()
        assert others_done.wait(LONG)
    thread.join()
    taken(lock)


def test_a_run_that_fails_gives_its_turn_back() -> None:
    lock = FairLock()
    with pytest.raises(ValueError, match="broken"), lock.turn():
        raise ValueError("broken")
    taken(lock)


def taken(lock: FairLock) -> None:
    with lock.turn():
        pass


def wait_until(holds) -> None:  # type: ignore[no-untyped-def]
    for _ in range(10_000):
        if holds():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it did not come about")
