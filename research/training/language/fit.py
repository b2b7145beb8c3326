"""The training loop: go on predicting as before, and alike behind a prefix with one value and with another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from psa_core.retraining.student import stepper
from research.training.language.closeness import Distance
from research.training.language.material import Sentence, Texts
from research.training.language.recipe import LanguageRecipe
from research.training.language.writer import Writer


@dataclass(frozen=True)
class Pair:
    """One sentence with two values: token ids up to each value's end, and those of what comes after it."""

    heads: tuple[list[int], list[int]]
    tail: list[int]

    @property
    def rows(self) -> tuple[list[int], list[int]]:
        """Both sentences."""
        return [*self.heads[0], *self.tail], [*self.heads[1], *self.tail]


class Loss(NamedTuple):
    """Both parts of the loss, the second without its weight."""

    kept: Any
    moved: Any


def fit(
    writer: Writer,
    texts: Texts,
    values: Sequence[str],
    recipe: LanguageRecipe,
    distance: Distance,
    on_step: Callable[[int], None] = lambda _: None,
) -> None:
    """Train the updates in place.

    The loss is the divergence of the model's predictions for texts as they are from those before, in nats a token, plus
    `strength` times the mean distance (see `closeness`) between both sentences of a pair at the places from the value's
    last token on (Huang et al. 2020, section 4, step three).
    """
    step = stepper(writer.model, recipe)
    for number, (plain, some) in enumerate(_batches(writer, texts, values, recipe), start=1):
        loss = Loss(divergence(writer, plain), between(writer, some, distance))
        step(loss.kept + recipe.strength * loss.moved)
        on_step(number)


def pair(writer: Writer, sentence: Sentence, value: str, *, max_tokens: int) -> Pair:
    """A sentence as it is and with another value; what is too long is cut at its end, a long beginning at its start."""
    heads = [writer.ids(sentence.head(one))[-max_tokens // 2 :] for one in (sentence.value, value)]
    return Pair((heads[0], heads[1]), writer.ids(sentence.after, first=False)[: max_tokens // 2])


def between(writer: Writer, pairs: Sequence[Pair], distance: Distance) -> Any:
    """Mean distance between both sentences of each pair, over the places from the value's last token on."""
    import torch

    read = writer.read([row for side in (0, 1) for row in (one.rows[side] for one in pairs)])
    places = [
        torch.tensor(
            [
                (side * len(pairs) + number, len(one.heads[side]) - 1 + step)
                for number, one in enumerate(pairs)
                for step in range(len(one.tail) + 1)
            ],
            device=read.inside.device,
        )
        for side in (0, 1)
    ]
    return distance(read.at(places[0]), read.at(places[1])).mean()


def divergence(writer: Writer, rows: Sequence[Sequence[int]]) -> Any:
    """Mean over tokens of the divergence of the predictions from those before, KL(before || now), in nats."""
    import torch

    with torch.no_grad(), writer.model.disable_adapter():
        before = writer.read(rows)
    now = writer.read(rows)
    after, wanted = (torch.log_softmax(read.logits[now.inside], dim=-1) for read in (now, before))
    return torch.nn.functional.kl_div(after, wanted, reduction="batchmean", log_target=True)


def _batches(
    writer: Writer, texts: Texts, values: Sequence[str], recipe: LanguageRecipe
) -> Iterator[tuple[list[list[int]], list[Pair]]]:
    """Token ids of texts of like length, and pairs of sentences of like length."""
    rng = np.random.default_rng(recipe.seed)
    plain = sorted(texts.plain, key=len)
    sentences = sorted(texts.trained, key=lambda one: len(one.before) + len(one.after))
    size = recipe.sentences

    def window(length: int) -> slice:
        first = int(rng.integers(max(1, length - size + 1)))
        return slice(first, first + size)

    for _ in range(recipe.steps):
        rows = [writer.ids(text)[: recipe.max_tokens] for text in plain[window(len(plain))]]
        some = [
            pair(writer, one, str(rng.choice([value for value in values if value != one.value])),
                 max_tokens=recipe.max_tokens)
            for one in sentences[window(len(sentences))]
        ]  # fmt: skip
        yield rows, some
