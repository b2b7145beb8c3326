"""``psa_core generate``: audit a language model by the sentiment of its continuations."""

from __future__ import annotations

import argparse
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from psa_core import generators, jobs, models
from psa_core.audits.generation import folder, leak, planning, quality, report, run, tables
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.planning import GenerationSpec, Planned
from psa_core.audits.generation.run import Done
from psa_core.audits.generation.tables import Tables
from psa_core.audits.run import Running
from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.generators import Generator
from psa_core.inputs import corpus, spreadsheet
from psa_core.jobs.worker import Job
from psa_core.models import Scorer, TokenScorer

LEAK_HELP = f"continuations scored behind every value's prompt (default {leak.SAMPLE}; 0: none)"


def _configure(parser: argparse.ArgumentParser) -> None:
    kinds = (f"{kind.id}:<{kind.argument}>" for kind in generators.plugins().values())
    ids = ", ".join([*(card.id for card in generators.cards()), *kinds])
    parser.add_argument("--lm", metavar="ID", help=f"{ids}; ?match=sentiment resamples")
    parser.add_argument("--templates", metavar="LIST", required=True, help="occupation, country, name, or a text file")
    parser.add_argument(
        "--values", metavar="LIST", default="", help="the same ids, or a csv with value and group columns"
    )
    parser.add_argument("--continuations", type=int, default=100, help="of each prompt (default 100)")
    parser.add_argument("--tokens", type=int, default=50, help="most new tokens of each (default 50)")
    parser.add_argument("--temperature", type=float, default=1.0, help="default 1.0")
    parser.add_argument(
        "--scorer", metavar="A,B,…", default=",".join(planning.default_scorers()), help="ids from `models`"
    )
    parser.add_argument(
        "--held-out", metavar="FILE", help="texts for the perplexity of a model on this machine, or sample"
    )
    parser.add_argument("--leak-check", type=int, metavar="N", default=leak.SAMPLE, help=LEAK_HELP)
    parser.add_argument("--seed", type=int, default=0, help="of every random choice (default 0)")
    parser.add_argument("--export-prompts", metavar="FILE.csv", type=Path, help="write the prompts, generate nothing")
    parser.add_argument("--out", metavar="DIR", type=Path, help="result folder, new or empty, or one to go on with")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job is not None:
        job = Job(options.job)
        running = Running(job.tell, job.show, job.should_stop, job.allow)
        return job.supervise(lambda: _audit(options, planning.plan(_spec(options)), running))
    planned = planning.plan(_spec(options))
    if options.export_prompts is not None:
        with writing.whole_file(options.export_prompts) as file:
            spreadsheet.write(planning.prompt_table(planned), file)
        print(f"{len(planned.draws):,} prompts in {options.export_prompts}")
        return 0
    print(f"{_audit(options, planned, Running(tell=_say))} continuations: results in {options.out}")
    return 0


def _spec(options: argparse.Namespace) -> GenerationSpec:
    return GenerationSpec(
        lm=options.lm or "",
        templates=options.templates,
        values=options.values,
        continuations=options.continuations,
        tokens=options.tokens,
        temperature=options.temperature,
        scorers=tuple(part.strip() for part in options.scorer.split(",") if part.strip()),
        seed=options.seed,
    )


def _audit(options: argparse.Namespace, planned: Planned, running: Running) -> int:
    _check_options(options)
    writing.check_target(options.out)
    running.allow(len(planned.draws))
    running.tell("Loading the language model")
    generator = generators.load(options.lm)
    running.tell("Loading the scorers")
    scorers = {scorer: models.load(scorer) for scorer in planned.spec.scorers}
    _tell_estimate(generator, planned, running)

    def publish(part: Done) -> None:
        with suppress(OptionError):  # a failed preview must not end the run
            _write(planned, part, tables.tables(part.cube, seed=planned.spec.seed), options.job / jobs.SO_FAR)

    done = run.execute(planned, generator, scorers, options.out, running, publish=publish if options.job else None)
    running.tell("Measuring")
    found = tables.tables(done.cube, seed=planned.spec.seed, quality=_quality(options, done.cube, scorers, running))
    running.tell("Writing the results")
    _write(planned, done, found, options.out)
    done.journal.discard()
    if options.job:
        shutil.rmtree(options.job / jobs.SO_FAR, ignore_errors=True)
    return done.cube.texts.size


def _write(planned: Planned, done: Done, found: Tables, to: Path) -> None:
    prompts = planned.prompt_set.prompts()
    folder.write(done.cube, found, to, sampled=done.sampled, prompts=prompts, report=report.render)


def _quality(
    options: argparse.Namespace, cube: GenerationCube, scorers: dict[str, Scorer], running: Running
) -> dict[str, Any]:
    """What is said of the texts themselves, and how far the scorers would be led by the prompts."""
    found = quality.quality(cube)
    if options.held_out:
        lm = cast(TokenScorer, models.load(generators.as_scorer(options.lm)))
        texts = [str(text) for text in corpus.load(options.held_out, None).sentences["text"]]
        found |= quality.perplexities(lm, texts, [str(value) for value in cube.values["value"]])
    if options.leak_check > 0 and cube.kept.any():
        running.tell("Checking how far the scorers would be led by the prompts")
        quiet = replace(running, on_window=None)
        found["leak"] = {
            name: leak.leak_size(leak.leak_check(cube, name, scorer, quiet, sample=options.leak_check))
            for name, scorer in scorers.items()
        }
    return found


def _check_options(options: argparse.Namespace) -> None:
    for name in ("lm", "out"):
        if getattr(options, name) is None:
            raise OptionError(f"--{name}", got="nothing", expected="a value", fix="See psa_core generate --help.")
    if options.held_out and not models.measures_perplexity(options.lm):
        raise OptionError("--held-out", got=f"--lm {options.lm}", expected="a language model on this machine")
    if options.leak_check < 0:
        raise OptionError("--leak-check", got=str(options.leak_check), expected="a number of continuations, or 0")


def _tell_estimate(generator: Generator, planned: Planned, running: Running) -> None:
    estimate = generator.estimate(planned.draws, planned.spec.sampling)
    price = "" if estimate.price is None else f", about {estimate.price:.2f} at the prices given"
    running.tell(f"Planned: {estimate.prompt_tokens:,} tokens to read, up to {estimate.new_tokens:,} to write{price}")


def _say(message: str) -> None:
    if sys.stderr.isatty():
        print(message, file=sys.stderr)


COMMAND = Command(
    "generate", "Audit a language model by what it writes about one value and another.", _configure, _execute
)
