"""Train an adapter from a task folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.errors import OptionError
from psa_core.folders.writing import atomic_directory
from psa_core.models._transformers.adapter import BASE, load_merged
from psa_core.models.minilm import read_description
from psa_core.retraining.student import open_to_others
from research.training.adapter import Origin, new_adapter, save_adapter
from research.training.card import model_card
from research.training.loop import Epoch, best_epoch, evaluate, fit
from research.training.recipe import Recipe
from research.training.task import Split, Task

FROM_PACKAGE = Origin()
ABOUT = ("title", "summary", "data", "licence", "limits")


def train(
    task: Task, out: Path, *, recipe: Recipe, description: Mapping[str, Any], origin: Origin = FROM_PACKAGE
) -> tuple[Epoch, ...]:
    """Train an adapter and write its folder, all or nothing; the test table is left alone.

    `description` is what `describe` returns, with a ``command``. Returns the log of the training; ``labels.json`` holds
    the quality of the adapter as a user loads it. Raises `OptionError` when the folder exists, `ModelError` when the
    base model, or the adapter to start from, cannot be used.
    """
    if out.exists():
        raise OptionError("--out", got=f"{out}, which exists", expected="a new folder", fix="Name another one.")
    model, tokenizer = new_adapter(origin, task.labels, recipe)
    epochs = fit(model, tokenizer, task, recipe)
    with atomic_directory(out) as folder:
        save_adapter(model, folder, origin)
        content = {**description, "labels": list(task.labels), "max_tokens": recipe.max_tokens}
        content["base"] = str(origin.base or BASE)
        content["recipe"] = asdict(recipe) | {"kept_epoch": best_epoch(epochs, recipe.metric).number}
        content |= {"rows": {"train": len(task.train)}, "val": {}, "test": {}}
        _write_json(folder, content)
        _quality_on(folder, content, "val", task.val)
    return epochs


def score_test(task: Task, folder: Path) -> dict[str, float]:
    """Score an adapter that `train` wrote on the test table, once, and say so on its card; returns the quality.

    Raises `OptionError` when there is no test table, the labels differ, or the adapter has been tested before;
    `ModelError` when the folder is not an adapter's.
    """
    content = read_description(folder)
    if content.get("retrained"):
        raise OptionError("--score-test", got="a retrained adapter, whose card has its scores", expected="another one")
    if task.test is None:
        raise OptionError("--score-test", got="a task folder without a test table", expected="test.csv or test.csv.gz")
    if list(task.labels) != content["labels"]:
        labels = ", ".join(content["labels"])
        raise OptionError("--score-test", got=f"the labels {', '.join(task.labels)}", expected=labels)
    if content.get("test"):
        raise OptionError("--score-test", got="an adapter that was tested before", expected="one use of the test table")
    return _quality_on(folder, content, "test", task.test)


def _quality_on(folder: Path, content: dict[str, Any], name: str, split: Split) -> dict[str, float]:
    """Score the adapter on a split as a user loads it, and say so in its ``labels.json`` and model card."""
    model, tokenizer = load_merged(folder, content["labels"])
    scores = evaluate(model, tokenizer, split, content["max_tokens"])
    content[name] = scores
    content["rows"][name] = len(split)
    _write_json(folder, content)
    atomic.write(folder / "README.md", model_card(content))
    open_to_others(folder)
    return scores


def _write_json(folder: Path, content: Mapping[str, Any]) -> None:
    atomic.write(folder / "labels.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def describe(
    labels: Sequence[str], about: Mapping[str, str], *, differences: Sequence[tuple[str, str, str]] = ()
) -> dict[str, Any]:
    """What ``labels.json`` says about an adapter before it is trained: ``about`` and ``targets``.

    `about` has any of title, summary, data, licence, limits; what is missing is said to be unknown. With two labels the
    only probability is that of the second, with more each label's; `differences` are further targets in [-1, 1]:
    ``name, plus, minus`` is P(plus) - P(minus). Raises `OptionError` when one names a label that the task lacks.
    """
    shown = labels[1:] if len(labels) == 2 else labels
    targets = [_target(name, f"probability of {name}", 0.0, {name: 1.0}) for name in shown]
    for name, plus, minus in differences:
        for label in (plus, minus):
            if label not in labels:
                raise OptionError("--difference", got=f"the label {label!r}", expected=f"one of {', '.join(labels)}")
        weights = {plus: 1.0, minus: -1.0}
        targets.append(_target(name, f"probability of {plus} minus probability of {minus}", -1.0, weights))
    unknown = {"title": "Adapter", "summary": "A classifier trained on a task folder."}
    return {"about": {key: about.get(key) or unknown.get(key, "not stated") for key in ABOUT}, "targets": targets}


def _target(name: str, meaning: str, low: float, weights: Mapping[str, float]) -> dict[str, Any]:
    return {"name": name, "low": low, "high": 1.0, "meaning": meaning, "threshold": None, "weights": dict(weights)}
