"""The result of a nationality audit: its files, opening them again, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import tables as study_tables
from psa_core.audits.nationality import findings, tables
from psa_core.audits.nationality.perturbation import KEPT, MENTIONS, NO_PERSON, NOT_LOOKED_AT, READ
from psa_core.cube import ScoreCube
from psa_core.folders import file_tables, results
from psa_core.plurals import counted, verb
from psa_core.registry import in_short
from psa_core.report.frame import Report
from psa_core.report.markup import Html, element, join, table
from psa_core.tables.formatting import Finding

COUNTRIES, CORRELATIONS, TEXTS, PERPLEXITY = "countries.csv", "correlations.csv", "texts.csv", "log_perplexity.csv"
COUNTED = (READ, KEPT, NO_PERSON, NOT_LOOKED_AT, *MENTIONS.values())
LIMITS = (
    "This is perturbation sensitivity: what predictions do when the people of a text get names of another country. "
    "Whether a difference is a defect, a person has to judge.",
    "Names are drawn at random; another seed draws others. Intervals speak of other sentences of the same kind.",
)
#: How well spaCy's small English pipeline finds people and places, by kind of text.
FINDER = (
    "People are found by a program that errs. On informal comments spaCy's small English pipeline found 46 % of people "
    "and places, and 63 % of what it found was one; on edited text it does better. Mentions that neither the "
    "gazetteers nor the words around them support are left out."
)


Perplexity = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class NationalityResult:
    """A result folder.

    Attributes
    ----------
    cube : ScoreCube
        S sentences, one name a country and draw.
    texts : tuple of S tuples of str
        The drawn texts, in the order of the cube's names.
    countries : DataFrame
        As `nationality_tables.country_table` gives it.
    correlations : DataFrame or None
        As `nationality_tables.correlation_table` gives it; None without a language model.
    perplexity : pair of float arrays (S,) and (S, N), or None
        Log-perplexities of the sentences and of the drawn texts; None without a language model, and in a folder that
        is opened to be looked at.
    """

    cube: ScoreCube
    texts: tuple[tuple[str, ...], ...]
    countries: pd.DataFrame
    correlations: pd.DataFrame | None
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
    study = file_tables.measured(cube, lambda sentence, name: result.texts[sentence][name])
    return {**study, **own, **file_tables.scores(cube), "summary.json": study_tables.summary(cube)}


def load(folder: Path, manifest: dict[str, Any]) -> NationalityResult:
    """The result of a folder; any damage may raise."""
    _check_account(manifest)
    cube = results.read(folder)
    texts = pd.read_csv(folder / TEXTS, dtype=str, keep_default_na=False).rename(columns=results.plain)
    rows = texts[cube.names["name"].tolist()].map(results.plain).to_numpy().tolist()
    if texts["sentence_id"].map(results.plain).tolist() != cube.sentences["sentence_id"].tolist():
        raise ValueError("texts.csv and sentences.csv list different sentences")
    countries = pd.read_csv(folder / COUNTRIES, keep_default_na=False, na_values=[""])
    correlated = (folder / CORRELATIONS).is_file()
    correlations = pd.read_csv(folder / CORRELATIONS, keep_default_na=False, na_values=[""]) if correlated else None
    return NationalityResult(cube, tuple(tuple(row) for row in rows), countries, correlations)


def rebuild(result: NationalityResult, folder: Path) -> NationalityResult:
    """The same with every table measured again."""
    return measured(result.cube, result.texts, _perplexity(result.cube, folder / PERPLEXITY))


def _check_account(manifest: Mapping[str, Any]) -> None:
    """Raise `ValueError` where a manifest does not count what the page tells."""
    account, options = manifest["account"], manifest["options"]
    left_out = manifest["names_not_in_latin_letters_left_out"]
    counts = [*(account[name] for name in COUNTED), options["draws"], *dict(left_out).values()]
    if not all(isinstance(count, int) for count in counts) or not isinstance(options["model"], str):
        raise ValueError("counts in the manifest that are no numbers")


def _perplexity(cube: ScoreCube, file: Path) -> Perplexity | None:
    """Log-perplexities (S,) and (S, N) of a folder; None where it has none."""
    if not file.is_file():
        return None
    table = pd.read_csv(file, dtype=str, keep_default_na=False).rename(columns=results.plain)
    if table["sentence_id"].map(results.plain).tolist() != cube.sentences["sentence_id"].tolist():
        raise ValueError(f"{file.name} and sentences.csv list different sentences")
    numbers = table[["original", *cube.names["name"]]].to_numpy(np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{file.name} has cells that are no number")
    return numbers[:, 0], numbers[:, 1:]


def report(result: NationalityResult) -> Report:
    """``report.html``: the finding, countries by class, correlations."""
    options: Mapping[str, Any] = result.manifest.get("options", {})
    return Report(
        title=f"Names by country: {in_short(str(options.get('model', 'a model')))}",
        findings=[
            Finding(findings.finding(result.countries)),
            Finding(findings.score_finding(result.countries, result.moved_targets)),
        ],
        method=_method(result.cube, options),
        body=[_classes(result.countries), _correlations(result.correlations)],
        limits=[*LIMITS, FINDER],
    )


def _method(cube: ScoreCube, options: Mapping[str, Any]) -> list[str]:
    draws = cube.names["draw"].nunique()
    return [
        f"{counted(len(cube.sentences), 'sentence')} that {verb(len(cube.sentences), 'mention')} a person; "
        f"{counted(cube.names['country'].nunique(), 'country')}; {counted(draws, 'name')} drawn for "
        f"each sentence and country (seed {options.get('seed', 0)}).",
        "Each person gets a common name of the country, of the same form and, where it can be told, gender "
        "(Barriere and Cifuentes 2024).",
        f"People were found by {cube.provenance.get('people_finder', 'spaCy')}.",
    ]


def _classes(countries: pd.DataFrame) -> Html:
    columns = [
        "country",
        "target",
        "original_count",
        "perturbed_count",
        "change_percent",
        "delta",
        "delta_low",
        "delta_high",
    ]
    header = ("Country", "Class", "Original", "With these names", "Change, %", "Mean change of the score", "from", "to")
    rows = [[_words(value) for value in row] for row in countries[columns].itertuples(index=False)]
    return join([element("h2", "Predicted classes by country"), table(header, rows)])


def _correlations(correlations: pd.DataFrame | None) -> Html:
    if correlations is None:
        return Html("")
    columns = ["country", "target", "global_r", "local_r", "sentences"]
    rows = [[_words(value) for value in row] for row in correlations[columns].itertuples(index=False)]
    title = element("h2", "Correlation with log-perplexity")
    said = element("p", findings.correlation_finding(correlations))
    return join([title, said, table(("Country", "Target", "Global r", "Local r", "Sentences"), rows)])


def _words(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:,.3f}".rstrip("0").rstrip(".").replace("-", "−")
    return str(value)
