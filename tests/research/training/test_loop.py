from __future__ import annotations

from pathlib import Path

import numpy as np

from research.training.adapter import Origin, new_adapter
from research.training.loop import Epoch, best_epoch, fit, logits
from research.training.recipe import Recipe
from research.training.task import read_task


def test_the_best_epoch_is_the_first_of_the_largest() -> None:
    epochs = [Epoch(i + 1, 0.0, {"macro_f1": value}, 0.0) for i, value in enumerate((0.2, 0.7, 0.7, 0.1))]
    assert best_epoch(epochs, "macro_f1").number == 2


def test_training_repeats_with_the_seed_and_learns(task_folder: Path, tiny_base: Path) -> None:
    task = read_task(task_folder)
    recipe = Recipe(epochs=6, batch_size=4, learning_rate=2e-2, rank=4, max_tokens=8)
    answers = []
    for _ in range(2):
        model, tokenizer = new_adapter(Origin(tiny_base), task.labels, recipe)
        epochs = fit(model, tokenizer, task, recipe)
        answers.append(logits(model, tokenizer, task.val.texts, max_tokens=8))
    np.testing.assert_array_equal(answers[0], answers[1])
    assert epochs[-1].loss < epochs[0].loss
    assert best_epoch(epochs, "macro_f1").val["macro_f1"] > 0.9


def test_the_weights_of_the_best_epoch_are_left(task_folder: Path, tiny_base: Path) -> None:
    task = read_task(task_folder)
    recipe = Recipe(epochs=4, batch_size=4, learning_rate=0.3, rank=2, max_tokens=8)  # too fast: epochs go up and down
    model, tokenizer = new_adapter(Origin(tiny_base), task.labels, recipe)
    epochs = fit(model, tokenizer, task, recipe)
    predicted = logits(model, tokenizer, task.val.texts, max_tokens=8).argmax(axis=1)
    best = best_epoch(epochs, "macro_f1")
    assert np.mean(predicted == task.val.labels) == best.val["accuracy"]


def test_logits_do_not_depend_on_the_other_texts(task_folder: Path, tiny_base: Path) -> None:
    model, tokenizer = new_adapter(Origin(tiny_base), ("cat", "dog"), Recipe())
    texts = ["my big slow dog sees the small cat", "a cat"]
    together = logits(model, tokenizer, texts, max_tokens=16)
    alone = np.concatenate([logits(model, tokenizer, [text], max_tokens=16) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert together.dtype == np.float32
