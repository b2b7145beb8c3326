"""The engine against transformers' pipeline and against a bare matrix product, in turns."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from psa_core import models
from psa_core.scoring import ScoringOptions, backends, score
from psa_core.scoring.backends import fused
from psa_core.scoring.backends.families import family_of
from psa_core.scoring.backends.forward import keep_freed_memory
from research.speed.table import Row
from research.speed.texts import Grid

ROUNDS = 7
ENGINE_TEXTS, PIPELINE_TEXTS, SINGLE_TEXTS = 768, 256, 32
BATCHES = (8, 16, 32, 64, 128)
SIDE = 1_024
ALONE = "product on one thread"
#: Name of a way, number of texts it takes, and the way.
Compared = tuple[str, int, Callable[[list[str]], object]]


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
    best_batch: int = 32

    @property
    def flops(self) -> float:
        """Of one text, on average: the matrix products of its real tokens, padding not counted."""
        config, counts = self.scorer.model.config, np.array([len(row) for row in self.scorer.tokenize(self.texts)])
        hidden, inner = config.hidden_size, getattr(config, "intermediate_size", None) or config.hidden_dim
        per_token = 2 * (4 * hidden * hidden + 2 * hidden * inner)
        return float(config.num_hidden_layers * (per_token * counts + 4 * hidden * counts**2).mean())


def rows() -> Iterator[Row]:
    """Measure."""
    setup = _setup()
    tokens = np.mean([len(row) for row in setup.scorer.tokenize(setup.texts)])
    yield Row("tokens a text", "about 26", f"{tokens:.1f}")
    took = in_turns(setup, _ways(setup))
    backend = backends.choose_backend(setup.scorer, ScoringOptions(), sample=setup.texts[:96], total=len(setup.texts))
    yield Row(
        f"engine ({backend.name}, batches of {backend.budget} tokens), texts/s", "", _spread(1 / took["engine"].wall)
    )
    yield Row(f"matrix product of the same FLOPs ({setup.product[0]}), texts/s", "", _spread(1 / took["product"].wall))
    yield ratio("engine / product of the plain model's FLOPs", took["product"].wall / took["engine"].wall, 0.95)
    work = took[ALONE].processor / took["engine"].processor
    yield ratio("the same by processor time (a busy machine does not show in it)", work, 0.95)
    yield ratio(
        "the layers' own products / as many FLOPs of that product, by processor time", own_products(setup), None
    )
    for name, title, goal in (
        ("single", "pipeline, one by one", None),
        ("batch 32", "pipeline, batch 32, in sentence order", None),
        ("shuffled", "pipeline, batch 32, shuffled", None),
        ("best", f"pipeline at its best (sorted by length, batch {setup.best_batch})", 1.6),
    ):
        yield against(title, took, name, goal)
    yield _difference(setup)


def ratio(title: str, values: np.ndarray, goal: float | None) -> Row:
    """A row that meets its goal when the median does."""
    if goal is None:
        return Row(title, "", _spread(values, 2))
    return Row(title, f"≥ {goal}", _spread(values, 2), bool(np.median(values) >= goal))


def against(title: str, took: dict[str, Took], name: str, goal: float | None) -> Row:
    """How many times as fast as another way, beside what the product of the plain model's FLOPs would allow."""
    limit = float(np.median(took[name].wall / took["product"].wall))
    row = ratio(f"engine / {title}; a bare product: {limit:.2f}", took[name].wall / took["engine"].wall, goal)
    return (
        row if goal is None or row.met or limit >= goal else Row(row.measure, f"{row.goal}, above the limit", row.got)
    )


def _setup() -> Setup:
    card = next(card for card in models.cards() if card.id.startswith("minilm-"))
    setup = set_up(models.load(card.id))
    texts = sorted(setup.texts[:PIPELINE_TEXTS], key=len)
    work = {size: partial(setup.pipeline, texts, batch_size=size) for size in BATCHES}
    seconds = {size: _timed(run, 1, time.perf_counter)[0] for size, run in work.items()}
    return replace(setup, best_batch=min(seconds, key=lambda size: seconds[size]))


def set_up(scorer: Any) -> Setup:
    """A transformers classifier beside its pipeline."""
    from transformers import pipeline

    texts = [text for sentence in range(64) for text in Grid(64, 48).row(sentence)]
    reference = pipeline("text-classification", model=scorer.model, tokenizer=scorer.tokenizer, device=-1)
    return Setup(scorer, reference, texts, _fastest_product())


def in_turns(setup: Setup, ways: Sequence[Compared]) -> dict[str, Took]:
    """Seconds a text of each way, one value a round; every round does all of them."""
    score(setup.scorer, setup.texts)  # calibrates and warms up
    took: dict[str, list[tuple[float, float]]] = {}
    for number in range(ROUNDS):
        rng = np.random.default_rng(number)
        start = int(rng.integers(0, len(setup.texts) - ENGINE_TEXTS))
        texts = setup.texts[start : start + ENGINE_TEXTS]
        for name, count, work in ways:
            # Threads that a library leaves spinning after its work are not this one product's.
            clock = time.thread_time if name == ALONE else time.process_time
            took.setdefault(name, []).append(_timed(partial(work, texts), count, clock))
    return {name: Took(*np.array(values).T) for name, values in took.items()}


def engine_and_product(setup: Setup) -> list[Compared]:
    """The engine, and the product of as many FLOPs."""
    import torch

    product, threads = setup.product[1], torch.get_num_threads()
    return [
        ("engine", ENGINE_TEXTS, lambda texts: score(setup.scorer, texts)),
        ("product", ENGINE_TEXTS, lambda _: _repeated(product, setup.flops * ENGINE_TEXTS, threads=threads)),
        (ALONE, ENGINE_TEXTS // 4, lambda _: _repeated(product, setup.flops * ENGINE_TEXTS / 4, threads=1)),
    ]


def own_products(setup: Setup) -> np.ndarray:
    """Speed of a layer's products, at their own shapes and alone, as a share of the square product's: one a round.

    On one thread, with the rows that each of two threads has of a batch of 1,024 tokens: what no arrangement of these
    layers can exceed.
    """
    import torch

    family = family_of(setup.scorer.model)
    assert family is not None
    layer, rows = family(setup.scorer.model).layers[0], 512
    linear = fused._packed if fused.fastest_first()[0] is fused.FUSED else fused._public
    parts = ((layer.query, layer.key, layer.value), (layer.attended,), (layer.inner,), (layer.outer,))
    shares = []
    with _threads(1), torch.inference_mode():
        products = [partial(linear(*part), torch.ones(rows, part[0].in_features)) for part in parts]
        flops = sum(2 * rows * each.in_features * each.out_features for part in parts for each in part)
        repeats = round(100 * 2 * SIDE**3 / flops)
        for _ in range(ROUNDS):
            own = _timed(lambda: [product() for _ in range(repeats) for product in products], 1, time.thread_time)[1]
            square = _timed(lambda: [setup.product[1]() for _ in range(100)], 1, time.thread_time)[1]
            shares.append(square / own)
    return np.array(shares)


def pipeline_batch_32(setup: Setup) -> Compared:
    """The pipeline as its documentation has it."""
    return "batch 32", PIPELINE_TEXTS, lambda texts: setup.pipeline(texts[:PIPELINE_TEXTS], batch_size=32)


def _ways(setup: Setup) -> list[Compared]:
    def shuffled(texts: list[str]) -> list[str]:
        return [texts[i] for i in np.random.default_rng(0).permutation(len(texts))[:PIPELINE_TEXTS]]

    return [
        *engine_and_product(setup),
        pipeline_batch_32(setup),
        ("shuffled", PIPELINE_TEXTS, lambda texts: setup.pipeline(shuffled(texts), batch_size=32)),
        (
            "best",
            PIPELINE_TEXTS,
            lambda texts: setup.pipeline(sorted(texts[:PIPELINE_TEXTS], key=len), batch_size=setup.best_batch),
        ),
        ("single", SINGLE_TEXTS, lambda texts: [setup.pipeline(text) for text in shuffled(texts)[:SINGLE_TEXTS]]),
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
    """The limit is the fastest product that there is, by one thread's processor time: makers differ in which it is."""
    keep_freed_memory()
    products = _products()
    seconds: dict[str, float] = {}
    with _threads(1):
        for _, (name, work) in itertools.product(range(20), products.items()):
            seconds[name] = min(seconds.get(name, math.inf), _timed(work, 1, time.process_time)[1])
    name = min(seconds, key=lambda library: seconds[library])
    return name, products[name]


def _repeated(product: Callable[[], object], flops: float, *, threads: int) -> None:
    import torch

    with _threads(threads), torch.inference_mode():
        for _ in range(round(flops / (2 * SIDE**3))):
            product()


@contextmanager
def _threads(number: int) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
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
