"""``report.html`` of a nationality audit."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import pandas as pd

from psa_core.audits.nationality import findings
from psa_core.cube import ScoreCube
from psa_core.plurals import counted, verb
from psa_core.registry import in_short
from psa_core.report.frame import Report, framed
from psa_core.report.markup import Html, element, join, table
from psa_core.tables.formatting import Finding

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


def render(cube: ScoreCube, countries: pd.DataFrame, correlations: pd.DataFrame | None) -> str:
    """The text of ``report.html``: the finding, countries by class, correlations, and how to run it again.

    Parameters
    ----------
    cube : ScoreCube
    countries : DataFrame
        As `tables.country_table` gives it.
    correlations : DataFrame or None
        As `tables.correlation_table` gives it.
    """
    options: Mapping[str, Any] = cube.provenance.get("options", {})
    model = in_short(str(options.get("model", "a model")))
    moved = [target.name for target in cube.targets if target.low < 0] or [target.name for target in cube.targets]
    return framed(
        Report(
            title=f"Names by country: {model}",
            findings=[Finding(findings.finding(countries)), Finding(findings.score_finding(countries, moved))],
            method=_method(cube, options),
            body=[_classes(countries), _correlations(correlations)],
            limits=[*LIMITS, FINDER],
            provenance=cube.provenance,
            commands=[command_line(cube.provenance)],
        )
    )


def command_line(manifest: Mapping[str, Any]) -> str:
    """The command that runs the audit again."""
    options = manifest.get("options", {})
    source = manifest.get("inputs", {}).get("sentences", {}).get("source", "FILE")
    words = ["--sentences", str(source)]
    for name in ("text_column", "model", "lm", "countries", "draws", "sample", "seed", "people"):
        if options.get(name) is not None:
            words += [f"--{name.replace('_', '-')}", str(options[name])]
    words += ["--all-scripts"] if options.get("all_scripts") else []
    return f"python -m psa_core nationality {shlex.join(words)} --out again"


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
