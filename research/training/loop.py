"""The training loop: AdamW with one learning-rate cycle; keeps the best epoch on the validation set."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from psa_core.retraining.measure import quality
from research.training.batches import batch_count, bucketed
from research.training.recipe import Recipe
from research.training.task import Split, Task

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training texts gave: mean cross-entropy in nats, validation quality (`quality`)."""

    number: int
    loss: float
    val: dict[str, float]
    seconds: float


def fit(model: Any, tokenizer: Any, task: Task, recipe: Recipe) -> tuple[Epoch, ...]:
    """Train the weights of a sequence classifier that require a gradient, in place.

    The best epoch's stay in it: the first with the largest ``recipe.metric``. Returns all epochs in order; each is
    logged as it ends.
    """
    import torch

    tokens = tokenize(tokenizer, task.train.texts, recipe.max_tokens)
    trained = [p for p in model.parameters() if p.requires_grad]
    step = _stepper(model, trained, recipe, recipe.epochs * batch_count(len(tokens), recipe.batch_size))
    rng = np.random.default_rng(recipe.seed)
    epochs: list[Epoch] = []
    best: list[Any] = []
    for number in range(1, recipe.epochs + 1):
        start = time.perf_counter()
        model.train()
        batches = bucketed([len(ids) for ids in tokens], recipe.batch_size, rng)
        losses = [step([tokens[i] for i in batch], task.train.labels[batch]) for batch in batches]
        val = evaluate(model, tokenizer, task.val, recipe.max_tokens)
        if all(val[recipe.metric] > epoch.val[recipe.metric] for epoch in epochs):
            best = [p.detach().clone() for p in trained]
        epochs.append(Epoch(number, float(np.mean(losses)), val, time.perf_counter() - start))
        LOG.info(_line(epochs[-1], recipe))
    with torch.no_grad():
        for parameter, value in zip(trained, best, strict=True):
            parameter.copy_(value)
    return tuple(epochs)


def best_epoch(epochs: Sequence[Epoch], metric: str) -> Epoch:
    """The first epoch with the largest validation metric."""
    return max(epochs, key=lambda epoch: epoch.val[metric])


def evaluate(model: Any, tokenizer: Any, split: Split, max_tokens: int) -> dict[str, float]:
    """Quality of the most probable class, computed in float32."""
    return quality(split.labels, logits(model, tokenizer, split.texts, max_tokens=max_tokens).argmax(axis=1))


def logits(model: Any, tokenizer: Any, texts: Sequence[str], *, max_tokens: int) -> np.ndarray:
    """Float32 logits (R, L) of texts in their order, without dropout."""
    import torch

    model.eval()
    tokens = tokenize(tokenizer, texts, max_tokens)
    order = np.argsort([len(ids) for ids in tokens], kind="stable")
    answers: list[np.ndarray | None] = [None] * len(tokens)
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            rows = model(**_padded([tokens[i] for i in batch], model)).logits.float().cpu().numpy()
            for i, row in zip(batch, rows, strict=True):
                answers[i] = row
    return np.stack([row for row in answers if row is not None])


def tokenize(tokenizer: Any, texts: Sequence[str], max_tokens: int) -> list[list[int]]:
    """Token ids of each text with the special tokens, cut at ``max_tokens``."""
    ids: list[list[int]] = tokenizer(list(texts), truncation=True, max_length=max_tokens)["input_ids"]
    return ids


def _stepper(
    model: Any, trained: list[Any], recipe: Recipe, steps: int
) -> Callable[[list[list[int]], np.ndarray], float]:
    """Function that learns from one batch of token ids and labels, and returns its loss."""
    import torch

    optimizer = torch.optim.AdamW(trained, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, total_steps=steps, pct_start=0.1)
    device = trained[0].device
    weights = torch.tensor(recipe.class_weights, device=device) if recipe.class_weights else None
    cost = torch.nn.CrossEntropyLoss(weight=weights, label_smoothing=recipe.label_smoothing)

    def step(tokens: list[list[int]], labels: np.ndarray) -> float:
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=recipe.precision == "bfloat16"):
            answer = model(**_padded(tokens, model)).logits
        loss = cost(answer.float(), torch.from_numpy(labels).to(device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        return float(loss.detach())

    return step


def _padded(tokens: list[list[int]], model: Any) -> dict[str, Any]:
    """Model inputs of a batch, padded on the right to its longest text, on the model's device."""
    import torch

    device = next(model.parameters()).device
    pad = model.config.pad_token_id or 0
    width = max(len(ids) for ids in tokens)
    ids = torch.tensor([row + [pad] * (width - len(row)) for row in tokens], device=device)
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in tokens], device=device)
    return {"input_ids": ids, "attention_mask": mask}


def _line(epoch: Epoch, recipe: Recipe) -> str:
    """One epoch as a line of the log."""
    val = ", ".join(f"{name} {value:.4f}" for name, value in epoch.val.items())
    return f"epoch {epoch.number}/{recipe.epochs}: loss {epoch.loss:.4f}; val {val}; {epoch.seconds:.0f} s"
