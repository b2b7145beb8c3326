"""Open zipped audit folders from untrusted sources."""

from __future__ import annotations

from pathlib import Path

from psa_core.inputs import archives

SUFFIXES = (".csv", ".json", ".parquet", ".html")


def unzip(content: bytes, folder: Path) -> None:
    """Unpack the data files of a zipped result folder; see `archives.unpack`."""
    archives.unpack(content, folder, lambda name: name.endswith(SUFFIXES))
