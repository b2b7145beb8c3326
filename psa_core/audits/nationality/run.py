"""Run a nationality audit: find the people, draw names of countries for them, score the texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psa_core import models, options
from psa_core.audits._running import Running, score_grid, scoring_record
from psa_core.audits.nationality import perturbation
from psa_core.audits.nationality.result import NationalityResult, measured
from psa_core.errors import OptionError
from psa_core.inputs import corpus
from psa_core.models import Scorer
from psa_core.options import option


@dataclass(frozen=True, kw_only=True)
class NationalitySpec(perturbation.Options):
    """What an audit is made of: what is drawn, and the texts and models.

    Attributes
    ----------
    sentences : str
        As `corpus.load` takes them.
    text_column : str or None
    model : str
        A scorer's id.
    lm : str
        A perplexity scorer's id, or empty.
    """

    sentences: str = option(metavar="FILE", help="csv, tsv, txt, jsonl, parquet, or people")
    text_column: str | None = option(None, metavar="COLUMN", help="column of the texts; found when not given")
    model: str = option(metavar="ID", help="an id from `models`", model="scorer")
    lm: str = option("", metavar="ID", help="a perplexity scorer, an id from `models`", model="scorer")


def measure(spec: NationalitySpec, running: Running) -> NationalityResult:
    """Draw and score the texts, and measure by country."""
    running.tell("Reading the sentences")
    sentences = corpus.load(spec.sentences, spec.text_column)
    running.tell("Loading the model")
    scorer = models.load(spec.model)
    lm = _perplexity_scorer(spec.lm) if spec.lm else None
    running.tell("Finding the people in the sentences")
    drawn = perturbation.draw(sentences.sentences, spec)
    parts = 1 if lm is None else 2
    scores = score_grid(scorer, drawn.cells, running.part(0, parts))
    manifest = {
        "options": options.as_json(spec),
        "inputs": {"sentences": {"source": sentences.source, "sha256": sentences.sha256}},
        "sentences": len(drawn.sentences),
        "names": len(drawn.columns),
        "cells": len(drawn.cells),
        "account": drawn.account,
        "names_not_in_latin_letters_left_out": drawn.left_out,
        "people_finder": drawn.finder,
        **scoring_record(scorer, scores),
    }
    perplexity = None
    if lm is not None:
        likelihoods = score_grid(lm, drawn.cells, running.part(1, parts))
        manifest["lm"] = {"id": spec.lm, **scoring_record(lm, likelihoods)}
        perplexity = _log_perplexity(lm, likelihoods.original), _log_perplexity(lm, likelihoods.perturbed)
    return measured(perturbation.cube(drawn, scorer.targets, scores, manifest), drawn.texts, perplexity)


def _perplexity_scorer(lm_id: str) -> Scorer:
    lm = models.load(lm_id)
    if not any("perplexity" in target.name for target in lm.targets):
        got = f"{lm_id!r}, which returns {', '.join(target.name for target in lm.targets)}"
        raise OptionError("--lm", got=got, expected="a perplexity scorer, an id from `psa models`")
    return lm


def _log_perplexity(lm: Scorer, scores: np.ndarray) -> np.ndarray:
    """The one among the scores that a language model returns."""
    return scores[..., next(t for t, target in enumerate(lm.targets) if "perplexity" in target.name)]
