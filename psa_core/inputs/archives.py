"""Unpack untrusted zip files: known names only, limits checked first."""

from __future__ import annotations

import io
import lzma
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from psa_core.errors import RunFolderError
from psa_core.inputs.limits import ARCHIVE, ARCHIVE_FILES

CHUNK = 2**20
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error)
FAULTS = (*DAMAGED, OSError, ValueError, RuntimeError, EOFError, LookupError)


def unpack(content: bytes, folder: Path, is_included: Callable[[str], bool]) -> None:
    """Write the wanted files of a zip into an empty folder, flat: no path of the zip is followed.

    `is_included` tells from the last part of a file's name whether it is wanted. Raises `RunFolderError` when it is no
    zip, is damaged, has a wanted file twice, or is over the limits of number and unpacked size.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            ARCHIVE_FILES.check(len(entries), field="zip", error=RunFolderError)
            for entry in entries:
                name = PurePosixPath(entry.filename.replace("\\", "/")).name
                if entry.is_dir() or not is_included(name):
                    continue
                if name in found:
                    raise RunFolderError("zip", got=f"two files {name[:60]!r}", expected="one result folder")
                found[name] = entry
            size = sum(entry.file_size for entry in found.values())
            ARCHIVE.check(size, field="zip", error=RunFolderError, of="unpacked")
            for name, entry in found.items():
                with archive.open(entry) as packed, (folder / name).open("wb") as plain:
                    shutil.copyfileobj(packed, plain, CHUNK)
    except FAULTS as error:
        got = "a file that is no zip, or a damaged one"
        raise RunFolderError("zip", got=got, expected="the zip that a page saved") from error
