"""Many damaged inputs, one after the other: each is read, or refused in one sentence, soon and without much memory."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from psa_core.errors import PsaError
from tests.fuzz.loaders import Case, loaders

MAX_SECONDS, MAX_SENTENCE_LENGTH = 20.0, 1_500


@dataclass
class Outcome:
    """What became of the cases of one reader."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0


def run(name: str, cases: int, seed: int, place: Path) -> Outcome:
    """Read so many damaged inputs; equal seeds give equal inputs."""
    case, outcome = loaders(place)[name][1], Outcome()
    for number in range(cases):
        started = time.process_time()  # how long it takes by the clock says how busy the machine is
        folder = Path(tempfile.mkdtemp(dir=place))
        words = _what_became(case, f"{seed}/{name}/{number}", folder)
        seconds = time.process_time() - started
        outcome.slowest = max(outcome.slowest, seconds)
        outcome.counts["read" if words == "" else "refused"] += 1
        problem = _problem(words) or ("" if seconds < MAX_SECONDS else f"{seconds:.0f} seconds")
        if problem:
            outcome.failures.append(f"{name}, seed {seed}, case {number}: {problem}")
        shutil.rmtree(folder)
    return outcome


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
    foreseen = "a file that cannot be read (" not in words
    return "" if foreseen and (not words or (": got " in words and ", expected " in words)) else words
