"""Random batches of texts of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

WINDOW = 50  # batches that are sorted by length together: large enough to save padding, small enough to stay random


def bucketed(lengths: Sequence[int], batch_size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield every index exactly once, in batches of similar length; the last batch of a window may be smaller."""
    order = rng.permutation(len(lengths))
    sizes = np.asarray(lengths)
    batches = []
    for start in range(0, len(order), WINDOW * batch_size):
        window = order[start : start + WINDOW * batch_size]
        window = window[np.argsort(sizes[window], kind="stable")]
        batches += [window[i : i + batch_size] for i in range(0, len(window), batch_size)]
    for index in rng.permutation(len(batches)):
        yield batches[index]


def batch_count(texts: int, batch_size: int) -> int:
    """Number of batches that :func:`bucketed` yields for so many texts."""
    windows, rest = divmod(texts, WINDOW * batch_size)
    return windows * WINDOW + -(-rest // batch_size)
