"""Many damaged inputs, one after the other: each is read, or refused in one sentence, soon and without much memory."""

from __future__ import annotations

import random
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from psa_core.errors import PsaError
from psa_core.inputs import bounded
from tests.fuzz.loaders import Case, loaders

MAX_SECONDS, MAX_SENTENCE_LENGTH = 20.0, 1_500


@dataclass
class Outcome:
    """What became of the cases of one reader."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0


def run(name: str, cases: int, seed: int, place: Path, apart: float = 1.0) -> Outcome:
    """Read so many damaged inputs; equal seeds give equal inputs.

    `apart` is the share that is read as it is for a visitor, in processes with limits, which takes most of the time.
    The others are read in this process, where nothing catches what a reader does not foresee; those that seem to fail
    are read once more, with limits.
    """
    case, outcome = loaders(place)[name][1], Outcome()
    for number in range(cases):
        started = time.process_time()  # how long it takes by the clock says how busy the machine is
        key, words = f"{seed}/{name}/{number}", None
        if random.Random(f"{key}/apart").random() >= apart:
            with mock.patch.object(bounded, "call", _here), tempfile.TemporaryDirectory(dir=place) as folder:
                words = _what_became(case, key, Path(folder))
        if words is None or _problem(words):
            with tempfile.TemporaryDirectory(dir=place) as folder:
                words = _what_became(case, key, Path(folder))
        seconds = time.process_time() - started
        outcome.slowest = max(outcome.slowest, seconds)
        outcome.counts["read" if words == "" else "refused"] += 1
        problem = _problem(words) or ("" if seconds < MAX_SECONDS else f"{seconds:.0f} seconds")
        if problem:
            outcome.failures.append(f"{name}, seed {seed}, case {number}: {problem}")
    return outcome


def _here(function: Callable[..., object], *arguments: object, **_: object) -> object:
    """In place of `bounded.call`."""
    return function(*arguments)


def _what_became(case: Case, seed: str, folder: Path) -> str:
    """Empty when it was read; the sentence that refused it, or a traceback."""
    try:
        case(random.Random(seed), folder)
    except PsaError as error:
        return str(error)
    except Exception:  # noqa: BLE001 - this is what is looked for
        return traceback.format_exc()
    return ""


def _problem(words: str) -> str:
    if words.startswith("Traceback") or len(words) > MAX_SENTENCE_LENGTH:
        return words[-MAX_SENTENCE_LENGTH:]
    foreseen = "a file that cannot be used (" not in words
    return "" if foreseen and (not words or (": got " in words and ", expected " in words)) else words
