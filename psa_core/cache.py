"""Scores on disk, and a scorer that wraps a scorer and predicts only the misses.

The store holds digests and scores, never texts. A digest is taken with a random secret that lies in a file of its
own beside the store, so that the store alone cannot even be asked whether somebody scored a given text.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from psa_core.atomic import ONLY_MINE_FILE, private_folder
from psa_core.cache_dir import cache_folder, is_ours
from psa_core.cube import Target
from psa_core.errors import OptionError
from psa_core.inputs.checks import as_texts
from psa_core.inputs.limits import CACHE
from psa_core.models import Scorer

DIGEST, SECRET_BYTES = 16, 32
#: CRC-32 of anything with its own CRC-32 behind it.
CRC_RESIDUE = 0x2144DF1C
_READ_ROWS = 500
_BUSY_SECONDS = 60.0
# The journal of a busy store is cut to this much after a checkpoint.
_JOURNAL_BYTES = 64 * 2**20
# SQLite's own 2 MiB make every insertion into a large store read a page again.
_PAGES_KIB = 32 * 1024
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
# `written` is the time in seconds times `_WAYS`, plus the number of the way that computed the score; 0 is not known.
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS scores (text BLOB PRIMARY KEY, score BLOB, written INTEGER) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS ways (way INTEGER PRIMARY KEY, words TEXT UNIQUE)",
)
_WAYS = 256


class CacheWarning(UserWarning):
    """The store could not be used as it was; nothing but time is lost."""


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
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    joined = b"".join(
        [hashlib.blake2b(text, digest_size=DIGEST, salt=salt, person=person).digest() for text in encoded]
    )
    # NumPy drops trailing zero bytes of an S16 when it shows one, but compares and sorts all sixteen as they are.
    return np.frombuffer(joined, dtype=f"S{DIGEST}")


class ScoreCache:
    """A store of scores in one SQLite file, which several processes may read and write at once.

    It lies in `folder` (by default `cache_dir.cache_folder`) and drops the oldest scores above `bound` bytes (by
    default ``PSA_MAX_CACHE_MB``). One owner's scores are misses for all others, so that nobody can learn from a count
    or from the time what somebody else has scored. ``note`` is empty, or says what became of a damaged or unusable
    store.
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
        self._file = _file_id(self.path)

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
        """Which of sorted, distinct digests (n,) are known, bool (n,), and their scores, float32 (n, width)."""
        found, scores = np.zeros(len(keys), dtype=bool), np.zeros((len(keys), width), dtype=np.float32)
        row = np.dtype([("scores", "<f4", (width,)), ("checksum", "<u4")])
        for start, chunk, marks in _chunks(keys):
            rows: list[tuple[bytes, bytes]] = []  # stays empty where the guard sets a damaged store aside
            with self._guard():
                rows = self._db.execute(f"SELECT text, score FROM scores WHERE text IN ({marks})", chunk).fetchall()
            intact = [
                (key, value)
                for key, value in rows
                if type(value) is bytes and len(value) == row.itemsize and crc32(value, crc32(key)) == CRC_RESIDUE
            ]
            if intact:
                hits = np.frombuffer(b"".join([key for key, _ in intact]), dtype=keys.dtype)
                at = start + np.searchsorted(keys[start : start + len(chunk)], hits)
                found[at] = True
                scores[at] = np.frombuffer(b"".join([value for _, value in intact]), dtype=row)["scores"]
        return found, scores

    def ways(self, keys: np.ndarray) -> list[tuple[str, ...]]:
        """How the scores under some digests were computed, each way once, as it was given to `write`."""
        found: dict[tuple[str, ...], None] = {}
        last = f"written % {_WAYS} FROM scores WHERE written > {2**32}"
        for _, chunk, marks in _chunks(keys):
            with self._guard():
                rows = self._db.execute(
                    f"SELECT words FROM ways WHERE way IN (SELECT {last} AND text IN ({marks})) ORDER BY way", chunk
                )
                found |= {tuple(words.split("\0")): None for (words,) in rows.fetchall()}
        return list(found)

    def write(self, keys: np.ndarray, scores: np.ndarray, way: Sequence[str] = ()) -> None:
        """Store scores (n, T) under digests (n,) in one transaction: after a crash all of them are there or none."""
        order = np.argsort(keys)  # rows that go to the same page of the file come together
        packed, values = keys[order].tobytes(), np.asarray(scores, dtype="<f4")[order]
        given, width, now = values.tobytes(), 4 * values.shape[1], int(time.time()) * _WAYS + self._number(way)
        rows = []
        for i in range(len(order)):
            key, row = packed[i * DIGEST : (i + 1) * DIGEST], given[i * width : (i + 1) * width]
            rows.append((key, row + crc32(row, crc32(key)).to_bytes(4, "little"), now))
        with self._guard(), self._db:
            self._db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", rows)
        if self._bytes() > self.bound:
            self.prune()

    def _number(self, way: Sequence[str]) -> int:
        """The number of a way, from 1; 0 if none is given, or there are too many."""
        number = 0
        if way:
            words = ("\0".join(way),)
            with self._guard(), self._db:
                self._db.execute("INSERT OR IGNORE INTO ways (words) VALUES (?)", words)
                (number,) = self._db.execute("SELECT way FROM ways WHERE words = ?", words).fetchone()
        return number if number < _WAYS else 0

    def info(self) -> CacheInfo:
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
            names = ("page_count", "freelist_count", "page_size")
            pages, free, size = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
            return (pages - free) * size
        return 0

    @contextmanager
    def _guard(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    self._rebuild(error)
                elif isinstance(error, sqlite3.OperationalError):
                    self._warn(f"the score cache {self.path} cannot be used: {error}; scoring goes on without it")
                else:
                    raise

    def _open(self) -> sqlite3.Connection:
        try:
            private_folder(self.folder, ours=is_ours)
            self._secret = _secret(self.folder / "scores.key")
            return _connect(str(self.path))
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, sqlite3.Error) and _is_damage(error):
                self._set_aside(error)
                return _connect(str(self.path))
            self._secret = secrets.token_bytes(SECRET_BYTES)
            self._warn(f"the score cache {self.path} cannot be opened: {error}; scores are not kept this time")
            return _connect(":memory:")

    def _rebuild(self, error: Exception) -> None:
        self._db.close()
        if _file_id(self.path) == self._file:  # else another process has begun a new one already
            self._set_aside(error)
        self._db = _connect(str(self.path))
        self._file = _file_id(self.path)

    def _set_aside(self, error: Exception) -> None:
        """Rename a damaged store with its journal, in place of an earlier one."""
        for earlier in self.folder.glob(f"{self.path.stem}.damaged-*"):
            earlier.unlink(missing_ok=True)
        aside = self.path.with_name(f"{self.path.stem}.damaged-{time.time_ns()}{self.path.suffix}")
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):  # another process may have set it aside first
                os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
        self._warn(f"the score cache was damaged ({error}); it was set aside as {aside.name} and a new one begun")

    def _warn(self, note: str) -> None:
        if note != self.note:
            self.note = note
            warnings.warn(note, CacheWarning, stacklevel=3)


@dataclass(frozen=True)
class CachedScorer:
    """A scorer that predicts only what its store does not hold; it can stand wherever a scorer can.

    Examples
    --------
    >>> CachedScorer(scorer, ScoreCache()).score(["He left."])  # doctest: +SKIP
    array([[0.07]], dtype=float32)
    """

    scorer: Scorer
    cache: ScoreCache

    @property
    def fingerprint(self) -> str:
        return self.scorer.fingerprint

    @property
    def targets(self) -> tuple[Target, ...]:
        return self.scorer.targets

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores of the texts in their order: float32 array (len(texts), T)."""
        texts = as_texts(texts)
        keys = digests(texts, key=self.cache.key(self.fingerprint))
        distinct, first, where = np.unique(keys, return_index=True, return_inverse=True)
        found, scores = self.cache.read(distinct, len(self.targets))
        missing = np.flatnonzero(~found)
        if len(missing):
            scores[missing] = self.scorer.score([texts[i] for i in first[missing]])
            self.cache.write(distinct[missing], scores[missing])
        return scores[where]


def _chunks(keys: np.ndarray) -> Iterator[tuple[int, list[bytes], str]]:
    """Digests for one statement each: where they begin, the digests, and as many question marks."""
    packed = np.ascontiguousarray(keys).tobytes()
    for start in range(0, len(keys), _READ_ROWS):
        chunk = [packed[i : i + DIGEST] for i in range(start * DIGEST, len(packed), DIGEST)[:_READ_ROWS]]
        yield start, chunk, ",".join("?" * len(chunk))


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than busy, full or out of reach."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def _connect(path: str) -> sqlite3.Connection:
    """Open a store, new or old, for many readers and one writer at a time."""
    if path != ":memory:":  # its journals get the rights of the file
        # Only a new one is opened here: closing a file takes away the locks that this process has on it, and another
        # process would then delete the journal of a store that is in use.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, ONLY_MINE_FILE))
        with suppress(PermissionError):  # somebody else's file that we may write to
            os.chmod(path, ONLY_MINE_FILE)
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")
        # SQLite does not wait for the lock here when two processes open a new file at once, so we do.
        give_up = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                db.execute("PRAGMA journal_mode=WAL").fetchall()
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA cache_size=-{_PAGES_KIB}")
        db.execute(f"PRAGMA journal_size_limit={_JOURNAL_BYTES}")
        with db:
            for table in _SCHEMA:
                db.execute(table)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _secret(path: Path) -> bytes:
    """The 32 random bytes of a store, made once, readable by their owner only."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    if path.exists() and path.stat().st_size != SECRET_BYTES:
        path.unlink()  # damaged: what was stored under it is out of reach anyway
    if not path.exists():
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
        with suppress(FileExistsError):  # another process was first: its secret counts
            os.link(fresh, path)
        fresh.unlink()
    return path.read_bytes()


def _file_id(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; None when there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
