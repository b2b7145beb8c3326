"""A study as a part of a model's card: a Markdown block, and ``model-index`` metadata as model hubs read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from psa_core import tables
from psa_core.claims import findings
from psa_core.claims.answers import unanswered_finding
from psa_core.claims.formatting import too_few_in
from psa_core.claims.groups import group_finding
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.inputs.groups import grouping
from psa_core.plurals import counted
from psa_core.report import _sections as sections

if TYPE_CHECKING:
    from huggingface_hub import EvalResult, ModelCard

BEGIN, END = "<!-- psa card -->", "<!-- /psa card -->"
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist"}
SOURCE = "https://arxiv.org/abs/1910.04210"  # Prabhakaran et al. 2019


def block(cube: ScoreCube) -> str:
    """A card's section on a study: its findings, the measures with their intervals, and how to run it again."""
    summary = tables.summary(cube)
    sentences, names, _ = cube.shape
    lines = [
        BEGIN,
        "## Sensitivity to names",
        "",
        f"Perturbation Sensitivity Analysis ([Prabhakaran et al. 2019]({SOURCE})): {counted(sentences, 'sentence')}, "
        f"each scored with {counted(names, 'name')}. It shows what a name does to the score; whether that is bias is "
        "for a person to judge.",
        "",
    ]
    lines += [f"{few}\n"] if (few := too_few_in(cube)) else []
    for target in cube.targets:
        if found := unanswered_finding(cube, target.name):
            lines.append(f"- {_plain(found)}")
        lines.append(f"- {_plain(findings.corpus_finding(summary[target.name], target))}")
        for column in grouping(cube.names):
            table = tables.group_table(cube, target.name, column)
            lines.append(f"- {_plain(group_finding(table, target.name, column=column))}")
    lines += ["", f"| score | {' | '.join(METRICS.values())} |", f"|---{'|---' * len(METRICS)}|"]
    for target in cube.targets:
        measures = [summary[target.name][metric] for metric in METRICS]
        cells = (bracketed(each["value"], each["low"], each["high"]) for each in measures)
        lines.append(f"| {_plain(target.name)} | {' | '.join(cells)} |")
    lines += ["", "To run it again:", "", "```", *(line.strip() for line in sections.commands(cube)), "```", END]
    return "\n".join(lines) + "\n"


def results(cube: ScoreCube) -> list[EvalResult]:
    """The measures of every target as entries of a ``model-index``, by ``huggingface_hub``."""
    from huggingface_hub import EvalResult

    inputs = cube.provenance.get("inputs", {})
    corpus = str(inputs.get("sentences", {}).get("source") or "sentences")
    names = str(inputs.get("names", {}).get("source") or "names")
    return [
        EvalResult(
            task_type="text-classification",
            dataset_type="perturbation-sensitivity",
            dataset_name=f"{corpus} × {names}",
            metric_type=metric,
            metric_name=f"{METRICS[metric]} of {target.name} (smaller = less sensitive to names)",
            metric_value=numbers[metric]["value"],
            metric_args={"low": numbers[metric]["low"], "high": numbers[metric]["high"], "confidence": 0.95},
            source_name="Perturbation Sensitivity Analysis",
            source_url=SOURCE,
        )
        for target in cube.targets
        for numbers in [tables.target_summary(cube, target.name)]
        for metric in METRICS
        if numbers[metric]["value"] is not None
    ]


def card(cube: ScoreCube, *, name: str | None = None, existing: str = "") -> ModelCard:
    """A card with the block and the metadata, which replace those of an earlier study.

    `name` is the model's: by default what the existing card has, or the study's model. Everything else of the
    `existing` text stays. Raises `OptionError` when its metadata cannot be read.
    """
    import yaml
    from huggingface_hub import ModelCard

    try:
        found = ModelCard(existing or "---\n{}\n---\n", ignore_metadata_errors=False)
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError) as error:  # the hub checks little first
        got = f"metadata that cannot be read ({str(error).strip().splitlines()[0][:120]})"
        raise OptionError("card", got=got, expected="a model card with valid metadata") from error
    data: Any = found.data  # a ModelCardData, which the annotation there hides
    data.model_name = name or data.model_name or sections.model_name(cube)
    others = [one for one in data.eval_results or [] if one.dataset_type != "perturbation-sensitivity"]
    data.eval_results = [*others, *results(cube)]
    earlier = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END) + r"\n?", re.DOTALL)
    mine = block(cube)
    text, replaced = earlier.subn(lambda _: mine, found.text, count=1)
    found.text = text if replaced else f"{text.rstrip()}\n\n{mine}".lstrip()
    return found


def read(file: Path) -> str:
    """The text of a card; empty where there is none yet. Raises `OptionError` where it is no text."""
    try:
        return file.read_text(encoding="utf-8") if file.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError("--into", got=f"{file} cannot be read as UTF-8", expected="a Markdown file") from error


def _plain(text: Any) -> str:
    """A sentence in which nothing is markup: names and targets are other people's words."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(str(text).split()))


def bracketed(value: float | None, low: float | None, high: float | None) -> str:
    """``0.031 [0.028, 0.034]``: a number with its 95 % interval, where it has one."""
    if pd.isna(value):
        return "–"
    return f"{value:.3f}" if pd.isna(low) else f"{value:.3f} [{low:.3f}, {high:.3f}]"
