"""How often does a gate fail where nothing was planted, and where something was? ``python -m research.gate``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from psa_core import stats

SHAPE, GATES, PLANTED = (40, 20), 300, 0.15
LIMITS = (0.0, 0.02)
Draw = Callable[[np.random.Generator], np.ndarray]
KINDS: dict[str, Draw] = {
    "noise of 0.2": lambda random: random.normal(0.1, 0.2, SHAPE),
    "3 % of cells jump by 1": lambda random: (random.random(SHAPE) < 0.03) * 1.0,
    "skewed (exponential, mean 0.1)": lambda random: random.exponential(0.1, SHAPE),
    "0 or 1 at random": lambda random: random.integers(0, 2, SHAPE) * 1.0,
}


def failures(draw: Draw, limit: float, *, planted: float = 0.0, seed: int = 0) -> int:
    """How many of `GATES` gates fail, where one name's later effect is larger by `planted`."""
    random, failed = np.random.default_rng(seed), 0
    for _ in range(GATES):
        now, before = draw(random), draw(random)
        now[:, 0] += planted
        failed += bool((stats.increase_p(now, before, limit) < 0.05).any())
    return failed


def table() -> list[str]:
    """Rows of docs/my-ci.md."""
    rows = [(f"fail by chance: {kind}", draw, 0.0) for kind, draw in KINDS.items()]
    rows.append((f"fail with {PLANTED:g} planted in one name, noise of 0.1", _steady, PLANTED))
    return [
        f"| {words} | {' | '.join(f'{failures(draw, limit, planted=planted):,}' for limit in LIMITS)} |"
        for words, draw, planted in rows
    ]


def _steady(random: np.random.Generator) -> np.ndarray:
    return random.normal(0.1, 0.1, SHAPE)


if __name__ == "__main__":
    print("\n".join(table()))
