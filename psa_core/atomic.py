"""Write files atomically, readable by their owner only."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ONLY_MINE_FILE, ONLY_MINE_FOLDER = 0o600, 0o700
#: What a file is called until it is whole; a process that was killed may leave one.
UNFINISHED = ".new-"


def write(path: Path, content: bytes | str, *, durable: bool = True) -> None:
    """Put a file in its place; see `replacing`."""
    with replacing(path, durable=durable) as aside:
        aside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Give an empty file to fill; when the block ends well, it takes its place: readers find the old one or the new.

    A `durable` one is on the disk by then, so that a power cut cannot take it back; progress that is written every
    second need not be. Raises `OSError` when it cannot be written; what was there before is then unchanged.
    """
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)  # with the mode 0600
    aside = Path(name)
    try:
        yield aside
        if durable:
            os.fsync(handle)
        os.replace(aside, path)
    finally:
        os.close(handle)
        with suppress(OSError):
            aside.unlink(missing_ok=True)


@contextmanager
def disk_errors() -> Iterator[None]:
    """Raise the safetensors library's errors about the disk (full, not writable) as `OSError`."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        found = re.search(r"\(os error (\d+)\)", str(error))
        if found is None:
            raise
        raise OSError(int(found[1]), os.strerror(int(found[1]))) from error


def private_folder(path: Path, *, ours: Callable[[str], bool]) -> Path:
    """Make a folder, and those above it that are missing, that only their owner can enter; returns it.

    A folder that is there already is closed to others if it is this user's and holds nothing but what is `ours`
    (whether the program itself puts a file of a name there); somebody's own folder, such as a home or ``/tmp``, stays
    as it is.
    """
    for place in reversed([place for place in (path, *path.parents) if not place.exists()]):
        with suppress(FileExistsError):  # another process was quicker
            place.mkdir(ONLY_MINE_FOLDER)
    status = path.stat()
    open_to_others = bool(status.st_mode & 0o077)
    if open_to_others and status.st_uid == os.getuid() and all(ours(name) for name in os.listdir(path)):
        path.chmod(ONLY_MINE_FOLDER)
    return path


def close_to_others(path: Path) -> None:
    """Take everybody else's rights to a folder of ours and to everything in it; links are not followed."""
    for folder, _, files in os.walk(path):
        os.chmod(folder, ONLY_MINE_FOLDER)
        for name in files:
            file = Path(folder, name)
            if not file.is_symlink():
                file.chmod(ONLY_MINE_FILE)
