from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from research.training.batches import WINDOW, batch_count, bucketed


@given(st.lists(st.integers(1, 90), min_size=1, max_size=300), st.integers(1, 3), st.integers(0, 9))
def test_every_index_comes_once(lengths: list[int], batch_size: int, seed: int) -> None:
    batches = list(bucketed(lengths, batch_size, np.random.default_rng(seed)))
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    assert max(map(len, batches)) <= batch_size
    assert len(batches) == batch_count(len(lengths), batch_size)


def test_a_batch_holds_neighbours_in_length() -> None:
    lengths = list(range(8)) * 4
    for batch in bucketed(lengths, 4, np.random.default_rng(0)):
        assert len({lengths[i] for i in batch}) == 1


def test_order_is_new_each_epoch_and_repeats_with_the_seed() -> None:
    lengths = [5] * (3 * WINDOW)
    rng = np.random.default_rng(1)
    first, second = (np.concatenate(list(bucketed(lengths, 2, rng))) for _ in range(2))
    assert (first != second).any()
    np.testing.assert_array_equal(first, np.concatenate(list(bucketed(lengths, 2, np.random.default_rng(1)))))
