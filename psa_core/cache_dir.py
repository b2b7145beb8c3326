"""The cache folder: what the program keeps because making it again takes time, and nothing that could be lost."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from psa_core.atomic import private_folder

#: Folders in the cache folder, beside the store of scores.
ROOMS = ("onnx", "calibration", "weights", "hub")


def cache_folder() -> Path:
    """Where the program keeps what it remembers: ``PSA_CACHE_DIR``, or the user's cache folder; never relative."""
    import platformdirs

    place = os.environ.get("PSA_CACHE_DIR") or platformdirs.user_cache_dir("psa-dashboard", appauthor=False)
    return Path(os.path.abspath(os.path.expanduser(place)))


def is_ours(name: str) -> bool:
    """Whether a file or folder of this name in the cache folder is one of ours."""
    return name.startswith(("scores.", ".")) or name in ROOMS


def room(name: str) -> Path:
    """A folder of the cache folder, closed to other users; `name` is one of `ROOMS`."""
    private_folder(cache_folder(), ours=is_ours)
    return private_folder(cache_folder() / name, ours=lambda _: True)


def shrink(folder: Path, most: int) -> None:
    """Delete files and folders in a folder, those used longest ago first, until it has `most` bytes; the last stays."""
    with suppress(OSError):
        sizes = {path: sum(file.stat().st_size for file in (path, *path.rglob("*"))) for path in folder.iterdir()}
        total = sum(sizes.values())
        for path in sorted(sizes, key=lambda path: path.stat().st_mtime)[:-1]:
            if total <= most:
                return
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            total -= sizes[path]
