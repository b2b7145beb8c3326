"""``python -m benchmarks.mitigation FOLDER``: what `benchmarks.mitigation.train` measured, as one page of tables."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.documents import DOCS
from benchmarks.mitigation import equity, language, resampling
from psa_core.audits.generation import folder
from psa_core.registry import ASSETS
from psa_core.training.counterfactual import FILE
from psa_core.training.counterfactual.card import sensitivity_table, task_table
from psa_core.training.counterfactual.seeds import over_seeds

HEAD = """# Results of mitigation

Classifiers trained on so that their answers move less with a name ([training.md](training.md)), measured on
names and sentences that training never saw. Each seed deals the list's names anew into those trained on and those
measured. *Name effect*: mean over the held-out names of the size of a name's effect against the names' mean.
*ScoreDev*: mean over sentences of the standard deviation over these names. *Originals*: sentences as they are.
Means over seeds with 95 % t intervals.

This page is written by `python -m benchmarks.mitigation.train FOLDER --data DIR` and `python -m benchmarks.mitigation
FOLDER`.
"""
NONE = "Not measured yet over three seeds.\n"


def page(contents: list[dict[str, Any]]) -> str:
    """Markdown with a section for each classifier and recipe.

    Parameters
    ----------
    contents : list of mapping
        What ``retraining.json`` files hold.
    """
    together = defaultdict(list)
    for content in contents:
        together[json.dumps([content["study"]["model"], content["study"]["names"], content["recipe"]])] += [content]
    return "\n".join([HEAD, *([_section(part) for part in together.values()] or [NONE])])


def _section(contents: list[dict[str, Any]]) -> str:
    whole = {**contents[0], **over_seeds([run for content in contents for run in content["runs"]])}
    study, recipe, words = whole["study"], whole["recipe"], whole["runs"][0]["material"]
    seconds = [run["seconds"] for run in whole["runs"]]
    lines = [
        f"## {study['model']}, {recipe['method']}",
        f"Trained on: {words['sentences_trained']:,} sentences × {words['names_trained']} names of `{study['names']}`, "
        f"{recipe['steps']} steps. Measured: {words['sentences_held_out']:,} sentences of "
        f"`{Path(study['sentences']).name}` × {words['names_held_out']} other names. Seeds "
        f"{', '.join(map(str, whole['seeds']))}; a training took {min(seconds):.0f} to {max(seconds):.0f} s "
        "on one core shared with other work.",
        sensitivity_table(whole),
        *([task_table(whole)] if whole["strengths"][0]["task"] else []),
    ]
    return "\n\n".join(lines) + "\n"


def main() -> None:
    """Read the folder and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=DOCS / "results-mitigation.md")
    options = parser.parse_args()
    retrained = sorted(place.parent for place in options.folder.glob(f"classifiers/*/{FILE}"))
    audits = [place for place in sorted(options.folder.glob("audits/*")) if folder.is_generation(place)]
    parts = [page([json.loads((place / FILE).read_text("utf-8")) for place in retrained])]
    if (options.folder / "equity").is_dir():
        parts.append(equity.section(options.folder / "equity"))
    parts.append(language.section([language.read(place) for place in audits]))
    parts.append(resampling.section(folder.read(ASSETS / "examples" / "occupations").cube))
    options.out.write_text("\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
