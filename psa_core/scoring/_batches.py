"""Group texts into batches."""

from __future__ import annotations

import numpy as np


def plan_batches(lengths: np.ndarray, budget: int) -> list[np.ndarray]:
    """Fill batches of texts of nearly equal length by a budget of tokens.

    Parameters
    ----------
    lengths : int array (n,)
        Tokens of each text.
    budget : int
        Most tokens of a batch, padding counted; a longer text is a batch of its own.

    Returns
    -------
    list of int array
        Positions into `lengths`, longest texts first, so that a batch that does not fit into memory shows at once.

    Examples
    --------
    >>> [batch.tolist() for batch in plan_batches(np.array([3, 9, 3, 8]), 18)]
    [[1, 3], [0, 2]]
    """
    longest_first = np.argsort(-lengths, kind="stable")
    batches, start = [], 0
    while start < len(longest_first):
        longest = max(1, int(lengths[longest_first[start]]))
        stop = start + max(1, budget // longest)
        batches.append(longest_first[start:stop])
        start = stop
    return batches
