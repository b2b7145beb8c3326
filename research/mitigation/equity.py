"""The Equity Evaluation Corpus before and after a retraining, for the page that `research.mitigation` writes."""

from __future__ import annotations

import json
from pathlib import Path

from research.documents import signed

FILE = "eec.json"


def section(folder: Path) -> str:
    """Markdown rows of a result folder of ``psa_core eec``, a row a model; a path is no name, so it is *retrained*."""
    heads = ["model", "mean Δ", "pairs above 0", "pairs below 0", "spread", "verdict", "p by pairs of people"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for system, found in json.loads((folder / FILE).read_text("utf-8")).items():
        model, _, target = system.rpartition("/")
        gender = found["gender"]
        label = f"the same, retrained (`{target}`)" if "/" in model else f"{model} (`{target}`)"
        numbers = [signed(gender[key], 4) for key in ("mean_difference", "mean_positive", "mean_negative")]
        cells = [label, *numbers, f"{gender['spread']:.4f}", gender["verdict"], f"{gender['p_people']:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
