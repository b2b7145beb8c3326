"""A cache shared by all sessions, bounded by the total size of its items."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class ByBytes(Generic[T]):
    """A cache with one version of each thing; what was asked for longest ago goes first.

    Parameters
    ----------
    most : int
        Bytes in all; the newest thing is kept even where it is larger.
    size : callable
        Bytes of one thing.
    """

    def __init__(self, most: int, size: Callable[[T], int]) -> None:
        self._most, self._size = most, size
        self._kept: OrderedDict[str, tuple[Hashable, T]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._reading, self._making = threading.Lock(), threading.Lock()

    def get(self, key: str, version: Hashable, make: Callable[[], T]) -> T:
        """The thing of that key and version; made, in place of another version of it, when it is not here."""
        kept = self._look(key, version)
        if kept is None:
            with self._making:  # sessions that ask for the same at once wait for one of them
                kept = self._look(key, version) or self._keep(key, version, make())
        return kept[1]

    def _look(self, key: str, version: Hashable) -> tuple[Hashable, T] | None:
        with self._reading:
            kept = self._kept.get(key)
            if kept is None or kept[0] != version:
                return None
            self._kept.move_to_end(key)
            return kept

    def _keep(self, key: str, version: Hashable, made: T) -> tuple[Hashable, T]:
        with self._reading:
            self._kept[key] = version, made
            self._sizes[key] = self._size(made)
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(self._sizes.values()) > self._most:
                gone, _ = self._kept.popitem(last=False)
                del self._sizes[gone]
            return self._kept[key]
