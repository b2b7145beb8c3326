"""A classifier that goes on learning: low-rank updates of its last layers, and the loop that trains them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from psa_core import atomic, models
from psa_core.errors import Cancelled, ModelError
from psa_core.models._transformers.adapter import scale_of
from psa_core.models.minilm import adapter_folder
from psa_core.retraining.material import Material
from psa_core.retraining.recipe import Retraining
from psa_core.retraining.updates import SCALE, stepper, with_updates

Batch = tuple[list[str], list[str], list[str], list[str]]


@dataclass(frozen=True, eq=False)
class Student:
    """A loaded classifier whose scorer answers with the new updates in it; `model_id` is as `models.load` takes it."""

    model_id: str
    scorer: Any

    @property
    def model(self) -> Any:
        """The peft model."""
        return self.scorer.model

    def logits(self, texts: Sequence[str], max_tokens: int) -> Any:
        """Logits of a batch with gradients: float tensor (B, L); with several classes each row is centred on 0."""
        import torch

        from psa_core.models._transformers.language_models import as_tensors

        rows, pad = [ids[:max_tokens] for ids in self.scorer.tokenize(texts)], self.model.config.pad_token_id
        answers = []
        for batch in [rows] if pad is not None else [[row] for row in rows]:  # without padding one at a time
            ids, inside = as_tensors(batch, pad or 0, device=self.model.device)
            answers.append(self.model(input_ids=ids, attention_mask=inside.long()).logits.float())
        answer = torch.cat(answers)
        return answer - answer.mean(dim=1, keepdim=True) if answer.shape[1] > 1 else answer

    def id_with(self, folder: Path) -> str:
        """The id that loads the classifier with an adapter folder that it wrote."""
        if not self.model_id.startswith("hf:"):
            return f"minilm:{folder}"
        name, _, options = self.model_id.partition("?")
        return f"{name}?{options + '&' if options else ''}adapter={quote(str(folder))}"

    def save(self, folder: Path) -> None:
        """Write an adapter folder."""
        with atomic.disk_errors():
            if self.model_id.startswith("hf:"):
                self.model.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)
            else:
                _save_minilm(self.model, adapter_folder(self.model_id.removeprefix("minilm:")), folder)


def student(model_id: str, recipe: Retraining) -> Student:
    """Load a fresh copy of a classifier and put new updates, which change nothing yet, into its last layers.

    Raises `ModelError` when it is neither an adapter on the packaged encoder nor a transformers classifier, or has no
    layers.
    """
    if not model_id.startswith(("minilm", "hf:")):
        raise ModelError("--model", got=repr(model_id[:120]), expected="minilm-…, minilm:FOLDER or hf:FOLDER")
    if model_id.startswith("hf:") and "adapter=" in model_id.partition("?")[2]:
        raise ModelError("--model", got="a classifier with an adapter", expected="one without, to train a new one on")
    scorer: Any = models.load(model_id)
    model = with_updates(scorer.model, recipe)
    return Student(model_id, replace(scorer, model=model, fingerprint=f"{scorer.fingerprint}+updates"))


def _save_minilm(model: Any, old: Path, folder: Path) -> None:
    """Write old and new updates of an adapter as one, side by side; zeros where there is no new one."""
    import torch
    from safetensors.torch import load_file, save_file

    if scale_of(old) != SCALE:
        raise ModelError("--model", got=f"an adapter of scale {scale_of(old):g}", expected=f"one of scale {SCALE:g}")
    weights = load_file(old / "adapter_model.safetensors")
    new = {name.replace(".default.", "."): value.detach().cpu() for name, value in model.named_parameters()}
    rank = next(value.shape[0] for name, value in new.items() if ".lora_A." in name)
    for name, value in weights.items():
        side = 0 if ".lora_A." in name else 1
        if ".lora_" in name:
            shape = (rank, value.shape[1]) if side == 0 else (value.shape[0], rank)
            weights[name] = torch.cat([value, new.get(name, torch.zeros(shape))], dim=side).contiguous()
    folder.mkdir(parents=True)
    with atomic.replacing(folder / "adapter_model.safetensors") as aside:
        save_file(weights, aside, metadata={"format": "pt"})
    config = json.loads((old / "adapter_config.json").read_text("utf-8"))
    config |= {"r": config["r"] + rank, "lora_alpha": int(SCALE * (config["r"] + rank))}
    atomic.write(folder / "adapter_config.json", json.dumps(config, indent=2, sort_keys=True) + "\n")
    content = json.loads((old / "labels.json").read_text("utf-8"))
    # Scores that were measured on the old adapter do not hold for the new one.
    content = {key: value for key, value in content.items() if key not in ("val", "test", "unseen", "command")}
    content |= {"retrained": True, "about": content.get("about", {})}
    content["about"]["title"] = f"{content['about'].get('title', 'Adapter')}, retrained"
    atomic.write(folder / "labels.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def fit(
    student: Student,
    material: Material,
    recipe: Retraining,
    *,
    on_step: Callable[[int], None] = lambda _: None,
    should_stop: Callable[[], bool] | None = None,
) -> list[tuple[float, float]]:
    """Train the updates in place; returns both parts of the loss at each step, the second without its weight.

    The loss is the mean squared difference of the logits of unchanged texts from those of the original classifier (Ba
    and Caruana 2014), plus `strength` times: of sentences with a name, the same against the sentence as it was
    (*augment*), or the mean absolute difference between two names (*pair*; Garg et al. 2019, section 4.3). It works for
    every kind of head, and needs no labels. Raises `Cancelled` when `should_stop` answered True.
    """
    step = stepper(student.model, recipe)
    losses = []
    student.model.eval()  # dropout would make two names differ by chance
    for number, batch in enumerate(_batches(material, recipe), start=1):
        if should_stop is not None and should_stop():
            raise Cancelled
        kept, moved = _losses(student, batch, recipe)
        step(kept + recipe.strength * moved)
        losses.append((float(kept.detach()), float(moved.detach())))
        on_step(number)
    return losses


def _batches(material: Material, recipe: Retraining) -> Iterator[Batch]:
    """Texts of similar length: unchanged ones; unchanged sentences; these with one name, and with another one."""
    rng, size = np.random.default_rng(recipe.seed), recipe.sentences
    texts, trained = sorted(material.texts, key=len), material.trained
    by_length = np.argsort([len(text) for text in trained.texts], kind="stable")
    for _ in range(recipe.steps):
        start = rng.integers(max(1, len(texts) - size + 1))
        rows = by_length[(first := rng.integers(max(1, len(by_length) - size + 1))) : first + size]
        names = [rng.choice(len(trained.names), 2, replace=False) for _ in rows]
        yield (
            texts[start : start + size],
            [trained.texts[row] for row in rows],
            [trained.text(int(row), int(pair[0])) for row, pair in zip(rows, names, strict=True)],
            [trained.text(int(row), int(pair[1])) for row, pair in zip(rows, names, strict=True)],
        )


def _losses(student: Student, batch: Batch, recipe: Retraining) -> tuple[Any, Any]:
    """How far the answers to unchanged texts drift, and how far names move the answers: two tensors."""
    import torch

    texts, sentences, one, other = batch
    plain = [*texts, *sentences]
    with torch.no_grad(), student.model.disable_adapter():
        before = student.logits(plain, recipe.max_tokens)
    kept = (student.logits(plain, recipe.max_tokens) - before).square().mean()
    named = student.logits([*one, *other], recipe.max_tokens)
    first, second = named[: len(one)], named[len(one) :]
    if recipe.method == "pair":
        return kept, (first - second).abs().mean()
    original = before[len(texts) :]
    return kept, ((first - original).square().mean() + (second - original).square().mean()) / 2
