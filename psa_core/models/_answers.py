"""Validate the answers of external models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.models._numbers import declared, first_outside


def reason(error: BaseException) -> str:
    """What an error says, short enough for one sentence."""
    said = (str(error).strip().splitlines() or [""])[0].rstrip(".:")[:160]
    return said or type(error).__name__


def as_scores(answer: Any, rows: int, *, targets: Sequence[Target], source: str, declare: str) -> np.ndarray:
    """An answer as a float32 array (rows, T); a flat list of numbers will do for one target.

    Parameters
    ----------
    answer : array-like
    rows : int
        How many texts were asked for.
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
    expected = f"{rows} rows of {len(targets)} numbers, one row per text"
    try:
        scores = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(source, got="an answer that is no table of numbers", expected=expected) from error
    if scores.ndim == 1 and len(targets) == 1:
        scores = scores[:, np.newaxis]
    if rows == 0 and scores.size == 0:
        return np.empty((0, len(targets)), np.float32)
    if scores.shape != (rows, len(targets)):
        raise ModelError(source, got=f"an answer of shape {scores.shape}", expected=expected)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        raise ModelError(source, got=f"no finite score for text {row + 1} of {rows}", expected=expected)
    return _within(scores, targets, source, f"To declare another range, {declare}.").astype(np.float32)


def _within(scores: np.ndarray, targets: Sequence[Target], source: str, fix: str) -> np.ndarray:
    """Scores (rows, T) cut to the range of their targets; `ModelError` where that is more than rounding."""
    found = first_outside(scores, targets)
    if found is not None:
        row, target = found
        got = f"{scores[row, targets.index(target)]:.9g} for text {row + 1} of {len(scores)}"
        raise ModelError(source, got=got, expected=declared(target), fix=fix)
    return np.clip(scores, [target.low for target in targets], [target.high for target in targets])


def as_targets(described: Any, *, source: str) -> tuple[Target, ...]:
    """Targets from Targets, names, or mappings with name, low, high and meaning.

    Raises
    ------
    ModelError
        When there is none, two have one name, or a range is empty.
    """
    from psa_core.models._transformers.heads import safe_names

    try:
        targets = tuple(_target(row) for row in described)
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


def _target(row: Any) -> Target:
    if isinstance(row, Target):
        return row
    if isinstance(row, str):
        return Target(row)
    return Target(
        str(row["name"]), float(row.get("low", 0.0)), float(row.get("high", 1.0)), str(row.get("meaning", ""))
    )
