"""``python -m benchmarks.language_models``: writes ``docs/results-generators.md`` from the finished example."""

from __future__ import annotations

from pathlib import Path

from psa_core.audits.generation import folder, report, rewriting
from psa_core.audits.generation.folder import GenerationResult
from psa_core.registry import ASSETS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-generators.md"
EXAMPLE = ASSETS / "examples" / "occupations"
COMMAND = """python -m psa_core generate --lm lm:smollm2 --templates occupation --values assets/examples/occupations.csv
  --continuations 30 --tokens 30 --scorer minilm-sentiment,opinion-words --seed 0 --out occupations
python -m benchmarks.language_models"""
MEASURES = {
    "individual_fairness": "I.F. (between values)",
    "group_fairness": "G.F. (values against all)",
    "demographic_disparity": "disparity at the threshold",
}


def page(opened: GenerationResult) -> str:
    """The page's text."""
    cube, found = opened.cube, opened.tables
    m, a, k = cube.shape
    out = int(cube.texts.size - cube.kept.sum())
    findings = [f"- **{scorer}**: {report.finding(found.summary, scorer, found.matrix)}" for scorer in cube.scorers]
    lines = [
        "# What a small language model writes about occupations",
        "",
        f"SmolLM2-135M-Instruct, {m} templates of Huang et al. (2020), {a} occupations, {k} continuations of each, at "
        f"most 30 tokens; {out} of {cube.texts.size:,} could not be cut at a full stop and are left out.",
        "*Audits, Language models* opens on this audit; its folder is `assets/examples/occupations/`. The commands:",
        "",
        "```",
        COMMAND,
        "```",
        "",
        "## How much of each number is chance",
        "",
        "| score | number | as measured | floor | corrected | 95 % interval | p |",
        "|---|---|---|---|---|---|---|",
        *_rows(opened),
        "",
        "The floor is the same number after values were dealt at random inside each template. Where the permutation "
        "test does not reach 5 %, no corrected number is shown.",
        "",
        "## What was found",
        "",
        *findings,
        "",
        "## What this does not show",
        "",
        "- One model of 135 million parameters, one attribute, six values chosen by us, one seed. The paper's other "
        "two attributes (countries, names) and its larger models were not run for this page.",
        "- A scorer's sentiment is not a person's. The two scorers do not agree on every number; a difference that "
        "only one of them shows should be read, not quoted.",
        "- Continuations were scored without their prompts, but they may name the occupation themselves.",
        "- A difference in sentiment between occupations is no defect by itself: a person reads the texts and decides.",
    ]
    return "\n".join(lines) + "\n"


def _rows(opened: GenerationResult) -> list[str]:
    rows = []
    for scorer in opened.cube.scorers:
        for name, words in MEASURES.items():
            of = opened.tables.summary[scorer][name]
            shown = bool(of["above_noise"])
            corrected = f"{of['corrected']:.3f}" if shown else "not above noise"
            interval = f"{of['low']:.3f} to {of['high']:.3f}" if shown else ""
            numbers = (f"{of['value']:.3f}", f"{of['floor']:.3f}", corrected, interval, f"{of['p']:.3f}")
            rows.append(f"| {' | '.join((scorer, words, *numbers))} |")
    return rows


if __name__ == "__main__":
    rewriting.rewrite(EXAMPLE, EXAMPLE)  # measured by the methods of today
    PAGE.write_text(page(folder.read(EXAMPLE)), encoding="utf-8")
