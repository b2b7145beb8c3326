"""Names against the original: other names speak against claims that skewed moves make, and against no other."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import OptionError
from psa_core.stats import CORRECTIONS, adjust, original_p, paired_t_p

RANDOM = np.random.default_rng(0)
STUDIES = 40


def skewed(sentences: int, names: int) -> np.ndarray:
    """Moves of which the mean over all sentences is 0: many small ones down, few large ones up."""
    return 0.02 * (RANDOM.lognormal(0, 1, (sentences, names)) - np.exp(0.5))


@pytest.mark.parametrize("sentences", [12, 100])
def test_skewed_moves_without_an_effect_make_no_name_sure(sentences: int) -> None:
    studies = [skewed(sentences, 30) for _ in range(STUDIES)]
    by_t = np.mean([(adjust(paired_t_p(moves)) < 0.05).any() for moves in studies])
    shown = np.mean([(original_p(moves) < 0.05).any() for moves in studies])
    assert by_t > 0.2
    assert shown < 0.05 + 2 * (0.05 * 0.95 / STUDIES) ** 0.5


def test_planted_names_are_found_as_by_the_t_test() -> None:
    planted = np.arange(30) < 3
    draws = {
        "normal": lambda: RANDOM.normal(0, 0.05, (40, 30)) + 0.06 * planted,
        "rare jumps": lambda: 0.5 * (RANDOM.random((40, 30)) < 0.02) + 0.1 * planted,
        "ties": lambda: np.where(planted, 0.1, 0.0) + 0.1 * RANDOM.choice([-1, 0, 0, 0, 1], (40, 30)),
        "skewed against it": lambda: skewed(40, 30) - 0.1 * planted,
    }
    for label, draw in draws.items():
        studies = [draw() for _ in range(12)]
        by_t = np.mean([(adjust(paired_t_p(moves)) < 0.05)[planted].mean() for moves in studies])
        shown = np.mean([(original_p(moves) < 0.05)[planted].mean() for moves in studies])
        assert shown > by_t - 0.02, label


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_p_values_are_those_of_the_t_test_where_nothing_speaks_against_it(correction: str) -> None:
    moves = RANDOM.normal(0, 0.05, (50, 20))
    moves[:, 3] += 0.1
    assert original_p(moves, correction).tolist() == adjust(paired_t_p(moves), correction).tolist()
    doubted = skewed(12, 30)
    assert (original_p(doubted, correction) >= adjust(paired_t_p(doubted), correction)).all()


def test_names_that_all_move_alike_stay_sure() -> None:
    assert (original_p(0.1 + RANDOM.normal(0, 0.02, (40, 1)) + RANDOM.normal(0, 0.01, (40, 20))) < 0.05).all()
    assert original_p(np.full((12, 5), 0.1)).tolist() == [0.0] * 5
    assert original_p(np.zeros((12, 5))).tolist() == [1.0] * 5


def test_one_name_and_one_sentence_have_nobody_to_ask() -> None:
    alone = RANDOM.normal(0.1, 0.05, (30, 1))
    assert original_p(alone).tolist() == paired_t_p(alone).tolist()
    assert np.isnan(original_p([[0.1, 0.2]])).all()


def test_the_order_of_the_names_hardly_matters() -> None:
    moves = skewed(12, 30) - 0.03 * (np.arange(30) < 2)
    assert original_p(moves)[::-1] == pytest.approx(original_p(moves[:, ::-1]), abs=0.05)


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(OptionError, match="correction"):
        original_p([[0.1, 0.2], [0.2, 0.1]], "sidak")
