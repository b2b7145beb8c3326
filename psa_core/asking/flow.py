"""How many requests may be under way at once: few at first, more while the server keeps up, fewer when it is busy."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

FIRST = 4
#: Places more for each answer, once a server has said that there are too many.
CAREFUL = 0.25
#: A server that takes this many times as long as at best is busy: more at once would only wait there.
BUSY = 2.0


@dataclass(eq=False)
class Flow:
    """A number of places that changes; whoever has none waits.

    Attributes
    ----------
    most : int
        Places that there are never more of.

    Examples
    --------
    >>> flow = Flow(8)
    >>> flow.places
    4
    >>> flow.refused()
    >>> flow.places
    2
    >>> for _ in range(40):
    ...     flow.answered(0.2)
    >>> flow.places
    8
    """

    most: int
    _limit: float = field(init=False)
    _under_way: int = 0
    _growth: float = 1.0
    _best: float = float("inf")
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._limit = float(min(FIRST, self.most))

    @property
    def places(self) -> int:
        """Requests that may be under way now."""
        return int(self._limit)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait for a place, and hold it while the block lasts."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.places)
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify()

    def answered(self, seconds: float) -> None:
        """More places, while answers come about as fast as the fastest did: at first twice as many a round."""
        with self._changed:
            self._best = min(self._best, seconds)
            if seconds <= BUSY * self._best + 0.05:
                self._limit = min(float(self.most), self._limit + self._growth)
                self._changed.notify()

    def refused(self) -> None:
        """Half as many places: the server said that there were too many requests, or fell silent."""
        with self._changed:
            self._limit, self._growth = max(1.0, self._limit / 2), CAREFUL
