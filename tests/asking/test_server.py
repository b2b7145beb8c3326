from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from psa_core.asking import Request
from psa_core.asking.endpoint import RefusedError
from psa_core.asking.server import ChatServer
from psa_core.errors import ModelError
from tests.asking.local_server import Answer, LocalServer

Serve = Callable[[Answer], LocalServer]
NUMBERS = {"timeout": 5.0, "retries": 3.0, "per_second": 0.0, "parallel": 2.0}
REQUEST = Request(({"role": "user", "content": "Yes?"},), {"max_tokens": 4, "temperature": 1.0, "seed": 0})


def said(*contents: str | None, **more: Any) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"content": content} | more} for content in contents]}


def in_turn(*answers: Any) -> Answer:
    """These answers one after the other, the last one for ever."""
    left = list(answers)
    return lambda body: left.pop(0) if len(left) > 1 else left[0]


def asked_at(server: LocalServer, **numbers: float) -> ChatServer:
    return ChatServer.at(server.address, NUMBERS | numbers, "m")


@pytest.mark.parametrize("status", [0, 408, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_asked_again(status: int, serve: Serve, waited: list[float]) -> None:
    server = asked_at(serve(in_turn((status, b""), (status, b""), said("Yes"))))
    assert server.reply(REQUEST).answers[0].content == "Yes"
    assert waited == [0.5, 1.0]


@pytest.mark.parametrize(
    "content",
    [
        b"<html>a gateway's page</html>",
        b"",
        b'{"choices": [{"mess',
        {"error": {"message": "Provider returned error", "code": 502}},
        {"error": {"message": "Overloaded", "type": "overloaded_error"}},
    ],
)
def test_no_answer_with_a_good_status_is_asked_again(content: Any, serve: Serve, waited: list[float]) -> None:
    server = asked_at(serve(in_turn((200, content), said("Yes"))))
    assert server.reply(REQUEST).answers[0].content == "Yes" and waited == [0.5]


def test_a_page_in_place_of_answers_ends_soon(serve: Serve, waited: list[float]) -> None:
    with pytest.raises(ModelError, match="6 bytes that are not JSON"):
        asked_at(serve(lambda _: (200, b"<html>")), retries=8.0).reply(REQUEST)
    assert waited == [0.5, 1.0]


def test_a_text_that_is_longer_than_any_minute_allows_is_missing(serve: Serve, waited: list[float]) -> None:
    words = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 50000."
    (reply,) = asked_at(serve(lambda _: (429, {"error": {"message": words}}))).ask([REQUEST])
    assert "Request too large" in reply.error and waited == []


def test_letters_that_were_cut_leave_the_others(serve: Serve) -> None:
    server = asked_at(serve(lambda _: (200, b'{"choices": [{"message": {"content": "Yes \xf0\x9f"}}]}')))
    assert server.reply(REQUEST).answers[0].content == "Yes \ufffd"


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after-ms": "1250", "retry-after": "2"}, 1.25, 1.25),
        ({"retry-after": "Fri, 01 Jan 2999 00:00:00 GMT"}, 300, 300),
        ({"retry-after": "Sat, 01 Jan 2000 00:00:00 GMT"}, 0, 0),
        ({"retry-after": "soon"}, 0.5, 0.5),
        ({"retry-after": "99999"}, 300, 300),
    ],
)
def test_a_pause_that_the_server_asks_for(
    headers: dict[str, str], low: float, high: float, serve: Serve, waited: list[float]
) -> None:
    server = asked_at(serve(in_turn((429, b"", headers), said("Yes"))))
    server.reply(REQUEST)
    (pause,) = waited
    assert low <= pause <= high


def test_no_money_is_not_waited_for_and_no_key_is_told(
    serve: Serve, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_HTTP_TOKEN", "my-own-secret")
    words = "You exceeded your quota \x1b[2J of sk-abcdefgh123 and my-own-secret."
    body = {"error": {"message": words, "code": "insufficient_quota"}}
    server = asked_at(serve(lambda _: (429, body)))
    with pytest.raises(ModelError) as caught:
        server.reply(REQUEST)
    message = caught.value.full_message
    assert "You exceeded your quota \\x1b[2J of (a key) and (a key). (insufficient_quota)" in message
    assert "billing" in message and waited == []


def test_an_option_that_a_model_refuses_is_renamed_or_left_out_from_then_on(serve: Serve) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return 400, {"error": {"message": words, "param": "max_tokens"}}
        if "temperature" in body:
            return 400, {"error": {"message": "'temperature' does not support 0 with this model."}}
        return said("Yes")

    local = serve(answer)
    server = asked_at(local)
    assert [reply.answers[0].content for reply in server.ask([REQUEST])] == ["Yes"]
    assert local.asked[-1].keys() == {"model", "messages", "max_completion_tokens", "seed"}
    assert local.asked[-1]["max_completion_tokens"] == 4
    server.reply(REQUEST)
    assert len(local.asked) == 4


def test_fewer_log_probabilities_are_asked_for_where_a_server_lists_fewer(serve: Serve) -> None:
    words = "top_logprobs must be at most 5"
    local = serve(lambda body: said("Yes") if body["top_logprobs"] <= 5 else (400, {"error": {"message": words}}))
    request = Request(REQUEST.messages, {"logprobs": True, "top_logprobs": 20})
    server = asked_at(local)
    assert [reply.answers[0].content for reply in server.ask([request, request])] == ["Yes", "Yes"]
    assert local.asked[-1] == {"model": "m", "messages": list(request.messages), "logprobs": True, "top_logprobs": 5}


@pytest.mark.parametrize("status", [400, 401, 402, 403, 422, 429])
def test_no_money_ends_a_run_whatever_its_status(status: int, serve: Serve, waited: list[float]) -> None:
    server = asked_at(serve(lambda _: (status, {"error": {"message": "Your credit balance is too low."}})))
    with pytest.raises(ModelError, match="Your credit balance is too low") as caught:
        server.ask([REQUEST])
    assert not isinstance(caught.value, RefusedError) and waited == []


def test_what_is_wrong_is_told_where_a_server_lists_it(serve: Serve) -> None:
    detail = {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    local = serve(lambda body: (422, detail) if "seed" in body else said("Yes"))
    assert asked_at(local).reply(REQUEST).answers[0].content == "Yes"
    by_param = {"error": {"message": "Unsupported parameter", "param": "seed"}}
    local = serve(lambda body: (400, by_param) if "seed" in body else said("Yes"))
    assert asked_at(local).reply(REQUEST).answers[0].content == "Yes"
    with pytest.raises(RefusedError, match="Key gone"):
        asked_at(serve(lambda _: (403, [{"error": {"message": "Key gone"}}]))).reply(REQUEST)


def test_what_else_is_refused_is_told_in_the_providers_words(serve: Serve) -> None:
    server = asked_at(serve(lambda _: (404, {"error": {"message": "The model `m` does not exist."}})))
    with pytest.raises(RefusedError, match=r"status 404 \(Not Found\): The model `m` does not exist"):
        server.reply(REQUEST)


@pytest.mark.parametrize("kind", ["offered", "ignored", "refused", "broken"])
def test_several_answers_come_in_one_request_where_that_is_offered(kind: str, serve: Serve) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        n = body.get("n", 1)
        if n > 1 and kind == "refused":
            return 400, {"error": {"message": "Multiple choices are not supported."}}
        if n > 1 and kind == "broken":
            return 500, b""
        return said(*[f"answer {body['seed'] + k}" for k in range(n if kind == "offered" else 1)])

    local = serve(answer)
    server, request = asked_at(local), Request(REQUEST.messages, dict(REQUEST.options) | {"n": 3})
    for _ in range(2):
        assert [one.content for one in server.reply(request).answers] == ["answer 0", "answer 1", "answer 2"]
    assert len(local.asked) == {"offered": 2, "ignored": 3 + 3, "refused": 4 + 3, "broken": 4 + 3 + 3}[kind]


def test_a_server_that_breaks_at_one_answer_too_ends_the_run(serve: Serve) -> None:
    server = asked_at(serve(lambda _: (500, b"")))
    with pytest.raises(ModelError, match=r"status 500 \(Internal Server Error\), asked 4 times"):
        server.ask([Request(REQUEST.messages, dict(REQUEST.options) | {"n": 3})])


@pytest.mark.parametrize(
    ("answer", "content", "refusal", "thought"),
    [
        (said(None), "", "", ""),
        (said(""), "", "", ""),
        (said(None, refusal="I cannot."), "", "I cannot.", ""),
        (said("Yes", reasoning_content="Hm."), "Yes", "", "Hm."),
        (said("Yes", reasoning="Hm."), "Yes", "", "Hm."),
        (said([{"type": "text", "text": "Ye"}, {"text": "s"}]), "Yes", "", ""),  # type: ignore[list-item]
        (said([{"type": "reasoning", "text": "Hm"}, {"type": "text", "text": "No"}]), "No", "", ""),  # type: ignore[list-item]
    ],
)
def test_every_answer_is_a_record(answer: Any, content: str, refusal: str, thought: str, serve: Serve) -> None:
    (one,) = asked_at(serve(lambda _: answer)).reply(REQUEST).answers
    assert (one.content, one.refusal, one.thought) == (content, refusal, thought)


def test_a_text_that_is_refused_does_not_say_that_several_answers_are(serve: Serve) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if body["messages"][0]["content"] == "long":
            return 400, {"error": {"message": "This model's maximum context length is 8 tokens."}}
        return said(*["Yes"] * body.get("n", 1))

    local = serve(answer)
    server, options = asked_at(local, parallel=1.0), dict(REQUEST.options) | {"n": 3}
    long = Request(({"role": "user", "content": "long"},), options)
    missing, found = server.ask([long, Request(REQUEST.messages, options)])
    assert "maximum context length" in missing.error and len(found.answers) == 3
    assert len(local.asked) == 3


def test_fewer_requests_are_under_way_after_too_many(serve: Serve) -> None:
    server = asked_at(serve(in_turn((429, b""), said("Yes"))), parallel=8.0)
    assert server.endpoint.flow is not None and server.endpoint.flow.places == 4
    server.reply(REQUEST)
    assert server.endpoint.flow.places == 2
    server.ask([REQUEST] * 40)
    assert server.endpoint.flow.places > 2
