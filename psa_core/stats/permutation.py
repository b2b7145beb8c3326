"""Permutation null for names: the scores of each sentence dealt to the names at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCKS = 256
DRAWN_CELLS, MAX_CELLS = 100_000, 400_000
MIN_DRAWS, USUAL_DRAWS, MAX_DRAWS = 99, 399, 9999
ORDERS = 4


def draws_for(names: int) -> int:
    """How many times to deal, so that all draws of all names together give p-values as small as a list needs."""
    wanted = max(USUAL_DRAWS, DRAWN_CELLS // names)
    return max(MIN_DRAWS, min(wanted, MAX_CELLS // names, MAX_DRAWS))


def blocks_of(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Sums of the rows (S, N) over at most 256 random blocks of sentences: float64 (blocks, N).

    Dealing the names of a whole block at once is a subgroup of dealing those of each sentence, so a test by it is as
    exact, and costs the same for any number of sentences.
    """
    sentences = len(values)
    if sentences <= BLOCKS:
        return values
    starts = np.linspace(0, sentences, BLOCKS, endpoint=False).astype(int)
    return np.add.reduceat(values[random.permutation(sentences)], starts, axis=0)


def dealt_sums(
    tables: tuple[np.ndarray, np.ndarray], n_permutations: int, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Sums over rows after each row's names were dealt anew, the same way in both tables.

    A row is shifted around by a random number of names, in a random order of the list: shifts are a group of
    permutations, which makes the test exact, and a shifted row is one piece of memory, which makes it fast.

    Parameters
    ----------
    tables : two float64 arrays (B, N)
    draws : int

    Yields
    ------
    two float64 arrays (d, N)
        Parts of the draws.
    """
    from numpy.lib.stride_tricks import sliding_window_view

    rows, names = tables[0].shape
    for part in np.array_split(np.arange(n_permutations), ORDERS):
        order = random.permutation(names)
        shifts = random.integers(0, names, (rows, len(part)))
        windows = [
            sliding_window_view(np.hstack([table[:, order], table[:, order[:-1]]]), names, axis=1) for table in tables
        ]
        sums = np.zeros((len(part), names)), np.zeros((len(part), names))
        for row in range(rows):
            for total, window in zip(sums, windows, strict=True):
                total += window[row][shifts[row]]
        yield sums


def two_sided_share(observed: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Twice the smaller share of draws that lie as far out on one side, the observed value counted among them.

    The sides are judged apart, since draws of rare events lie further out on one side than on the other.

    Parameters
    ----------
    observed : float64 array (N,)
    drawn : float64 array (D,), ascending
    """
    # The same sum in another order may differ in its last bits; such a draw is as extreme as the observed one.
    rounding = 1e-9 * np.maximum(1, np.abs(np.where(np.isfinite(observed), observed, 0)))
    above = 1 + len(drawn) - np.searchsorted(drawn, observed - rounding, side="left")
    below = 1 + np.searchsorted(drawn, observed + rounding, side="right")
    return np.minimum(1.0, 2 * np.minimum(above, below) / (len(drawn) + 1))
