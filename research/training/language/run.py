"""Train a language model on, and write down what was done and what became of it, all or nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic, mitigate, models
from psa_core.folders import writing
from psa_core.inputs import prompts, spreadsheet
from psa_core.models import Purpose
from research.training.language import closeness
from research.training.language.card import card
from research.training.language.closeness import Distance
from research.training.language.fit import between, divergence, fit, pair
from research.training.language.material import Texts, own_samples, texts_of
from research.training.language.probe import Probe, probe
from research.training.language.recipe import LanguageRecipe
from research.training.language.writer import Writer, writer

FILE, HELD_OUT, CARD = "training.json", "held-out.csv", "README.md"
#: Pairs read at once when they are only measured.
BATCH = 8


@dataclass(frozen=True)
class Order:
    """What is to be trained: `lm` as `generators.load` takes it, `values` as `prompts.values_of` does.

    Half of the values are trained on. Without `texts` the model's own samples are; without `labels`, the scorer that
    labels texts for the method ``sentiment``, the packaged one does.
    """

    lm: str
    values: str
    recipe: LanguageRecipe
    texts: tuple[str, ...] = ()
    labels: str = ""


def debias(order: Order, out: Path, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Train a language model on, so that its sentiment differs less from value to value, and write an adapter folder.

    The folder is what ``lm:…?adapter=`` takes; ``held-out.csv`` in it has the values that training never saw, for
    ``generate --values``. Returns what ``training.json`` holds. Raises `PsaError` when an input cannot be used.
    """
    writing.check_target(out)
    began, computed, recipe = time.perf_counter(), time.process_time(), order.recipe
    trained, held_out = _dealt(order)
    tell("Loading the language model")
    pupil = writer(order.lm, recipe)
    values, others = ([str(value) for value in table["value"]] for table in (trained, held_out))
    if not order.texts:
        tell(f"Sampling {recipe.samples:,} texts")
    texts = order.texts or own_samples(pupil.generator, values, count=recipe.samples, seed=recipe.seed)
    split = texts_of(texts, values, without=others, seed=recipe.seed)
    found = _probe(order, pupil, split, (values, others), tell)
    distance = _distance(pupil, recipe, split, found)
    before = _measured(pupil, split, others, recipe, distance)
    tell(f"Training on {len(split.trained):,} sentences with {len(values)} values")
    fit(pupil, split, values, recipe, distance, lambda step: tell(f"Step {step:,} of {recipe.steps:,}"))
    counts = {"texts": split.plain, "sentences_trained": split.trained, "sentences_measured": split.measured}
    content = {
        "lm": order.lm,
        "recipe": asdict(recipe),
        "texts": "given" if order.texts else "the model's own samples",
        "material": {name: len(some) for name, some in counts.items()},
        "values": {"trained": values, "held_out": others},
        "probe": found and {"labels": order.labels or _labeller(), **found.words},
        "before": before,
        "after": _measured(pupil, split, others, recipe, distance),
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(time.process_time() - computed, 1),
    }
    with writing.atomic_directory(out) as aside:
        pupil.save(aside)
        spreadsheet.write_exactly(held_out, aside / HELD_OUT)
        atomic.write(aside / FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        atomic.write(aside / CARD, card(content))
    return content


def _dealt(order: Order) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Values that are trained on, and those that are not; dealt by group."""
    table, _, _ = prompts.values_of(order.values)
    split = mitigate.halves_of_names(table.rename(columns={"value": "name"}), field="--values", seed=order.recipe.seed)
    return table.iloc[split.used].reset_index(drop=True), table.iloc[split.measured].reset_index(drop=True)


def _labeller() -> str:
    return models.good_for(Purpose.CLASSES)[0]


def _probe(
    order: Order, pupil: Writer, split: Texts, values: tuple[list[str], list[str]], tell: Callable[[str], None]
) -> Probe | None:
    """What reads sentiment, where the method needs it; `values` are those trained on and those held out."""
    recipe, (trained, held_out) = order.recipe, values
    if recipe.method != "sentiment":
        return None
    texts = list(split.plain)
    if not order.texts and (more := recipe.labelled - len(texts)) > 0:
        tell(f"Sampling {more:,} more texts to learn sentiment from")
        texts += mitigate.naming_none(own_samples(pupil.generator, trained, count=more, seed=recipe.seed + 1), held_out)
    tell("Learning to read sentiment from the hidden states")
    scorer = models.load(order.labels or _labeller())
    found = probe(pupil, texts, scorer, max_tokens=recipe.max_tokens, seed=recipe.seed)
    tell(f"Reads it right in {100 * found.accuracy:.0f} % of {found.tested} other texts")
    return found


def _distance(pupil: Writer, recipe: LanguageRecipe, split: Texts, found: Probe | None) -> Distance:
    if found is not None:
        return closeness.sentiment(found)
    if recipe.method == "embedding":
        return closeness.embedding
    return closeness.valence(valences := closeness.valences_of(pupil.tokenizer), _unit(pupil, valences, split, recipe))


def _unit(pupil: Writer, valences: np.ndarray, split: Texts, recipe: LanguageRecipe) -> float:
    """Standard deviation of the expected valence over places of texts: with it a strength means alike everywhere."""
    import torch

    rows = [pupil.ids(text)[: recipe.max_tokens] for text in split.plain[: 4 * BATCH]]
    with torch.no_grad():
        read = [pupil.read(rows[start : start + BATCH]) for start in range(0, len(rows), BATCH)]
        found = torch.cat([closeness.expected_valence(one.logits[one.inside], valences) for one in read])
    return max(float(found.std()), 1e-6)


def _measured(
    pupil: Writer, split: Texts, values: list[str], recipe: LanguageRecipe, distance: Distance
) -> dict[str, float]:
    """On sentences and values that are not trained on: the distance within pairs, and the divergence."""
    import torch

    rng = np.random.default_rng(recipe.seed)
    pairs = [
        pair(pupil, one, value, max_tokens=recipe.max_tokens)
        for one in split.measured[: 8 * BATCH]
        for value in rng.choice([value for value in values if value != one.value], 1)
    ]
    with torch.no_grad():
        batches = [pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH)]
        sizes = [len(batch) for batch in batches]
        moved = np.average([float(between(pupil, batch, distance)) for batch in batches], weights=sizes)
        kept = np.average([float(divergence(pupil, [p.rows[0] for p in batch])) for batch in batches], weights=sizes)
    return {"distance": float(moved), "divergence": float(kept)}
