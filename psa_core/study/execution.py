"""Run a study end to end: sentences × anchors × names × scorer → cube."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from psa_core import anchors, models
from psa_core.anchors import Anchor, AnchorFinder
from psa_core.cache import ScoreCache
from psa_core.cube import ScoreCube
from psa_core.environment import versions
from psa_core.errors import OptionError
from psa_core.inputs import corpus, names
from psa_core.models import Scorer
from psa_core.scoring import CellScores, Progress, ScoringOptions, score_cells
from psa_core.study import families
from psa_core.study._bar import sentence_bar
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import Selection, select
from psa_core.study.spec import StudySpec


@dataclass(frozen=True, eq=False)
class Plan:
    """A study before any text is scored: what will be compared, and how many cells that is."""

    spec: StudySpec
    corpus: corpus.Corpus
    finder: AnchorFinder
    selection: Selection
    names: names.NameList

    @property
    def perturbation(self) -> Perturbation:
        """The texts to score, made as they are asked for."""
        sentences = self.selection.sentences
        return Perturbation(tuple(sentences["text"]), self.selection.spans, tuple(self.names.table["name"]))

    @property
    def cells(self) -> int:
        """Number of perturbed sentences: sentences × names."""
        return len(self.selection.sentences) * len(self.names.table)

    @property
    def letters(self) -> int:
        """Characters of all texts to score, by their lengths."""
        return self.perturbation.letters


def plan(spec: StudySpec, *, sentences: corpus.Corpus | None = None, name_list: names.NameList | None = None) -> Plan:
    """Read the inputs, find the anchors and choose the sentences; loads no model.

    Parameters
    ----------
    spec : StudySpec
        Without anchors it gets those that suit the sentences; see `anchors.suited_to`.
    sentences, name_list : optional
        What was read or made already, and need not be in a file.

    Raises
    ------
    PsaError
        When an input cannot be read, an option is out of range or no sentence is eligible.
    """
    if spec.anchors:  # what is wrong with them is told before a large file is read
        anchors.finder(spec.anchors)
    chosen = names.load(spec.names, spec.name_column) if name_list is None else name_list
    read = corpus.load(spec.sentences, spec.text_column) if sentences is None else sentences
    spec = spec if spec.anchors else replace(spec, anchors=anchors.suited_to(read.sentences["text"]))
    finder = anchors.finder(spec.anchors)
    return Plan(spec, read, finder, select(read.sentences, finder, spec.selection), chosen)


def execute(
    planned: Plan,
    scorer: Scorer,
    *,
    options: ScoringOptions | None = None,
    cache: ScoreCache | None = None,
    on_window: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ScoreCube:
    """Score a plan.

    Raises
    ------
    Cancelled
        When `should_stop` answered True; what was scored stays in the cache.
    """
    options = options or ScoringOptions(seed=planned.spec.seed)
    scores = score_cells(
        scorer, planned.perturbation, options=options, cache=cache, on_window=on_window, should_stop=should_stop
    )
    return assemble(planned, scorer, scores)


def run(
    spec: StudySpec | None = None,
    *,
    progress: bool | None = None,
    cache: ScoreCache | None = None,
    targets: Any = None,
    **parameters: Any,
) -> ScoreCube:
    """Run a study from a spec, or from the fields of one.

    Parameters
    ----------
    spec : StudySpec, optional
    progress : bool, optional
        Whether to show a bar; by default in a notebook only.
    cache : ScoreCache, optional
        Where scores are remembered; nowhere by default.
    targets : optional
        What a callable model returns; see `models.from_callable`.
    **parameters
        Fields of a `StudySpec`: ``sentences``, ``names``, ``model``, ``anchors``, ``sample``, ``seed`` … Sentences may
        also be a list of texts or a data frame, names a list or a data frame, the model a function or a scorer.

    Returns
    -------
    ScoreCube
        With the manifest in its ``provenance``.

    Raises
    ------
    PsaError
        When a field is unknown or of the wrong kind, an input cannot be read, or the model cannot be loaded.

    Examples
    --------
    >>> cube = run(sentences="sample", names="demo", model="keyword", sample=6)
    >>> cube.shape
    (6, 20, 2)
    """
    if spec is not None and not isinstance(spec, StudySpec):
        raise OptionError("study", got=repr(spec)[:60], expected="a StudySpec, or its fields by name")
    planned, model = (plan(spec), spec.model) if spec else planned_from(parameters)
    if isinstance(model, str):
        if targets is not None:
            raise OptionError("targets", got=f"targets of {model[:60]!r}", expected="none: a model by id has its own")
        scorer = models.load(model)
    else:
        scorer = models.from_callable(model, list(planned.selection.sentences["text"][:2]), targets)
    function = scorer if isinstance(scorer, models.FunctionScorer) else None
    with sentence_bar(len(planned.selection.sentences), progress) as on_window:
        remembered = cache if function is None or function.cacheable else None
        cube = execute(planned, scorer, cache=remembered, on_window=on_window)
    return cube if function is None or function.range_declared else _with_found_ranges(cube)


def planned_from(parameters: Mapping[str, Any]) -> tuple[Plan, Any]:
    """The plan of a study whose sentences and names may be in memory, and its model: an id, a function or a scorer."""
    given = dict(parameters)
    sentences = name_list = None
    model = given.get("model")
    if "model" in given and not isinstance(model, str):
        given["model"] = f"python:{models.name_of(model)}"
    if _is_in_memory(given.get("names")):
        name_list = names.from_memory(given["names"], given.get("name_column"))
        given["names"] = name_list.title
    if _is_in_memory(given.get("sentences")):
        sentences = corpus.from_memory(given["sentences"], given.get("text_column"))
        given["sentences"] = sentences.source
    spec = StudySpec.from_mapping({"anchors": "", **given})
    return plan(spec, sentences=sentences, name_list=name_list), spec.model if isinstance(model, str) else model


def _is_in_memory(given: Any) -> bool:
    return given is not None and not isinstance(given, str | PathLike)


def _with_found_ranges(cube: ScoreCube) -> ScoreCube:
    """The cube with the ranges that its scores suggest, where nobody declared any."""
    every = np.concatenate([cube.original, cube.perturbed.reshape(-1, len(cube.targets))])
    targets = models.found_targets(cube.targets, every)
    manifest = {**cube.provenance, "targets": [asdict(target) for target in targets]}
    return replace(cube, targets=targets, provenance=manifest)


def assemble(planned: Plan, scorer: Scorer, scores: CellScores) -> ScoreCube:
    """Put scores beside their sentences and names; the sentences that were not scored are left out."""
    finished = scores.finished
    sentences = selected_sentences(planned).iloc[finished].reset_index(drop=True)
    return ScoreCube(
        sentences=sentences,
        names=planned.names.table.reset_index(drop=True),
        targets=scorer.targets,
        original=scores.original[finished],
        perturbed=scores.perturbed[finished],
        provenance=_manifest(planned, scorer, scores, sentences),
    )


def selected_sentences(planned: Plan) -> pd.DataFrame:
    """The selected sentences as the cube holds them; `mentions` lists the spans where some have several."""
    table = planned.selection.sentences
    if any(len(spans) > 1 for spans in planned.selection.spans):
        table = table.assign(mentions=[_encode(spans) for spans in planned.selection.spans])
    return table


def perturbation_of(cube: ScoreCube) -> Perturbation:
    """The texts behind a cube's cells, in its order; `perturbation.text(s, n)` is the text of one cell."""
    table = cube.sentences
    if "mentions" in table:
        spans = tuple(_decode(value) for value in table["mentions"])
    else:
        single = zip(table["start"], table["end"], table["role"], strict=True)
        spans = tuple((Anchor(int(start), int(end), role),) for start, end, role in single)
    return Perturbation(tuple(table["text"]), spans, tuple(cube.names["name"]))


def _encode(spans: tuple[Anchor, ...]) -> str:
    return " ".join(f"{span.start}:{span.end}:{span.role}" for span in spans)


def _decode(value: str) -> tuple[Anchor, ...]:
    parts = (item.split(":") for item in value.split())
    return tuple(Anchor(int(start), int(end), role) for start, end, role in parts)  # type: ignore[arg-type]


def _account_of(planned: Plan, scorer: Scorer, *, is_complete: bool) -> list[str]:
    """What a scorer says of itself and, of a whole study, of the texts it was given, where it has something to say."""
    told = [getattr(scorer, "about", "")]
    if is_complete and hasattr(scorer, "coverage"):  # a part is published every few seconds, and takes no text anew
        perturbation = planned.perturbation
        told.append(scorer.coverage(chain(perturbation.originals(), perturbation)).words)
    return [note for note in told if note]


def _left_behind(planned: Plan) -> list[str]:
    """That other mentions of the person stay, where they do."""
    left, kept = planned.selection.left_behind, len(planned.selection.sentences)
    if not left:
        return []
    return [
        f"In {left:,} of {kept:,} sentences a second mention of the person stays behind (“Emily lost his shoes”); the "
        "option “every mention” replaces them all."
    ]


def _manifest(planned: Plan, scorer: Scorer, scores: CellScores, sentences: pd.DataFrame) -> dict[str, Any]:
    """Everything needed to run the study again, and what it took."""
    cells = len(sentences) * len(planned.names.table)
    digest = hashlib.sha256("\n".join(sentences["text"]).encode()).hexdigest()
    return {
        "study": asdict(planned.spec),
        "inputs": {
            "sentences": {"source": planned.corpus.source, "sha256": planned.corpus.sha256},
            "names": {"source": planned.names.title, "sha256": planned.names.sha256},
        },
        "selected_sha256": digest,
        "text_column": planned.corpus.text_column,
        "encoding": planned.corpus.encoding,
        "seed": planned.spec.seed,
        "anchors": {"spec": planned.finder.spec, "fingerprint": planned.finder.fingerprint},
        "fingerprint": scorer.fingerprint,
        "targets": [asdict(target) for target in scorer.targets],
        "device": scores.device,
        "backend": scores.backend,
        "precision": scores.precision,
        "sentences": len(sentences),
        "sentences_planned": len(planned.selection.sentences),
        "names": len(planned.names.table),
        "cells": cells,
        "unique_texts": scores.unique_texts,
        "cache_hits": scores.cache_hits,
        "texts_scored": scores.texts_scored,
        "seconds": round(scores.seconds, 3),
        "account": dict(planned.selection.account),
        "left_behind": planned.selection.left_behind,
        "masked": dict(planned.selection.masked),
        "families": families.account(planned.selection.families, planned.spec.families),
        "texts_truncated": scores.texts_truncated,
        "notes": [
            *planned.corpus.notes,
            *_left_behind(planned),
            *([said] if (said := families.words(planned.selection.families, planned.spec.families)) else []),
            *planned.names.notes,
            *scores.notes,
            *_account_of(planned, scorer, is_complete=len(sentences) == len(planned.selection.sentences)),
        ],
        "versions": versions(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def spec_of(cube: ScoreCube) -> StudySpec:
    """The spec that a cube's provenance holds; raises `OptionError` when it holds none."""
    return StudySpec.from_mapping(json.loads(json.dumps(cube.provenance.get("study", {}))))
