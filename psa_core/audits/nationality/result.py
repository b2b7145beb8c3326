"""A nationality audit: running it, and its result folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import models, options
from psa_core import tables as study_tables
from psa_core.audits._running import Running, score_grid, scoring_record
from psa_core.audits.nationality import perturbation, tables
from psa_core.audits.nationality.perturbation import KEPT, MENTIONS, NO_PERSON, NOT_LOOKED_AT, READ, NationalitySpec
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.folders import results
from psa_core.inputs import corpus

COUNTRIES, CORRELATIONS, TEXTS, PERPLEXITY = "countries.csv", "correlations.csv", "texts.csv", "log_perplexity.csv"
COUNTED = (READ, KEPT, NO_PERSON, NOT_LOOKED_AT, *MENTIONS.values())

Perplexity = tuple[np.ndarray, np.ndarray]


def measure(spec: NationalitySpec, running: Running) -> NationalityResult:
    """Draw and score the texts, and measure by country."""
    running.tell("Reading the sentences")
    sentences = corpus.load(spec.sentences, spec.text_column)
    running.tell("Loading the model")
    scorer = models.load(spec.model)
    lm = models.load(spec.lm) if spec.lm else None
    if lm is not None and not any("perplexity" in target.name for target in lm.targets):
        got = f"{spec.lm!r}, which returns {', '.join(target.name for target in lm.targets)}"
        raise OptionError("--lm", got=got, expected="a perplexity scorer, an id from `psa models`")
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
        t = next(t for t, target in enumerate(lm.targets) if "perplexity" in target.name)
        perplexity = likelihoods.original[..., t], likelihoods.perturbed[..., t]
    return measured(perturbation.cube(drawn, scorer.targets, scores, manifest), drawn.texts, perplexity)


@dataclass(frozen=True, eq=False)
class NationalityResult:
    """A result folder: S sentences, one name a country and draw, and the drawn texts in the order of these names."""

    cube: ScoreCube
    texts: tuple[tuple[str, ...], ...]
    #: As `tables.country_table` gives it.
    countries: pd.DataFrame
    #: As `tables.correlation_table` gives it; None without a language model.
    correlations: pd.DataFrame | None
    #: Log-perplexities (S,) of the sentences and (S, N) of the drawn texts; None without a language model, and in a
    #: folder that is opened to be looked at.
    perplexity: Perplexity | None = None

    @property
    def columns(self) -> list[str]:
        """Classes and other targets, in the order of the table."""
        return [str(name) for name in self.countries["target"].drop_duplicates()]

    @property
    def moved_targets(self) -> list[str]:
        """Targets whose mean change is shown: signed ones such as sentiment, as in the paper; without one, all."""
        signed = [target.name for target in self.cube.targets if target.low < 0]
        return signed or [target.name for target in self.cube.targets]

    def matrix(self, value: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """One value of the table, countries down and classes across; without the columns that have no value."""
        wide = self.countries.pivot(index="country", columns="target", values=value).astype(float)
        wide = wide.reindex(
            index=self.countries["country"].unique(), columns=self.columns if columns is None else list(columns)
        )
        return wide.dropna(axis="columns", how="all")

    @property
    def manifest(self) -> dict[str, Any]:
        """What the run was."""
        return {**self.cube.provenance, "name_columns": self.cube.names.columns.tolist()}


def measured(cube: ScoreCube, texts: tuple[tuple[str, ...], ...], perplexity: Perplexity | None) -> NationalityResult:
    """The result of some scores."""
    correlations = None if perplexity is None else tables.correlation_table(cube, perplexity)
    return NationalityResult(cube, texts, tables.country_table(cube), correlations, perplexity)


def files(result: NationalityResult) -> dict[str, Any]:
    """Every file of a study's folder, and the audit's own tables."""
    cube, texts = result.cube, pd.DataFrame(list(result.texts), columns=result.cube.names["name"].tolist())
    identifiers = cube.sentences["sentence_id"].to_numpy()
    texts.insert(0, "sentence_id", identifiers)
    own = {COUNTRIES: result.countries, TEXTS: texts}
    if result.correlations is not None and result.perplexity is not None:
        columns = pd.DataFrame(result.perplexity[1], columns=cube.names["name"].tolist())
        columns.insert(0, "original", result.perplexity[0])
        columns.insert(0, "sentence_id", identifiers)
        own |= {CORRELATIONS: result.correlations, PERPLEXITY: columns}
    study = results.measured(cube, lambda sentence, name: result.texts[sentence][name])
    return {**study, **own, **results.score_files(cube), "summary.json": study_tables.summary(cube)}


def load(folder: Path, manifest: dict[str, Any]) -> NationalityResult:
    """The result of a folder; any damage may raise."""
    account, left_out = manifest["account"], manifest["names_not_in_latin_letters_left_out"]
    counts = [*(account[name] for name in COUNTED), manifest["options"]["draws"], *dict(left_out).values()]
    if not all(isinstance(count, int) for count in counts) or not isinstance(manifest["options"]["model"], str):
        raise ValueError("counts in the manifest that are no numbers")
    cube = results.read(folder)
    texts = _of_sentences(cube, folder / TEXTS)[cube.names["name"].tolist()].map(results.plain)
    countries, correlations = (
        pd.read_csv(folder / name, keep_default_na=False, na_values=[""]) if (folder / name).is_file() else None
        for name in (COUNTRIES, CORRELATIONS)
    )
    if countries is None or "p_adjusted" not in countries:  # of audits before changes were tested
        countries = tables.country_table(cube)
    return NationalityResult(cube, tuple(map(tuple, texts.to_numpy().tolist())), countries, correlations)


def _of_sentences(cube: ScoreCube, file: Path) -> pd.DataFrame:
    """A table with a row for each sentence, every cell a text."""
    rows = pd.read_csv(file, dtype=str, keep_default_na=False).rename(columns=results.plain)
    if rows["sentence_id"].map(results.plain).tolist() != cube.sentences["sentence_id"].tolist():
        raise ValueError(f"{file.name} and sentences.csv list different sentences")
    return rows


def rebuild(result: NationalityResult, folder: Path) -> NationalityResult:
    """The same with every table measured again."""
    perplexity = None
    if (folder / PERPLEXITY).is_file():
        rows = _of_sentences(result.cube, folder / PERPLEXITY)
        numbers = rows[["original", *result.cube.names["name"]]].to_numpy(np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError(f"{PERPLEXITY} has cells that are no number")
        perplexity = numbers[:, 0], numbers[:, 1:]
    return measured(result.cube, result.texts, perplexity)
