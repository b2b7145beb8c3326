"""What texts share at their beginning is computed once, and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core import models
from psa_core.scoring import ScoringOptions, score_cells
from psa_core.scoring.backends import choose_backend
from psa_core.scoring.backends.prefixes import PrefixForward, shared_beginnings
from tests.tiny_models import tiny_causal_lm, tiny_judge

BEGINNING = "she said it was so good and then she said it was so bad"
NAMES = ("Alice", "Bob", "he", "she", "I", "it")
TEXTS = [f"{BEGINNING} {name} is so {end}" for name in NAMES for end in ("good", "bad and I hate it", "")]


@pytest.fixture(scope="module", params=[tiny_causal_lm, tiny_judge])
def scorer(request, tmp_path_factory):
    return models.load(f"lm:{request.param(tmp_path_factory.mktemp('lm') / 'm')}")


def test_it_is_the_models_own_answer(scorer):
    rows = scorer.tokenize([*TEXTS, "good", "", "I hate Alice."])
    forward = PrefixForward(scorer)
    assert max(shared for _, shared in shared_beginnings(rows)) >= 10
    alone = np.concatenate([scorer.forward([row]) for row in rows])
    np.testing.assert_allclose(forward(rows), alone, rtol=1e-5, atol=1e-5)


def test_a_study_uses_it_and_says_so(scorer, make_cells):
    assert choose_backend(scorer, ScoringOptions(), sample=TEXTS).name == "torch shared prefixes"
    scores = score_cells(scorer, make_cells(4, 5))
    assert scores.backend == "torch shared prefixes" and scores.notes == ()
    cells = make_cells(4, 5)
    alone = np.array([[scorer.score([text])[0] for text in cells.row(sentence)] for sentence in range(4)])
    np.testing.assert_allclose(scores.perturbed, alone, rtol=1e-5, atol=1e-5)


def test_a_model_that_keeps_no_keys_and_values_is_computed_its_own_way(scorer, monkeypatch):
    def refuse(*_, **__):
        raise AttributeError("batch_repeat_interleave")

    monkeypatch.setattr("transformers.cache_utils.DynamicCache.batch_repeat_interleave", refuse)
    scorer.known_ways.clear()
    backend = choose_backend(scorer, ScoringOptions(), sample=TEXTS)
    assert backend.name == "torch" and "another way is used" in backend.notes[0]
    scorer.known_ways.clear()


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=40), min_size=1, max_size=30))
def test_every_row_is_in_one_pass_and_begins_as_it_says(rows):
    passes = list(shared_beginnings(rows))
    assert sorted(np.concatenate([found for found, _ in passes]).tolist()) == list(range(len(rows)))
    for found, shared in passes:
        assert len({tuple(rows[i][:shared]) for i in found}) == 1
        assert min(len(rows[i]) for i in found) > shared


def test_names_of_one_sentence_are_a_pass_and_other_sentences_are_not_drawn_in():
    one = [[9, *range(20, 40), name, 7] for name in range(10)]
    other = [[9, *range(50, 70), name, 7] for name in range(10)]
    passes = list(shared_beginnings([*one, *other, [1, 2], [3]]))
    assert [(len(found), shared) for found, shared in passes] == [(10, 21), (10, 21), (2, 0)]


def test_batches_keep_what_begins_alike_together_and_their_budget(scorer):
    rows = scorer.tokenize([text for pair in zip(TEXTS, TEXTS[::-1], strict=True) for text in pair])
    batches = PrefixForward(scorer).plan(rows, 120)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(rows)))
    assert all(len(batch) * max(len(rows[i]) for i in batch) <= 120 or len(batch) == 1 for batch in batches)
