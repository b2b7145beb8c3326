"""Find the best batch size for a model on this machine, once, and remember it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from psa_core import atomic
from psa_core.cache_dir import cache_folder, room
from psa_core.scoring.backends.forward import Forward, TokenIds, is_out_of_memory, plan_batches

CPU_BUDGETS = (1024, 2048, 4096)
GPU_BUDGETS = (8192, 16384, 32768, 65536, 131072)
# A larger batch has to be better by this to be worth its memory and the longer wait for a request to stop.
_WORTH = 1.02
_REPEATS = 4


@dataclass(frozen=True)
class Calibration:
    """What was found out about a model on a machine: the fastest exact backend, and the tokens of a batch with padding.

    ``texts_per_second`` are those of the texts it was measured on; it sets how long a window is, nothing else.
    """

    backend: str
    budget: int
    texts_per_second: float


def place(device: str) -> str:
    """The device in words that differ when speeds would: kind of processor and number of threads."""
    if device.startswith("cuda"):
        return f"cuda {torch.cuda.get_device_name(device)}"
    return f"{device} {platform.processor() or platform.machine()} {os.cpu_count()} {torch.get_num_threads()}"


def budgets(device: str) -> tuple[int, ...]:
    """Tokens of a batch that are tried on a device, the fewest first."""
    return CPU_BUDGETS if device == "cpu" else GPU_BUDGETS


def recall(*parts: str) -> dict[str, Any]:
    """What was kept under these parts (fingerprint, place, precision …); empty where nothing was, or it is damaged."""
    try:
        found = json.loads((cache_folder() / "calibration" / _name(parts)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def keep(values: Mapping[str, Any], *parts: str) -> None:
    """Keep what was found out; a folder that cannot be written costs only the next measurement."""
    with suppress(OSError):
        atomic.write(room("calibration") / _name(parts), json.dumps(values), durable=False)


def remembered(*parts: str) -> Calibration | None:
    found = recall(*parts)
    try:
        return Calibration(str(found["backend"]), int(found["budget"]), float(found["texts_per_second"]))
    except (ValueError, KeyError, TypeError):
        return None


def _name(parts: tuple[str, ...]) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=12).hexdigest() + ".json"


def measure(forwards: Mapping[str, Forward], token_ids: TokenIds, device: str) -> Calibration:
    """Time the candidates, by backend name, at one budget, then the faster one at every budget that suits the device.

    `token_ids` are rows like those to be scored, repeated until they fill a batch.
    """
    sizes = budgets(device)
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
    lengths = np.array([len(row) for row in token_ids])
    planned = plan_batches(np.tile(lengths, -(-budget // int(lengths.sum()))), budget)
    batch = [token_ids[i % len(token_ids)] for i in planned[(len(planned) - 1) // 2]]
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
