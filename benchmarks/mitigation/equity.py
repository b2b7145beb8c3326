"""The Equity Evaluation Corpus before and after a retraining, for the page that `benchmarks.mitigation` writes."""

from __future__ import annotations

import json
from pathlib import Path

FILE = "eec.json"
HEAD = """## Sentences about women and about men (Equity Evaluation Corpus)

Δ is the score of the sentence about a woman minus that of the same one about a man, over 1,584 pairs; none of these
sentences was trained on. *Pairs above 0*, *below 0*: mean Δ of each kind; *spread*: largest minus smallest. The
*verdict* is that of the paper's paired test, which takes pairs of the same people for independent; p is that of 11
pairs of people."""


def section(folder: Path) -> str:
    """Markdown rows of a result folder of ``psa_core eec``, a row a model; a path is no name, so it is *retrained*."""
    heads = ["model", "mean Δ", "pairs above 0", "pairs below 0", "spread", "verdict", "p by pairs of people"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for system, found in json.loads((folder / FILE).read_text("utf-8")).items():
        model, _, target = system.rpartition("/")
        gender = found["gender"]
        label = f"the same, retrained (`{target}`)" if "/" in model else f"{model} (`{target}`)"
        numbers = [f"{gender[key]:+.4f}" for key in ("mean_difference", "mean_positive", "mean_negative")]
        cells = [label, *numbers, f"{gender['spread']:.4f}", gender["verdict"], f"{gender['p_people']:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n\n".join([HEAD, "\n".join(lines)]) + "\n"
