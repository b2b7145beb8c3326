from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.cache import ScoreCache
from psa_core.errors import ModelError
from psa_core.models import _endpoint
from psa_core.models._chat import completions_address
from psa_core.models._judges.server import answer_logs, first_tokens, which_answer
from psa_core.scoring import score_cells

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


class Server:
    """An OpenAI-compatible address that answers as a function says; it keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked = answer, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.asked.append(body)
                status, content = outer.answer(body)
                if status == 0:  # a cut connection
                    self.close_connection = True
                    return
                raw = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(raw)))
                if status == 429:
                    self.send_header("retry-after", "7")
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def id(self, options: str = "") -> str:
        return f"ask:chat:http://127.0.0.1:{self.http.server_port}/v1?question=toxicity{options}"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    servers: list[Server] = []

    def start(answer: Answer) -> Server:
        servers.append(Server(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long an endpoint would have waited each time; it does not."""
    seconds: list[float] = []
    monkeypatch.setattr(_endpoint, "time", SimpleNamespace(sleep=seconds.append, monotonic=time.monotonic))
    return seconds


def probability(body: dict[str, Any]) -> float:
    """What this server thinks: the more words, the more toxic."""
    text = body["messages"][0]["content"].split("Text:\n")[1].split("\n\nIs this")[0]
    return min(0.9, 0.1 + 0.1 * len(text.split()))


def listed(body: dict[str, Any]) -> tuple[int, Any]:
    yes = probability(body)
    tokens = {" Yes": yes * 0.4, "Yes": yes * 0.4, "No": (1 - yes) * 0.8, "Maybe": 0.2}
    rows = [{"token": token, "logprob": math.log(share)} for token, share in tokens.items()]
    return 200, {"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": [{"top_logprobs": rows}]}}]}


def sampled(body: dict[str, Any]) -> tuple[int, Any]:
    if "logprobs" in body:
        return 422, {"detail": "Unsupported fields: logprobs"}
    words = "Yes, it is." if body["seed"] % 10 < 10 * probability(body) else "no."
    return 200, {"choices": [{"message": {"content": words}}]}


def test_log_probabilities_are_used_where_they_are_offered(serve: Callable[[Answer], Server]) -> None:
    judge: Any = models.load(serve(listed).id())
    np.testing.assert_allclose(judge.score(["one", "one two three", ""]), [[0.2], [0.4], [0.1]], atol=1e-6)
    assert "log-probabilities" in judge.targets[0].meaning and "log-probabilities" in judge.about


def test_else_the_share_over_samples_which_the_result_says(serve: Callable[[Answer], Server]) -> None:
    server = serve(sampled)
    judge: Any = models.load(server.id("&samples=10"))
    np.testing.assert_allclose(judge.score(["one", "one two three"]), [[0.2], [0.4]], atol=1e-6)
    assert "the share over 10 sampled answers" in judge.targets[0].meaning and "the share over 10" in judge.about
    assert len({body.get("seed") for body in server.asked[2:]}) == 10
    assert judge.fingerprint != models.load(serve(listed).id()).fingerprint


def test_both_orders(serve: Callable[[Answer], Server]) -> None:
    server = serve(listed)
    scores = models.load(server.id("&order=averaged")).score(["one"])
    np.testing.assert_allclose(scores, [[0.2, 0.0]], atol=1e-6)
    asked = {body["messages"][0]["content"].split("Answer with ")[1][:9] for body in server.asked}
    assert asked == {"Yes or No", "No or Yes"}


def failing(times: int, status: int, content: Any = b"", *, after: int = 1) -> Answer:
    """Answers well, then badly so many times, then well again."""
    count = [0]

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        count[0] += 1
        return (status, content) if after < count[0] <= after + times else listed(body)

    return answer


@pytest.mark.parametrize("status", [429, 503, 0])
def test_what_passes_is_waited_for(serve: Callable[[Answer], Server], status: int, waited: list[float]) -> None:
    judge = models.load(serve(failing(2, status)).id("&parallel=1"))
    np.testing.assert_allclose(judge.score(["one"]), [[0.2]], atol=1e-6)
    assert waited == ([7, 7] if status == 429 else [0.5, 1])


@pytest.mark.parametrize(
    ("status", "content", "told"),
    [
        (429, b"", "429"),
        (0, b"", "no connection"),
        (500, b"", "500"),
        (401, b"", "PSA_HTTP_TOKEN"),
        (200, b"<html>", "not JSON"),
        (200, {"object": "error"}, "without choices"),
        (200, {"choices": ["Yes"]}, "without a message"),
        (200, {"choices": [{"message": {"content": "Yes"}}]}, "without logprobs"),
        (200, {"choices": [{"message": {}, "logprobs": {"content": [{"top_logprobs": 3}]}}]}, "without logprobs"),
    ],
)
def test_what_stays_wrong_is_told(serve: Callable[[Answer], Server], status: int, content: Any, told: str) -> None:
    judge = models.load(serve(failing(10_000, status, content)).id("&retries=2"))
    with pytest.raises(ModelError, match=told):
        judge.score(["one", "two"])


def test_nonsense_in_words_is_told(serve: Callable[[Answer], Server]) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        return (400, {}) if "logprobs" in body else (200, {"choices": [{"message": {"content": "\x1b[2JBananas"}}]})

    judge = models.load(serve(answer).id("&samples=3"))
    with pytest.raises(ModelError, match=r"3 answers such as '\[2JBananas'.*Yes or No"):
        judge.score(["one"])


class Cells:
    """Twenty sentences, two names."""

    names = ("Ann", "Bob")

    def originals(self) -> list[str]:
        return [f"they ran {i} miles" for i in range(20)]

    def row(self, sentence: int) -> list[str]:
        return [f"{name} ran {sentence} miles" for name in self.names]


def test_what_was_answered_before_a_failure_is_kept_and_the_rest_is_asked_later(
    serve: Callable[[Answer], Server], tmp_path: Any
) -> None:
    server = serve(failing(10_000, 503, after=21))
    cells, cache = Cells(), ScoreCache(tmp_path / "scores")
    judge = models.load(server.id("&retries=0&parallel=2"))
    with pytest.raises(ModelError, match="503"):
        score_cells(judge, cells, cache=cache)
    server.answer = listed
    done = len(server.asked)
    result = score_cells(judge, cells, cache=cache)
    assert result.cache_hits >= 16
    assert len(server.asked) - done == result.texts_scored == result.unique_texts - result.cache_hits


def test_first_tokens_of_answers() -> None:
    logs = answer_logs({"Yes": -1.0, " Y": -2.0, "yes": -1.5, "Now": -3.0, "": -2.5}, ["Yes", "No"], source="here")
    assert logs[0] == pytest.approx(math.log(math.exp(-1) + math.exp(-2)))
    assert logs[1] == pytest.approx(-3.0)  # not listed: counted as the least that is
    with pytest.raises(ModelError, match="first words such as 'Maybe'"):
        answer_logs({"Maybe": -0.1}, ["Yes", "No"], source="here")
    assert first_tokens({"logprobs": None}) is None
    assert first_tokens({"logprobs": {"content": [{"top_logprobs": [{"token": "a", "logprob": 1.5}]}]}}) is None


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("Yes.", 0),
        ("**NO**, never", 1),
        ("I would say no", 1),
        ("Nobody knows", None),
        ("", None),
        ("Not sure. Yes", 0),
    ],
)
def test_which_answer_was_given(words: str, answer: int | None) -> None:
    assert which_answer(words, ["Yes", "No"]) == answer


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("https://h/v1?api-version=2", "https://h/v1/chat/completions?api-version=2"),
    ],
)
def test_addresses(given: str, whole: str) -> None:
    assert completions_address(given) == whole


def test_a_server_that_lists_one_token_leaves_the_rest_to_the_other_answer() -> None:
    assert np.exp(answer_logs({"No": math.log(0.9)}, ["Yes", "No"], source="here")) == pytest.approx([0.1, 0.9])
    assert np.exp(answer_logs({"No": 0.0}, ["Yes", "No"], source="here")) == pytest.approx([0, 1])
