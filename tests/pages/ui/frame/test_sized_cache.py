"""Large things are made once, kept up to a number of bytes, and made anew when their version changes."""

from __future__ import annotations

import threading

from pages.ui.frame.sized_cache import ByBytes


def test_things_are_made_once_and_the_one_asked_for_longest_ago_goes_first() -> None:
    made: list[str] = []
    cache: ByBytes[str] = ByBytes(10, len)

    def get(key: str, size: int = 4) -> None:
        assert cache.get(key, 0, lambda: made.append(key) or key * size).startswith(key)

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert made == ["a", "b", "c", "b"]


def test_another_version_takes_the_place_of_the_first() -> None:
    cache: ByBytes[str] = ByBytes(10, len)
    assert cache.get("run", 1, lambda: "half") == "half"
    assert cache.get("run", 2, lambda: "whole") == "whole"
    assert cache.get("other", 1, lambda: "other") == "other"
    assert cache.get("run", 2, lambda: "made again") == "whole"


def test_one_that_is_too_large_is_still_kept_by_itself() -> None:
    cache: ByBytes[str] = ByBytes(3, len)
    cache.get("small", 0, lambda: "abc")
    assert cache.get("large", 0, lambda: "abcdef") == cache.get("large", 0, lambda: "made again")


def test_sessions_that_ask_at_once_wait_for_one_of_them() -> None:
    cache: ByBytes[str] = ByBytes(10, len)
    made, together = [], threading.Barrier(4)

    def ask() -> None:
        together.wait()
        cache.get("run", 0, lambda: made.append("x") or "cube")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["x"]
