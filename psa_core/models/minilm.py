"""minilm: adapters on all-MiniLM-L6-v2, those packaged and those of users."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs import json_file
from psa_core.inputs.checks import path_of
from psa_core.models._answers import as_targets
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, Scorer
from psa_core.models._transformers.adapter import BASE, base_of, load_merged, scale_of
from psa_core.registry import ASSETS

MAX_BYTES, MIN_TOKENS, MAX_WEIGHT = 2**20, 3, 1e6
FILES = ("labels.json", "adapter_config.json", "adapter_model.safetensors")
#: What a target is called where its name is no noun.
PHRASES = {"offensive": "offensiveness score", "hate": "hate-speech score"} | {
    label: f"chance of “{label}”" for label in ("negative", "neutral", "positive")
}
SENTIMENT = (Purpose.CLASSES, Purpose.CONTINUATIONS, Purpose.DOCUMENTS)
# Raise when the arithmetic between a text and its scores changes (tokenising, merging, targets), so that caches notice.
VERSION = "1"


def load(model_id: str) -> Scorer:
    """Load a packaged adapter by its id (``minilm-emotion``), or any adapter folder by its path, as a scorer.

    Raises `ModelError` when the folder is missing or damaged, or the base model is not installed.
    """
    from psa_core.models._transformers.classifier import TransformersScorer, best_device, max_tokens_of

    folder = adapter_folder(model_id)
    description = read_description(folder)
    model, tokenizer = load_merged(folder, description["labels"])
    limit = min(description["max_tokens"], max_tokens_of(model, tokenizer))
    about, answers = description.get("about", {}).get("summary", ""), (targets_of(description), reduction(description))
    return TransformersScorer(model.to(best_device()), tokenizer, *answers, fingerprint(folder), limit, about)


def adapter_folder(model_id: str) -> Path:
    """Folder of an adapter: a packaged one by its id, any other by its path."""
    packaged = ASSETS / "models" / model_id
    return packaged if model_id.startswith("minilm-") and packaged.is_dir() else path_of(model_id)


def read_description(folder: Path) -> dict[str, Any]:
    """Content of an adapter folder's ``labels.json``, with a check that the folder is complete.

    Raises `ModelError` when a file is missing or ``labels.json`` is damaged.
    """
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        got, fix = f"no {', '.join(missing)} in {folder}", "Choose a folder that python -m research.training wrote."
        raise ModelError("adapter folder", got=got, expected=", ".join(FILES), fix=fix)
    try:
        description = json_file.read(folder / "labels.json", MAX_BYTES)
        reduction(description)
        targets = as_targets(targets_of(description), source="labels.json")
        if not all(np.isfinite(t.default_threshold) and isinstance(t.meaning, str) for t in targets):
            raise ValueError("a threshold that is no number, or a meaning that is no text")
        if not isinstance(description["max_tokens"], int) or not MIN_TOKENS <= description["max_tokens"] < 10**6:
            raise ValueError(f"max_tokens = {description['max_tokens']!r}")
    except (OSError, ArithmeticError, ValueError, LookupError, TypeError, AttributeError) as error:
        got = f"a damaged file ({error!r})"[:300]
        raise ModelError("labels.json", got=got, expected="labels and targets") from error
    return description


def targets_of(description: Mapping[str, Any]) -> tuple[Target, ...]:
    """Targets as ``labels.json`` lists them."""
    return tuple(
        Target(row["name"], row["low"], row["high"], row["meaning"], row.get("threshold"), PHRASES.get(row["name"], ""))
        for row in description["targets"]
    )


def reduction(description: Mapping[str, Any]) -> Callable[[np.ndarray], np.ndarray]:
    """Function from logits (B, L) to targets (B, T): each target is a weighted sum of the labels' probabilities."""
    labels = [*description["labels"]]
    if not all(isinstance(label, str) for label in labels) or len(set(labels)) < max(len(labels), 2):
        raise ValueError("labels that are not two or more distinct texts")
    weights = np.zeros((len(labels), len(description["targets"])), dtype=np.float32)
    for column, row in enumerate(description["targets"]):
        for label, weight in row["weights"].items():
            if not -MAX_WEIGHT < weight < MAX_WEIGHT:
                raise ValueError(f"the weight {weight!r:.40}")
            weights[labels.index(label), column] = weight

    def reduce(logits: np.ndarray) -> np.ndarray:
        from scipy.special import softmax

        return np.asarray(softmax(logits, axis=1) @ weights, dtype=np.float32)

    return reduce


def fingerprint(folder: Path) -> str:
    """Changes when the adapter's weights, its targets or the base model change."""
    files = base_of(folder) / "model.safetensors", folder / "adapter_model.safetensors"
    states = [(file, file.stat()) for file in files]
    description = read_description(folder)
    parts = [VERSION, str(scale_of(folder))]
    parts += [_hash_of(file, status.st_mtime_ns, status.st_size) for file, status in states]
    parts.append(json.dumps([description[key] for key in ("labels", "targets", "max_tokens")], sort_keys=True))
    return "minilm:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def _hash_of(path: Path, modified: int, size: int) -> str:
    """SHA-256 of a file, read once per state of it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cards() -> tuple[ModelCard, ...]:
    """The packaged adapters; reads their ``labels.json`` only."""
    found = []
    for file in sorted((ASSETS / "models").glob("minilm-*/labels.json")):
        description = json.loads(file.read_text("utf-8"))
        about, targets, summary = description["about"], targets_of(description), description["about"]["summary"]
        if description.get("unseen"):
            corpus = description["unseen"]["corpora"][0]
            summary += (
                f" On {corpus['name']}, which it never saw, it finds {corpus['recall']:.0%} with "
                f"{corpus['false_alarms']:.0%} false alarms (AUC {corpus['auc']:.2f})."
            )
        source = f"trained by this project; data: {about['data']}; base model {BASE}"
        good_for = SENTIMENT if any(target.low < 0 for target in targets) else ()
        found.append(ModelCard(file.parent.name, about["title"], summary, targets, source, about["licence"], good_for))
    return tuple(found)


MODEL = ModelPlugin(
    id="minilm",
    title="MiniLM adapter",
    summary="An adapter folder that python -m research.training wrote, on the packaged all-MiniLM-L6-v2.",
    load=load,
    cards=cards,
    argument="adapter folder",
    takes=trust.MODEL,
    trainable=True,
)
