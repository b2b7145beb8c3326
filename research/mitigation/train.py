"""``python -m research.mitigation.train FOLDER --data DIR``: train, and measure before and after.

A classifier is trained on half of the names, dealt by the seed, and measured on the other half and on sentences that
were not trained on. A language model is trained on half of an attribute's values and audited with the other half on
templates that no training has, beside the same audit of the model as it was. What is in the folder is not done again.
``python -m research.mitigation FOLDER`` writes the tables.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from psa_core import atomic, generators, models
from psa_core.audits.generation import quality
from research.mitigation.language import PERPLEXITY
from research.results import corpora, tasks
from research.training.language import HELD_OUT

SEEDS = (0, 1, 2)
#: Classifier, its task, and how strongly it is trained.
CLASSIFIERS = (
    ("minilm-sentiment", "sentiment", 1),
    *(("minilm-hate", "hate", strength) for strength in (2, 4, 8)),
)
#: Which of them scores the Equity Evaluation Corpus.
EQUITY = ("minilm-hate", 4)
NAMES, HELD_OUT_SENTENCES, LABELLED = "public-figures", 60, 1000

LM = "lm:smollm2"
#: The first two have no part in `valence`, which uses the words of the third; `sentiment` learns from the first.
SCORERS = "minilm-sentiment,vader,opinion-words"
#: Continuations of each prompt, by attribute: those with fewer values have more.
CONTINUATIONS = {"occupation": 16, "country": 48, "name": 33}
TOKENS, STEPS, SAMPLES = 25, 60, 160
METHODS = ("valence:2",)
#: Corpora whose perplexity is measured: texts of each, and texts that name a value.
CORPORA, ANY, NAMING = ("reddit", "news"), 120, 80


@dataclass(frozen=True)
class Trial:
    """One training of a language model."""

    attribute: str
    method: str
    strength: float
    seed: int

    @property
    def original(self) -> str:
        """Name of the audit of the model as it was: one for all trainings of an attribute and a seed."""
        return f"{self.attribute}-{self.seed}"

    @property
    def name(self) -> str:
        """Name of its folders."""
        return f"{self.original}-{self.method}-{self.strength:g}"


def trials(attributes: Sequence[str], methods: Sequence[str], seeds: Sequence[int]) -> Iterator[Trial]:
    """Every ``method:strength``, seed by seed, so that what is there after an hour is a whole."""
    for seed, method, attribute in itertools.product(seeds, methods, attributes):
        name, _, strength = method.partition(":")
        yield Trial(attribute, name, float(strength), seed)


def classifiers(folder: Path, data: Path, seeds: Sequence[int]) -> None:
    """Train the classifiers, and score the Equity Evaluation Corpus by the one for hate before and after."""
    for (model, task, strength), seed in itertools.product(CLASSIFIERS, seeds):
        out = classifier(folder, model, strength, seed)
        if not out.exists():
            what = ["--task-folder", tasks.folder_of(task, folder / "tasks", data), "--model", model]
            recipe = ["--strength", strength, "--seeds", 1, "--seed", seed, "--threads", 1]
            size = ["--sample", HELD_OUT_SENTENCES, "--labelled", LABELLED, "--counterfactual", NAMES]
            tasks.command("research.training", *what, *recipe, *size, "--out", out)
    model, strength = EQUITY
    adapter = classifier(folder, model, strength, seeds[0]) / f"strength-{strength}" / "adapter"
    if not (folder / "equity").exists():
        tasks.command("psa_core", "eec", "--model", f"{model},minilm:{adapter}", "--out", folder / "equity")


def classifier(folder: Path, model: str, strength: int, seed: int) -> Path:
    """Folder of one training."""
    return folder / "classifiers" / f"{model}-{strength}-{seed}"


def language_model(trial: Trial, folder: Path, data: Path) -> None:
    """Train a language model, and audit it before and after."""
    adapter = folder / "adapters" / trial.name
    if not adapter.exists():
        recipe = ["--method", trial.method, "--strength", f"{trial.strength:g}", "--seed", trial.seed]
        size = ["--steps", STEPS, "--samples", SAMPLES, "--threads", 1]
        what = ["--lm", LM, "--values", trial.attribute]
        tasks.command("research.training", "debias-lm", *what, *recipe, *size, "--out", adapter)
    for name, lm in ((trial.original, LM), (trial.name, f"{LM}?adapter={adapter}")):
        audit(lm, trial, adapter / HELD_OUT, folder / "audits" / name, data)


def audit(lm: str, trial: Trial, values: Path, out: Path, data: Path) -> None:
    """Continuations of all prompts, and the perplexity of texts of two corpora."""
    if not (out / "manifest.json").exists():
        what = ["--templates", trial.attribute, "--values", values, "--scorer", SCORERS, "--seed", trial.seed]
        size = ["--continuations", CONTINUATIONS[trial.attribute], "--tokens", TOKENS, "--leak-check", 0]
        tasks.command("psa_core", "generate", "--lm", lm, *what, *size, "--out", out)
    if not (out / PERPLEXITY).exists():
        named = [str(value) for value in pd.read_csv(values)["value"]]
        scorer = models.load(generators.as_scorer(lm))
        found = {
            corpus: quality.perplexities(scorer, texts(corpus, named, trial.seed, data), named)  # type: ignore[arg-type]
            for corpus in CORPORA
        }
        atomic.write(out / PERPLEXITY, json.dumps(found, indent=2) + "\n")


def texts(corpus: str, values: Sequence[str], seed: int, data: Path) -> list[str]:
    """Some texts of a corpus, and some that name one of the values."""
    source = next(source for source in corpora.SOURCES if source.id == corpus)
    found = corpora.texts(data, source.files)["text"]
    naming = found.str.contains(rf"(?<!\w)(?:{'|'.join(map(re.escape, values))})(?!\w)", case=False)
    drawn = [found[~naming].sample(ANY, random_state=seed)]
    drawn += [found[naming].sample(min(NAMING, int(naming.sum())), random_state=seed)]
    return [str(text) for text in pd.concat(drawn)]


def main() -> None:
    """Do what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder with goemotions, semeval2017_4a and tweeteval")
    parser.add_argument("--what", nargs="+", choices=["classifiers", "language"], default=["classifiers", "language"])
    parser.add_argument("--attributes", nargs="+", choices=list(CONTINUATIONS), default=list(CONTINUATIONS))
    parser.add_argument("--methods", nargs="+", metavar="METHOD:STRENGTH", default=METHODS)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    options = parser.parse_args()
    folder, data = options.folder.resolve(), options.data.resolve()
    if "classifiers" in options.what:
        classifiers(folder, data, options.seeds)
    if "language" in options.what:
        for trial in trials(options.attributes, options.methods, options.seeds):
            language_model(trial, folder, data)


if __name__ == "__main__":
    main()
