"""Providers in their own protocols; runs where the extra `providers` is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from psa_core import models
from psa_core.asking.endpoint import RefusedError
from psa_core.asking.provider import provider_of
from psa_core.asking.records import Request
from psa_core.errors import ModelError
from tests.asking.local_server import Answer, LocalServer

pytest.importorskip("any_llm")

Serve = Callable[[Answer], LocalServer]
NUMBERS = {"timeout": 5.0, "retries": 3.0, "per_second": 0.0, "parallel": 2.0}
KEY = "a-key-of-mine-123"
REQUEST = Request(({"role": "system", "content": "Decide."}, {"role": "user", "content": "Yes?"}), {"max_tokens": 4})


def anthropics(words: str, *, stop: str = "end_turn") -> tuple[int, Any]:
    parts = [{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": words}]
    usage = {"input_tokens": 11, "output_tokens": 2}
    head = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": stop}
    return 200, head | {"content": parts, "usage": usage}


@pytest.fixture
def anthropic(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Serve:
    def start(answer: Answer) -> LocalServer:
        local = serve(answer)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", local.address.removesuffix("/v1"))
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        return local

    return start


def test_anthropics_own_protocol(anthropic: Serve) -> None:
    local = anthropic(lambda _: anthropics("Yes"))
    reply = provider_of("provider:anthropic/claude", NUMBERS).reply(REQUEST)
    assert (reply.answers[0].content, reply.answers[0].thought) == ("Yes", "Hm.")
    assert (reply.tokens_in, reply.tokens_out) == (11, 2)
    assert local.asked[0]["system"] == "Decide." and local.asked[0]["model"] == "claude"
    assert KEY in local.headers[0].values()


def test_a_judge_samples_where_a_provider_has_no_log_probabilities(anthropic: Serve) -> None:
    local = anthropic(lambda body: anthropics("Yes" if "good" in str(body) else "No"))
    judge: Any = models.load("ask:provider:anthropic/claude?question=interview&samples=3")
    assert judge.score(["She is good.", "She is not."]).tolist() == [[1, 0], [0, 0]]
    assert "anthropic" in judge.about and "3 sampled answers" in judge.about
    assert not {"n", "seed", "logprobs"} & set().union(*local.asked)


def test_limits_quota_and_refusals_are_those_of_an_address(anthropic: Serve, waited: list[float]) -> None:
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    turns: list[Any] = [(529, busy), (429, busy, {"retry-after": "7"}), (0, b""), anthropics("Yes")]
    anthropic(lambda _: turns.pop(0))
    server = provider_of("provider:anthropic/claude", NUMBERS)
    assert server.reply(REQUEST).answers[0].content == "Yes"
    assert waited == [0.5, 7.0, 2.0]
    turns[:] = [(404, {"type": "error", "error": {"type": "not_found_error", "message": f"No model; key {KEY}"}})]
    with pytest.raises(RefusedError, match=r"No model; key \(a key\)"):
        server.reply(REQUEST)
    turns[:] = [(400, {"type": "error", "error": {"type": "invalid", "message": "Your credit balance is too low"}})]
    with pytest.raises(ModelError, match=r"credit balance is too low.*billing"):
        server.reply(REQUEST)


def test_openais_protocol_with_log_probabilities(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"token": "Yes", "logprob": -0.5, "bytes": None}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes"}}
    choice |= {"logprobs": {"content": [row | {"top_logprobs": [row]}]}}
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    local = serve(lambda _: (200, head | {"choices": [choice]}))
    monkeypatch.setenv("OPENAI_BASE_URL", local.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge: Any = models.load("ask:provider:openai/gpt?question=interview")
    assert "log-probabilities" in judge.about
    assert judge.score(["She is good."])[0, 1] == pytest.approx(1 - 0.6065, abs=1e-4)


def test_who_is_asked_is_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY"):
        provider_of("provider:anthropic/claude", NUMBERS)
    with pytest.raises(ModelError, match="such as provider:anthropic"):
        provider_of("provider:anthropic", NUMBERS)
    monkeypatch.setenv("PSA_HTTP_ALLOW", "openai")
    with pytest.raises(ModelError, match="the host anthropic"):
        provider_of("provider:anthropic/claude", NUMBERS)
