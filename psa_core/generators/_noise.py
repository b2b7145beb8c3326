"""Random numbers tied to a continuation, independent of the batch it is computed in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

_COUNTER_WORDS = 4


def uniforms(seed: int, stream: str, ks: Sequence[int], steps: int) -> np.ndarray:
    """One number in [0, 1) for each continuation and step, keyed by (seed, template, k, step) and by nothing else.

    Parameters
    ----------
    seed : int
    stream : str
        The template.
    ks : sequence of int
        Numbers of the continuations.
    steps : int
        More steps go on from fewer.

    Returns
    -------
    float64 array (len(ks), steps)

    Examples
    --------
    >>> few, more = uniforms(0, "I met {value}", [3], 2), uniforms(0, "I met {value}", [7, 3], 4)
    >>> bool((few[0] == more[1, :2]).all())
    True
    """
    digest = hashlib.blake2b(f"{seed}\0{stream}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = np.frombuffer(digest, np.uint64)
    numbers = np.empty((len(ks), steps))
    for row, k in zip(numbers, ks, strict=True):
        counter = np.zeros(_COUNTER_WORDS, np.uint64)
        counter[-1] = k  # the low words count the steps
        row[:] = np.random.Generator(np.random.Philox(key=key, counter=counter)).random(steps)
    return numbers
