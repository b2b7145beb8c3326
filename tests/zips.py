"""What a zipped study holds, read in a process of its own as `jobs.keep_zip` does."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import judgements, results
from psa_core.inputs import bounded


def read_zip(content: bytes, read: Callable[[bytes, Path], Any] = results.unpacked) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return bounded.call(read, content, Path(folder), field="zip", error=RunFolderError)


def judged_in(content: bytes, cube: ScoreCube) -> pd.DataFrame:
    return judgements.about(read_zip(content, judgements.unpacked), cube)
