"""Zipped result folders of audits, from somebody else's hand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from psa_core.errors import RunFolderError
from psa_core.folders.results import ZIP_FAULTS

MAX_BYTES = 2**30
SUFFIXES = (".csv", ".json", ".parquet", ".html")


def unzip(content: bytes, folder: Path) -> None:
    """Unpack a zipped result folder; its paths are not trusted, only the names of data files are taken.

    Raises
    ------
    RunFolderError
        When it is no zip, or would be far larger than an audit's folder.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(item.file_size for item in archive.infolist()) > MAX_BYTES:
                raise RunFolderError("zip", got="more than 1 GB unpacked", expected="the folder of an audit")
            for item in archive.infolist():
                name = Path(item.filename).name
                if name.endswith(SUFFIXES) and not item.is_dir():
                    (folder / name).write_bytes(archive.read(item))
    except ZIP_FAULTS as error:
        raise RunFolderError(
            "zip", got="a file that is no zip, or a damaged one", expected="the zip that this page saved"
        ) from error
