from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.asking import endpoint as _endpoint
from psa_core.asking.endpoint import Endpoint
from psa_core.errors import ModelError
from psa_core.trust.addresses import allowed

Reply = Callable[[list[str]], Any]


class Model:
    """A model behind an address on this machine: what it was asked, and what it will answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, str], list[str]]] = []
        self.reply: Reply = lambda texts: {"toxicity": [len(text) / 100 for text in texts]}
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.address = ""
        self.connections: list[Any] = []

    @property
    def batches(self) -> list[list[str]]:
        return [texts for _, texts in self.asked]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    behind = Model()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def setup(self) -> None:
            super().setup()
            behind.connections.append(self.client_address)

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["texts"]
            behind.asked.append(({name.lower(): value for name, value in self.headers.items()}, texts))
            status, headers = behind.failures.pop(0) if behind.failures else (200, {})
            answer = behind.reply(texts)
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    for name in (_endpoint.TOKEN, _endpoint.ALLOW):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    behind.address = f"http://127.0.0.1:{server.server_port}/score"
    yield behind
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses that were asked for, in seconds; none is waited."""
    slept: list[float] = []
    monkeypatch.setattr(_endpoint, "time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic))
    return slept


@pytest.mark.parametrize(
    ("reply", "targets", "scores"),
    [
        (lambda texts: {"toxicity": [0.25] * len(texts)}, ["toxicity"], [[0.25]]),
        (lambda texts: {"a": [0.25] * len(texts), "b": [0.5] * len(texts)}, ["a", "b"], [[0.25, 0.5]]),
        (lambda texts: {"scores": [[0.25]] * len(texts)}, ["score"], [[0.25]]),
        (lambda texts: {"scores": [[0.25, 0.5]] * len(texts)}, ["score_1", "score_2"], [[0.25, 0.5]]),
        (lambda texts: [0.25] * len(texts), ["score"], [[0.25]]),
        (lambda texts: [{"b": 0.5, "a": 0.25}] * len(texts), ["b", "a"], [[0.5, 0.25]]),
        (lambda texts: {"scores": [{"toxicity": 0.25}] * len(texts)}, ["toxicity"], [[0.25]]),
        (lambda texts: [[0.25]] * len(texts), ["score"], [[0.25]]),
        (
            lambda texts: {"targets": [{"name": "mood", "low": -1, "high": 1}], "scores": [[-0.25]] * len(texts)},
            ["mood"],
            [[-0.25]],
        ),
    ],
)
def test_each_form_of_answer(model: Model, reply: Reply, targets: list[str], scores: list[list[float]]) -> None:
    model.reply = reply
    scorer = models.load(model.address)
    assert [target.name for target in scorer.targets] == targets
    np.testing.assert_allclose(scorer.score(["x"]), scores)


def test_texts_go_in_batches_and_come_back_in_order(model: Model) -> None:
    scorer = models.load(f"{model.address}#batch=2")
    np.testing.assert_allclose(scorer.score(["a", "bb", "ccc", "dddd", "é"])[:, 0], [0.01, 0.02, 0.03, 0.04, 0.01])
    assert model.batches[1:] == [["a", "bb"], ["ccc", "dddd"], ["é"]]


def test_targets_may_come_in_another_order(model: Model) -> None:
    scorer = models.load(model.address.replace("http:", "http:http:"))
    model.reply = lambda texts: {"b": [0.5] * len(texts), "a": [1] * len(texts)}
    scorer = models.load(model.address)
    model.reply = lambda texts: {"a": [1] * len(texts), "b": [0.5] * len(texts)}
    assert scorer.score(["x"]).tolist() == [[0.5, 1]]


def test_a_score_out_of_the_declared_range_is_told_with_the_way_to_declare_it(model: Model) -> None:
    model.reply = lambda texts: {"stars": [7.5 if "odd" in text else 0.5 for text in texts]}
    scorer = models.load(model.address)
    with pytest.raises(ModelError, match=r"7\.5 for text 2 of 2, .*0 to 1, .*range of stars\. .*#range=low\.\.high"):
        scorer.score(["even", "odd"])
    assert models.load(f"{model.address}#range=0..10").score(["even", "odd"]).tolist() == [[0.5], [7.5]]


def test_ranges_are_those_of_the_columns_in_whatever_order_they_come(model: Model) -> None:
    first = [{"name": "mood", "low": -1, "high": 1}, {"name": "stars", "low": 0, "high": 5}]
    model.reply = lambda texts: {"targets": first, "scores": [[-0.5, 4]] * len(texts)}
    scorer = models.load(model.address)
    model.reply = lambda texts: {"targets": first[::-1], "scores": [[4, -0.5]] * len(texts)}
    assert scorer.score(["a"]).tolist() == [[-0.5, 4]]


def test_range_and_version_are_part_of_what_it_is(model: Model) -> None:
    plain = models.load(model.address)
    assert models.load(model.address).fingerprint == plain.fingerprint
    ranged = models.load(f"{model.address}#range=0..5")
    assert (ranged.targets[0].low, ranged.targets[0].high) == (0, 5)
    prints = {plain.fingerprint, ranged.fingerprint, models.load(f"{model.address}#version=2").fingerprint}
    model.reply = lambda texts: {"scores": [[0.5]] * len(texts), "targets": ["toxicity"], "version": "3"}
    prints.add(models.load(model.address).fingerprint)
    prints.add(models.load(f"{model.address}?model=large").fingerprint)
    assert len(prints) == 5
    assert models.load(f"{model.address}#batch=7&timeout=9").fingerprint in prints


def test_what_passes_is_asked_again_with_growing_pauses(model: Model, pauses: list[float]) -> None:
    scorer = models.load(model.address)
    model.failures = [(503, {}), (502, {}), (429, {"retry-after": "7"}), (429, {"retry-after": "900"})]
    assert scorer.score(["aa"]).tolist() == [[pytest.approx(0.02)]]
    assert pauses == [0.5, 1.0, 7.0, 30.0]


def test_what_does_not_pass_is_said_after_all_tries(model: Model, pauses: list[float]) -> None:
    scorer = models.load(f"{model.address}#retries=2")
    model.failures = [(503, {})] * 3
    with pytest.raises(ModelError, match=r"status 503 \(Service Unavailable\), asked 3 times"):
        scorer.score(["a"])
    assert len(pauses) == 2


def test_nobody_there_is_said(pauses: list[float]) -> None:
    with pytest.raises(ModelError, match=r"no connection .*asked 5 times"):
        models.load("http://127.0.0.1:9/score")
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_no_answer_in_time_is_said(model: Model, pauses: list[float]) -> None:
    held = threading.Event()
    model.reply = lambda texts: [held.wait(10)] and [0.5]
    with pytest.raises(ModelError, match=r"no answer within 0\.05 seconds, asked once"):
        models.load(f"{model.address}#timeout=0.05&retries=0")
    held.set()


@pytest.mark.parametrize(("status", "said"), [(401, "Set PSA_HTTP_TOKEN"), (403, "Set PSA_HTTP_TOKEN")])
def test_a_refusal_asks_for_a_token(model: Model, status: int, said: str) -> None:
    model.failures = [(status, {})]
    with pytest.raises(ModelError, match=said):
        models.load(model.address)


@pytest.mark.parametrize("status", [404, 500, 302])
def test_other_statuses_are_not_asked_again(model: Model, status: int) -> None:
    model.failures = [(status, {"location": "http://127.0.0.1:9/"})]
    with pytest.raises(ModelError, match=f"status {status}"):
        models.load(model.address)
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (b"<html>", "bytes that are not JSON"),
        (b"[" * 100_000, "bytes that are not JSON"),
        (3, "neither a list nor an object"),
        ({}, "an empty answer"),
        ({"error": "busy"}, "an object with error"),
        ({"a": [0.5], "b": []}, "an object with a, b"),
        ([0.5, 0.5], "shape"),
        ([], "shape"),
        ([None], "no finite score|no table"),
        ({"scores": [[float("nan")]]}, "no finite score"),
        ({"scores": [["high"]]}, "no table of numbers"),
        ({"scores": [[0.5]], "targets": [{"name": "a", "low": 1, "high": 0}]}, "without a range"),
        ({"scores": [[0.5]], "targets": ["a", "b"]}, "shape"),
    ],
)
def test_wrong_answers_are_one_sentence(model: Model, reply: Any, said: str) -> None:
    model.reply = lambda texts: reply
    with pytest.raises(ModelError, match=said) as caught:
        models.load(model.address)
    assert "\n" not in str(caught.value)


def test_an_answer_that_changes_its_targets_is_refused(model: Model) -> None:
    scorer = models.load(model.address)
    model.reply = lambda texts: {"anger": [0.5] * len(texts)}
    with pytest.raises(ModelError, match="targets anger, after toxicity at first"):
        scorer.score(["x"])


def test_the_token_is_sent_and_never_shown(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_endpoint.TOKEN, "s3cret")
    scorer: Any = models.load(model.address)
    assert model.asked[0][0]["authorization"] == "Bearer s3cret"
    assert "s3cret" not in f"{scorer!r}{scorer.fingerprint}{scorer.about}{vars(scorer)}{vars(scorer.endpoint)}"
    model.failures = [(401, {})]
    with pytest.raises(ModelError) as caught:
        scorer.score(["x"])
    assert "s3cret" not in str(caught.value)


def test_the_token_goes_nowhere_without_encryption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_endpoint.ALLOW, raising=False)
    monkeypatch.setenv(_endpoint.TOKEN, "s3cret")
    with pytest.raises(ModelError, match="expected an https address"):
        models.load("http://models.example.org/score")


@pytest.mark.parametrize(
    "address",
    ["http://user:word@host/", "http://user@host/", "https://host/?api_key=1", "https://host/?a=1&Token=x"],
)
def test_secrets_in_the_address_are_refused(address: str) -> None:
    with pytest.raises(ModelError, match=r"a secret in it.*PSA_HTTP_TOKEN"):
        models.load(address)


@pytest.mark.parametrize(
    "address", ["http:score", "http://", "http:///x", "ftp://host", "http:ftp://host/", "http://h:x/"]
)
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(ModelError):
        models.load(address)


@pytest.mark.parametrize(
    ("rules", "address", "passes"),
    [
        ("models.example.org", "https://models.example.org/a", True),
        ("models.example.org", "https://other.example.org/a", False),
        ("*.example.org", "//other.example.org/a", True),
        ("*.example.org", "https://example.org.evil.net/a", False),
        ("localhost:8080", "http://localhost:8080/", True),
        ("localhost:8080", "http://localhost:8081/", False),
        ("a.example, B.example:443", "https://b.example/", True),
        ("", "http://localhost/", False),
    ],
)
def test_an_administrator_says_which_hosts(
    monkeypatch: pytest.MonkeyPatch, rules: str, address: str, passes: bool
) -> None:
    monkeypatch.setenv(_endpoint.ALLOW, rules)
    if passes:
        assert allowed(address).endswith(address)
    else:
        with pytest.raises(ModelError, match="PSA_HTTP_ALLOW"):
            allowed(address)


@pytest.mark.parametrize("query", ["batch=0", "batch=1.5", "timeout=never", "retries=99", "frob=1", "range=1"])
def test_options_are_checked(query: str, model: Model) -> None:
    with pytest.raises(ModelError, match=r"option|range: got '1'"):
        models.load(f"{model.address}#{query}")
    assert not model.asked


def test_pace_keeps_requests_apart(model: Model) -> None:
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    endpoint = Endpoint(model.address, pace=4, sleep=sleep, clock=lambda: now[0])
    for _ in range(3):
        endpoint.ask({"texts": ["x"]})
    assert slept == [0.25, 0.25]


def test_one_connection_serves_many_requests_and_keeps_no_cookies(model: Model) -> None:
    scorer = models.load(f"{model.address}#batch=1")
    model.connections.clear()
    model.failures = [(200, {"set-cookie": "session=1"})]
    scorer.score(["a", "bb", "ccc"])
    assert len(model.connections) <= 1  # the one that loading opened may serve on
    assert [headers.get("cookie") for headers, _ in model.asked[-3:]] == [None] * 3


def test_an_endless_answer_is_cut(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_endpoint, "MAX_BYTES", 2**20)
    model.reply = lambda texts: b" " * 2**21 + b"[0.5]"
    with pytest.raises(ModelError, match="over 1 MB"):
        models.load(f"{model.address}#retries=0")


def test_an_answer_that_trickles_is_no_answer(model: Model) -> None:
    times = iter(range(0, 10_000, 20))
    endpoint = Endpoint(model.address, timeout=30, retries=0, clock=lambda: float(next(times)))
    model.reply = lambda texts: b" " * 2**20 + b"[0.5]"
    with pytest.raises(ModelError, match="no answer within 30 seconds"):
        endpoint.ask({"texts": ["a"]})


def test_an_answer_that_is_not_packed_as_it_says_is_told(model: Model) -> None:
    model.failures = [(200, {"content-encoding": "gzip"})]
    with pytest.raises(ModelError, match="no connection"):
        models.load(f"{model.address}#retries=0")


def test_numbers_beyond_every_float_are_told(model: Model) -> None:
    model.reply = lambda texts: [10**400 for _ in texts]
    with pytest.raises(ModelError, match="no table of numbers"):
        models.load(f"{model.address}#retries=0")


@pytest.mark.parametrize("key", ["access_token", "X-Amz-Signature", "apiKey", "client-secret"])
def test_secrets_in_an_address_are_refused_however_they_are_called(key: str) -> None:
    with pytest.raises(ModelError, match="secret"):
        allowed(f"//localhost/score?{key}=abc")
