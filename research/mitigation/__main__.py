"""``python -m research.mitigation FOLDER``: what `research.mitigation.train` measured, as sections of a page."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.audits.generation import AUDIT
from psa_core.registry import ASSETS
from psa_core.retraining import FILE
from psa_core.retraining.measure import over_seeds, sensitivity_table, task_table
from research import documents
from research.mitigation import curve, equity, language, resampling
from research.mitigation.train import CONTINUATIONS

ALTERNATIVE = "Corrected I.F. that is left against the relevance that is kept, a curve for each method"
CAPTION = (
    "*Fairness against relevance, as in Figure 4 of the paper, a panel for each score that had no part in training. "
    "Numbers are strengths; each curve begins at the model as it was (100 %). Points are means over the seeds whose "
    "I.F. was above noise before, bars go from the lowest of them to the highest. Better is down and right.*"
)
#: Sections of the page; what the folder has no results of stays as it is.
SECTIONS = ("classifiers", "equity", *CONTINUATIONS, "resampling")


def classifiers(contents: list[dict[str, Any]]) -> str:
    """Markdown with a section for each classifier and recipe, by what their ``retraining.json`` hold."""
    together = defaultdict(list)
    for content in contents:
        together[json.dumps([content["study"]["model"], content["study"]["names"], content["recipe"]])] += [content]
    return "\n\n".join(_section(part) for part in together.values())


def _section(contents: list[dict[str, Any]]) -> str:
    whole = {**contents[0], **over_seeds([run for content in contents for run in content["runs"]])}
    study, recipe, words = whole["study"], whole["recipe"], whole["runs"][0]["material"]
    seconds = [run["seconds"] for run in whole["runs"]]
    lines = [
        f"### {study['model']}, {recipe['method']}",
        f"Trained on: {words['sentences_trained']:,} sentences × {words['names_trained']} names of `{study['names']}`, "
        f"{recipe['steps']} steps. Measured: {words['sentences_held_out']:,} sentences of "
        f"`{Path(study['sentences']).name}` × {words['names_held_out']} other names. Seeds "
        f"{', '.join(map(str, whole['seeds']))}; a training took {min(seconds):.0f} to {max(seconds):.0f} s "
        "on one core shared with other work.",
        sensitivity_table(whole),
        *([task_table(whole)] if whole["strengths"][0]["task"] else []),
    ]
    return "\n\n".join(lines)


def sections(place: Path, pictures: Path) -> dict[str, str]:
    """Markdown by section, of those that a folder has results of; pictures are put beside it."""
    retrained = sorted(place.glob(f"classifiers/*/{FILE}"))
    audits = [language.read(audit) for audit in sorted(place.glob("audits/*/"))]
    parts = {"resampling": resampling.section(AUDIT.read(ASSETS / "examples" / "occupations").cube)}
    if retrained:
        parts["classifiers"] = classifiers([json.loads(file.read_text("utf-8")) for file in retrained])
    if (place / "equity").is_dir():
        parts["equity"] = equity.section(place / "equity")
    for attribute in CONTINUATIONS:
        if some := [audit for audit in audits if audit.attribute == attribute]:
            parts[attribute] = language.section(some)
            if drawn := curve.picture(some):
                file = f"mitigation-{attribute}.svg"
                atomic.write(pictures / file, drawn)
                parts[attribute] += f"\n\n![{ALTERNATIVE}](img/{file})\n\n{CAPTION}"
    return parts


def main() -> None:
    """Read the folder and write its sections of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=documents.DOCS / "results-mitigation.md", help="a page with marks")
    options = parser.parse_args()
    documents.write(options.out, sections(options.folder, options.out.parent / "img"))


if __name__ == "__main__":
    main()
