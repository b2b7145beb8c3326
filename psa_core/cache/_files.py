"""Files of the score store: location, opening, and setting damaged ones aside."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from psa_core.atomic import ONLY_MINE_FILE

SECRET_BYTES = 32
_BUSY_SECONDS = 60.0
# The journal of a busy store is cut to this much after a checkpoint.
_JOURNAL_BYTES = 64 * 2**20
# SQLite's own 2 MiB make every insertion into a large store read a page again.
_PAGES_KIB = 32 * 1024
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SCHEMA = "CREATE TABLE IF NOT EXISTS scores (text BLOB PRIMARY KEY, score BLOB, written INTEGER) WITHOUT ROWID"


class CacheWarning(UserWarning):
    """The store could not be used as it was; nothing but time is lost."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than busy, full or out of reach."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def connect(path: str) -> sqlite3.Connection:
    """Open a store, new or old, for many readers and one writer at a time."""
    if path != ":memory:":  # its journals get the rights of the file
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, ONLY_MINE_FILE))
        with suppress(PermissionError):  # somebody else's file that we may write to
            os.chmod(path, ONLY_MINE_FILE)
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute(f"PRAGMA busy_timeout={int(_BUSY_SECONDS * 1000)}")
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")
        _use_wal(db)
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA cache_size=-{_PAGES_KIB}")
        db.execute(f"PRAGMA journal_size_limit={_JOURNAL_BYTES}")
        with db:
            db.execute(_SCHEMA)
    except sqlite3.DatabaseError:
        db.close()
        raise
    return db


def _use_wal(db: sqlite3.Connection) -> None:
    # SQLite does not wait for the lock here when two processes open a new file at once, so the patience is ours.
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL").fetchall()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.02)


def secret(path: Path) -> bytes:
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


def file_id(path: Path) -> tuple[int, int] | None:
    """What tells a file from another one of the same name; None when there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def set_aside(path: Path) -> Path:
    """Rename a damaged store with its journal, in place of an earlier one; returns its new name."""
    for earlier in path.parent.glob(f"{path.stem}.damaged-*"):
        earlier.unlink(missing_ok=True)
    aside = path.with_name(f"{path.stem}.damaged-{time.time_ns()}{path.suffix}")
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):  # another process may have set it aside first
            os.replace(f"{path}{suffix}", f"{aside}{suffix}")
    return aside
