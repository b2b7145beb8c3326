"""Log-odds of words with an informative prior: by hand, planted words, chance."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.stats.word_odds import word_odds


def test_log_odds_are_those_of_the_paper() -> None:
    sentences = [frozenset("ab"), frozenset("a"), frozenset("b"), frozenset("c")]
    found = word_odds(sentences, [True, True, False, False], fewest=1)
    # Counts of a, b, c: marked 2, 1, 0; others 0, 1, 1; the prior adds a tenth of 2, 2, 1.
    marked, others = np.array([2.2, 1.2, 0.1]), np.array([0.2, 1.2, 1.1])
    expected = np.log(marked / (3.5 - marked)) - np.log(others / (2.5 - others))
    assert found.words == ("a", "b", "c")
    assert found.log_odds == pytest.approx(expected)
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(1 / marked + 1 / others))
    assert found.sentences.tolist() == [2, 2, 1]


def test_planted_words_are_found_and_chance_is_not() -> None:
    random = np.random.default_rng(0)
    marked = random.random(400) < 0.5
    vocabulary = [f"w{i}" for i in range(60)]
    sentences = [
        frozenset([*random.choice(vocabulary, 6), *(["stupid"] if random.random() < (0.4 if mark else 0.1) else [])])
        for mark in marked
    ]
    found = word_odds(sentences, marked)
    assert [word for word, p in zip(found.words, found.p_adjusted, strict=True) if p < 0.05] == ["stupid"]
    assert found.words[0] == "stupid" and found.low[0] > 0


def test_without_two_halves_there_are_no_words() -> None:
    sentences = [frozenset("ab")] * 9
    assert word_odds(sentences, [True] * 9).words == ()
    assert word_odds(sentences, [False] * 9).words == ()
    assert word_odds([frozenset()] * 4, [True, False] * 2).words == ()
    with pytest.raises(CubeError, match="marked"):
        word_odds(sentences, [True])


def test_one_word_alone_has_no_odds() -> None:
    assert word_odds([frozenset({"no"})] * 12, [True] * 6 + [False] * 6).words == ()
