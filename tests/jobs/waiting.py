"""Runs that have a folder and no worker yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psa_core.jobs._records import JobRecord
from psa_core.jobs.runs import create_folder


def waiting_run(command: str, uploads: Mapping[str, bytes] | None = None, **fields: Any) -> str:
    """Make the folder of a run; `fields` are those of a `JobRecord`. Returns the run id."""
    return create_folder(JobRecord(command, **fields), uploads or {})
