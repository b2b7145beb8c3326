"""The training loop: keep the answers to the texts as they are, and answer alike whatever the name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from psa_core.errors import Cancelled
from psa_core.retraining.material import Material
from psa_core.retraining.recipe import Retraining
from psa_core.retraining.student import Student
from psa_core.retraining.updates import stepper


def fit(
    student: Student,
    material: Material,
    recipe: Retraining,
    *,
    on_step: Callable[[int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> list[tuple[float, float]]:
    """Train the updates in place.

    The loss is the mean squared difference of the logits of texts as they are from those of the classifier before
    (Ba and Caruana 2014), plus `strength` times: of sentences with a name, the same against the sentence as it was
    (*augment*), or the mean absolute difference between two names (*pair*; Garg et al. 2019, section 4.3). It works
    for every kind of head, and needs no labels.

    Parameters
    ----------
    student : Student
    material : Material
    recipe : Retraining
    on_step : callable, optional
        Takes the number of steps done.
    should_stop : callable, optional

    Returns
    -------
    list of (float, float)
        Both parts of the loss at each step, the second without its weight.

    Raises
    ------
    Cancelled
        When `should_stop` answered True.
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
        if on_step is not None:
            on_step(number)
    return losses


Batch = tuple[list[str], list[str], list[str], list[str]]


def _batches(material: Material, recipe: Retraining) -> Iterator[Batch]:
    """Texts of like length: as they are; sentences as they are, with one name, and with another one."""
    rng = np.random.default_rng(recipe.seed)
    texts = sorted(material.texts, key=len)
    dressed = material.trained
    by_length = np.argsort([len(text) for text in dressed.texts], kind="stable")
    size = recipe.sentences
    for _ in range(recipe.steps):
        start = rng.integers(max(1, len(texts) - size + 1))
        rows = by_length[(first := rng.integers(max(1, len(by_length) - size + 1))) : first + size]
        names = [rng.choice(len(dressed.names), 2, replace=False) for _ in rows]
        yield (
            texts[start : start + size],
            [dressed.texts[row] for row in rows],
            [dressed.text(int(row), int(pair[0])) for row, pair in zip(rows, names, strict=True)],
            [dressed.text(int(row), int(pair[1])) for row, pair in zip(rows, names, strict=True)],
        )


def _losses(student: Student, batch: Batch, recipe: Retraining) -> tuple[Any, Any]:
    """What is lost on texts as they are, and what names move: two tensors."""
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
    asked = before[len(texts) :]
    return kept, ((first - asked).square().mean() + (second - asked).square().mean()) / 2
