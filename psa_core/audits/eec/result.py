"""An Equity Evaluation Corpus audit: its specification, running it in both spellings, and its result folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import models, options
from psa_core.audits._running import Running, plain_record, score_grid, scoring_record
from psa_core.audits.eec import corpus, tables
from psa_core.audits.eec.corpus import PARTS
from psa_core.cube import ScoreCube, Target
from psa_core.errors import ModelError, OptionError
from psa_core.folders import results
from psa_core.options import option
from psa_core.scoring import Grid

SPELLINGS = {"published": "As published (“dissapointed”)", "corrected": "Corrected (“disappointed”)"}


@dataclass(frozen=True, kw_only=True)
class EquitySpec:
    """What an audit is made of: models, each once, and the paper's sentences or one's own (`corpus.COLUMNS`).

    Either spelling of *disappointed* (`corpus.SPELLED`) is scored; a path that is empty stands for the paper's list.
    """

    model: tuple[str, ...] = option(
        (), metavar="ID[,ID…]", help="ids from `models`, a file of predictions among them", model="scorer"
    )
    spelling: str = option(
        "published",
        choices=SPELLINGS,
        help="published: with its misspelling “dissapointed”; corrected: without",
        label="Spelling",
        tip="The published corpus misspells one word in 240 sentences. Both are scored; the result can be switched.",
    )
    templates: str = option("", metavar="FILE.csv", help="your own templates")
    people: str = option("", metavar="FILE.csv", help="your own people")
    words: str = option("", metavar="FILE.csv", help="your own words")
    task_scores: str = option("", metavar="FILE.csv", help="system,score: how well each does its task, larger = better")

    def __post_init__(self) -> None:
        options.check(self)
        if len(set(self.model)) < len(self.model):
            raise OptionError("--model", got=repr(",".join(self.model)), expected="each model once")

    @property
    def design(self) -> corpus.Design:
        """The published design with some parts from csv files; their columns are checked by `Design`."""
        own = {part: corpus.read_part(part, Path(path)) for part in PARTS if (path := getattr(self, part))}
        return replace(corpus.published_design(self.spelling), **own)


def sentences(spec: EquitySpec) -> pd.DataFrame:
    """Every sentence, to be scored elsewhere."""
    return corpus.every_sentence(spec.design).rename(columns={"sentence": "text"})


@dataclass(frozen=True, eq=False)
class EquityResult:
    """The scores of an audit, by model id."""

    design: corpus.Design
    systems: dict[str, ScoreCube]
    #: The same where *disappointed* is written in the other way; without models that cannot tell, such as a file of
    #: predictions, and empty when the design does not have the word.
    respelled: dict[str, ScoreCube]
    #: ``spelling``, ``task_scores``, and in ``models`` what each model's scoring took.
    manifest: dict[str, Any]

    @property
    def task_scores(self) -> dict[str, float]:
        """How well each system does its task, larger = better; empty if not given."""
        return dict(self.manifest.get("task_scores", {}))

    @property
    def spelling(self) -> str:
        """How the audit wrote *disappointed*."""
        return str(self.manifest["spelling"])

    @property
    def cells(self) -> int:
        """Sentences times systems."""
        return sum(cube.shape[0] * cube.shape[1] for cube in self.systems.values())

    @cached_property
    def assessed(self) -> dict[str, dict[str, Any]]:
        """Every comparison of every target, see `tables.assess`."""
        return tables.assess(self.systems)

    @cached_property
    def spelling_table(self) -> pd.DataFrame:
        """What the other spelling changes; empty where nothing was scored in it."""
        return tables.spelling_table(self.systems, self.respelled) if self.respelled else pd.DataFrame()


def of_design(
    design: corpus.Design, systems: dict[str, ScoreCube], respelled: dict[str, ScoreCube], manifest: Mapping[str, Any]
) -> EquityResult:
    """A result whose manifest says what the folder holds, beside what `manifest` says of the run."""
    own = {
        "sentences": len(design.rows) * len(design.people),
        "systems": list(systems),
        "targets": {name: [asdict(target) for target in cube.targets] for name, cube in systems.items()},
    }
    return EquityResult(design, systems, respelled, {**manifest, **own})


def measure(spec: EquitySpec, running: Running) -> EquityResult:
    """Score a design with some models."""
    if not spec.model:
        raise OptionError("--model", got="no model", expected="a model id, or several separated by commas")
    design, task_scores = spec.design, corpus.read_task_scores(Path(spec.task_scores)) if spec.task_scores else {}
    unknown = [system for system in task_scores if system not in spec.model]
    if unknown:
        raise OptionError("--task-scores", got=repr(unknown[0][:60]), expected=f"one of {', '.join(spec.model)}")
    other = corpus.spelled(design, next(name for name in corpus.SPELLED if name != spec.spelling))
    changed = np.flatnonzero((design.rows["emotion_word"] != other.rows["emotion_word"]).to_numpy()).tolist()
    running.tell("Loading the models")
    scorers = {model_id: models.load(model_id) for model_id in spec.model}  # all first: a wrong id is told at once
    systems: dict[str, ScoreCube] = {}
    respelled: dict[str, ScoreCube] = {}
    records = {}
    for n, (model_id, scorer) in enumerate(scorers.items()):
        running.tell(f"Scoring, system {n + 1} of {len(scorers)}")
        scores = score_grid(scorer, corpus.cells(design), running.part(n, len(scorers)))
        systems[model_id] = corpus.cube(design, scorer.targets, scores.perturbed)
        records[model_id] = scoring_record(scorer, scores)
        if len(changed):
            cells = corpus.cells(other)
            rows = Grid(cells.names, [cells.first[r] for r in changed], [cells.texts[r] for r in changed])
            with suppress(ModelError):  # a file of predictions may not know these sentences
                perturbed = scores.perturbed.copy()
                perturbed[changed] = score_grid(scorer, rows, replace(running, on_window=None)).perturbed
                respelled[model_id] = corpus.cube(other, scorer.targets, perturbed)
    about = {
        "options": options.as_json(spec),
        "spelling": spec.spelling,
        "models": records,
        "task_scores": {name: task_scores[name] for name in systems if name in task_scores},
    }
    return of_design(design, systems, respelled, about)


def files(result: EquityResult) -> dict[str, Any]:
    """The sentences, ``eec.json``, the design and every system's scores.

    ``scores.<number>.parquet`` holds one system's scores: a row a sentence, a column a target;
    ``respelled.<number>.parquet`` the same for the other spelling, and ``spelling.csv`` what that changes.
    """
    found: dict[str, Any] = {"eec_sentences.csv": corpus.every_sentence(result.design), "eec.json": result.assessed}
    found |= {f"{part}.csv": getattr(result.design, part) for part in PARTS}
    if result.respelled:
        found["spelling.csv"] = result.spelling_table
    for n, name in enumerate(result.systems):
        found[f"scores.{n}.parquet"] = _flat(result.systems[name])
        if name in result.respelled:
            found[f"respelled.{n}.parquet"] = _flat(result.respelled[name])
    return found


def load(folder: Path, manifest: dict[str, Any]) -> EquityResult:
    """The result of a folder; any damage may raise."""
    other = next(spelling for spelling in corpus.SPELLED if spelling != manifest["spelling"])
    if manifest["spelling"] not in corpus.SPELLED:
        raise ValueError(f"no spelling {manifest['spelling']!r}")
    design = corpus.Design(
        **{part: corpus.read_part(part, folder / f"{part}.csv").map(results.plain) for part in PARTS}
    )
    systems, respelled = {}, {}
    for n, name in enumerate(manifest["systems"]):
        targets = results.targets_of(manifest["targets"][name])
        systems[name] = _cube(design, targets, folder / f"scores.{n}.parquet")
        if (folder / f"respelled.{n}.parquet").is_file():
            respelled[name] = _cube(corpus.spelled(design, other), targets, folder / f"respelled.{n}.parquet")
    known = {name: corpus.finite(name, score) for name, score in manifest.get("task_scores", {}).items()}
    return EquityResult(design, systems, respelled, manifest | {"task_scores": known})


def rebuild(result: EquityResult, _: Path) -> EquityResult:
    """The same with nothing of a stranger's manifest but what is known to be plain."""
    given = result.manifest.get("models")
    records = {name: plain_record(given.get(name) if isinstance(given, dict) else None) for name in result.systems}
    scores = {name: score for name, score in result.task_scores.items() if name in result.systems}
    kept = {"spelling": result.spelling, "models": records, "task_scores": scores}
    return of_design(result.design, result.systems, result.respelled, kept)


def _flat(cube: ScoreCube) -> pd.DataFrame:
    scores = cube.perturbed.reshape(-1, len(cube.targets))
    return pd.DataFrame(scores, columns=[target.name for target in cube.targets])


def _cube(design: corpus.Design, targets: tuple[Target, ...], path: Path) -> ScoreCube:
    table = results.read_scores(path)[[target.name for target in targets]]
    shape = (len(design.rows), len(design.people), len(targets))
    return corpus.cube(design, targets, table.to_numpy(np.float32).reshape(shape))
