"""predictions: scores computed elsewhere for exported texts, read back from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import trust
from psa_core.cube import UNANSWERED, Target
from psa_core.errors import ModelError
from psa_core.inputs import bounded, evaluations, tables
from psa_core.inputs.checks import as_texts, path_of
from psa_core.inputs.limits import MEASURE
from psa_core.inputs.spreadsheet import plain
from psa_core.models._answers import FoundRange, column_numbers, declared, first_outside, with_points
from psa_core.models._base import ModelPlugin, digest
from psa_core.models._options import parse_range, split_options
from psa_core.models._transformers.heads import safe_names
from psa_core.plurals import counted

FORMATS = ("csv", "tsv", "jsonl", "parquet", *evaluations.LOGS)
PREDICTIONS = tables.TableSchema(
    "predictions", ModelError, FORMATS, row="one text and its scores a row", headers=frozenset({"text"})
)
# What `texts` writes beside the text, and what spreadsheets and data frames add (also "Unnamed: 0").
NOT_TARGETS = frozenset({"text_id", "sentence_id", "name", "text", "id", "index", "row", ""})
# Two rows of one text may differ by this share of the range: batches on another machine round differently.
TOLERANCE = 0.01


@dataclass(frozen=True)
class Coverage:
    """How a file of predictions and the texts of a study fit together: distinct texts, and rows of the file."""

    missing: int  # texts of the study without a score
    doubled: int  # rows whose text was there before, with the same score but for rounding; the mean counts
    extra: int  # texts of the file that the study does not have
    unscored: int  # rows with an empty score
    first_missing: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """What does not fit, with its number; empty where everything does."""
        parts = {
            "text": [(self.missing, "without a score"), (self.extra, "that the study does not have")],
            "row": [(self.doubled, "of a text that was there before"), (self.unscored, "with an empty score")],
        }
        return ", ".join(f"{counted(n, noun)} {what}" for noun, found in parts.items() for n, what in found if n)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Scores by text, as a file has them: `rows` is the row of each text in `scores`, float32 (R, T)."""

    rows: Mapping[str, int] = field(repr=False)
    scores: np.ndarray = field(repr=False)
    targets: tuple[Target, ...]
    fingerprint: str
    source: str
    doubled: int = 0
    unscored: int = 0
    ranges: tuple[str, ...] = ()  # each target with its range, and why it is that where it is not a usual one
    warnings: tuple[str, ...] = ()  # what may be a slip, in sentences

    @property
    def about(self) -> str:
        account = f"{counted(len(self.rows), 'text')} with a score in {self.source}: {', '.join(self.ranges)}."
        return " ".join([account, *self.warnings])

    def coverage(self, texts: Iterable[str]) -> Coverage:
        """How the file fits the texts of a study, which are looked at one by one and not kept."""
        found = np.zeros(len(self.scores), dtype=bool)
        missing: set[int] = set()  # of their hashes: a study can have millions of long texts
        first = ""
        for text in texts:
            row = self.rows.get(text)
            if row is None:
                first = text if not missing else first
                missing.add(hash(text))
            else:
                found[row] = True
        return Coverage(len(missing), self.doubled, int((~found).sum()), self.unscored, first)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), T).

        Raises `ModelError` when the file has no score for some of them.
        """
        texts = as_texts(texts)
        missing = dict.fromkeys(text for text in texts if text not in self.rows)
        if missing:
            count = f"{len(missing)} of {len(set(texts))} texts"
            got = f"no score for {count} in {self.source}, first {next(iter(missing))!r}"
            fix = "Write the texts of this study with `psa texts`, score all of them, and try again."
            raise ModelError("predictions", got=got, expected="a row for every text", fix=fix)
        return self.scores[[self.rows[text] for text in texts]].reshape(len(texts), len(self.targets))


def load(argument: str) -> Predictions:
    """Read a file with a ``text`` column and one column of numbers per target.

    Path of a csv, tsv, jsonl or parquet file (gz too), or of a log that `inputs.evaluations` reads; after ``?``,
    ``targets`` (columns, comma-separated; default every column of numbers) and ``range`` (``-1..1``; default [0, 1] or
    [-1, 1] where the scores fit, else theirs). Raises `ModelError` when the file cannot be read, has no text or no
    target, gives one text two different scores, or has scores beyond the range asked for.

    Notes
    -----
    Where the range is the scores' own, the label is from 0 on if they are of both signs, else from the middle of most.
    """
    name, options = split_options(argument, ("targets", "range"))
    requested = [part.strip() for part in options.get("targets", "").split(",") if part.strip()]
    table = read(path_of(name), requested)
    columns = requested or _target_columns(table)
    values = np.stack([column_numbers(table[column], column) for column in columns], axis=1)
    # A text without a valid answer has no score, but says so: its share of answers that are none is a number.
    counted_apart = [f"{column}{UNANSWERED}" in columns for column in columns]
    scored = (np.isfinite(values) | counted_apart).all(axis=1) & np.isfinite(values).any(axis=1)
    if not np.isfinite(values).any(axis=0).all() or not scored.any():
        raise ModelError("predictions", got=f"no score in any row of {name}", expected="a number in each row")
    texts, values = table["text"][scored], values[scored]
    ranges = [FoundRange.of(scores[np.isfinite(scores)]) for scores in values.T]
    if "range" in options:
        ranges = [each.declared(*parse_range(options["range"])) for each in ranges]
    targets = tuple(
        Target(safe, each.low, each.high, f"{column}", each.threshold)
        for safe, each, column in zip(safe_names(columns), ranges, columns, strict=True)
    )
    if (outside := first_outside(values, targets)) is not None:  # of a range that was declared: one found holds all
        row, target = outside
        got = f"{values[row, targets.index(target)]:.9g} for the text in row {texts.index[row] + 1}"
        fix = "To declare another range, write ?range=low..high after the file, or leave it out."
        raise ModelError(f"predictions column {target.meaning!r}", got=got, expected=declared(target), fix=fix)
    warnings = [
        each.warning(column, scores[np.isfinite(scores)], texts[np.isfinite(scores)])
        for each, column, scores in zip(ranges, columns, values.T, strict=True)
    ]
    codes, found = pd.factorize(texts)
    distinct: list[str] = found.tolist()
    means = _means(values, codes, distinct=distinct, targets=targets)
    rows = means.tolist()  # a call a row would take longer than all the rest
    parts = [f"{distinct[i]}\x01{rows[i]}" for i in sorted(range(len(distinct)), key=distinct.__getitem__)]
    # The apostrophes that keep a spreadsheet from running a cell may be there or not.
    by_text = {text: row for row, text in enumerate(distinct)}
    for row, text in enumerate(distinct):
        by_text.setdefault(plain(text), row)
    fingerprint = f"predictions:{digest([repr([(t.name, t.low, t.high) for t in targets]), *parts])}"
    doubled, unscored = len(codes) - len(distinct), int((~scored).sum())
    said = tuple(f"{target.name} ({each.words})" for target, each in zip(targets, ranges, strict=True))
    told = tuple(filter(None, warnings))
    return Predictions(by_text, means, targets, fingerprint, Path(name).name, doubled, unscored, said, told)


def read(path: Path, targets: Sequence[str] = ()) -> pd.DataFrame:
    """The table of a predictions file, all cells as strings: its texts, and the columns of these targets or all others.

    Raises `ModelError` when there is no such file, it is malformed or too large, or it has no column ``text`` or of a
    target.
    """
    tables.check_ending(path.name, FORMATS, field=PREDICTIONS.field, error=PREDICTIONS.error)
    try:
        if not path.is_file():  # a device or a pipe may never end
            raise FileNotFoundError(path)
        PREDICTIONS.check(PREDICTIONS.file, path.stat().st_size)
        content = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        got = f"no file at {str(path)[:120]!r}, or none that may be read"
        raise PREDICTIONS.problem(got, expected="a file with texts and their scores") from error
    kind = tables.kind_of(path.name)
    if kind in evaluations.LOGS or (kind == "jsonl" and evaluations.is_samples(content)):
        given = {"field": PREDICTIONS.field, "error": PREDICTIONS.error, "seconds": MEASURE}
        content, kind = bounded.call(evaluations.as_lines, kind, content, **given), "jsonl"  # type: ignore[arg-type]
    table = tables.read(path.name, content, PREDICTIONS, ["text", *targets] if targets else None, kind=kind)
    missing = [column for column in targets if column not in table.headers]
    listed = ", ".join(column[:40] for column in table.headers[:12])
    if missing:
        raise ModelError("predictions targets", got=missing[0][:80], expected=f"one of {listed}")
    if "text" not in table.headers:
        raise PREDICTIONS.problem(f"the columns {listed}", expected="a column named text")
    return table.frame


def _target_columns(table: pd.DataFrame) -> list[str]:
    """Every column of numbers: most of its cells; where there is none, most of those that are filled."""
    lowered = {column: column.lower() for column in table.columns}
    candidates = [c for c in lowered if lowered[c] not in NOT_TARGETS and not lowered[c].startswith("unnamed:")]
    numbers = {column: pd.to_numeric(with_points(table[column]), errors="coerce").notna() for column in candidates}
    filled = {column: table[column].str.strip() != "" for column in candidates}
    columns = [column for column in candidates if numbers[column].mean() > 0.5]
    columns = columns or [column for column in candidates if 2 * numbers[column].sum() > filled[column].sum()]
    if columns:
        return columns
    seen = [
        f"{column[:40]}: {table[column][filled[column]].iloc[0][:20]!r}" for column in candidates if any(filled[column])
    ]
    got = f"no column of numbers beside text ({', '.join(seen[:12]) or 'no other column with a cell'})"
    raise ModelError("predictions", got=got, expected="one column per target, with numbers such as 0.25")


def _means(values: np.ndarray, codes: np.ndarray, *, distinct: Sequence[str], targets: Sequence[Target]) -> np.ndarray:
    """Mean score of each distinct text: float32 (R, T); `ModelError` where rows of one text disagree."""
    if len(distinct) == len(codes):
        return values.astype(np.float32)
    groups = pd.DataFrame(values.astype(np.float64)).groupby(codes)
    spread = (groups.max() - groups.min()).to_numpy()
    limits = np.array([TOLERANCE * (target.high - target.low) for target in targets])
    conflicts = np.flatnonzero((spread > limits).any(axis=1))
    if len(conflicts):
        which = f"{counted(len(conflicts), 'text')}, first {distinct[conflicts[0]]!r}"
        got, fix = f"different scores for the same text ({which})", "Keep one row for each text."
        raise ModelError("predictions", got=got, expected="one score per text", fix=fix)
    return groups.mean().to_numpy().astype(np.float32)


MODEL = ModelPlugin(
    id="predictions",
    title="File of predictions",
    summary="Scores that were computed elsewhere for exported texts: a column text, and one column per target.",
    load=load,
    argument="file",
    uploads=(*FORMATS, "gz"),
    takes=trust.PATH,
    known_texts_only=True,
)
