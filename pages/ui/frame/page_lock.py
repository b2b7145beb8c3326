"""A lock that is given in the order of arrival, and that can be lost to the next one who waits.

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

    Parameters
    ----------
    seconds : float, optional
        After that the next one no longer waits for who has it: a slow page holds up no other. For ever if not given.

    Attributes
    ----------
    waiting : deque of object
        One for each thread that waits, in the order of arrival.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._holder: object | None = None
        self._until = 0.0
        self.waiting: deque[object] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and give it back at the end."""
        mine = object()
        with self._changed:
            self.waiting.append(mine)
            try:
                while self.waiting[0] is not mine or not self._is_free():
                    self._changed.wait(self._patience() if self.waiting[0] is mine else None)
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

    def _is_free(self) -> bool:
        return self._holder is None or (self._seconds is not None and time.monotonic() >= self._until)

    def _patience(self) -> float | None:
        """How long the first one waits for who has it."""
        return None if self._seconds is None else max(0.0, self._until - time.monotonic())
