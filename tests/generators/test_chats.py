"""Chats: messages in a chat template, sent as they are, and looked up in a file of answers; top-k and top-p."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from psa_core import generators
from psa_core.errors import ModelError
from psa_core.generators import Draw, Sampling
from psa_core.generators._base import request_of
from psa_core.generators._decoding import truncated
from psa_core.models._transformers import written
from tests.asking.local_server import Answer, LocalServer
from tests.tiny_models import tiny_causal_lm

SYSTEM, TASK = ("system", "The user's name is Ann."), ("user", "Plan my day.\nBriefly.")
CHAT = Draw("The user's name is Ann.\n\nPlan my day.\nBriefly.", "day", 1, "Ann", (SYSTEM, TASK))
TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}> {{ m.content }} {% endfor %}{% if add_generation_prompt %}<a>{% endif %}"
)


class Tokenizer:
    chat_template = TEMPLATE
    special_tokens_map = MappingProxyType({})

    def get_chat_template(self) -> str:
        return self.chat_template


def conversation() -> list[dict[str, str]]:
    return [{"role": role, "content": content} for role, content in CHAT.messages]


def test_messages_are_written_in_the_models_own_template() -> None:
    texts = written(Tokenizer(), [conversation(), conversation()[1:]], ours=True)
    assert texts[0] == "<system> The user's name is Ann. <user> Plan my day.\nBriefly. <a>"
    assert texts[1] == "<user> Plan my day.\nBriefly. <a>"


def test_a_model_without_a_template_or_with_one_that_drops_a_message_is_refused(tmp_path: Path) -> None:
    silent = Tokenizer()
    silent.chat_template = "{{ messages[-1].content }}"
    with pytest.raises(ModelError, match="changes the messages"):
        written(silent, [conversation()], ours=True)
    generator = generators.load(f"lm:{tiny_causal_lm(tmp_path)}?precision=float32")
    with pytest.raises(ModelError, match="without a chat template"):
        list(generator.sample([CHAT], Sampling(3), lambda: None))


def test_less_probable_tokens_are_left_out() -> None:
    import torch

    logits = torch.log(torch.tensor([[0.5, 0.3, 0.15, 0.05]]))
    kept = lambda found: torch.isfinite(found)[0].tolist()  # noqa: E731
    assert kept(truncated(logits, 1.0, 0, 1.0)) == [True] * 4
    assert kept(truncated(logits, 1.0, 2, 1.0)) == [True, True, False, False]
    assert kept(truncated(logits, 1.0, 0, 0.6)) == [True, True, False, False]
    assert kept(truncated(logits, 1.0, 0, 0.01)) == [True, False, False, False]
    assert kept(truncated(logits, 0.1, 0, 0.9)) == [True, False, False, False]  # after the temperature


def test_a_server_gets_the_messages_and_an_answer_that_fails_is_missing(
    serve: Callable[[Answer], LocalServer],
) -> None:
    def answer(body: dict) -> tuple[int, dict]:
        if "Fail." in body["messages"][-1]["content"]:
            return 200, {"choices": []}
        return 200, {"choices": [{"message": {"content": "Rest."}}]}

    failing = Draw("Fail.", "fail", 0, "", (("user", "Fail."),))
    server = serve(answer)
    generator = generators.load(f"chat:{server.address}#retries=0&parallel=1")
    batches = list(generator.sample([failing, CHAT], Sampling(9, 0.7, 0, top_p=0.9), lambda: None))
    asked = server.asked
    assert [(batch.positions, batch.texts) for batch in batches] == [((1,), ("Rest.",))]
    assert asked[1]["messages"] == conversation() and asked[1]["top_p"] == 0.9 and "top_k" not in asked[1]


def test_answers_of_a_batch_are_found_by_their_request(tmp_path: Path) -> None:
    row = {
        "custom_id": request_of(CHAT).custom_id,
        "response": {"body": {"choices": [{"message": {"content": text}} for text in ("One.", "Two!")]}},
    }
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    generator = generators.load(f"answers:{path}")
    other = Draw("Plan.", "day", 0, "Bob", (("user", "Plan."),))
    (batch,) = generator.sample([other, CHAT], Sampling(), lambda: None)
    assert (batch.positions, batch.texts) == ((1,), ("Two!",))
    with pytest.raises(ModelError, match="answers none of the 1 requests"):
        list(generator.sample([other], Sampling(), lambda: None))
