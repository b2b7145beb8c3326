"""A classifier that goes on learning: settings, low-rank updates of its last layers, and the loop that trains them."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from psa_core import atomic, models, options
from psa_core.errors import Cancelled, ModelError
from psa_core.models._transformers.adapter import scale_of
from psa_core.models.minilm import adapter_folder
from psa_core.options import option
from psa_core.retraining.material import Material

METHODS = {
    "augment": "Sentences repeated with other names; the answer to the sentence as it was is the one to learn",
    "pair": "The same sentence with two names gets the same answer: counterfactual logit pairing (Garg et al. 2019)",
}
#: Factor of every update, alpha / r.
SCALE = 2.0
_LAYER = re.compile(r"\.(?:\w*layers?|h|blocks?)\.(\d+)\.")
Batch = tuple[list[str], list[str], list[str], list[str]]


@dataclass(frozen=True)
class Retraining:
    """A few hundred small steps of low-rank updates, starting from a trained model; its head stays as it is.

    `strength` is the weight of that part of the loss that `method` names; the other part, of weight 1, keeps the
    model's own answers on the unchanged texts. A step has so many unchanged `sentences`, and as many changed ones.
    `learning_rate` is the peak: it rises for a tenth of the `steps`, then falls, linearly. The last `layers` get
    updates of a `rank`, whose scale is 2; texts longer than `max_tokens` are cut. `seed` is that of every random
    choice: how names are split, the updates, what a step sees.
    """

    method: str = option("pair", choices=METHODS)
    strength: float = option(1.0, low=0, high=1000)
    steps: int = option(80, low=1)
    sentences: int = option(8, low=1)
    learning_rate: float = option(1e-3, above=0, high=1)
    rank: int = option(8, low=1)
    layers: int = option(3, low=1)
    max_tokens: int = option(64, low=4)
    seed: int = option(0, low=0)

    def __post_init__(self) -> None:
        options.check(self)


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


def last_linears(model: Any, layers: int, *, field: str = "--model") -> list[str]:
    """Names of the linear maps of a transformer's last layers; `ModelError` about `field` when it has none."""
    import torch
    from transformers.pytorch_utils import Conv1D

    linear = [name for name, module in model.named_modules() if isinstance(module, (torch.nn.Linear, Conv1D))]
    numbers = {name: int(found[1]) for name in linear if (found := _LAYER.search(f".{name}."))}
    if not numbers:
        expected = "a transformer with such layers"
        raise ModelError(field, got="a model without numbered layers of linear maps", expected=expected)
    first = max(numbers.values()) + 1 - layers
    return [name for name, number in numbers.items() if number >= first]


def with_updates(model: Any, recipe: Retraining, *, field: str = "--model") -> Any:
    """The peft model with fresh updates, which change nothing yet; see `last_linears` for what is raised."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers.pytorch_utils import Conv1D

    torch.manual_seed(recipe.seed)
    targets = last_linears(model, recipe.layers, field=field)
    # GPT-2's linear maps keep their weights transposed.
    transposed = any(isinstance(model.get_submodule(name), Conv1D) for name in targets)
    alpha = int(SCALE * recipe.rank)
    config = LoraConfig(r=recipe.rank, lora_alpha=alpha, target_modules=targets, fan_in_fan_out=transposed)
    with warnings.catch_warnings():
        # peft still asks transformers for an attribute by its old name.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
        return get_peft_model(model, config)


def stepper(model: Any, recipe: Retraining) -> Callable[[Any], None]:
    """A function that takes a loss and changes the updates by one step of AdamW."""
    import torch

    trained = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=recipe.learning_rate, weight_decay=0.01)
    rising = max(1, recipe.steps // 10)
    falling = max(1, recipe.steps - rising)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (recipe.steps - step) / falling)
    )

    def step(loss: Any) -> None:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()

    return step


def open_to_others(folder: Path) -> None:
    """Let everybody read an adapter's files: they are written for their owner only, and adapters are for sharing."""
    for path in folder.iterdir():
        path.chmod(0o644)
