"""Run a language model audit from prompts to scores; existing continuations and scores are reused."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pandas as pd

from psa_core import generators, models, options
from psa_core.audits._running import Running, score_grid, scoring_record
from psa_core.audits.generation import quality
from psa_core.audits.generation.cube import GenerationCube, cut, measured_targets, on_unit
from psa_core.audits.generation.journal import Journal, key_of
from psa_core.audits.generation.planning import GenerationSpec, Planned, WritingSpec, generator_help, plan
from psa_core.audits.generation.result import GenerationResult, texts_table
from psa_core.audits.generation.tables import tables
from psa_core.cube import Target
from psa_core.errors import Cancelled, OptionError
from psa_core.generators import CANDIDATES, Batch, Draw, Generator, Matching
from psa_core.inputs import corpus
from psa_core.models import Scorer, TokenScorer
from psa_core.scoring import Grid, Progress

FIRST_PART = 8


class Written(NamedTuple):
    """What was planned, and is written and scored; the `texts` are with those that were sampled (a `texts_table`)."""

    planned: Any
    scorers: Mapping[str, Scorer]
    cube: GenerationCube
    texts: pd.DataFrame


def measure(spec: GenerationSpec, running: Running) -> GenerationResult:
    """Generate what is not known yet, score it, and measure; the texts are kept beside the result folder until then."""
    if spec.held_out and spec.lm and not models.measures_perplexity(spec.lm):
        raise OptionError("--held-out", got=f"--lm {spec.lm}", expected="a language model on this machine")
    found = written(spec, plan, running, lambda part: result_of(part, {}))
    running.tell("Measuring")
    about_texts = quality.quality(found.cube)
    if spec.held_out:
        lm = cast(TokenScorer, models.load(generators.as_scorer(spec.lm)))
        texts = [str(text) for text in corpus.load(spec.held_out, None).sentences["text"]]
        about_texts |= quality.perplexities(lm, texts, [str(value) for value in found.cube.values["value"]])
    if spec.leak_check and found.cube.kept.any():
        running.tell("Checking how far the scorers would be led by the prompts")
        quiet = replace(running, on_window=None)
        about_texts["leak"] = {
            name: quality.leak_check(found.cube, name, scorer, quiet, sample=spec.leak_check)
            for name, scorer in found.scorers.items()
        }
    return result_of(found, about_texts)


def result_of(found: Written, about_texts: dict[str, Any]) -> GenerationResult:
    """The result of what was written; `about_texts` describes the quality of the texts."""
    return GenerationResult(found.cube, tables(found.cube, quality=about_texts), found.texts)


def written(
    spec: WritingSpec, plan: Callable[[Any], Planned], running: Running, preview: Callable[[Written], Any]
) -> Written:
    """Plan, write and score; `preview` makes a result of a first part of the texts.

    Raises `OptionError` when no language model is named, or the plan cannot be made.
    """
    if not spec.lm:
        raise OptionError("--lm", got="nothing", expected="a language model", fix=f"Known: {generator_help()}.")
    assert running.out is not None  # `Audit.run` says where
    planned = plan(spec)
    running.allow(len(planned.draws))
    running.tell("Loading the language model")
    generator = generators.load(spec.lm)
    many, _ = spec.many
    if getattr(spec, many) is None and (known := getattr(generator, "continuations", None)):
        planned = plan(replace(spec, **{many: known}))
    running.tell("Loading the scorers")
    scorers = {scorer: models.load(scorer) for scorer in spec.scorers}
    running.tell(generator.estimate(planned.draws, spec).words)
    publish = (lambda part: show(preview(part))) if (show := running.publish) else None
    return execute(planned, generator, scorers, running.out, running, publish=publish)


def execute(
    planned: Planned,
    generator: Generator,
    scorers: dict[str, Scorer],
    out: Path,
    running: Running | None = None,
    *,
    publish: Callable[[Written], None] | None = None,
) -> Written:
    """Generate what the folder `out` does not have yet and score it; the folder itself is not written.

    `publish` takes smaller audits on the way (the first 8, 16, 32 … continuations of everything). Raises `Cancelled`
    when the run was asked to stop; what was generated and scored until then is known the next time.
    """
    work = _Work(planned, generator, scorers, Journal.of(out, generator, planned.spec), running or Running())
    total = planned.shape[2]
    k = FIRST_PART  # then 16, 32 …
    while publish and k < total:
        if work.generate(k):
            with suppress(OptionError):  # a failed preview must not end the run
                publish(work.written(k))
        k *= 2
    work.generate(total)
    return work.written(total)


@dataclass(eq=False)
class _Work:
    planned: Planned
    generator: Generator
    scorers: dict[str, Scorer]
    journal: Journal
    running: Running
    generated: int = 0
    #: Of a generator that keeps some of several candidates: those that are there, and those that were from the start.
    candidates: int = 0
    remembered: int = 0
    seconds_generating: float = 0.0

    def __post_init__(self) -> None:
        self.began = time.perf_counter()
        self.known = self.journal.known()
        self.records: dict[str, dict[str, Any]] = {}
        self.missing_at_start = sum(key_of(draw) not in self.known for draw in self.planned.draws)

    def generate(self, k: int) -> bool:
        """Generate the first k continuations of everything, as far as they are not known; whether any was new."""
        missing = [draw for draw in self.planned.draws if draw.k < k and key_of(draw) not in self.known]
        missing = list({key_of(draw): draw for draw in missing}.values())  # two values may make one prompt
        self._check()
        if not missing:
            return False
        self.running.tell("Generating continuations")
        self.part_began = time.perf_counter()
        with self.journal.writing() as file:
            for batch in self._resumable(file, missing).sample(missing, self.planned.spec, self._check):
                self.journal.append(file, missing, batch)
                for position, text in zip(batch.positions, batch.texts, strict=True):
                    self.known[key_of(missing[position])] = text
                self.generated += len(batch.positions)
                self._show()
        self.seconds_generating += time.perf_counter() - self.part_began
        return True

    def _resumable(self, file: IO[bytes], missing: list[Draw]) -> Generator:
        """The generator; one that keeps some of several candidates has these written down too, before it chooses."""
        if not isinstance(self.generator, Matching):
            return self.generator
        journal = Journal.of(self.journal.folder, self.generator.writer, self.planned.spec)
        known = journal.known()
        found = sum(
            (d.stream, d.prompt, d.k * CANDIDATES + more) in known for d in missing for more in range(CANDIDATES)
        )
        self.candidates += found
        self.remembered += found

        def write(draws: list[Draw], batch: Batch) -> None:
            journal.append(file, draws, batch)
            self.candidates += len(batch.positions)
            self._show()

        return replace(self.generator, known=known, write=write)

    def written(self, k: int) -> Written:
        """The audit of the first k continuations."""
        m, a, _ = self.planned.shape
        sampled = [self.known.get(key_of(draw)) for draw in self.planned.draws[: m * a * k]]
        cuts = {text: cut(text, self.planned.spec.cut) for text in set(sampled) if text is not None}
        flat = np.array(["" if text is None else cuts[text] for text in sampled], np.object_)
        kept = flat.reshape(k, m, a).transpose(1, 2, 0)
        scored = [self._scored(name, kept) for name in self.scorers]
        found = self.planned.prompt_set
        cube = GenerationCube(
            pd.DataFrame({"template": found.templates}),
            found.values,
            tuple(target for targets, _ in scored for target in targets),
            kept,
            np.concatenate([np.empty((*kept.shape, 0), np.float32), *(scores for _, scores in scored)], axis=-1),
            self._provenance(sampled, kept),
        )
        texts = texts_table(cube, [draw.prompt for draw in self.planned.draws[: m * a]], self.known)
        return Written(self.planned, self.scorers, cube, texts)

    def _scored(self, name: str, texts: np.ndarray) -> tuple[list[Target], np.ndarray]:
        """The targets of a scorer, and the scores (M, A, K, T) of continuations read alone, without their prompt."""
        scorer = self.scorers[name]
        targets = measured_targets(name, scorer)
        kept = texts != ""
        distinct, where = np.unique(self.planned.as_read(texts)[kept], return_inverse=True)
        scores = np.full((*texts.shape, len(targets)), np.nan, np.float32)
        if len(distinct):
            self.running.tell(f"Scoring with {name}")
            found = score_grid(scorer, Grid.of(distinct), replace(self.running, on_window=None))
            self.records[name] = scoring_record(scorer, found)
            scores[kept] = on_unit(found.original, scorer, targets)[where]
        return list(targets.values()), scores

    def _check(self) -> None:
        if self.running.should_stop and self.running.should_stop():
            raise Cancelled

    def _show(self) -> None:
        if self.running.on_window is None:
            return
        of_each = CANDIDATES if isinstance(self.generator, Matching) else 1
        sampled = max(self.generated, self.candidates // of_each)
        seconds = self.seconds_generating + time.perf_counter() - self.part_began
        rate = (sampled - self.remembered // of_each) / seconds if seconds else 0.0
        left = self.missing_at_start - sampled
        total = len(self.planned.draws)
        self.running.on_window(
            Progress(
                sentences_done=total - left,
                sentences_total=total,
                texts_done=sampled,
                texts_total=self.missing_at_start,
                seconds=time.perf_counter() - self.began,
                texts_per_second=rate,
                seconds_left=left / rate if rate else None,
            )
        )

    def _provenance(self, sampled: Sequence[str | None], texts: np.ndarray) -> dict[str, Any]:
        spec, found, missing = self.planned.spec, self.planned.prompt_set, sampled.count(None)
        return {
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "options": options.as_json(spec),
            "setting": self.journal.setting,
            "generator": {
                "id": spec.lm,
                "fingerprint": self.generator.fingerprint,
                "about": self.generator.about,
                "common_noise": self.generator.common_noise,
            },
            "prompts": {"source": found.source, "group": found.group},
            "templates": len(found.templates),
            "values": len(found.values),
            "continuations": int(texts.shape[2]),
            "generated": self.generated,
            "known_before": len(sampled) - self.generated,
            "left_out": {"could not be cut": int((texts == "").sum()) - missing, "missing": missing},
            "scorers": self.records,
            "seconds": round(time.perf_counter() - self.began, 3),
        }
