"""The result of an audit of answers: its files, and opening them again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.chats.tables import Tables, people_table, tables
from psa_core.audits.generation import result as continuations
from psa_core.audits.generation.cube import GenerationCube
from psa_core.folders import manifest as manifests
from psa_core.folders.results import read_scores

ANSWERS, SCORES = "continuations.parquet", "scores.parquet"
GAPS, TAILS, QUANTILES, WORDS = "differences.csv", "tails.csv", "quantiles.csv", "words.csv"
DOMAINS, PEOPLE, SUMMARY = "domains.csv", "people.csv", "summary.json"
#: What readers judged without the names; no file where nobody did.
JUDGED = "judgements.csv"
CHOICES = {"first": 1.0, "neither": 0.5, "second": 0.0}
TEXTS = {"measure", "column", "group", "group_a", "group_b", "word", "domain"}


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(part, str) for part in value.values())


def _is_trial(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(part, str | int | float | bool | None) for part in value.values())


KINDS: manifests.Kinds = {
    **continuations.KINDS,
    "tasks": ("a list of tables of texts", manifests.is_list_of(_is_task)),
    "graders": ("a table of trials", manifests.is_table_of(_is_trial)),
    "missing": ("a table of counts", manifests.is_table_of(manifests.is_count)),
    "measures": ("a list of texts", manifests.is_list_of(manifests.is_text)),
}


@dataclass(frozen=True, eq=False)
class ChatResult:
    """A result folder.

    Attributes
    ----------
    cube : GenerationCube
        Tasks are its templates, people its values; its provenance is the manifest.
    measured : mapping
        Measure to float32 array (M, A, K); NaN where an answer, or its score, is missing.
    tables : Tables
    texts : DataFrame or None
        One row an answer; None in a folder that is opened to be looked at.
    judged : DataFrame
        See `judgements`.
    """

    cube: GenerationCube
    measured: Mapping[str, np.ndarray]
    tables: Tables
    texts: pd.DataFrame | None = None
    judged: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def manifest(self) -> dict[str, Any]:
        """What the run was."""
        own = continuations.GenerationResult(self.cube, None).manifest  # type: ignore[arg-type]
        return {**own, "measures": list(self.measured)}

    @property
    def domains(self) -> list[str]:
        """The domain of each task; empty if not given."""
        return [str(task.get("domain", "")) for task in self.cube.provenance["tasks"]]


def files(result: ChatResult) -> dict[str, Any]:
    """Answers, scores, and what is measured of them."""
    found = result.tables
    keys = continuations.keys_of(result.cube)
    numbers = pd.DataFrame({name: scores.ravel() for name, scores in result.measured.items()})
    rows = found.gaps.replace({np.nan: None}).to_dict("records")
    return {
        ANSWERS: result.texts,
        SCORES: pd.concat([keys, numbers], axis=1),
        GAPS: found.gaps,
        TAILS: found.tails,
        QUANTILES: found.quantiles,
        WORDS: found.words,
        DOMAINS: found.domains,
        PEOPLE: people_table(result.cube, result.measured),
        SUMMARY: {"differences": rows, "graders": result.cube.provenance.get("graders", {})},
        **({JUDGED: result.judged} if len(result.judged) else {}),
    }


def load(folder: Path, manifest: dict[str, Any]) -> ChatResult:
    """The result of a folder; any damage may raise."""
    scores = read_scores(folder / SCORES)
    cube = continuations.cube_of(manifest, continuations.read_texts(folder), scores)
    with np.errstate(over="ignore"):
        measured = {name: scores[name].to_numpy(np.float32).reshape(cube.shape) for name in manifest["measures"]}
    if len(manifest["tasks"]) != cube.shape[0] or any(np.isinf(part).any() for part in measured.values()):
        raise ValueError("tasks or measures that do not fit")
    names = (GAPS, TAILS, QUANTILES, WORDS, DOMAINS)
    found = Tables(*(continuations.table_of(folder / name, lambda column: column not in TEXTS) for name in names))
    return ChatResult(cube, measured, found, judged=judgements(folder))


def judgements(folder: Path) -> pd.DataFrame:
    """What readers judged: ``grader, pair`` (see `agreement.BlindPair`) and ``choice``, a key of `CHOICES`."""
    heads = ["grader", "pair", "choice"]
    if not (folder / JUDGED).is_file():
        return pd.DataFrame(columns=heads, dtype=str)
    rows = pd.read_csv(folder / JUDGED, dtype=str, keep_default_na=False, encoding="utf-8")[heads]
    return rows[rows["choice"].isin(CHOICES) & rows["pair"].str.fullmatch(r"\d+(-\d+){4}")].reset_index(drop=True)


def rebuild(result: ChatResult, folder: Path) -> ChatResult:
    """The same with every table measured again from the scores."""
    texts = continuations.read_texts(folder)
    texts.insert(4, "continuation", result.cube.texts.ravel())
    found = tables(result.cube, result.measured, result.domains, seed=result.cube.seed)
    return replace(result, tables=found, texts=texts)
