"""``psa_core nationality``: replace people by names of countries, and correlate scores with perplexity."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from psa_core import anchors, models
from psa_core.audits.nationality import folder, perturbation
from psa_core.audits.nationality.gazetteers import PAPER_COUNTRIES
from psa_core.audits.run import Running, score_grid, scoring_record
from psa_core.cli._base import Command
from psa_core.errors import OptionError
from psa_core.folders import writing
from psa_core.inputs import corpus
from psa_core.jobs.worker import Job
from psa_core.models import Scorer

OPTIONS = ("text_column", "model", "lm", "countries", "draws", "sample", "seed", "all_scripts", "people")


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sentences", metavar="FILE", required=True, help="csv, tsv, txt, jsonl, parquet, or people")
    parser.add_argument("--text-column", metavar="COLUMN", help="column of the texts; found when not given")
    parser.add_argument("--model", metavar="ID", required=True, help="an id from `models`")
    parser.add_argument("--lm", metavar="ID", help="a perplexity scorer, an id from `models`")
    parser.add_argument("--countries", metavar="A,B,…", default=",".join(PAPER_COUNTRIES), help="default: the paper's")
    parser.add_argument(
        "--people", metavar="SPEC", help=f"what finds the people: {anchors.people()}?pipeline=…, of any language"
    )
    parser.add_argument("--draws", type=int, default=5, help="names drawn per sentence and country (default 5)")
    parser.add_argument("--sample", type=int, default=1000, help="most sentences with a person taken (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of every random choice (default 0)")
    parser.add_argument("--all-scripts", action="store_true", help="draw names that are not in Latin letters too")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="result folder, new or empty")
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)


def _execute(options: argparse.Namespace) -> int:
    if options.job is None:
        print(f"{_audit(options, Running())} sentences: results in {options.out}")
        return 0
    job = Job(options.job)
    return job.supervise(lambda: _audit(options, Running(job.tell, job.show, job.should_stop, job.allow)))


def _audit(options: argparse.Namespace, running: Running) -> int:
    writing.check_target(options.out)
    drawing = perturbation.Options(
        countries=tuple(name.strip() for name in options.countries.split(",") if name.strip()),
        draws=options.draws,
        seed=options.seed,
        sample=options.sample,
        latin_only=not options.all_scripts,
        people=options.people or "",
    )
    running.tell("Reading the sentences")
    sentences = corpus.load(options.sentences, options.text_column)
    running.tell("Loading the model")
    scorer = models.load(options.model)
    lm = _perplexity_scorer(options.lm) if options.lm else None
    running.tell("Finding the people in the sentences")
    drawn = perturbation.draw(sentences.sentences, drawing)
    parts = 1 if lm is None else 2
    scores = score_grid(scorer, drawn.cells, running.part(0, parts))
    manifest = _manifest(options, sentences, drawn) | scoring_record(scorer, scores)
    perplexity = None
    if lm is not None:
        likelihoods = score_grid(lm, drawn.cells, running.part(1, parts))
        manifest["lm"] = {"id": options.lm, **scoring_record(lm, likelihoods)}
        perplexity = _first(lm, likelihoods.original), _first(lm, likelihoods.perturbed)
    running.tell("Writing the results")
    cube = perturbation.cube(drawn, scorer.targets, scores, manifest)
    folder.write(cube, drawn, perplexity, options.out)
    return len(cube.sentences)


def _perplexity_scorer(lm_id: str) -> Scorer:
    lm = models.load(lm_id)
    if not any("perplexity" in target.name for target in lm.targets):
        got = f"{lm_id!r}, which returns {', '.join(target.name for target in lm.targets)}"
        raise OptionError("--lm", got=got, expected="a perplexity scorer, an id from `psa_core models`")
    return lm


def _first(lm: Scorer, scores: np.ndarray) -> np.ndarray:
    """Log-perplexities among what a language model returns."""
    position = next(t for t, target in enumerate(lm.targets) if "perplexity" in target.name)
    return scores[..., position]


def _manifest(options: argparse.Namespace, sentences: corpus.Corpus, drawn: perturbation.Drawn) -> dict[str, Any]:
    return {
        "audit": folder.AUDIT,
        "options": {name: getattr(options, name) for name in OPTIONS},
        "inputs": {"sentences": {"source": sentences.source, "sha256": sentences.sha256}},
        "sentences": len(drawn.sentences),
        "names": len(drawn.columns),
        "cells": len(drawn.cells),
        "account": drawn.account,
        "names_not_in_latin_letters_left_out": drawn.left_out,
        "people_finder": drawn.finder,
    }


COMMAND = Command("nationality", "Audit a model with names of people from many countries.", _configure, _execute)
