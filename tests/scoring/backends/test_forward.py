"""Batches of token ids: what goes together, what is cut, and what happens when memory runs out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.errors import Cancelled, ModelError
from psa_core.scoring import score, score_cells
from psa_core.scoring.backends.forward import Forward, TokenBackend, is_out_of_memory


@given(st.lists(st.integers(1, 60), max_size=80), st.integers(1, 200))
def test_batches_hold_every_text_once_within_the_budget(lengths, budget):
    lengths = np.array(lengths, dtype=np.int64)
    batches = Forward(None).plan([[0] * length for length in lengths], budget)
    assert sorted(np.concatenate([np.empty(0, int), *batches]).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * lengths[batch].max() <= budget
    longest = [lengths[batch].max() for batch in batches]
    assert longest == sorted(longest, reverse=True)


def test_little_is_padding_when_texts_come_sorted():
    lengths = np.random.default_rng(0).integers(8, 60, 4_000)
    batches = Forward(None).plan([[0] * length for length in lengths], 2_048)
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded <= 1.03 * lengths.sum()


def backend(scorer, budget):
    return TokenBackend(scorer, Forward(scorer), budget=budget, window_texts=100)


def texts_of(*lengths):
    return ["abcdefghij"[i % 10] * length for i, length in enumerate(lengths)]


def test_scores_are_put_back_in_place(characters):
    texts = texts_of(3, 30, 1, 12, 30, 2)
    of = backend(characters, 32)
    np.testing.assert_allclose(of.score(of.read(texts), lambda: None), characters.score(texts))


def test_texts_at_the_limit_are_counted_when_they_were_cut(characters, make_cells):
    of = backend(characters, 64)
    of.read(texts_of(39, 40, 41, 80))
    assert of.truncated == 2
    characters.max_tokens = 5
    assert score_cells(characters, make_cells(3, 2)).texts_truncated == 9


def test_a_request_to_stop_is_asked_for_before_each_batch(characters):
    of, asked = backend(characters, 10), []

    def check():
        asked.append(len(characters.batches))
        if len(asked) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        of.score(of.read(texts_of(*[5] * 20)), check)
    assert asked == [0, 1, 2]


@pytest.fixture
def small_device(characters, monkeypatch):
    """A device with room for 20 tokens at a time, which fails like one that belongs to torch."""
    torch = pytest.importorskip("torch")
    enough = characters.forward
    characters.refused = 0

    def forward(token_ids):
        if len(token_ids) * max(map(len, token_ids)) > 20:
            characters.refused += 1
            raise torch.OutOfMemoryError("no room")
        return enough(token_ids)

    characters.forward = forward
    return characters


def test_out_of_memory_halves_the_batch_and_goes_on(small_device):
    of, texts = backend(small_device, 64), texts_of(*[6] * 9, *[4] * 30)
    scores = of.score(of.read(texts), lambda: None)
    np.testing.assert_allclose(scores[:, 0], [ord(text[0]) / 128 for text in texts])
    assert sum(map(len, small_device.batches)) == len(texts)
    assert small_device.refused <= 3  # the smaller batch is remembered
    assert of.budget <= 30
    assert of.notes == (f"out of memory on cpu: batches cut to {of.budget} tokens",)


def test_one_text_that_finds_no_room_is_an_error_that_says_so(small_device):
    with pytest.raises(ModelError, match="one text of 30 tokens"):
        score(small_device, texts_of(30))


def test_other_errors_are_not_taken_for_a_lack_of_memory(characters):
    def broken(token_ids):
        raise RuntimeError("sizes do not match")

    characters.forward = broken
    with pytest.raises(RuntimeError, match="sizes"):
        score(characters, texts_of(3, 4))


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (MemoryError(), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("index out of range"), False),
    ],
)
def test_what_counts_as_out_of_memory(error, is_one):
    assert is_out_of_memory(error) is is_one
