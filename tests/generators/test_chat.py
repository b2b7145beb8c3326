"""A server that answers as OpenAI-compatible ones do, and as broken ones do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from psa_core import generators
from psa_core.errors import ModelError
from psa_core.generators import Draw, Sampling
from psa_core.generators.chat import INSTRUCTION, seed_of

DRAWS = [Draw(f"{value} is", "{value} is", k, value) for k in range(3) for value in ("Ann", "Bob")]


class Server(BaseHTTPRequestHandler):
    """Says its seed; fails as it is told to."""

    asked: list[tuple[str, dict[str, Any], str]] = []  # noqa: RUF012
    failures: list[int] = []  # noqa: RUF012
    body: bytes | None = None
    seconds = 0.0
    cut = False

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).asked.append((self.path, question, self.headers.get("authorization", "")))
        status = self.failures.pop() if self.failures else 200
        text = f" seed {question['seed']}."
        choice = {"message": {"content": text}} if self.path.endswith("chat/completions") else {"text": text}
        body = self.body or json.dumps({"choices": [choice]}).encode()
        time.sleep(self.seconds)
        self.send_response(status)
        self.send_header("content-length", str(len(body) + 100 * self.cut))
        self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Server.asked, Server.failures, Server.body, Server.seconds, Server.cut = [], [], None, 0.0, False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def sampled(generator: Any, draws: list[Draw] = DRAWS) -> dict[int, str]:
    found = {}
    for batch in generator.sample(draws, Sampling(9, 0.7, 5), lambda: None):
        found |= dict(zip(batch.positions, batch.texts, strict=True))
    return found


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_asks_for_each_continuation_with_the_seed_of_its_template_and_k(address: str, api: str) -> None:
    generator = generators.load(f"chat:{address}#model=small&api={api}")
    found = sampled(generator)
    assert found == {i: f" seed {seed_of(5, draw)}." for i, draw in enumerate(DRAWS)}
    assert found[0] == found[1] != found[2]
    path, question, _ = Server.asked[0]
    assert path == ("/v1/chat/completions" if api == "chat" else "/v1/completions")
    assert (question["model"], question["max_tokens"], question["temperature"]) == ("small", 9, 0.7)
    prompts = {INSTRUCTION + "Ann is", INSTRUCTION + "Bob is"} if api == "chat" else {"Ann is", "Bob is"}
    seen = {asked["messages"][0]["content"] if api == "chat" else asked["prompt"] for _, asked, _ in Server.asked}
    assert seen == prompts
    assert not generator.common_noise


def test_waits_and_asks_again_when_it_is_too_much(address: str) -> None:
    Server.failures = [429, 503]
    assert len(sampled(generators.load(f"chat:{address}"))) == len(DRAWS)
    assert len(Server.asked) == len(DRAWS) + 2


def test_what_came_before_a_failure_is_handed_over(address: str) -> None:
    Server.failures = [500, 200, 200]
    kept: list[int] = []
    generator = generators.load(f"chat:{address}#parallel=1&retries=0")
    with pytest.raises(ModelError, match="status 500"):
        for batch in generator.sample(DRAWS, Sampling(), lambda: None):
            kept += batch.positions
    assert kept == [0, 1]


def test_a_slow_server_and_a_cut_connection_are_one_sentence(address: str) -> None:
    Server.cut = True
    with pytest.raises(ModelError, match=r"no connection \(.*\), asked 2 times, expected an answer") as caught:
        sampled(generators.load(f"chat:{address}#retries=1&parallel=1"))
    assert "\n" not in str(caught.value) and len(Server.asked) >= 2
    Server.cut, Server.seconds = False, 0.5
    with pytest.raises(ModelError, match=r"no answer within 0\.1 seconds, asked once"):
        sampled(generators.load(f"chat:{address}#retries=0&timeout=0.1&parallel=1"), DRAWS[:1])


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}'])
def test_nonsense_is_one_sentence(address: str, body: bytes) -> None:
    Server.body = body
    with pytest.raises(ModelError, match="expected"):
        sampled(generators.load(f"chat:{address}"))


def test_estimates_tokens_and_price() -> None:
    generator = generators.load("chat:http://localhost:1/v1#api=completions&price_in=2&price_out=10")
    estimate = generator.estimate(DRAWS, Sampling(50))
    assert (estimate.tokens_in, estimate.tokens_out) == (12, 300)
    assert estimate.price and estimate.price.of(12, 300) == pytest.approx((12 * 2 + 300 * 10) / 1e6)
    assert estimate.words == "6 requests, about 12 tokens to read and up to 300 to write: at most $0.0030."


@pytest.mark.parametrize(
    ("identifier", "message"),
    [
        ("chat:ftp://host/v1", "address"),
        ("chat:http://host/v1#api=magic", "chat or completions"),
        ("chat:http://host/v1#parallel=many", "parallel"),
        ("chat:http://host/v1#colour=red", "option"),
        ("chat:http://key:secret@host/v1", "secret"),
    ],
)
def test_wrong_addresses_and_options(identifier: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        generators.load(identifier)


def test_the_key_is_sent_and_never_shown(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_HTTP_TOKEN", "s3cret")
    monkeypatch.setenv("PSA_HTTP_ALLOW", "127.0.0.1")
    generator = generators.load(f"chat:{address}")
    sampled(generator, DRAWS[:1])
    assert Server.asked[0][2] == "Bearer s3cret"
    assert "s3cret" not in repr(generator) + generator.about + generator.fingerprint
