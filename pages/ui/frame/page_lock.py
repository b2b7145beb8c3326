"""Page runs of one server process take turns, first come, first served.

Python runs one thread at a time. Pages that run side by side are not done sooner: they are all done last, and every
change of thread costs. A run that takes longer than its turn goes on without one, so a slow page holds up no other.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 0.25


class Turns:
    """Whose turn it is.

    Parameters
    ----------
    seconds : float
        How long a turn lasts at most.

    Attributes
    ----------
    waiting : deque of Event
        One for each run that waits, in the order of arrival.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self.waiting: deque[threading.Event] = deque()
        self._holder: threading.Event | None = None
        self._until = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and give it back at the end."""
        mine = threading.Event()
        with self._lock:
            self.waiting.append(mine)
        self._wait(mine)
        try:
            yield
        finally:
            with self._lock:
                if self._holder is mine:
                    self._holder = None
                    self._call_next()

    def _wait(self, mine: threading.Event) -> None:
        while not self._taken(mine):
            left = self._until - time.monotonic()
            mine.wait(max(left, 0.0) if self.waiting[0] is mine else None)

    def _taken(self, mine: threading.Event) -> bool:
        with self._lock:
            mine.clear()
            if self.waiting[0] is not mine or (self._holder and time.monotonic() < self._until):
                return False
            self.waiting.popleft()
            self._holder, self._until = mine, time.monotonic() + self._seconds
            self._call_next()
            return True

    def _call_next(self) -> None:
        """Wake the first of those who wait: to begin, or to watch for the end of the turn that has just begun."""
        if self.waiting:
            self.waiting[0].set()
