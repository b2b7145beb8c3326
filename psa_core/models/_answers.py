"""Validate the answers of external models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.models._ranges import declared, first_outside


def reason(error: BaseException) -> str:
    """What an error says, short enough for one sentence."""
    first_line = (str(error).strip().splitlines() or [""])[0].rstrip(".:")[:160]
    return first_line or type(error).__name__


def as_scores(answer: Any, texts: Sequence[str], *, targets: Sequence[Target], source: str, declare: str) -> np.ndarray:
    """An answer as a float32 array (rows, T); a flat list of numbers will do for one target.

    Parameters
    ----------
    answer : array-like
    texts : sequence of str, length rows
        What was asked for.
    targets : sequence of Target, length T
        A number beyond its target's range by no more than rounding is put on its edge.
    source : str
        Who answered, as messages call it.
    declare : str
        How the range of a target is declared there.

    Raises
    ------
    ModelError
        When it is no array of finite numbers of that shape, or one of them is out of its target's range.
    """
    rows, width = len(texts), len(targets)
    expected = f"{rows} row{'s' * (rows != 1)} of {width} number{'s' * (width != 1)}, one row per text"
    try:
        if getattr(getattr(answer, "dtype", None), "kind", "") == "c":
            raise TypeError("complex numbers")
        scores = np.ma.filled(np.ma.asanyarray(_detached(answer), dtype=np.float64), np.nan)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ModelError(source, got="an answer that is no table of numbers", expected=expected) from error
    if scores.ndim == 1 and len(targets) == 1:
        scores = scores[:, np.newaxis]
    if rows == 0 and scores.size == 0:
        return np.empty((0, len(targets)), np.float32)
    if scores.shape != (rows, len(targets)):
        raise ModelError(source, got=f"an answer of shape {scores.shape}", expected=expected)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        got = f"no finite score for text {row + 1} of {rows}"
        raise ModelError(source, got=got, expected=expected, fix=_quoted(texts[row]))
    outside = first_outside(scores, targets)  # by more than rounding
    if outside is not None:
        row, target = outside
        got = f"{scores[row, targets.index(target)]:.9g} for text {row + 1} of {rows}"
        fix = f"{_quoted(texts[row])} To declare another range, {declare}."
        raise ModelError(source, got=got, expected=declared(target), fix=fix)
    lows, highs = [target.low for target in targets], [target.high for target in targets]
    return np.clip(scores, lows, highs).astype(np.float32)


def by_target(answer: Any, *, targets: Sequence[Target], source: str) -> Any:
    """An answer that names its columns, with these in the order of the targets; any other answer as it came.

    Columns have names in a data frame, in a mapping from target to numbers and in a list of mappings, one a text. One
    column for one target may be called anything, and so may columns that are only counted (0, 1, …). Raises
    `ModelError` when the columns are not called as the targets are.
    """
    columns = columns_of(answer)
    if columns is None:
        return answer
    names, order = [name for name, _ in columns], [target.name for target in targets]
    if len(names) == len(order) == 1:
        return columns[0][1]
    if names == list(range(len(order))):
        order = names
    if sorted(map(str, names)) != sorted(map(str, order)):
        listed = ", ".join(map(str, names))[:300] or "none"
        raise ModelError(source, got=f"columns {listed}", expected=f"columns {', '.join(map(str, order))}")
    found: dict[str, np.ndarray] = {
        str(name): np.ma.filled(np.ma.asanyarray(_detached(values), object), np.nan) for name, values in columns
    }
    if len({values.shape for values in found.values()}) > 1 or not all(values.ndim for values in found.values()):
        raise ModelError(source, got="columns of different lengths", expected="one number per text in each column")
    return np.stack([found[str(name)] for name in order], axis=1)


def columns_of(answer: Any) -> list[tuple[Any, Any]] | None:
    """Names and values of an answer's columns, or None where they have no names."""
    if isinstance(answer, Mapping):
        return list(answer.items())
    if hasattr(answer, "columns") and hasattr(answer, "__getitem__"):
        return [(name, answer[name]) for name in answer.columns]
    if not isinstance(answer, list | tuple) or not answer or not all(isinstance(row, Mapping) for row in answer):
        return None
    names = list(dict.fromkeys(name for row in answer for name in row))
    return [(name, [row.get(name) for row in answer]) for name in names]


def _detached(answer: Any) -> Any:
    """A torch tensor as numbers, wherever it lies and whatever its format; anything else as it came."""
    return answer.detach().cpu().double() if callable(getattr(answer, "detach", None)) else answer


def _quoted(text: str) -> str:
    return f"The text is {text[:80]!r}{'…' * (len(text) > 80)}."


def as_targets(described: Any, *, source: str) -> tuple[Target, ...]:
    """Targets from Targets, names, or mappings with name, low, high and meaning; one of them may stand alone.

    Raises `ModelError` when there is none, two have one name, or a range is empty.
    """
    from psa_core.models._transformers.heads import safe_names

    described = (described,) if isinstance(described, str | Mapping | Target) else described

    def read(row: Any) -> Target:
        if isinstance(row, str | Target):
            return Target(row) if isinstance(row, str) else row
        low, high = float(row.get("low", 0.0)), float(row.get("high", 1.0))
        return Target(str(row["name"]), low, high, str(row.get("meaning", "")))

    try:
        targets = tuple(read(row) for row in described)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise ModelError(
            source, got=f"targets {described!r:.200}", expected="name, low, high of each target"
        ) from error
    names = [target.name for target in targets]
    if not names or safe_names(names) != names:
        expected = "at least one target, with distinct names of letters, digits and _ . + -"
        raise ModelError(source, got=f"the targets {', '.join(names) or 'none'}"[:300], expected=expected)
    if not all(-np.inf < target.low < target.high < np.inf for target in targets):
        raise ModelError(source, got="a target without a range", expected="low below high, both finite")
    return targets
