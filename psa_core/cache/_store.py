"""A store of scores in one SQLite file, safe for several processes."""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from psa_core.atomic import private_folder
from psa_core.cache._files import (
    CacheWarning,
    connect,
    file_id,
    is_damage,
    secret,
    set_aside,
)
from psa_core.cache_dir import cache_folder, is_ours
from psa_core.errors import OptionError
from psa_core.inputs.limits import CACHE

DIGEST = 16
#: Checksum (CRC-32) of anything with its own checksum behind it.
WHOLE = 0x2144DF1C
_READ_ROWS = 500


@dataclass(frozen=True)
class CacheInfo:
    """What a store holds: ``scores`` rows in ``bytes`` of at most ``bound`` bytes."""

    path: Path
    scores: int
    bytes: int
    bound: int


def digests(texts: Iterable[str], *, key: bytes = b"") -> np.ndarray:
    """Digests of texts: ``S16`` array, one per text, equal when and (but for chance of 2**-128) only when texts are.

    Examples
    --------
    >>> a, b, c = digests(["he", "she", "he"])
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    salt, person = key[:16], key[16:32]
    blake = hashlib.blake2b
    joined = b"".join(
        [
            blake(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST, salt=salt, person=person).digest()
            for text in texts
        ]
    )
    # NumPy drops trailing zero bytes of an S16 when it shows one, but compares and sorts all sixteen as they are.
    return np.frombuffer(joined, dtype=f"S{DIGEST}")


def _rows(keys: bytes, scores: bytes, width: int, now: int) -> list[tuple[bytes, bytes, int]]:
    """Rows of the store: a digest, its scores (`width` bytes) and a checksum of both, the time."""
    rows = []
    for i in range(len(keys) // DIGEST):
        key, row = keys[i * DIGEST : (i + 1) * DIGEST], scores[i * width : (i + 1) * width]
        rows.append((key, row + crc32(row, crc32(key)).to_bytes(4, "little"), now))
    return rows


def _row(width: int) -> np.dtype[np.void]:
    """What is stored under a digest."""
    return np.dtype([("scores", "<f4", (width,)), ("checksum", "<u4")])


class ScoreCache:
    """A store of scores that several processes may read and write at once.

    Parameters
    ----------
    folder : Path, optional
        Default: :func:`cache_folder`.
    bound : int, optional
        Bytes above which the oldest scores are dropped; by default the setting ``PSA_MAX_CACHE_MB``.
    owner : str
        Whose scores they are: one owner's are misses for all others, so that nobody can learn from a count or from
        the time what somebody else has scored. Empty is an owner like any other.

    Attributes
    ----------
    note : str
        Empty, or what became of a damaged or unusable store, for the manifest and the page.
    """

    def __init__(self, folder: Path | None = None, *, bound: int | None = None, owner: str = "") -> None:
        if bound is not None and bound <= 0:
            raise OptionError("cache bound", got=str(bound), expected="a positive number of bytes")
        self.folder = cache_folder() if folder is None else Path(folder)
        self.path = self.folder / "scores.sqlite"
        self.bound, self.note, self.owner = bound or CACHE.value, "", owner
        self._lock = threading.RLock()
        self._secret = b""
        self._db = self._open()
        self._file = file_id(self.path)

    @classmethod
    def open(cls) -> ScoreCache:
        """The store of this user: in ``PSA_CACHE_DIR``, or in the user's cache folder.

        A worker on a server that may be shared has its visitor as the owner, by ``PSA_CACHE_OWNER``.
        """
        return cls(owner=os.environ.get("PSA_CACHE_OWNER", ""))

    def key(self, fingerprint: str) -> bytes:
        """32 bytes that make this store's digests of a scorer's texts; another store's or owner's are different."""
        whose = f"{fingerprint}\0{self.owner}" if self.owner else fingerprint
        return hashlib.blake2b(whose.encode(), digest_size=32, key=self._secret).digest()

    def read(self, keys: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Look up digests.

        Parameters
        ----------
        keys : S16 array (n,), sorted and distinct
        width : int
            Number of targets.

        Returns
        -------
        found : bool array (n,)
        scores : float32 array (n, width); zero where not found
        """
        found, scores = np.zeros(len(keys), dtype=bool), np.zeros((len(keys), width), dtype=np.float32)
        packed, row = np.ascontiguousarray(keys).tobytes(), _row(width)
        size = row.itemsize
        for start in range(0, len(keys), _READ_ROWS):
            chunk = [packed[i : i + DIGEST] for i in range(start * DIGEST, len(packed), DIGEST)[:_READ_ROWS]]
            found_here = [
                (key, value)
                for key, value in self._select(chunk)
                if type(value) is bytes and len(value) == size and crc32(value, crc32(key)) == WHOLE
            ]
            if found_here:
                hits = np.frombuffer(b"".join([key for key, _ in found_here]), dtype=keys.dtype)
                at = start + np.searchsorted(keys[start : start + len(chunk)], hits)
                found[at] = True
                scores[at] = np.frombuffer(b"".join([value for _, value in found_here]), dtype=row)["scores"]
        return found, scores

    def write(self, keys: np.ndarray, scores: np.ndarray) -> None:
        """Store scores (n, T) under digests (n,) in one transaction: after a crash all of them are there or none."""
        order = np.argsort(keys)  # rows that go to the same page of the file come together
        packed, values = keys[order].tobytes(), np.asarray(scores, dtype="<f4")[order]
        rows = _rows(packed, values.tobytes(), 4 * values.shape[1], int(time.time()))
        with self._guard(), self._db:
            self._db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", rows)
        if self._bytes() > self.bound:
            self.prune()

    def info(self) -> CacheInfo:
        """Count what is there."""
        scores = 0
        with self._guard():
            (scores,) = self._db.execute("SELECT count(*) FROM scores").fetchone()
        return CacheInfo(self.path, scores, self._bytes(), self.bound)

    def clear(self) -> int:
        """Forget everything; returns how many scores were dropped."""
        return self._delete("DELETE FROM scores", ())

    def prune(self, bound: int | None = None) -> int:
        """Drop the oldest scores until four fifths of the bound are used; returns how many were dropped."""
        goal, used = 0.8 * (self.bound if bound is None else bound), self._bytes()
        if used <= goal:
            return 0
        surplus = int(np.ceil((1 - goal / used) * self.info().scores))
        return self._delete(
            "DELETE FROM scores WHERE text IN (SELECT text FROM scores ORDER BY written, text LIMIT ?)", (surplus,)
        )

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._db.close()

    def _select(self, chunk: list[bytes]) -> list[tuple[bytes, bytes]]:
        with self._guard():
            places = ",".join("?" * len(chunk))
            return self._db.execute(f"SELECT text, score FROM scores WHERE text IN ({places})", chunk).fetchall()
        return []  # the guard set a damaged store aside: everything is a miss

    def _delete(self, statement: str, parameters: tuple[int, ...]) -> int:
        with self._guard():
            with self._db:
                dropped = self._db.execute(statement, parameters).rowcount
            self._db.executescript("PRAGMA incremental_vacuum")  # execute() would free a single page
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return dropped
        return 0

    def _bytes(self) -> int:
        with self._guard():
            pages, free, size = (
                self._db.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
            return (pages - free) * size
        return 0

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    self._rebuild(error)
                elif isinstance(error, sqlite3.OperationalError):
                    self._warn(f"the score cache {self.path} cannot be used: {error}; scoring goes on without it")
                else:
                    raise

    def _open(self) -> sqlite3.Connection:
        try:
            private_folder(self.folder, ours=is_ours)
            self._secret = secret(self.folder / "scores.key")
            return connect(str(self.path))
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                return self._in_memory(error)
            self._set_aside(error)
            return connect(str(self.path))
        except OSError as error:
            return self._in_memory(error)

    def _in_memory(self, error: Exception) -> sqlite3.Connection:
        self._secret = secrets.token_bytes(32)
        self._warn(f"the score cache {self.path} cannot be opened: {error}; scores are not kept this time")
        return connect(":memory:")

    def _rebuild(self, error: Exception) -> None:
        self._db.close()
        if file_id(self.path) == self._file:  # else another process has begun a new one already
            self._set_aside(error)
        self._db = connect(str(self.path))
        self._file = file_id(self.path)

    def _set_aside(self, error: Exception) -> None:
        aside = set_aside(self.path)
        self._warn(f"the score cache was damaged ({error}); it was set aside as {aside.name} and a new one begun")

    def _warn(self, note: str) -> None:
        if note != self.note:
            self.note = note
            warnings.warn(note, CacheWarning, stacklevel=3)
