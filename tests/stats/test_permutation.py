from __future__ import annotations

import numpy as np

from psa_core.stats.permutation import BLOCKS, blocks_of, dealt_sums, draws_for, two_sided_share

RANDOM = np.random.default_rng(0)


def test_dealing_keeps_what_each_row_holds() -> None:
    table = RANDOM.random((6, 5))
    parts = list(dealt_sums((table, table**2), 40, np.random.default_rng(0)))
    sums, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert sums.shape == squares.shape == (40, 5)
    assert np.allclose(sums.sum(axis=1), table.sum())
    assert np.allclose(squares.sum(axis=1), (table**2).sum())
    assert len(np.unique(sums.round(9), axis=0)) > 30


def test_both_tables_are_dealt_the_same_way() -> None:
    table = RANDOM.random((4, 7))
    for first, second in dealt_sums((table, 3 * table), 20, np.random.default_rng(0)):
        assert np.allclose(3 * first, second)


def test_each_cell_comes_to_each_name_equally_often() -> None:
    table = np.zeros((1, 4))
    table[0, 0] = 1
    parts = dealt_sums((table, table), 4000, np.random.default_rng(1))
    assert np.allclose(np.concatenate([first for first, _ in parts]).mean(axis=0), 0.25, atol=0.03)


def test_blocks_hold_every_sentence_once() -> None:
    values = RANDOM.random((1000, 3))
    blocks = blocks_of(values, np.random.default_rng(0))
    assert blocks.shape == (BLOCKS, 3)
    assert np.allclose(blocks.sum(axis=0), values.sum(axis=0))
    assert blocks_of(values[:50], np.random.default_rng(0)) is not None
    assert len(blocks_of(values[:50], np.random.default_rng(0))) == 50


def test_sides_are_judged_apart() -> None:
    drawn = np.sort(np.array([-9.0, -8.0, -7.0, *np.linspace(-1, 1, 96)]))
    assert two_sided_share(np.array([2.0, -2.0, 0.0]), drawn).round(2).tolist() == [0.02, 0.08, 0.98]


def test_draws_give_p_values_as_small_as_a_list_needs() -> None:
    for names in (2, 20, 100, 500, 2000):
        assert 2 / (draws_for(names) * names) * names < 0.05
