"""A first-come, first-served lock that can be taken over by the next in line.

Python's own locks give nobody a place in a queue: whoever lets go and asks again at once has it again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

#: How long a run of a page keeps others from running; see `docs/performance.md`.
PAGE_TURN_SECONDS = 0.25


class FairLock:
    """First come, first served.

    After some seconds, where they are given, the next one no longer waits for who has the lock: a slow page holds up no
    other. `waiting` has an object for each thread that waits, in the order of arrival.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._holder: object | None = None
        self._until = 0.0
        self.waiting: deque[object] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Acquire the lock in order of arrival, and release it at the end."""
        mine = object()
        with self._changed:
            self.waiting.append(mine)
            try:
                while True:
                    is_next = self.waiting[0] is mine
                    left = None if self._seconds is None else max(0.0, self._until - time.monotonic())
                    if is_next and (self._holder is None or left == 0.0):
                        break
                    self._changed.wait(left if is_next else None)
                self._holder, self._until = mine, time.monotonic() + (self._seconds or 0.0)
            finally:
                self.waiting.remove(mine)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                if self._holder is mine:
                    self._holder = None
                    self._changed.notify_all()
