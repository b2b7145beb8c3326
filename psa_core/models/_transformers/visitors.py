"""Models that visitors of a server fetch from a hub: in a folder of their own, which holds so many bytes at most."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from psa_core import cache_dir, locks
from psa_core.errors import ModelError
from psa_core.inputs.limits import HUB_DISK

ROOM = "hub"
#: A model that somebody asked for so recently is not dropped: a run may be about to read it.
IN_USE_SECONDS = 3_600
#: In a model's folder: the bytes that it will have when what was asked for is there.
EXPECTED = "expected"


@dataclass(frozen=True)
class Public:
    """A hub's model as the hub shows it to anybody.

    Attributes
    ----------
    name, commit : str
    sizes : dict of str to int
        Bytes of each file that is wanted.
    """

    name: str
    commit: str
    sizes: dict[str, int]

    def whole_in(self, cache: Path) -> Path | None:
        """The folder with every wanted file in a cache of the hub's client; None when one is missing."""
        snapshot = self._own(cache) / "snapshots" / self.commit
        return snapshot if self.sizes and all((snapshot / file).is_file() for file in self.sizes) else None

    def room(self) -> Path:
        """The visitors' cache, with room for this model: those used longest ago are dropped for it.

        Raises
        ------
        ModelError
            When it is larger than all of them may be, or others that are in use leave no room.
        """
        cache, size = cache_dir.room(ROOM), sum(self.sizes.values())
        HUB_DISK.check(size, field=f"hub model {self.name}", error=ModelError, of="of files")
        with locks.locked(cache / ".lock"):
            own = self._own(cache)
            own.mkdir(exist_ok=True)
            os.utime(own)
            if self.whole_in(cache) is None:
                left = _shrunk(cache, own, HUB_DISK.value - _stored(own) - size)
                if left < 0:
                    got = f"no room beside the models of other visitors, which fill {HUB_DISK.words}"
                    fix = f"Try again in an hour, or choose a packaged model. ({HUB_DISK.setting} sets the limit.)"
                    raise ModelError(f"hub model {self.name}", got=got, expected="a smaller one", fix=fix)
                (own / EXPECTED).write_text(str(_stored(own) + size))
        return cache

    def _own(self, cache: Path) -> Path:
        from huggingface_hub.file_download import repo_folder_name

        return cache / repo_folder_name(repo_id=self.name, repo_type="model")


def _shrunk(cache: Path, own: Path, room: int) -> int:
    """Drop models that are not in use until the others fit into so many bytes; returns the bytes that are left."""
    others = [folder for folder in cache.iterdir() if folder != own and not folder.name.startswith(".")]
    room -= sum(map(_taken, others))
    for folder in sorted(others, key=lambda folder: folder.stat().st_mtime):
        if room >= 0 or time.time() - folder.stat().st_mtime < IN_USE_SECONDS:
            break
        room += _taken(folder)
        shutil.rmtree(folder)
    return room


def _taken(folder: Path) -> int:
    """The bytes of a model's folder, or those that it will have."""
    try:
        expected = int((folder / EXPECTED).read_text())
    except (OSError, ValueError):
        expected = 0
    return max(expected, _stored(folder))


def _stored(folder: Path) -> int:
    """The bytes of a folder's files; links to them count as links."""
    return sum(file.lstat().st_size for file in folder.rglob("*"))
