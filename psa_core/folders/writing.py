"""Write a result folder completely or not at all, and never over existing files."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from psa_core import locks
from psa_core.errors import OptionError
from psa_core.inputs import json_file

MANIFEST = "manifest.json"
WRITTEN = (".json", ".jsonl", ".csv", ".parquet", ".html")
OURS = ("targets", "audit")  # what a manifest of ours has, and one of a web page has not
NEW, OLD, LOCK = ".psa-new-", ".psa-old-", "lock"


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """Give a folder to write into; it takes its place when the block ends well, and vanishes otherwise.

    An earlier result stays until the new one is complete. Leftovers of a killed run are removed. Raises `OptionError`
    when the place may not be taken (see `check_target`), or it cannot be written to.
    """
    place = check_target(folder)
    try:
        with _aside(place) as aside:
            new = aside / "whole"
            new.mkdir()  # with the rights that this process gives new folders
            yield new
            _exchange(aside, place)
    except OSError as error:
        got = f"{folder} ({error.strerror or error})"
        raise OptionError("--out", got=got, expected="a folder to write to, with room for the results") from error


@contextmanager
def atomic_file(file: Path) -> Iterator[Path]:
    """Give a file to write; it takes its place when the block ends well, and vanishes otherwise.

    Raises `OptionError` when there is a folder or a device, or it cannot be written.
    """
    place = _real(file, "a place to write to")
    if place.exists() and not place.is_file():
        raise OptionError("--out", got=f"a folder or a device at {file}", expected="a file to write")
    try:
        with _aside(place) as aside:
            yield aside / "whole"
            os.replace(aside / "whole", place)
    except OSError as error:
        raise OptionError("--out", got=f"{file} ({error.strerror or error})", expected="a file to write") from error


@contextmanager
def _aside(path: Path) -> Iterator[Path]:
    """A hidden folder beside a path, locked by this process while it is there, and gone at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear_away(path)
    while True:
        aside = Path(tempfile.mkdtemp(prefix=f"{NEW}{_mark(path)}-", dir=path.parent))
        lock = locks.locked(aside / LOCK)
        with suppress(FileNotFoundError):  # somebody cleared it away before it was locked
            lock.acquire()
            break
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        lock.release()


def _exchange(aside: Path, path: Path) -> None:
    """Put a folder in its place; what was there is kept beside it until then, and put back when that fails."""
    old = aside.with_name(OLD + aside.name.removeprefix(NEW))
    try:
        if path.exists():
            os.rename(path, old)
        os.rename(aside / "whole", path)
    finally:
        _settle(old, path)


def _settle(old: Path, path: Path) -> None:
    """Drop what was replaced, or put it back where nothing replaced it."""
    if old.exists() and path.exists():
        shutil.rmtree(old, ignore_errors=True)
    elif old.exists():
        os.rename(old, path)


def _clear_away(path: Path) -> None:
    """Clean up what dead runs left beside a path; what belongs to another machine or a live run stays."""
    for kind in (OLD, NEW):
        for left in path.parent.glob(f"{kind}{_mark(path)}-*"):
            maker = left.with_name(NEW + left.name.removeprefix(kind))  # it holds the lock of its new folder
            if left.is_symlink() or locks.is_locked(maker / LOCK):
                continue
            if kind == OLD:
                _settle(left, path)
            else:
                shutil.rmtree(left, ignore_errors=True)


def _mark(path: Path) -> str:
    """Tells this place on this machine from others in the same folder, however long its name is."""
    return hashlib.blake2b(f"{platform.node()} {path.name}".encode(), digest_size=6).hexdigest()


def check_target(folder: Path) -> Path:
    """Refuse a place that a result folder may not take, before any work is done for it; returns where it really is.

    Raises `OptionError` when it is a file, holds anything but an earlier result, or is nowhere that can be written to.
    """
    place = _real(folder, "a new or empty folder")
    above = next((path for path in place.parents if path.exists()), place)
    if place.exists() and not place.is_dir():
        raise OptionError("--out", got=f"a file at {folder}", expected="a new or empty folder")
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise OptionError("--out", got=f"{folder}, but {above} cannot be written to", expected="a folder to write to")
    if place.is_mount():
        raise OptionError("--out", got=f"the mounted {folder}", expected="a folder inside of it")
    if place.is_dir() and any(place.iterdir()) and not _is_result(place):
        fix = "Choose another folder; nothing was changed."
        raise OptionError("--out", got=f"other files in {folder}", expected="a new or empty folder", fix=fix)
    return place


def _real(path: Path, expected: str) -> Path:
    """Where a path leads, links followed; raises `OptionError` where it is none."""
    try:
        real = path.resolve()
        str(real).encode()
        real.exists()
        return real
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a NUL, half a character, too long
        raise OptionError("--out", got=f"{str(path)!r}, which is no path", expected=expected) from error


def _is_result(folder: Path) -> bool:
    """Whether it holds an earlier result and nothing that a run does not write."""
    try:
        manifest = json_file.read(folder / MANIFEST)
    except (OSError, ValueError):
        return False
    ours = any(key in manifest for key in OURS)
    return ours and all(path.is_file() and path.suffix in WRITTEN for path in folder.iterdir())
