"""Write and read the result folder of a nationality audit."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core.audits.nationality import report, tables
from psa_core.audits.nationality.perturbation import KEPT, MENTIONS, NO_PERSON, NOT_LOOKED_AT, READ, Drawn
from psa_core.audits.zipped import unzip
from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import results
from psa_core.inputs import archives, bounded
from psa_core.inputs.limits import RUN_CELLS

COUNTRIES, CORRELATIONS, TEXTS, PERPLEXITY = "countries.csv", "correlations.csv", "texts.csv", "log_perplexity.csv"
AUDIT = "nationality"
COUNTED = (READ, KEPT, NO_PERSON, NOT_LOOKED_AT, *MENTIONS.values())


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
    """

    cube: ScoreCube
    texts: tuple[tuple[str, ...], ...]
    countries: pd.DataFrame
    correlations: pd.DataFrame | None

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
        return dict(self.cube.provenance)


def write(cube: ScoreCube, drawn: Drawn, perplexity: tuple[np.ndarray, np.ndarray] | None, folder: Path) -> None:
    """Write every file of the folder, or none; `perplexity` are log-perplexities (S,) and (S, N)."""
    found = {COUNTRIES: tables.country_table(cube), TEXTS: drawn.text_table}
    if perplexity is not None:
        found[CORRELATIONS] = tables.correlation_table(cube, perplexity)
        columns = pd.DataFrame(perplexity[1], columns=cube.names["name"].tolist())
        columns.insert(0, "original", perplexity[0])
        columns.insert(0, "sentence_id", cube.sentences["sentence_id"].to_numpy())
        found[PERPLEXITY] = columns
    extra = results.Extra(lambda sentence, name: drawn.texts[sentence][name], found)
    results.write(cube, folder, lambda cube: report.render(cube, found[COUNTRIES], found.get(CORRELATIONS)), extra)


def read(folder: Path) -> NationalityResult:
    """Open such a folder again; raises `RunFolderError` when it is another folder, or a file is missing or damaged."""
    cube = results.read(folder)
    if cube.provenance.get("audit") != AUDIT:
        raise RunFolderError("nationality folder", got="another study", expected="the folder of a nationality audit")
    try:
        _check_account(cube.provenance)
        texts = pd.read_csv(folder / TEXTS, dtype=str, keep_default_na=False).rename(columns=results.plain)
        rows = texts[cube.names["name"].tolist()].map(results.plain).to_numpy().tolist()
        if texts["sentence_id"].map(results.plain).tolist() != cube.sentences["sentence_id"].tolist():
            raise ValueError("texts.csv and sentences.csv list different sentences")
        countries = pd.read_csv(folder / COUNTRIES, keep_default_na=False, na_values=[""])
        correlated = (folder / CORRELATIONS).is_file()
        correlations = pd.read_csv(folder / CORRELATIONS, keep_default_na=False, na_values=[""]) if correlated else None
    except (*archives.FAULTS, TypeError, AttributeError) as error:
        got = f"a file missing or damaged ({type(error).__name__}: {error})"[:200]
        raise RunFolderError("nationality folder", got=got, expected="the files that an audit writes") from error
    return NationalityResult(cube, tuple(tuple(row) for row in rows), countries, correlations)


def _check_account(manifest: Mapping[str, Any]) -> None:
    """Raise `ValueError` where a manifest does not count what the page tells."""
    account, options = manifest["account"], manifest["options"]
    left_out = manifest["names_not_in_latin_letters_left_out"]
    counts = [*(account[name] for name in COUNTED), options["draws"], *dict(left_out).values()]
    if not all(isinstance(count, int) for count in counts) or not isinstance(options["model"], str):
        raise ValueError("counts in the manifest that are no numbers")


def rewrite(folder: Path, to: Path) -> None:
    """Open a folder that somebody brought, and write a new one from its data: none of its files is kept."""
    opened = read(folder)
    sentences, names, _ = opened.cube.shape
    RUN_CELLS.check(sentences * names, field="zip", error=RunFolderError)
    drawn = Drawn(opened.cube.sentences, opened.cube.names, opened.texts, account={}, left_out={}, finder="")
    try:
        write(opened.cube, drawn, _perplexity(opened.cube, folder / PERPLEXITY), to)
    except (KeyError, TypeError, ValueError) as error:
        got = f"tables that do not fit ({type(error).__name__}: {error})"
        raise RunFolderError("nationality folder", got=got, expected="the files that an audit writes") from error


def _perplexity(cube: ScoreCube, file: Path) -> tuple[np.ndarray, np.ndarray] | None:
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


def read_zip(content: bytes) -> NationalityResult:
    """Open a zipped result folder."""
    with tempfile.TemporaryDirectory() as place:
        return bounded.call(_read_zip, content, Path(place), field="zip", error=RunFolderError)


def _read_zip(content: bytes, place: Path) -> NationalityResult:
    unzip(content, place)
    return read(place)
