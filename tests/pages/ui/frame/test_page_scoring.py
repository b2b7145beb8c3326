"""On a page a model is asked in slices: in turn with others who ask the same one, and for a limited time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from pages.ui.frame.page_scoring import Answer, PageScorer
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
