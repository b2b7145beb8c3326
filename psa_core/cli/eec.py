"""``psa_core eec``: the Equity Evaluation Corpus on one or several models."""

from __future__ import annotations

import argparse
from pathlib import Path

from psa_core.audits.eec import corpus, findings, folder, significance
from psa_core.audits.eec.run import audit
from psa_core.audits.run import Running
from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import spreadsheet
from psa_core.jobs.worker import Job


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="ID[,ID…]", help="ids from `models`, a file of predictions among them")
    parser.add_argument(
        "--spelling", choices=corpus.SPELLINGS, default="published", help="dissapointed, or disappointed"
    )
    for part in folder.PARTS:
        parser.add_argument(f"--{part}", metavar="FILE.csv", type=Path, help=f"your own {part}")
    parser.add_argument(
        "--task-scores",
        metavar="FILE.csv",
        type=Path,
        help="system,score: how well each does its task, larger = better",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="result folder, new or empty")
    parser.add_argument(
        "--sentences-only", action="store_true", help="write the sentences to the csv file --out, to score elsewhere"
    )
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job is not None:
        job = Job(options.job)
        return job.supervise(lambda: _audit(options, Running(job.tell, job.show, job.should_stop, job.allow)))
    if options.sentences_only:
        print(f"{_write_sentences(options)} sentences in {options.out}")
    else:
        print(f"{_audit(options, Running())} sentences scored: results in {options.out}")
    return 0


def _audit(options: argparse.Namespace, running: Running) -> int:
    model_ids = _model_ids(options.model)
    writing.check_target(options.out)
    design = _design(options)
    task_scores = _task_scores(options.task_scores, model_ids)
    audited = audit(design, model_ids, options.spelling, running)
    folder.write(design, audited, options.spelling, options.out, task_scores=task_scores)
    if options.job is None and audited.respelled:
        table = significance.spelling_table(audited.systems, audited.respelled)
        print(findings.spelling_line(table, options.spelling))
    return len(corpus.cells(design)) * len(audited.systems)


def _write_sentences(options: argparse.Namespace) -> int:
    table = corpus.every_sentence(_design(options)).rename(columns={"sentence": "text"})
    if options.out.suffix.lower() != ".csv" or options.out.is_dir():
        raise OptionError("--out", got=str(options.out), expected="a file name that ends in .csv")
    with writing.whole_file(options.out) as file:
        spreadsheet.write_exactly(table, file)
    return len(table)


def _design(options: argparse.Namespace) -> corpus.Design:
    return folder.own_design(options.spelling, options.templates, options.people, options.words)


def _task_scores(path: Path | None, model_ids: list[str]) -> dict[str, float]:
    if path is None:
        return {}
    scores = folder.read_task_scores(path)
    unknown = [system for system in scores if system not in model_ids]
    if unknown:
        raise OptionError("--task-scores", got=repr(unknown[0][:60]), expected=f"one of {', '.join(model_ids)}")
    return scores


def _model_ids(given: str | None) -> list[str]:
    ids = [part.strip() for part in (given or "").split(",") if part.strip()]
    if not ids:
        raise OptionError("--model", got="no model", expected="a model id, or several separated by commas")
    if len(set(ids)) < len(ids):
        raise OptionError("--model", got=repr(given), expected="each model once")
    return ids


COMMAND = Command("eec", "Audit models with the Equity Evaluation Corpus.", _configure, _execute)
