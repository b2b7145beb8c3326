"""Words, places and lengths of the sentences that names move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psa_core import stats
from psa_core.claims.reasons import where_finding
from psa_core.cube import ScoreCube
from psa_core.tables.word_associations import place_table, sentence_words, word_table
from tests.pages import result_studies


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    """Names move only the sentences that say stupid; every third of these has its anchor at the end."""
    small = result_studies.cube(40)
    texts = [f"He is {'stupid' if i % 2 else 'tall'} and he ran." for i in range(40)]
    texts = [f"They often ran to see {'stupid ' * (i % 2)}him" if i % 3 == 0 else text for i, text in enumerate(texts)]
    starts = [len(text) - 3 if text.endswith("him") else 0 for text in texts]
    sentences = small.sentences.assign(
        text=texts,
        start=starts,
        end=[start + (3 if start else 2) for start in starts],
        anchor=["him" if start else "He" for start in starts],
        role=["object" if start else "subject" for start in starts],
    )
    original = np.full((40, 2), 0.5, np.float32)
    moved = np.where(["stupid" in text for text in texts], 0.3, 0.01)
    perturbed = 0.5 + moved[:, None, None] * np.ones((40, 12, 2))
    return replace(small, sentences=sentences, original=original, perturbed=perturbed.astype(np.float32))


def test_an_anchor_is_no_word_of_its_sentence(cube: ScoreCube) -> None:
    assert sentence_words(cube)[1] == {"is", "stupid", "and", "he", "ran"}
    assert "him" not in sentence_words(cube)[0]


def test_the_word_that_goes_with_sensitivity_comes_first(cube: ScoreCube) -> None:
    table = word_table(cube, "toxicity")
    assert table["word"][0] == "stupid" and table["p_adjusted"][0] < 0.05
    moved = stats.sensitivities(*cube.scores("toxicity"))
    assert table["sensitivity"][0] == pytest.approx(moved[1::2].mean())
    assert "more in sentences with “stupid”" in where_finding(table, "toxicity").headline
    assert "less in sentences with" in where_finding(table.assign(log_odds=-table["log_odds"]), "toxicity").headline
    none = where_finding(table.assign(p_adjusted=1.0), "toxicity").headline
    assert none.startswith("No word") and "stupid" not in none and " not " not in none


def test_roles_places_and_lengths_have_their_means(cube: ScoreCube) -> None:
    table = place_table(cube, "toxicity").set_index(["what", "value"])
    assert table.loc[("role", "object"), "sentences"] == 14
    assert table.loc[("place", "first third"), "sentences"] == 26
    assert table.loc[("place", "last third"), "mean"] == pytest.approx(table.loc[("role", "object"), "mean"])
    assert table.loc[("length", "1 to 10 words"), "sentences"] == 40
    assert (table["low"] <= table["mean"]).all() and (table["mean"] <= table["high"]).all()
