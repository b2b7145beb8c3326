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
FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    OSError,
    ValueError,
    RuntimeError,
    EOFError,
    LookupError,
)


def unpack(content: bytes, folder: Path, is_wanted: Callable[[str], bool]) -> None:
    """Write the wanted files of a zip into a folder, flat: no path of the zip is followed.

    Parameters
    ----------
    content : bytes
    folder : Path
        That is there, and empty.
    is_wanted : callable
        From the last part of a file's name in the zip.

    Raises
    ------
    RunFolderError
        When it is no zip, is damaged, has a wanted file twice, or is over the limits of number and unpacked size.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name, entry in _wanted(archive, is_wanted).items():
                with archive.open(entry) as packed, (folder / name).open("wb") as plain:
                    shutil.copyfileobj(packed, plain, CHUNK)
    except FAULTS as error:
        raise RunFolderError(
            "zip", got="a file that is no zip, or a damaged one", expected="the zip that a page saved"
        ) from error


def _wanted(archive: zipfile.ZipFile, is_wanted: Callable[[str], bool]) -> dict[str, zipfile.ZipInfo]:
    entries = archive.infolist()
    ARCHIVE_FILES.check(len(entries), field="zip", error=RunFolderError)
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = PurePosixPath(entry.filename.replace("\\", "/")).name
        if entry.is_dir() or not is_wanted(name):
            continue
        if name in found:
            raise RunFolderError("zip", got=f"two files {name[:60]!r}", expected="one result folder")
        found[name] = entry
    ARCHIVE.check(sum(entry.file_size for entry in found.values()), field="zip", error=RunFolderError, of="unpacked")
    return found
