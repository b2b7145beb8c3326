"""The engine against transformers' pipeline and against a bare matrix product, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.speed.table import Row
from benchmarks.speed.texts import Grid
from psa_core import models
from psa_core.scoring import ScoringOptions, score
from psa_core.scoring._allocator import keep_freed_memory
from psa_core.scoring.backends import choice

ROUNDS = 7
ENGINE_TEXTS, PIPELINE_TEXTS, SINGLE_TEXTS = 768, 256, 32
SIDE = 1_024
ALONE = "product on one thread"


@dataclass(frozen=True, eq=False)
class Took:
    """Seconds a text, one value a round: on the clock, and of all processors together."""

    wall: np.ndarray
    processor: np.ndarray


@dataclass(frozen=True)
class Setup:
    """A model, the same weights in a pipeline, and texts of one sentence after the other."""

    scorer: Any
    pipeline: Any
    texts: list[str]
    product: tuple[str, Callable[[], object]]

    @property
    def flops(self) -> float:
        """Of one text, on average: the matrix products of its real tokens, padding not counted."""
        config, counts = self.scorer.model.config, np.array([len(row) for row in self.scorer.tokenize(self.texts)])
        hidden, inner = config.hidden_size, config.intermediate_size
        per_token = 2 * (4 * hidden * hidden + 2 * hidden * inner)
        return float(config.num_hidden_layers * (per_token * counts + 4 * hidden * counts**2).mean())


def rows() -> Iterator[Row]:
    """Measure."""
    setup = _setup()
    tokens = np.mean([len(row) for row in setup.scorer.tokenize(setup.texts)])
    yield Row("tokens a text", "about 26", f"{tokens:.1f}")
    took = _in_turns(setup)
    backend = choice.choose_backend(setup.scorer, ScoringOptions(), sample=setup.texts[:96], total=len(setup.texts))
    yield Row(
        f"engine ({backend.name}, batches of {backend.budget} tokens), texts/s", "", _spread(1 / took["engine"].wall)
    )
    yield Row(f"matrix product of the same FLOPs ({setup.product[0]}), texts/s", "", _spread(1 / took["product"].wall))
    for name, title, goal in (
        ("product", "engine / matrix product of the same FLOPs", 0.80),
        ("single", "engine / pipeline one by one", None),
        ("batch 32", "engine / pipeline batch 32, texts in sentence order", 1.8),
        ("shuffled", "engine / pipeline batch 32, texts shuffled", 2.5),
    ):
        yield _ratio(title, took[name].wall / took["engine"].wall, goal)
    work = took[ALONE].processor / took["engine"].processor
    yield _ratio("engine / matrix product, by processor time (a busy machine does not show in it)", work, 0.80)
    yield _difference(setup)


def _ratio(title: str, ratio: np.ndarray, goal: float | None) -> Row:
    if goal is None:
        return Row(title, "", _spread(ratio, 2))
    return Row(title, f"≥ {goal}", _spread(ratio, 2), bool(np.median(ratio) >= goal))


def _setup() -> Setup:
    from transformers import pipeline

    card = next(card for card in models.cards() if card.id.startswith("minilm-"))
    scorer: Any = models.load(card.id)
    texts = [text for sentence in range(64) for text in Grid(64, 48).row(sentence)]
    reference = pipeline("text-classification", model=scorer.model, tokenizer=scorer.tokenizer, device=-1)
    return Setup(scorer, reference, texts, _fastest_product())


def _in_turns(setup: Setup) -> dict[str, Took]:
    """Seconds a text of each way, one value a round; every round does all of them."""
    score(setup.scorer, setup.texts)  # calibrates and warms up
    took: dict[str, list[tuple[float, float]]] = {}
    for number in range(ROUNDS):
        rng = np.random.default_rng(number)
        start = int(rng.integers(0, len(setup.texts) - ENGINE_TEXTS))
        texts = setup.texts[start : start + ENGINE_TEXTS]
        shuffled = [texts[i] for i in rng.permutation(len(texts))]
        for name, count, work in _ways(setup, texts, shuffled):
            # Threads that a library leaves spinning after its work are not this one product's.
            clock = time.thread_time if name == ALONE else time.process_time
            took.setdefault(name, []).append(_timed(work, count, clock))
    return {name: Took(*np.array(values).T) for name, values in took.items()}


def _ways(setup: Setup, texts: list[str], shuffled: list[str]) -> list[tuple[str, int, Callable[[], object]]]:
    import torch

    product, threads = setup.product[1], torch.get_num_threads()
    return [
        ("engine", ENGINE_TEXTS, lambda: score(setup.scorer, texts)),
        ("product", ENGINE_TEXTS, lambda: _repeated(product, setup.flops * ENGINE_TEXTS, threads=threads)),
        (ALONE, ENGINE_TEXTS // 4, lambda: _repeated(product, setup.flops * ENGINE_TEXTS / 4, threads=1)),
        ("batch 32", PIPELINE_TEXTS, lambda: setup.pipeline(texts[:PIPELINE_TEXTS], batch_size=32)),
        ("shuffled", PIPELINE_TEXTS, lambda: setup.pipeline(shuffled[:PIPELINE_TEXTS], batch_size=32)),
        ("single", SINGLE_TEXTS, lambda: [setup.pipeline(text) for text in shuffled[:SINGLE_TEXTS]]),
    ]


def _products() -> dict[str, Callable[[], object]]:
    """One square product in float32, of a shape that processors multiply fast, by each library that torch brings."""
    import torch

    left, right, out, zeros = torch.ones(SIDE, SIDE), torch.ones(SIDE, SIDE), torch.empty(SIDE, SIDE), torch.zeros(SIDE)
    blas = "MKL" if torch.backends.mkl.is_available() else "BLAS"
    products: dict[str, Callable[[], object]] = {blas: lambda: torch.mm(left, right, out=out)}
    if torch.backends.mkldnn.is_available():
        with torch.inference_mode():
            packed = torch.ops.mkldnn._reorder_linear_weight(right, SIDE)
        products["oneDNN"] = lambda: torch.ops.mkldnn._linear_pointwise(left, packed, zeros, "none", [], "")
    return products


def _fastest_product() -> tuple[str, Callable[[], object]]:
    """The limit is the fastest product that there is: on processors not made by Intel, MKL's takes twice the time."""
    keep_freed_memory()
    products = _products()
    seconds = {name: min(_timed(work, 1, time.process_time)[0] for _ in range(10)) for name, work in products.items()}
    name = min(seconds, key=lambda library: seconds[library])
    return name, products[name]


def _repeated(product: Callable[[], object], flops: float, *, threads: int) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.inference_mode():
            for _ in range(round(flops / (2 * SIDE**3))):
                product()
    finally:
        torch.set_num_threads(before)


def _timed(work: Callable[[], object], texts: int, clock: Callable[[], float]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), clock()
    work()
    return (time.perf_counter() - wall) / texts, (clock() - processor) / texts


def _difference(setup: Setup) -> Row:
    texts = setup.texts[:: len(setup.texts) // 150]
    alone = np.concatenate([setup.scorer.reduce(setup.scorer.forward(setup.scorer.tokenize([text]))) for text in texts])
    together = score(setup.scorer, setup.texts)[:: len(setup.texts) // 150][: len(texts)]
    largest = float(np.abs(alone - together).max())
    return Row("largest score difference from one-by-one torch float32", "≤ 1e-5", f"{largest:.1e}", largest <= 1e-5)


def _spread(values: np.ndarray, digits: int = 0) -> str:
    low, middle, high = np.percentile(values, (25, 50, 75))
    return f"{middle:.{digits}f} (quartiles {low:.{digits}f}–{high:.{digits}f})"
