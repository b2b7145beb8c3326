"""Audits: one folder each, found by :mod:`psa_core.registry`; the skeleton that they share is `Audit`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from psa_core.audits._audit import Audit, Export, unzip
from psa_core.errors import RunFolderError
from psa_core.inputs import bounded
from psa_core.inputs.limits import MEASURE
from psa_core.registry import discover

__all__ = ["Audit", "Export", "open_zip", "plugins"]


def plugins() -> dict[str, Audit]:
    """Every audit by its id."""
    return discover("psa_core.audits", "AUDIT")


def open_zip(audit: str, content: bytes, to: Path) -> None:
    """Write the result folder of an audit from an uploaded zip: every file is made again from its data alone.

    It is unpacked and measured in a process of its own; `RunFolderError` when it is damaged, another audit's, or needs
    more than the limits.
    """
    with tempfile.TemporaryDirectory() as aside:
        bounded.call(unzip, content, Path(aside), field="zip", error=RunFolderError)
        bounded.call(_rewrite, audit, Path(aside), to.absolute(), field="zip", error=RunFolderError, seconds=MEASURE)


def _rewrite(audit: str, folder: Path, to: Path) -> None:
    plugins()[audit].rewrite(folder, to)  # by its id: an audit's functions cannot all be sent to another process
