"""Runs of pages take turns, first come first served; a model is asked in slices, for a limited time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from pages.ui.frame.page_scoring import Answer, FairLock, PageScorer
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.limits import PAGE_SECONDS

LONG = 60.0


class Lengths:
    """Scores a text by its length, as slowly as it is told to."""

    targets = (Target("length", 0, 100),)

    def __init__(self, fingerprint: str = "lengths", each: Callable[[], object] = lambda: None) -> None:
        self.fingerprint, self.each = fingerprint, each
        self.asked: list[str] = []

    def score(self, texts: list[str]) -> np.ndarray:
        for _ in texts:
            self.each()
        self.asked += texts
        return np.array([[len(text)] for text in texts], np.float32)


def texts(count: int) -> list[str]:
    return ["x" * length for length in range(1, count + 1)]


def test_every_text_is_scored_once_in_its_order() -> None:
    lengths = Lengths()
    scores = PageScorer(lengths).score(texts(1000))
    assert scores.dtype == np.float32 and scores[:, 0].tolist() == list(range(1, 1001))
    assert lengths.asked == texts(1000)
    assert PageScorer(lengths).score([]).shape == (0, 1)


def test_when_the_time_is_over_the_first_texts_are_there_and_the_rest_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PAGE_SECONDS.setting, "1")
    lengths, answer = Lengths(each=lambda: time.sleep(0.05)), Answer()
    began = time.monotonic()
    scores = PageScorer(lengths).go_on(answer, texts(1000))
    assert 1.0 <= time.monotonic() - began < 3.0
    assert 5 < len(scores) < 40 and scores[:, 0].tolist() == list(range(1, len(scores) + 1))
    again = PageScorer(lengths).go_on(answer, texts(1000))  # another click does not go on for as long again
    np.testing.assert_array_equal(again, scores)
    assert len(lengths.asked) == len(scores)


def test_where_all_are_needed_it_says_how_many_were_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PAGE_SECONDS.setting, "1")
    slow = PageScorer(Lengths(each=lambda: time.sleep(0.3)))
    with pytest.raises(ModelError, match=r"\d of 100 texts scored in 1 seconds.*as a study.*PSA_MAX_PAGE_SECONDS"):
        slow.score(texts(100))


def test_an_answer_that_was_interrupted_is_gone_on_with() -> None:
    def stop() -> None:
        if len(lengths.asked) >= 9:
            raise KeyboardInterrupt

    lengths, answer = Lengths(each=stop), Answer()
    with pytest.raises(KeyboardInterrupt):
        PageScorer(lengths).go_on(answer, texts(100))
    assert answer.done == 9
    lengths.each = lambda: None
    assert len(PageScorer(lengths).go_on(answer, texts(100))) == 100
    assert lengths.asked == texts(100)


def test_a_model_that_is_busy_holds_up_nobody_who_asks_another() -> None:
    is_asked, may_end = threading.Event(), threading.Event()
    stuck = Lengths("stuck", lambda: (is_asked.set(), may_end.wait(LONG)))
    thread = threading.Thread(target=lambda: PageScorer(stuck).score(["x"]))
    thread.start()
    assert is_asked.wait(LONG)
    assert len(PageScorer(Lengths("free")).score(texts(3))) == 3
    assert thread.is_alive()
    may_end.set()
    thread.join()


def test_those_who_ask_one_model_wait_for_a_slice_not_for_all() -> None:
    first, second = (Lengths("one model", lambda: time.sleep(0.02)) for _ in range(2))
    thread = threading.Thread(target=lambda: PageScorer(first).score(texts(150)))
    thread.start()
    while not first.asked:
        time.sleep(0.001)
    began = time.monotonic()
    PageScorer(second).score(["x"])
    assert time.monotonic() - began < 1.5 and thread.is_alive()
    thread.join()


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
