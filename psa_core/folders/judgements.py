"""Readers' judgements of flips, stored with a study's results."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from psa_core import atomic, locks
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError, RunFolderError
from psa_core.inputs import archives, spreadsheet
from psa_core.inputs.limits import JUDGED
from psa_core.inputs.spreadsheet import plain

FILE = "judgements.csv"
VERDICTS = {
    "defect": "Defect",
    "fine": "Not a defect",
    "meaning": "The replacement changes the meaning",
}
MAX_READER_LENGTH = 60


@dataclass(frozen=True)
class Judgement:
    """One reader's word on one flip; `verdict` is a key of `VERDICTS`."""

    sentence_id: str
    name: str
    target: str
    verdict: str
    reader: str = "reader"
    time: str = ""


COLUMNS = [item.name for item in fields(Judgement)]
ONE_WORD_EACH = ["sentence_id", "name", "target", "reader"]


def load(folder: Path) -> pd.DataFrame:
    """Every judgement of a result folder, each reader's last word per flip: columns as the fields of `Judgement`.

    Raises `RunFolderError` when the file is there but cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS, dtype=str)
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")[COLUMNS].map(plain)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RunFolderError(FILE, got="a damaged file", expected="the judgements of this study") from error


def save(folder: Path, judgement: Judgement) -> pd.DataFrame:
    """Add a judgement, in place of the same reader's earlier one on the same flip; returns all of them.

    Raises `OptionError` when the verdict is unknown, or the reader's name is empty or too long; `RunFolderError` when
    the folder is not there.
    """
    if judgement.verdict not in VERDICTS:
        raise OptionError("judgement", got=repr(judgement.verdict), expected=f"one of {', '.join(VERDICTS)}")
    if not 0 < len(judgement.reader.strip()) <= MAX_READER_LENGTH:
        raise OptionError(
            "reader", got=repr(judgement.reader[:20]), expected=f"a name of 1 to {MAX_READER_LENGTH} letters"
        )
    now = judgement.time or datetime.now(UTC).isoformat(timespec="seconds")
    row = pd.DataFrame([asdict(judgement) | {"time": now, "reader": judgement.reader.strip()}])
    return _change(folder, lambda before: pd.concat([before, row]))


def withdraw(folder: Path, judgement: Judgement) -> pd.DataFrame:
    """Take a reader's judgement of a flip back; returns those that are left."""
    gone = pd.Series(asdict(judgement))[ONE_WORD_EACH]
    return _change(folder, lambda before: before[~(before[ONE_WORD_EACH] == gone).all(axis=1)])


def about(judged: pd.DataFrame, cube: ScoreCube) -> pd.DataFrame:
    """Those of some judgements that speak of cells of a cube, each reader's last word on each."""
    known = {
        "sentence_id": cube.sentences["sentence_id"],
        "name": cube.names["name"],
        "target": [target.name for target in cube.targets],
        "verdict": list(VERDICTS),
    }
    fits = judged["reader"].str.strip().str.len().between(1, MAX_READER_LENGTH)
    for column, values in known.items():
        fits &= judged[column].isin(values)
    return judged[fits].drop_duplicates(ONE_WORD_EACH, keep="last").reset_index(drop=True)


def unpacked(content: bytes, path: Path) -> pd.DataFrame:
    """The judgements in a zip, whatever they speak of; for a process with limits. `path` is an empty folder."""
    archives.unpack(content, path, lambda name: name == FILE)
    if (path / FILE).is_file():
        JUDGED.check((path / FILE).stat().st_size, field=FILE, error=RunFolderError)
    return load(path)


def keep(folder: Path, judged: pd.DataFrame) -> pd.DataFrame:
    """Put judgements that were made elsewhere, such as those in a zip, beside a study's results; returns all."""
    if judged.empty:
        return load(folder)
    return _change(folder, lambda before: pd.concat([before, judged]))


def left_out(judged: pd.DataFrame) -> frozenset[str]:
    """Sentences whose meaning a replacement changes, in somebody's judgement."""
    return frozenset(judged.loc[judged["verdict"] == "meaning", "sentence_id"])


def _change(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    if not folder.is_dir():
        raise RunFolderError("run", got="a run without a result", expected="a finished run")
    try:
        with locks.locked(folder.parent / "judgements.lock"):  # beside the results, so that it is not exported
            after = change(load(folder)).drop_duplicates(ONE_WORD_EACH, keep="last")[COLUMNS]
            stream = io.StringIO()
            spreadsheet.write(after, stream)
            atomic.write(folder / FILE, stream.getvalue())
    except OSError as error:
        got = error.strerror or type(error).__name__
        raise RunFolderError(FILE, got=got, expected="room and the right to write beside the results") from error
    return after.reset_index(drop=True)
