"""Run a study end to end: sentences × anchors × names × scorer → cube."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from os import PathLike
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd

from psa_core import anchors, models
from psa_core.anchors import Anchor, AnchorFinder
from psa_core.cache import ScoreCache
from psa_core.cube import ScoreCube, Target
from psa_core.environment import versions
from psa_core.errors import OptionError
from psa_core.inputs import conditions, corpus, groups, names, people
from psa_core.inputs.conditions import Condition
from psa_core.models import Scorer
from psa_core.plurals import noun_of
from psa_core.scoring import CellScores, Progress, ScoringOptions, score_cells
from psa_core.study import families
from psa_core.study.conditions import condition_of, joined
from psa_core.study.controls import controls_of
from psa_core.study.perturbation import Perturbation
from psa_core.study.preview import Unread, unread
from psa_core.study.selection import Selection, Spans, select
from psa_core.study.spec import StudySpec


@dataclass(frozen=True, eq=False)
class Plan:
    """A study before any text is scored: what will be compared, and the number of cells."""

    spec: StudySpec
    corpus: corpus.Corpus
    finder: AnchorFinder
    selection: Selection
    names: names.NameList
    conditions: tuple[Condition, ...] = ()
    condition: Condition | None = None

    def parts(self) -> list[Plan]:
        """The study under each of its conditions, with the model that is told so; itself where it has none.

        Raises `OptionError` when the model cannot be told what they say.
        """
        parts = []
        for one in self.conditions:
            model = models.told(self.spec.model, one.system) if one.system else self.spec.model
            spec = replace(self.spec, model=model, conditions="")
            parts.append(replace(self, spec=spec, conditions=(), condition=one))
        return parts or [self]

    @property
    def perturbation(self) -> Perturbation:
        """The texts to score, generated on demand."""
        return _texts(self.selection.sentences, self.selection.spans, self.names.table, self.condition)

    @property
    def cells(self) -> int:
        """Number of perturbed sentences: sentences × names."""
        return len(self.selection.sentences) * len(self.names.table)


def plan(spec: StudySpec, *, sentences: corpus.Corpus | None = None, name_list: names.NameList | None = None) -> Plan:
    """Read the inputs, find the anchors and choose the sentences; loads no model.

    A spec without anchors gets those that suit the sentences, see `anchors.suited_to`. `sentences` and `name_list` were
    read or made already, and need not be in a file. Raises `PsaError` when an input cannot be read, an option is out of
    range or no sentence is eligible.
    """
    if spec.anchors:  # an error in them is raised before a large file is read
        anchors.finder(spec.anchors)
    chosen = names.load(spec.names, spec.name_column) if name_list is None else name_list
    chosen = chosen.supported(spec.evidence)
    groups.check(chosen.table, spec.groups, spec.reference, spec.select)
    told = conditions.load(spec.conditions)
    read = corpus.load(spec.sentences, spec.text_column) if sentences is None else sentences
    if not spec.anchors:
        spec = replace(spec, anchors=anchors.suited_to(read.sentences["text"], are_documents=read.are_documents))
    finder = anchors.finder(spec.anchors)
    return Plan(spec, read, finder, select(read.sentences, finder, spec.selection), chosen, told)


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

    Raises `Cancelled` when `should_stop` answered True; what was scored stays in the cache.
    """
    options = options or ScoringOptions(seed=planned.spec.seed)
    if planned.conditions:
        more: dict[str, Any] = {"options": options, "cache": cache, "on_window": on_window, "should_stop": should_stop}
        cubes = list[ScoreCube]()
        for part in planned.parts():
            is_same = part.spec.model == planned.spec.model
            cubes.append(execute(part, scorer if is_same else models.load(part.spec.model), **more))
        cube = joined(planned.conditions, cubes)
        source = {"source": planned.spec.conditions, "sha256": conditions.digest(planned.conditions)}
        inputs = {**cube.provenance["inputs"], "conditions": source}
        return replace(cube, provenance={**cube.provenance, "study": asdict(planned.spec), "inputs": inputs})
    scored = partial(score_cells, scorer, cache=cache, should_stop=should_stop)
    scores = scored(planned.perturbation, options=options, on_window=on_window)
    cube = assemble(planned, scorer, scores)
    if not planned.spec.controls:
        return cube
    texts = perturbation_of(cube)
    texts = texts.under(planned.condition) if planned.condition else texts
    edits = controls_of(texts, planned.spec.controls, planned.spec.seed)
    found = scored(edits, options=replace(options, until_precision=None))
    controls = np.concatenate([found.original[:, None], found.perturbed], axis=1)
    counted = ("unique_texts", "texts_scored", "cache_hits", "seconds")
    counts = {name: round(getattr(scores, name) + getattr(found, name), 3) for name in counted}
    return replace(cube, controls=controls, provenance={**cube.provenance, **counts})


def run(
    spec: StudySpec | None = None,
    *,
    progress: bool | None = None,
    cache: ScoreCache | None = None,
    targets: Any = None,
    **parameters: Any,
) -> ScoreCube:
    """Run a study from a spec, or from the fields of one; the cube has the manifest in its ``provenance``.

    Sentences may also be a list of texts or a data frame, names a list or a data frame, the model a function (which
    returns `targets`, see `models.from_callable`) or a scorer. Scores are remembered in the `cache`, if one is given;
    a `progress` bar is shown by default in a notebook only. Raises `PsaError` when a field is unknown or of the wrong
    kind, an input cannot be read, or the model cannot be loaded.

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
    with sentence_bar("ipykernel" in sys.modules if progress is None else progress) as on_window:
        remembered = cache if function is None or function.cacheable else None
        cube = execute(planned, scorer, cache=remembered, on_window=on_window)
    if function is None or function.range_declared:
        return cube
    every = np.concatenate([cube.original, cube.perturbed.reshape(-1, len(cube.targets))])
    found = models.found_targets(cube.targets, every)  # nobody declared ranges: those that the scores suggest
    return replace(cube, targets=found, provenance={**cube.provenance, "targets": [asdict(target) for target in found]})


@contextmanager
def sentence_bar(shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A callback that shows a progress bar of the sentences scored; or None."""
    bars: list[Any] = []

    def show(progress: Progress) -> None:
        from tqdm.auto import tqdm

        if not bars:  # messages from before the first score stand above the bar
            bars.append(tqdm(total=progress.sentences_total, unit=" sentences"))
        bars[0].update(progress.sentences_done - bars[0].n)

    try:
        yield show if shown else None
    finally:
        for bar in bars:
            bar.close()


def planned_from(parameters: Mapping[str, Any]) -> tuple[Plan, Any]:
    """The plan of a study with sentences and names from files or memory, and its model: id, function or scorer."""
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


def assemble(planned: Plan, scorer: Scorer, scores: CellScores) -> ScoreCube:
    """Assemble a cube from scores, sentences and names; sentences without scores are left out.

    The sentences' column `mentions` lists the spans where some have several or a form.
    """
    finished, table, spans = scores.finished, planned.selection.sentences, planned.selection.spans
    if any(len(own) > 1 or own[0].form for own in spans):
        table = table.assign(mentions=[" ".join(map(_mention, own)) for own in spans])
    sentences = table.iloc[finished].reset_index(drop=True)
    original, perturbed = scores.original[finished], scores.perturbed[finished]
    missing = missing_scores(scorer.targets, original, perturbed)
    return ScoreCube(
        sentences=sentences,
        names=planned.names.table.reset_index(drop=True),
        targets=scorer.targets,
        original=original,
        perturbed=perturbed,
        provenance=_manifest(planned, scorer, scores, sentences) | ({"missing": missing} if missing else {}),
    )


def missing_scores(targets: Sequence[Target], original: np.ndarray, perturbed: np.ndarray) -> dict[str, dict[str, int]]:
    """Why scores are missing, with counts, by target: a model gave no valid answer, or no reply came at all."""
    found: dict[str, dict[str, int]] = {}
    cells = np.concatenate([original[:, None], perturbed], axis=1).reshape(-1, len(targets))
    unreplied = np.isnan(cells).all(axis=1)
    for target, values in zip(targets, cells.T, strict=True):
        is_missing = np.isnan(values)
        counts = {"no reply": int(unreplied.sum()), "no valid answer": int((is_missing & ~unreplied).sum())}
        if is_missing.any():
            found[target.name] = {reason: count for reason, count in counts.items() if count}
    return found


def _mention(span: Anchor) -> str:
    """``start:end:role``, and the form where it has one; a form has neither spaces nor colons then."""
    return f"{span.start}:{span.end}:{span.role}" + (f":{quote(span.form, safe='/=,')}" if span.form else "")


def perturbation_of(cube: ScoreCube, target: str = "") -> Perturbation:
    """The texts behind a cube's cells, in its order; `perturbation.text(s, n)` is the text of one cell.

    Of a `target` that was scored under a condition, the texts as that shows them.
    """
    table = cube.sentences
    if "mentions" in table:
        parts = [[mention.split(":") for mention in value.split()] for value in table["mentions"]]
    else:
        parts = [[single] for single in zip(table["start"], table["end"], table["role"], strict=True)]
    spans = tuple(
        tuple(
            Anchor(int(start), int(end), role, form=unquote(form[0]) if form else "")
            for start, end, role, *form in mentions
        )
        for mentions in parts
    )
    return _texts(table, spans, cube.names, condition_of(cube, target))


def _texts(
    sentences: pd.DataFrame, spans: tuple[Spans, ...], names: pd.DataFrame, condition: Condition | None
) -> Perturbation:
    texts = Perturbation(tuple(sentences["text"]), spans, tuple(names["name"]), people.people_of(names))
    return texts.under(condition) if condition else texts


def _manifest(planned: Plan, scorer: Scorer, scores: CellScores, sentences: pd.DataFrame) -> dict[str, Any]:
    """Everything needed to run the study again, and what it took."""
    left, planned_sentences = planned.selection.left_behind, len(planned.selection.sentences)
    notes = [*planned.corpus.notes]
    noun = noun_of(planned.selection.sentences)
    if left:
        notes.append(
            f"In {left:,} of {planned_sentences:,} {noun}s a second mention of the person stays behind (“Emily lost "
            "his shoes”); the option “every mention” replaces them all."
        )
    together = families.words(planned.selection.families, planned.spec.families, noun)
    notes += [together, *planned.names.notes, *scores.notes]
    notes.append(getattr(scorer, "about", ""))
    too_long = Unread((), 0, 0)
    if len(sentences) == planned_sentences:
        too_long = unread(planned.perturbation, [*sentences["sentence_id"]], scorer)
        notes.append(too_long.words(models.titled(planned.spec.model)))
    if len(sentences) == planned_sentences and hasattr(scorer, "coverage"):
        # Of a whole study only: a part is published every few seconds, and takes no text anew.
        notes.append(scorer.coverage(chain(planned.perturbation.originals(), planned.perturbation)).words)
    digest = hashlib.sha256("\n".join(sentences["text"]).encode()).hexdigest()
    return {
        "study": asdict(planned.spec),
        "inputs": {
            "sentences": {"source": planned.corpus.source, "sha256": planned.corpus.sha256},
            "names": {"source": planned.names.title, "sha256": planned.names.sha256},
        },
        "selected_sha256": digest,
        "text_column": planned.corpus.text_column,
        "files_left_out": planned.corpus.left_out,
        "encoding": planned.corpus.encoding,
        "seed": planned.spec.seed,
        "anchors": {"spec": planned.finder.spec, "fingerprint": planned.finder.fingerprint},
        "fingerprint": scorer.fingerprint,
        "targets": [asdict(target) for target in scorer.targets],
        "device": scores.device,
        "backend": scores.backend,
        "precision": scores.precision,
        "sentences": len(sentences),
        "sentences_planned": planned_sentences,
        "names": len(planned.names.table),
        "cells": len(sentences) * len(planned.names.table),
        "unique_texts": scores.unique_texts,
        "cache_hits": scores.cache_hits,
        "texts_scored": scores.texts_scored,
        "seconds": round(scores.seconds, 3),
        "account": dict(planned.selection.account),
        "left_behind": left,
        "masked": dict(planned.selection.masked),
        "subjects_chosen": sum(subject.is_chosen for subject in planned.selection.subjects),
        "families": families.account(planned.selection.families, planned.spec.families),
        "texts_truncated": scores.texts_truncated,
        "longer_than_model_reads": {"tokens": too_long.tokens, "sentences": [*too_long.sentence_ids]},
        "notes": [note for note in notes if note],
        "versions": versions(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def spec_of(cube: ScoreCube) -> StudySpec:
    """The spec that a cube's provenance holds; raises `OptionError` when it holds none."""
    return StudySpec.from_mapping(json.loads(json.dumps(cube.asked)))
