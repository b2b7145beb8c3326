"""Choose how to compute a model: the fastest installed way that is as exact as the model itself.

That is verified, and the speed and the best size of a batch are measured, once on a machine.
"""

from __future__ import annotations

import json
import math
import os
import platform
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import torch

from psa_core import atomic
from psa_core.cache_dir import cache_folder, room
from psa_core.environment import versions
from psa_core.errors import OptionError
from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import TransformersScorer, in_batches, pad_id
from psa_core.models._transformers.language_models import CausalScorer
from psa_core.scoring._base import WINDOW_SECONDS, ScoringOptions
from psa_core.scoring.backends import onnx
from psa_core.scoring.backends.families import family_of
from psa_core.scoring.backends.forward import (
    SPLIT,
    DeviceForward,
    Forward,
    TokenBackend,
    TokenIds,
    Way,
    is_out_of_memory,
    short_format,
)
from psa_core.scoring.backends.fused import ENCODER, fastest_first
from psa_core.scoring.backends.prefixes import PREFIXES

EXACT = 1e-5
PROBES = 24
# What was found with fewer probes than this is not kept.
FEW_PROBES = 8
# Measuring takes seconds and gains a tenth or so: fewer texts than this are scored sooner without.
WORTH_MEASURING = 10_000
_UNMEASURED_RATE = 256.0
#: Of a language model that answers a question without an accelerator: its first texts are soon shown and kept.
_UNMEASURED_RATE_OF_JUDGES = 8.0
#: Tokens of a batch that are tried, the fewest first.
CPU_BUDGETS = (1024, 2048, 4096)
GPU_BUDGETS = (8192, 16384, 32768, 65536, 131072)
# A larger batch has to be better by this to be worth its memory and the longer wait for a request to stop.
_WORTH = 1.02
_REPEATS = 4
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Calibration:
    """What was found out about a model on a machine: the fastest exact backend, and the tokens of a batch with padding.

    ``texts_per_second`` are those of the texts it was measured on; it sets how long a window is, nothing else.
    """

    backend: str
    budget: int
    texts_per_second: float


def answers_logits(scorer: TokenScorer) -> TypeGuard[TransformersScorer]:
    """Whether the scorer's raw outputs are its model's logits; a language model's are sums over them."""
    return isinstance(scorer, TransformersScorer) and type(scorer).forward is TransformersScorer.forward


#: The scorer's own arithmetic, which needs no proof.
OWN = Way("torch", lambda own: (DeviceForward if answers_logits(own) and own.device != "cpu" else Forward)(own))


def token_backend(scorer: TokenScorer, options: ScoringOptions, *, sample: Sequence[str], total: int) -> TokenBackend:
    """The backend of a scorer that shows its steps; see `psa_core.scoring.backends.choose_backend`."""
    if options.backend == "onnx" and not onnx.is_installed():
        fix = "Run: pip install onnx onnxruntime; in a checkout: pip install -r requirements-onnx.txt"
        raise OptionError("backend", got="onnx, which is not installed", expected="torch or auto", fix=fix)
    rows = scorer.tokenize(sample)
    groups = ways(scorer, options) if rows else ((OWN,),)
    verifier = Verifier(scorer, rows)
    parts = (scorer.fingerprint, place(scorer.device), *(way.name for group in groups for way in group))
    found = remembered(*parts)
    if found is None and total >= WORTH_MEASURING:
        contenders = [answer for group in groups if (answer := verifier.first(group))]
        found = measure({way.name: served.forward for way, served in contenders}, rows, scorer.device)
        keep(vars(found), *parts)
        with _LOCK:  # graphs and copies of the model that were made to be compared are not needed
            for name in set(verifier.known) - {found.backend}:
                del verifier.known[name]
    # Perplexities share the beginnings of a sentence's texts, which a small window would tear apart.
    is_slow = scorer.device == "cpu" and not answers_logits(scorer) and not isinstance(scorer, CausalScorer)
    unmeasured = _UNMEASURED_RATE_OF_JUDGES if is_slow else _UNMEASURED_RATE
    found = found or Calibration("", _budgets(scorer.device)[0], unmeasured)
    # What was measured as the fastest comes first; should it fail now, the others follow in their order.
    fastest = found.backend
    in_order = sorted(groups, key=lambda group: all(way.name != fastest for way in group))
    way, served = next(answer for group in (*in_order, (OWN,)) if (answer := verifier.first(group)))
    return TokenBackend(
        scorer,
        served.forward,
        budget=found.budget,
        window_texts=min(65_536, max(16, round(found.texts_per_second * WINDOW_SECONDS))),
        name=way.name,
        precision="exact" if served.difference <= EXACT else "fast",
        notes=tuple(verifier.notes),
    )


def ways(scorer: TokenScorer, options: ScoringOptions) -> tuple[tuple[Way, ...], ...]:
    """The ways that may serve a scorer here, in groups.

    Inside a group each is slower than the one before it, so the first that can be trusted serves; between groups only
    a measurement tells.
    """
    if isinstance(scorer, CausalScorer):
        return ((PREFIXES, OWN),)
    if not answers_logits(scorer):
        return ((OWN,),)
    short = ((short_format(scorer.device),),) if options.precision == "fast" else ()
    takes_batches = pad_id(scorer.model, scorer.tokenizer) is not None
    can_be_fused = takes_batches and family_of(scorer.model) is not None
    if scorer.device != "cpu":
        return (*short, (OWN,), *(((ENCODER,),) if can_be_fused else ()))
    fused = fastest_first() if can_be_fused else ()
    by_torch = (*fused, *((SPLIT,) if takes_batches and torch.get_num_threads() > 1 else ()), OWN)
    if options.backend == "torch" or not onnx.is_installed():
        return (*short, by_torch)
    return ((onnx.ONNX, *by_torch),) if options.backend == "onnx" else (*short, by_torch, (onnx.ONNX,))


@dataclass(frozen=True)
class Served:
    """A way that works here; `difference` is its largest from float32, one text at a time, over the probes.

    Of an answer larger than 1 it is the share, since float32 has so many digits and no more.
    """

    forward: Forward
    difference: float


@dataclass
class Verifier:
    """Compares ways with a scorer's own arithmetic, on probes taken from some rows of token ids.

    `notes` say why ways that were asked for cannot serve, and how far a shorter format is off.
    """

    scorer: TokenScorer
    rows: TokenIds
    notes: list[str] = field(default_factory=list)

    def first(self, group: tuple[Way, ...]) -> tuple[Way, Served] | None:
        """The first way of a group that can be trusted, if any."""
        for way in group:
            served = Served(way.make(self.scorer), 0.0) if way is OWN else self._served(way)
            if served is not None:
                return way, served
        return None

    @cached_property
    def known(self) -> dict[str, tuple[Served | None, str]]:
        """What was found about the scorer; it lives as long as the scorer, since it is kept there."""
        return self.scorer.known_ways if isinstance(self.scorer, TransformersScorer) else {}

    def _served(self, way: Way) -> Served | None:
        with _LOCK:
            served, note = self.known.get(way.name) or self._verified(way)
            if len(self._probes) >= FEW_PROBES:
                self.known[way.name] = served, note
        if note and note not in self.notes:
            self.notes.append(note)
        return served

    def _verified(self, way: Way) -> tuple[Served | None, str]:
        """Make a way and measure how far it is off, or take the measure of an earlier start."""
        parts = (self.scorer.fingerprint, place(self.scorer.device), way.name, _code())
        difference = recall("difference", *parts).get("difference")
        if not isinstance(difference, float) or not math.isfinite(difference):  # never measured, or a damaged note
            difference = None
        try:
            forward = way.make(self.scorer)
            if difference is None:
                difference = self._difference(forward)
        except way.failures() as error:
            reason = [*str(error).strip().splitlines(), type(error).__name__][0]
            return None, f"{way.name} cannot run this model here ({reason}): another way is used"
        if len(self._probes) >= FEW_PROBES:
            keep({"difference": difference}, "difference", *parts)
        if difference <= EXACT:  # NaN is not
            return Served(forward, difference), ""
        note = f"{way.name} differs from the model in float32 by up to {difference:.1g} on probe texts"
        return (None, f"{note}: another way is used") if way.exact else (Served(forward, difference), note)

    @cached_property
    def _probes(self) -> list[Any]:
        """Some rows, the shortest and the longest included."""
        by_length = sorted(self.rows, key=len)
        places = np.linspace(0, len(by_length) - 1, min(PROBES, len(by_length))).round().astype(int)
        return [by_length[i] for i in np.unique(places)]

    @cached_property
    def _expected(self) -> np.ndarray:
        return self.scorer.reduce(np.concatenate([self.scorer.forward([row]) for row in self._probes]))

    def _difference(self, forward: Forward) -> float:
        got = self.scorer.reduce(forward.gather([forward(self._probes)]))
        return float((np.abs(got - self._expected) / np.maximum(1.0, np.abs(self._expected))).max())


@cache
def _code() -> str:
    """Digest of these files and of the libraries' versions: another program's proof is no proof."""
    digest = blake2b(repr(sorted(versions().items())).encode(), digest_size=12)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _budgets(device: str) -> tuple[int, ...]:
    return CPU_BUDGETS if device == "cpu" else GPU_BUDGETS


def place(device: str) -> str:
    """The device in words that differ when speeds would: kind of processor and number of threads."""
    if device.startswith("cuda"):
        return f"cuda {torch.cuda.get_device_name(device)}"
    return f"{device} {platform.processor() or platform.machine()} {os.cpu_count()} {torch.get_num_threads()}"


def recall(*parts: str) -> dict[str, Any]:
    """What was kept under these parts (fingerprint, place, precision …); empty where nothing was, or it is damaged."""
    with suppress(OSError, ValueError):
        found = json.loads((cache_folder() / "calibration" / _name(parts)).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def keep(values: Mapping[str, Any], *parts: str) -> None:
    """Keep what was found out; a folder that cannot be written costs only the next measurement."""
    with suppress(OSError):
        atomic.write(room("calibration") / _name(parts), json.dumps(values), durable=False)


def remembered(*parts: str) -> Calibration | None:
    found = recall(*parts)
    with suppress(ValueError, KeyError, TypeError):
        return Calibration(str(found["backend"]), int(found["budget"]), float(found["texts_per_second"]))
    return None


def _name(parts: tuple[str, ...]) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=12).hexdigest() + ".json"


def measure(forwards: Mapping[str, Forward], token_ids: TokenIds, device: str) -> Calibration:
    """Time the candidates, by backend name, at one budget, then the faster one at every budget that suits the device.

    `token_ids` are rows like those to be scored, repeated until they fill a batch.
    """
    sizes = _budgets(device)
    middle = sizes[(len(sizes) - 1) // 2]
    first = {name: _trial(forward, token_ids, middle, device) for name, forward in forwards.items()}
    name = min(first, key=lambda candidate: first[candidate][0])
    others = {budget: _trial(forwards[name], token_ids, budget, device) for budget in sizes if budget != middle}
    trials = {middle: first[name], **others}
    least = min(cost for cost, _ in trials.values())
    best = next(budget for budget in sizes if trials[budget][0] <= _WORTH * least)
    return Calibration(name, best, trials[best][1])


def _trial(forward: Forward, token_ids: TokenIds, budget: int, device: str) -> tuple[float, float]:
    """Cost of a text and texts per second, in the best of a few batches; infinite where memory has no room for them.

    On a CPU the cost is the processor's time, in which what else runs on the machine hardly shows.
    """
    # The rows around the median length, as often as they fit.
    rows = [*token_ids] * -(-budget // sum(map(len, token_ids)))
    planned = in_batches(rows, budget)
    batch = [rows[i] for i in planned[(len(planned) - 1) // 2]]
    costs, seconds = [], []
    clock = time.process_time if device == "cpu" else time.perf_counter
    try:
        forward.gather([forward(batch)])
        for _ in range(_REPEATS):
            began, cost = time.perf_counter(), clock()
            forward.gather([forward(batch)])  # gathering waits for the device
            costs.append(clock() - cost)
            seconds.append(time.perf_counter() - began)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return math.inf, 0.0
    return min(costs) / len(batch), len(batch) / min(seconds)
