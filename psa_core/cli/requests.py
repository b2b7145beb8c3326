"""``psa_core requests``: what a study would ask a language model, as a file for a provider's batch interface."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from psa_core import models
from psa_core.asking.endpoint import NUMBERS
from psa_core.asking.provider import BEGINS, EXAMPLE, Batch, Provider, provider_of
from psa_core.asking.records import write_requests
from psa_core.cli._base import Command, tell_left_out
from psa_core.cli._subjects import SUBJECTS, subjects_in
from psa_core.errors import OptionError
from psa_core.folders.writing import atomic_file
from psa_core.options import option
from psa_core.plurals import counted
from psa_core.study import StudySpec, plan, preview


def _execute(
    given: dict[str, Any],
    *,
    subjects: Path | None = SUBJECTS,
    out: Path = option(metavar="FILE.jsonl", help="where the requests go"),
    batch: bool = option(False, help="send them to the provider, and wait for the answers"),
    cancel: bool = option(False, help="cancel the batch that --batch sent from this file"),
) -> int:
    spec = StudySpec(**given, **subjects_in(subjects))
    asked = models.unasked(spec.model)[0].asker.shown
    if cancel and batch:
        raise OptionError("--cancel", got="--batch beside it", expected="one of them")
    if cancel:
        print(f"The batch {_batch(asked, out).cancel()} is cancelled.")
        return 0
    planned = plan(spec)
    parts = [(part, models.unasked(part.spec.model)) for part in planned.parts()]
    every = (
        request
        for part, judges in parts
        for judge in judges
        for *_, text in preview.rows(part)
        for request in judge.requests(text)
    )
    with atomic_file(out) as file, file.open("w", encoding="utf-8") as stream:
        written = write_requests(every, parts[0][1][0].of, stream)
    tell_left_out(planned.selection)
    results = "FILE"
    if batch:
        print(f"{preview.estimate(planned, spec.model).words} Many providers take half of that for a batch.")
        results = str(_batch(asked, out).wait(lambda words: print(words, file=sys.stderr)))
    print(f"{counted(written, 'request')} in {out}; read the answers back with --model answers:{results}")
    return 0


def _batch(asked: str, requests: Path) -> Batch:
    """The batch of a file at the provider that is asked."""
    if not asked.startswith(BEGINS):
        raise OptionError("--batch", got=asked, expected=f"a provider: --model ask:{EXAMPLE}?question=…")
    provider = provider_of(asked, {key: usual for key, (usual, *_) in NUMBERS.items()}).endpoint
    assert isinstance(provider, Provider)
    return Batch(provider, requests)


COMMAND = Command(
    "requests",
    "Write a study's requests to a language model into a file, for a batch.",
    _execute,
    StudySpec,
)
