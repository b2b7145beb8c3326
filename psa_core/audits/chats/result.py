"""An audit of answers: asking, measuring each answer, letting a grader compare; its files, and opening them again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import models
from psa_core.audits._running import Running
from psa_core.audits.chats import grader, measures
from psa_core.audits.chats.planning import ChatSpec, plan
from psa_core.audits.chats.tables import Tables, people_table, tables
from psa_core.audits.generation import result as continuations
from psa_core.audits.generation.quality import minilm_embeddings
from psa_core.audits.generation.result import WrittenResult
from psa_core.audits.generation.run import Written, written
from psa_core.errors import ModelError, OptionError
from psa_core.folders import manifest as manifests
from psa_core.folders.results import read_scores
from psa_core.models import Scorer

ANSWERS, SCORES = continuations.CONTINUATIONS, continuations.SCORES
#: The files of the tables, in the order of `Tables`.
TABLES = ("differences.csv", "tails.csv", "quantiles.csv", "words.csv", "domains.csv")
PEOPLE, SUMMARY = "people.csv", "summary.json"
TEXTS = {"measure", "column", "group", "group_a", "group_b", "word", "domain"}
KINDS: manifests.Kinds = {
    **continuations.KINDS,
    "tasks": ("a list of tables of texts", manifests.is_list_of(manifests.is_table_of(manifests.is_text))),
    "graders": (
        "a table of trials",
        manifests.is_table_of(manifests.is_table_of(lambda value: isinstance(value, str | int | float | bool | None))),
    ),
    "missing": ("a table of counts", manifests.is_table_of(manifests.is_count)),
    "measures": ("a list of texts", manifests.is_list_of(manifests.is_text)),
}


@dataclass(frozen=True, eq=False)
class ChatResult(WrittenResult[Tables]):
    """A result folder; tasks are the cube's templates, people its values.

    `measured` has a float32 array (M, A, K) for each measure: NaN where an answer, or its score, is missing. `judged`
    is what readers judged; see `grader.judgements`.
    """

    measured: Mapping[str, np.ndarray] = field(default_factory=dict)
    judged: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def manifest(self) -> dict[str, Any]:
        return {**super().manifest, "measures": list(self.measured)}


def measure(spec: ChatSpec, running: Running) -> ChatResult:
    """Ask for the answers that are not known yet, and measure all; answers are kept beside the folder until then."""
    graders = {item: models.load(grader.resolved(item)) for item in spec.grader}
    found = written(spec, plan, running, lambda part: _measured(part, running, {}))
    if not found.cube.kept.any():
        got, fix = f"none of {found.cube.texts.size:,} answers", "Look at the model's address, or at the file."
        raise OptionError("answers", got=got, expected="some answers to measure", fix=fix)
    return _measured(found, running, graders)


def _measured(found: Written, running: Running, graders: dict[str, Scorer]) -> ChatResult:
    """The result of the answers so far."""
    running.tell("Measuring")
    cube, planned = found.cube, found.planned
    read = planned.as_read(cube.texts)
    measured = {name: cube.scored_by(name) for name in cube.scorers} | measures.counted(cube.texts)
    measured |= measures.numbers(cube.texts, planned.tasks)
    with suppress(ModelError):  # the embeddings are extra: without their weights, the audit is still one
        measured[measures.DISTANCE.id] = measures.distances(read, minilm_embeddings)
    trials: dict[str, Any] = {}
    for item, scorer in graders.items():
        running.tell(f"Trying the grader {item}")
        scores, trial = grader.graded(item, scorer, read, replace(running, on_window=None), seed=cube.seed)
        name = measures.of_grader(scorer.targets[0].name).id
        measured[name], trials[name] = scores, trial.as_json | {"id": item}
    provenance = {
        **cube.provenance,
        "tasks": [{"text": task.text, "domain": task.domain, "unit": task.unit} for task in planned.tasks],
        "graders": trials,
        "missing": {
            "answers": int((~cube.kept).sum()),
            **{name: int((cube.kept & ~np.isfinite(scores)).sum()) for name, scores in measured.items()},
        },
    }
    tested = tables(cube, measured, [task.domain for task in planned.tasks])
    return ChatResult(replace(cube, provenance=provenance), tested, found.texts, measured)


def files(result: ChatResult) -> dict[str, Any]:
    """Answers, scores, and what is measured of them."""
    differences = result.tables.gaps.replace({np.nan: None}).to_dict("records")
    return {
        ANSWERS: result.texts,
        SCORES: continuations.scores_table(result.cube, result.measured),
        **dict(zip(TABLES, vars(result.tables).values(), strict=True)),
        PEOPLE: people_table(result.cube, result.measured),
        SUMMARY: {"differences": differences, "graders": result.cube.provenance.get("graders", {})},
        **({grader.JUDGED: result.judged} if len(result.judged) else {}),
    }


def load(folder: Path, manifest: dict[str, Any]) -> ChatResult:
    """The result of a folder; any damage may raise."""
    scores = read_scores(folder / SCORES)
    cube = continuations.cube_of(manifest, continuations.read_texts(folder), scores)
    with np.errstate(over="ignore"):
        measured = {name: scores[name].to_numpy(np.float32).reshape(cube.shape) for name in manifest["measures"]}
    if len(manifest["tasks"]) != cube.shape[0] or any(np.isinf(part).any() for part in measured.values()):
        raise ValueError("tasks or measures that do not fit")
    found = (continuations.table_of(folder / file, lambda column: column not in TEXTS) for file in TABLES)
    return ChatResult(cube, Tables(*found), None, measured, grader.judgements(folder))


def rebuild(result: ChatResult, folder: Path) -> ChatResult:
    """The same with every table measured again from the scores."""
    domains = [str(task.get("domain", "")) for task in result.cube.provenance["tasks"]]
    found = tables(result.cube, result.measured, domains)
    return replace(result, tables=found, texts=continuations.rewritten_texts(result.cube, folder))
