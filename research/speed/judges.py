"""A judge on the packaged language model against the same questions asked text by text, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from psa_core import models
from psa_core.inputs import corpus, names
from research.speed.table import Row

ROUNDS, SENTENCES, NAMES = 3, 4, 8
GOAL = 2.0


def rows() -> Iterator[Row]:
    """Measure."""
    judge: Any = models.load("ask:lm:smollm2?question=interview")
    texts = _texts()
    prompts = judge.tokenize(texts)
    shared = len(judge._shared.prefix)
    tokens = np.mean([len(row) for row in prompts])
    yield Row("judge: tokens a prompt, of them shared by all", "", f"{tokens:.1f}, {shared}")
    ways: dict[str, Callable[[], np.ndarray]] = {
        "together": lambda: judge.score(texts),
        "one by one": lambda: np.concatenate([_alone(judge, row) for row in prompts]),
    }
    answers = {name: way() for name, way in ways.items()}
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began = time.process_time()  # a busy machine does not show in it
            way()
            took[name].append(time.process_time() - began)
    ratio = float(np.median(np.array(took["one by one"]) / np.array(took["together"])))
    yield Row("judge: together / one by one, by processor time", f"≥ {GOAL}×", f"{ratio:.2f}×", ratio >= GOAL)
    apart = float(np.abs(answers["together"] - answers["one by one"]).max())
    yield Row("judge: largest difference of a probability", "≤ 1e-5", f"{apart:.1e}", apart <= 1e-5)


def _texts() -> list[str]:
    people = list(names.load("us-first-names").table["name"][:NAMES])
    notes = list(corpus.load("interviews").sentences["text"][:SENTENCES])
    return [note.replace("{name}", name) for note in notes for name in people]


def _alone(judge: Any, row: Sequence[int]) -> np.ndarray:
    """One prompt in one pass, with nothing kept from others; the packaged question's answers are single tokens."""
    import torch

    with torch.inference_mode():
        logits = judge.model(input_ids=torch.tensor([row]), use_cache=False, logits_to_keep=1).logits[0, -1]
    first = [tokens[0] for tokens in judge._shared.continuations]
    return np.asarray(judge.reduce(torch.log_softmax(logits.float(), dim=-1)[first].numpy()[np.newaxis]))
