"""Load and check a task folder with train, val and test tables."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core.errors import CorpusError
from psa_core.inputs.checks import bytes_of
from psa_core.inputs.decoding import unpacked
from psa_core.inputs.limits import COLUMNS, FILE
from psa_core.retraining.measure import Split

SPLITS = ("train", "val", "test")


@dataclass(frozen=True, eq=False)
class Task:
    """What an adapter is trained for: class names in the order of the model's outputs, and three splits.

    Without a test table the model card says so.
    """

    labels: tuple[str, ...]
    train: Split
    val: Split
    test: Split | None = None


def read_task(folder: str | Path) -> Task:
    """Read ``train``, ``val`` and (where present) ``test`` ``.csv`` or ``.csv.gz`` from a folder.

    Each table has a ``text`` column and ``label_name`` (words), ``label`` (words or numbers), or both. Class names come
    from the training table: in the order of the numbers in ``label`` where there are both columns, else in numerical or
    alphabetical order. Raises `CorpusError` when a table is missing or unreadable, lacks a column, has an empty label,
    or has a class that the training table lacks.
    """
    tables = {split: _read_table(Path(folder), split) for split in SPLITS}
    train, val = tables["train"], tables["val"]
    for split, table in (("train", train), ("val", val)):
        if table is None:
            raise CorpusError(
                "task folder",
                got=f"no {split}.csv or {split}.csv.gz in {folder}",
                expected="train and val tables (test is optional)",
                fix="Put one csv per split there, with the columns text and label (or label_name).",
            )
    assert train is not None and val is not None
    labels = _class_names(train)
    if len(labels) < 2:
        raise CorpusError("train labels", got=f"only {', '.join(labels)}", expected="at least two classes")
    splits = {split: _to_split(table, labels, split) for split, table in tables.items() if table is not None}
    return Task(labels, splits["train"], splits["val"], splits.get("test"))


def _read_table(folder: Path, split: str) -> pd.DataFrame | None:
    """The table of one split with everything as text, or None when the folder has none."""
    paths = [path for path in (folder / f"{split}.csv", folder / f"{split}.csv.gz") if path.is_file()]
    if not paths:
        return None
    name = paths[0].name
    try:
        content = bytes_of(paths[0], FILE, field=name, error=CorpusError)
        content = unpacked(content, FILE, field=name, error=CorpusError) if name.endswith(".gz") else content
        COLUMNS.check(content.partition(b"\n")[0].count(b",") + 1, field=name, error=CorpusError)
        # "NA" and "null" are things people write: they stay texts.
        table = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except (OSError, ValueError, EOFError) as error:
        reason = str(error).splitlines()[0]
        raise CorpusError(paths[0].name, got=f"an unreadable file ({reason})", expected="a UTF-8 csv table") from error
    if "text" not in table or not {"label", "label_name"} & set(table.columns):
        raise CorpusError(
            paths[0].name,
            got=f"the columns {', '.join(table.columns)}",
            expected="text and label (or label_name)",
        )
    _refuse_unlabelled(table, paths[0].name)
    return table


def _refuse_unlabelled(table: pd.DataFrame, file: str) -> None:
    """Raise when the table has no rows, or an empty label; an empty text is a text (TweetEval has some)."""
    if table.empty:
        raise CorpusError(file, got="no rows", expected="at least one labelled text")
    for column in table.columns.intersection(["label", "label_name"]):
        empty = np.flatnonzero(table[column].str.strip() == "")
        if len(empty):
            raise CorpusError(
                file,
                got=f"an empty {column} in data row {empty[0] + 1}",
                expected="a label in every row",
                fix=f"Fill or delete the {len(empty)} such rows.",
            )


def _class_names(train: pd.DataFrame) -> tuple[str, ...]:
    """Class names in the order of the model's outputs."""
    if "label_name" not in train:
        return tuple(sorted(train["label"].unique(), key=_numbers_first))
    if "label" not in train:
        return tuple(sorted(train["label_name"].unique(), key=_numbers_first))
    pairs = train[["label", "label_name"]].drop_duplicates()
    for column in ("label", "label_name"):
        if pairs[column].duplicated().any():
            twice = pairs.loc[pairs[column].duplicated(), column].iloc[0]
            raise CorpusError("train labels", got=f"two partners of {twice!r}", expected="one label per label_name")
    order: Mapping[str, str] = dict(zip(pairs["label"], pairs["label_name"], strict=True))
    return tuple(order[label] for label in sorted(order, key=_numbers_first))


def _numbers_first(label: str) -> tuple[int, float, str]:
    """Sort key: numbers by their value, then words."""
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)


def _to_split(table: pd.DataFrame, labels: Sequence[str], split: str) -> Split:
    """Texts with the index of their class."""
    column = table["label_name"] if "label_name" in table else table["label"]
    unknown = sorted(set(column) - set(labels))
    if unknown:
        raise CorpusError(
            f"{split} labels",
            got=f"{', '.join(unknown)}, which train does not have",
            expected=f"only {', '.join(labels)}",
        )
    index = {label: i for i, label in enumerate(labels)}
    return Split(tuple(table["text"]), column.map(index).to_numpy(dtype=np.int64))
