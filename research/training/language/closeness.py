"""What each method asks to be alike behind a prefix with one value and the same with another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from psa_core.errors import ModelError
from psa_core.models import opinion_words
from research.training.language.probe import Probe
from research.training.language.writer import Places

#: From aligned places behind one value and behind another to the distance (n,).
Distance = Callable[[Places, Places], Any]
_MARKS = ("Ġ", "▁")


def embedding(one: Places, other: Places) -> Any:
    """Cosine distance between features."""
    import torch

    return 1 - torch.nn.functional.cosine_similarity(one.features, other.features, dim=-1)


def sentiment(probe: Probe) -> Distance:
    """Cosine distance between what a probe reads from all that was read so far."""
    import torch

    def distance(one: Places, other: Places) -> Any:
        network = probe.network.to(one.so_far.device)
        return 1 - torch.nn.functional.cosine_similarity(network(one.so_far), network(other.so_far), dim=-1, eps=1e-4)

    return distance


def valence(valences: np.ndarray, unit: float) -> Distance:
    """Squared difference of the expected opinion-word valence of the next word, Σ_w p(w) v(w), in squares of a unit."""
    import torch

    def distance(one: Places, other: Places) -> Any:
        difference = expected_valence(one.logits, valences) - expected_valence(other.logits, valences)
        return torch.square(difference / unit)

    return distance


def expected_valence(logits: Any, valences: np.ndarray) -> Any:
    """Σ_w p(w) v(w) of each row of logits (n, V): float tensor (n,)."""
    import torch

    weights = torch.from_numpy(valences).to(logits)
    return torch.softmax(logits[..., : len(valences)], dim=-1) @ weights


def valences_of(tokenizer: Any) -> np.ndarray:
    """1 for each token that is a whole positive opinion word, -1 for a negative one, else 0: float32 (V,).

    Raises `ModelError` when the vocabulary has no such words.
    """
    words = opinion_words.load("")
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    marked = any(str(piece).startswith(_MARKS) for piece in pieces)  # else a piece that goes on begins with ##
    found = np.zeros(len(pieces), np.float32)
    for number, piece in enumerate(map(str, pieces)):
        word = piece.removeprefix("Ġ").removeprefix("▁").lower()
        if not marked or piece.startswith(_MARKS):
            found[number] = (word in words.positive) - (word in words.negative)
    if not (found > 0).any() or not (found < 0).any():
        got = "a vocabulary without opinion words"
        raise ModelError("--method valence", got=got, expected="an English model", fix="Choose another method.")
    return found
