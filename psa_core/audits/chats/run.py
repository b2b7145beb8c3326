"""Run an audit of answers: ask, measure each answer, let a grader compare; what is known is used again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from psa_core import models
from psa_core.audits._running import Running
from psa_core.audits.chats import grader, measures
from psa_core.audits.chats.planning import ChatSpec, PlannedChats, plan
from psa_core.audits.chats.result import ChatResult
from psa_core.audits.chats.tables import tables
from psa_core.audits.generation.quality import minilm_embeddings
from psa_core.audits.generation.result import texts_table
from psa_core.audits.generation.run import Done, written
from psa_core.errors import ModelError, OptionError
from psa_core.models import Scorer


def measure(spec: ChatSpec, running: Running) -> ChatResult:
    """Ask for the answers that are not known yet, and measure all; answers are kept beside the folder until then."""
    graders = {item: models.load(grader.resolved(item)) for item in spec.grader}
    planned, _, done = written(spec, plan, running, lambda planned, part: _result(planned, part, running, {}))
    if not done.cube.kept.any():
        got, fix = f"none of {done.cube.texts.size:,} answers", "Look at the model's address, or at the file."
        raise OptionError("answers", got=got, expected="some answers to measure", fix=fix)
    return _result(planned, done, running, graders)


def _result(planned: PlannedChats, done: Done, running: Running, graders: dict[str, Scorer]) -> ChatResult:
    """The result of the answers so far."""
    running.tell("Measuring")
    cube, spec = done.cube, planned.spec
    read = planned.as_read(cube.texts)
    measured = {name: cube.scored_by(name) for name in cube.scorers} | measures.counted(cube.texts)
    measured |= measures.numbers(cube.texts, planned.tasks)
    with suppress(ModelError):  # the embeddings are extra: without their weights, the audit is still one
        measured[measures.DISTANCE.id] = measures.distances(read, minilm_embeddings)
    trials: dict[str, Any] = {}
    for item, scorer in graders.items():
        running.tell(f"Trying the grader {item}")
        quiet = replace(running, on_window=None)
        scores, trial = grader.graded(item, scorer, read, quiet, seed=spec.seed)
        name = measures.of_grader(scorer.targets[0].name).id
        measured[name], trials[name] = scores, grader.as_json(trial) | {"id": item}
    domains = [task.domain for task in planned.tasks]
    provenance = {
        **cube.provenance,
        "tasks": [{"text": task.text, "domain": task.domain, "unit": task.unit} for task in planned.tasks],
        "graders": trials,
        "missing": {
            "answers": int((~cube.kept).sum()),
            **{name: int((cube.kept & ~np.isfinite(scores)).sum()) for name, scores in measured.items()},
        },
    }
    cube = replace(cube, provenance=provenance)
    found = tables(cube, measured, domains, seed=spec.seed)
    return ChatResult(cube, measured, found, texts_table(cube, planned.prompts(), done.sampled))
