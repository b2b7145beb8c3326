"""``python -m research.language_models``: writes ``docs/results-generators.md`` from the finished example.

With ``--attributes FOLDER`` it also audits all values of the paper's three attributes, where FOLDER does not have them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from psa_core import cli, stats
from psa_core.audits.generation import AUDIT, report
from psa_core.audits.generation.result import GenerationResult
from psa_core.registry import ASSETS
from research import documents

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-generators.md"
EXAMPLE = ASSETS / "examples" / "occupations"
COMMAND = """psa generate --lm lm:smollm2 --templates occupation --values assets/examples/occupations.csv
  --continuations 30 --tokens 30 --scorer minilm-sentiment,opinion-words --seed 0 --out occupations
python -m research.language_models"""
SECTION = "attributes"
#: Continuations of each prompt; attributes differ in how many values they have.
ATTRIBUTES = {"occupation": 8, "country": 20, "name": 8}
TOKENS, SCORERS = 25, "minilm-sentiment,vader,opinion-words"
MEASURES = {
    "individual_fairness": "I.F. (between values)",
    "group_fairness": "G.F. (values against all)",
    "demographic_disparity": "disparity above the threshold",
}


def page(opened: GenerationResult) -> str:
    """The page's text."""
    cube, found = opened.cube, opened.tables
    m, a, k = cube.shape
    out = int(cube.texts.size - cube.kept.sum())
    tested, rows = _tested(opened), _rows([_tested(opened)])
    findings = [
        f"- **{scorer}**: {report.finding(found.summary, scorer, found.matrix)}"
        if holds
        else f"- **{scorer}**: no clear difference between values, over the {len(rows)} tests of the table above."
        for scorer, holds in zip(cube.scorers, _holds(tested)[:: len(MEASURES)], strict=True)
    ]
    lines = [
        "# What a small language model writes about occupations, countries and names",
        "",
        f"SmolLM2-135M-Instruct, {m} templates of Huang et al. (2020), {a} occupations, {k} continuations of each, at "
        f"most 30 tokens; {out} of {cube.texts.size:,} could not be cut at a full stop and are left out.",
        "*What models write* opens on this audit; its folder is `assets/examples/occupations/`. The commands:",
        "",
        "```",
        COMMAND,
        "```",
        "",
        "## How much of each number is chance",
        "",
        "| score | number | as measured | floor | corrected | 95 % interval | p |",
        "|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        "The floor is the same number after values were permuted inside each template. Where the permutation test does "
        "not reach 5 % after Holm's correction over the tests of a table, no corrected number is shown.",
        "",
        "## What was found",
        "",
        *findings,
        "",
        "## The paper's three attributes",
        "",
        "All values and templates of Huang et al. (2020), by `python -m research.language_models --attributes "
        "FOLDER` (ten minutes of two cores).",
        "",
        f"<!-- {SECTION} -->{documents.section(PAGE.read_text('utf-8'), SECTION)}<!-- /{SECTION} -->",
        "",
        "## What this does not show",
        "",
        "- One model of 135 million parameters and one seed; six values chosen by us, or few continuations of many "
        "values. The paper's larger models were not run for this page.",
        "- With 8 to 20 continuations nearly all of each I.F. is its floor: what is not above noise here is not shown "
        "to be absent.",
        "- A scorer's sentiment is not a person's. The two scorers do not agree on every number; a difference that "
        "only one of them shows should be read, not quoted.",
        "- Continuations were scored without their prompts, but they may name the occupation themselves.",
        "- A difference in sentiment between occupations is not in itself a defect: a person reads the texts and "
        "decides.",
    ]
    return "\n".join(lines) + "\n"


def _tested(opened: GenerationResult) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Scorer, measure and numbers of each test."""
    found = opened.tables.summary
    return [(scorer, words, found[scorer][name]) for scorer in opened.cube.scorers for name, words in MEASURES.items()]


def _holds(tested: Sequence[tuple[str, str, Mapping[str, Any]]]) -> list[bool]:
    """Which tests of a table are above noise, corrected over all of them."""
    adjusted = stats.adjust([numbers["p"] for *_, numbers in tested])
    return [
        bool(p < stats.SIGNIFICANT and numbers["above_noise"])
        for p, (*_, numbers) in zip(adjusted, tested, strict=True)
    ]


def _rows(audits: Sequence[Sequence[tuple[str, str, Mapping[str, Any]]]]) -> list[list[str]]:
    """A row a scorer and measure: as measured, floor, corrected, interval, p; one table of several audits."""
    tested = [test for audit in audits for test in audit]
    rows = []
    for (scorer, words, of), holds in zip(tested, _holds(tested), strict=True):
        corrected = f"{of['corrected']:.3f}" if holds else "not above noise"
        interval = f"{of['low']:.3f} to {of['high']:.3f}" if holds else ""
        rows.append([scorer, words, f"{of['value']:.3f}", f"{of['floor']:.3f}", corrected, interval, f"{of['p']:.3f}"])
    return rows


def attributes(place: Path) -> str:
    """A table of I.F. and G.F. of each attribute; what `place` does not have is generated."""
    labels, audits = [], []
    for name, count in ATTRIBUTES.items():
        if not (place / name).is_dir():
            given = ["--lm", "lm:smollm2", "--templates", name, "--scorer", SCORERS, "--leak-check", "0"]
            sizes = ["--continuations", str(count), "--tokens", str(TOKENS)]
            if cli.main(["generate", *given, *sizes, "--out", str(place / name)]):
                raise SystemExit(1)
        opened = AUDIT.read(place / name)
        audits.append(_tested(opened))
        labels += [f"{name}: {_size(opened)}"] * len(audits[-1])
    headings = ("attribute", "score", "number", "as measured", "floor", "corrected", "95 % interval", "p")
    rows = ([label, *row] for label, row in zip(labels, _rows(audits), strict=True))
    return documents.table(headings, rows)


def _size(opened: GenerationResult) -> str:
    templates, values, count = opened.cube.shape
    return f"{templates} templates × {values} values × {count}"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m research.language_models", description=__doc__)
    parser.add_argument("--attributes", type=Path, metavar="FOLDER", help="audits of the three attributes")
    options = parser.parse_args()
    if options.attributes:
        documents.write(PAGE, {SECTION: attributes(options.attributes)})
    AUDIT.rewrite(EXAMPLE, EXAMPLE)  # measured by the methods of today
    PAGE.write_text(page(AUDIT.read(EXAMPLE)), encoding="utf-8")


if __name__ == "__main__":
    main()
