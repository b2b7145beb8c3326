"""What readers call a model: by the title of its card, else by its id in short, whatever a file says."""

from __future__ import annotations

import pytest

from psa_core import generators, models
from psa_core.registry import readable_id


def test_every_model_and_generator_with_a_card_is_called_by_its_title() -> None:
    for package in (models, generators):
        assert [package.titled(card.id) for card in package.cards()] == [card.title for card in package.cards()]


@pytest.mark.parametrize(
    ("model_id", "title"),
    [
        ("minilm-emotion.joy", "MiniLM emotion: joy"),
        ("ask:lm:smollm2?question=/home/ada/rent.json", "SmolLM2, asked: rent"),
        ("ask:lm:/home/ada/models/tiny?question=loan&order=averaged", "…/models/tiny, asked: loan"),
        ("ask:chat:http://localhost:8000/v1?question=loan", "localhost:8000, asked: loan"),
        ("ask:chat:http://localhost:8000/v1?question=loan&model=org/tiny", "org/tiny, asked: loan"),
        ("ask:chat:http://localhost:8000/v1?question=/runs/7/own-question.json&model=tiny", "tiny, asked a question"),
        ("ask:provider:anthropic/claude-sonnet-4-5?question=interview", "claude-sonnet-4-5, asked: interview"),
    ],
)
def test_a_judge_is_called_by_its_model_and_its_question(model_id: str, title: str) -> None:
    assert models.titled(model_id) == title


@pytest.mark.parametrize(
    "odd", ["", "a model", ".joy", "ask:", "ask:lm:x?nothing=1", "hf:org/model", "nobody:/a/b/c.bin"]
)
def test_any_text_will_do(odd: str) -> None:
    assert models.titled(odd) == generators.titled(odd) == readable_id(odd)
