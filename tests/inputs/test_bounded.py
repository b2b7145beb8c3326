"""Calls in another process: what they answer, and what happens to those that need too much."""

import os
import threading
import time

import pytest

from psa_core.errors import CorpusError
from psa_core.inputs import bounded
from tests.inputs import hungry

LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no limit of memory on this system")


def call(function, *arguments):
    return bounded.call(function, *arguments, field="sentences", error=CorpusError)


def test_it_answers_and_the_next_call_is_answered_by_another_process():
    first, second = call(os.getpid), call(os.getpid)
    assert len({first, second, os.getpid()}) == 3


def test_errors_of_ours_come_as_they_are():
    with pytest.raises(CorpusError, match="got seven, expected eight") as caught:
        call(hungry.refuse)
    assert caught.value.got == "seven"


def test_what_was_not_foreseen_is_one_sentence_and_the_next_call_is_answered():
    with pytest.raises(CorpusError, match=r"cannot be used \(KeyError: 'x'\)"):
        call(hungry.fail)
    assert call(len, b"abc") == 3


@LINUX
def test_memory_is_limited(monkeypatch):
    monkeypatch.setenv("PSA_MAX_READ_MB", "50")
    with pytest.raises(CorpusError, match=r"more than 50 MB of memory.*PSA_MAX_READ_MB"):
        call(hungry.eat, 200)
    assert call(hungry.eat, 10) == 10 * 2**20


@pytest.mark.parametrize("endless", [hungry.work, hungry.wait])
def test_time_is_limited(endless, monkeypatch):
    monkeypatch.setattr(bounded, "PATIENCE", 2)
    monkeypatch.setenv("PSA_MAX_READ_SECONDS", "1")
    started = time.monotonic()
    with pytest.raises(CorpusError, match=r"more than 1 seconds.*PSA_MAX_READ_SECONDS"):
        call(endless)
    assert time.monotonic() - started < 30
    monkeypatch.undo()
    assert call(len, b"abc") == 3


def test_a_reader_that_breaks_down_takes_nothing_with_it():
    with pytest.raises(CorpusError, match="its process ended"):
        call(os.abort)
    assert call(len, b"abc") == 3


def test_no_more_are_at_work_at_once_than_the_limit_says(monkeypatch, tmp_path):
    monkeypatch.setenv("PSA_MAX_READERS", "1")
    threads = [threading.Thread(target=call, args=(hungry.mark, str(tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.glob("done-*"))) == 4
    assert not list(tmp_path.glob("two-*"))


def test_who_reads_much_lets_others_in_between(monkeypatch):
    monkeypatch.setenv("PSA_MAX_READERS", "1")
    order = []

    def read_one() -> None:
        with bounded._reader():
            order.append("another's")

    waiting = threading.Thread(target=read_one)
    with bounded._reader():
        waiting.start()
        while not bounded._line:  # until it waits
            pass
    with bounded._reader():
        order.append("mine")
    waiting.join()
    assert order == ["another's", "mine"]


@LINUX
def test_memory_that_is_only_reserved_does_not_count_where_pictures_are_drawn(monkeypatch):
    monkeypatch.setenv("PSA_MAX_READ_MB", "400")
    assert bounded.call(hungry.reserve, 8_000, field="zip", error=CorpusError, draws=True) == 8_000
    with pytest.raises(CorpusError, match="more than 400 MB of memory"):
        bounded.call(hungry.reserve, 8_000, field="zip", error=CorpusError)
    with pytest.raises(CorpusError, match="more than 400 MB of memory"):
        bounded.call(hungry.fill, 1_000, field="zip", error=CorpusError, draws=True)
    assert call(len, b"abc") == 3


def test_a_reader_that_another_thread_takes_first_is_no_error(monkeypatch):
    class Emptied(list):
        def __len__(self):
            return 1

    monkeypatch.setattr(bounded, "_idle", Emptied())
    assert bounded._waiting() is None
