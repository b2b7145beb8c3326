"""Run the Equity Evaluation Corpus audit on several models, in both spellings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import models, options
from psa_core.audits._running import Grid, Running, score_grid, scoring_record
from psa_core.audits.eec import corpus
from psa_core.audits.eec.own_files import PARTS, own_design, read_task_scores
from psa_core.audits.eec.result import EquityResult, of_design
from psa_core.cube import ScoreCube
from psa_core.errors import ModelError, OptionError
from psa_core.models import Scorer
from psa_core.options import option

SPELLINGS = {"published": "As published (“dissapointed”)", "corrected": "Corrected (“disappointed”)"}


@dataclass(frozen=True, kw_only=True)
class EquitySpec:
    """What an audit is made of: models, and the paper's sentences or one's own.

    Attributes
    ----------
    model : tuple of str
        Ids, each once.
    spelling : str
        How *disappointed* is written, see `corpus.SPELLED`; the other way is scored too.
    templates, people, words : str
        csv files in the place of the paper's; empty for the paper's.
    task_scores : str
        A csv file, see `own_files.read_task_scores`; may be empty.
    """

    model: tuple[str, ...] = option(
        (), metavar="ID[,ID…]", help="ids from `models`, a file of predictions among them", model="scorer"
    )
    spelling: str = option(
        "published",
        choices=SPELLINGS,
        help="dissapointed, or disappointed",
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
        """The sentences."""
        return own_design(self.spelling, {part: getattr(self, part) for part in PARTS})


def sentences(spec: EquitySpec) -> pd.DataFrame:
    """Every sentence, to be scored elsewhere."""
    return corpus.every_sentence(spec.design).rename(columns={"sentence": "text"})


def measure(spec: EquitySpec, running: Running) -> EquityResult:
    """Score a design with some models."""
    if not spec.model:
        raise OptionError("--model", got="no model", expected="a model id, or several separated by commas")
    design, task_scores = spec.design, read_task_scores(Path(spec.task_scores)) if spec.task_scores else {}
    unknown = [system for system in task_scores if system not in spec.model]
    if unknown:
        raise OptionError("--task-scores", got=repr(unknown[0][:60]), expected=f"one of {', '.join(spec.model)}")
    other = corpus.spelled(design, next(name for name in corpus.SPELLINGS if name != spec.spelling))
    changed = np.flatnonzero((design.rows["emotion_word"] != other.rows["emotion_word"]).to_numpy())
    running.tell("Loading the models")
    scorers = {model_id: models.load(model_id) for model_id in spec.model}  # all first: a wrong id is told at once
    systems: dict[str, ScoreCube] = {}
    respelled: dict[str, ScoreCube] = {}
    records = {}
    for number, (model_id, scorer) in enumerate(scorers.items()):
        running.tell(f"Scoring, system {number + 1} of {len(scorers)}")
        scores = score_grid(scorer, corpus.cells(design), running.part(number, len(scorers)))
        systems[model_id] = corpus.cube(design, scorer.targets, scores.perturbed)
        records[model_id] = scoring_record(scorer, scores)
        if len(changed) and (rows := _rows(scorer, corpus.cells(other), changed, running)) is not None:
            perturbed = scores.perturbed.copy()
            perturbed[changed] = rows
            respelled[model_id] = corpus.cube(other, scorer.targets, perturbed)
    about = {
        "options": options.as_json(spec),
        "spelling": spec.spelling,
        "models": records,
        "task_scores": {name: task_scores[name] for name in systems if name in task_scores},
    }
    return of_design(design, systems, respelled, about)


def _rows(scorer: Scorer, cells: Grid, rows: np.ndarray, running: Running) -> np.ndarray | None:
    """Scores of some rows, or None from a model that does not know these sentences."""
    some = Grid(cells.names, [cells.first[row] for row in rows], [cells.texts[row] for row in rows])
    try:
        return score_grid(scorer, some, replace(running, on_window=None)).perturbed
    except ModelError:
        return None
