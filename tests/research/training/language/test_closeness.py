from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import ModelError
from research.training.language import closeness
from research.training.language.writer import Places, Read
from tests.tiny_models import tiny_tokenizer


class Marked:
    """A vocabulary whose pieces say where a word begins."""

    pieces = ("Ġgood", "good", "ĠBad", "▁love", "Ġtable")

    def __len__(self) -> int:
        return len(self.pieces)

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self.pieces[number] for number in ids]


def test_only_whole_opinion_words_have_a_valence() -> None:
    assert closeness.valences_of(Marked()).tolist() == [1, 0, -1, 1, 0]
    tokenizer = tiny_tokenizer()
    found = closeness.valences_of(tokenizer)
    words = {word: found[number] for word, number in tokenizer.get_vocab().items() if found[number]}
    assert words == {"good": 1, "love": 1, "grace": 1, "bad": -1, "hate": -1}


def test_a_vocabulary_without_opinion_words_is_refused() -> None:
    class Plain(Marked):
        pieces = ("Ġtable", "Ġgood")

    with pytest.raises(ModelError, match="without opinion words"):
        closeness.valences_of(Plain())


def test_the_distances_by_hand() -> None:
    import torch

    valences = np.array([1, -1, 0], np.float32)
    sure, unsure = torch.tensor([[50.0, 0, 0]]), torch.tensor([[0.0, 0.0, 50.0]])
    assert closeness.expected_valence(sure, valences).item() == pytest.approx(1)
    distance = closeness.valence(valences, unit=0.5)
    assert distance(Places(sure, None, None), Places(unsure, None, None)).item() == pytest.approx(4)
    one, other = torch.tensor([[1.0, 0]]), torch.tensor([[0.0, 2]])
    assert closeness.embedding(Places(sure, one, None), Places(sure, other, None)).item() == pytest.approx(1)
    assert closeness.embedding(Places(sure, one, None), Places(unsure, 3 * one, None)).item() == pytest.approx(0)


def test_so_far_is_the_mean_up_to_a_place_whatever_comes_after_it() -> None:
    import torch

    features = torch.tensor([[[1.0, 0], [3, 2], [99, 99]], [[4, 4], [0, 2], [2, 0]]])
    found = Read(torch.zeros(2, 3, 5), features, torch.ones(2, 3)).at(torch.tensor([[0, 1], [1, 2], [1, 0]]))
    assert found.so_far.tolist() == [[2, 1], [2, 2], [4, 4]]
    assert found.features.tolist() == [[3, 2], [2, 0], [4, 4]] and found.logits.shape == (3, 5)
