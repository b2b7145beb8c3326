"""Providers in their own protocols, and batches from their submission to a study; where the extra `providers` is."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import models
from psa_core.asking.endpoint import RefusedError
from psa_core.asking.provider import provider_of
from psa_core.asking.records import Request
from psa_core.cli import main
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


STUDY = ["--sentences", "interviews", "--anchors", "slot", "--names", "demo", "--sample", "2"]
MODEL = "ask:provider:openai/gpt?question=interview"


class BatchServer:
    """OpenAI's files and batches, and its chats; a batch is answered at the third look."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.status, self.looks, self.file = "in_progress", 0, ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                self.reply(outer.posted(self.path, body))

            def do_GET(self) -> None:
                self.reply(outer.got(self.path))

            def reply(self, content: Any) -> None:
                raw = content.encode() if isinstance(content, str) else json.dumps(content).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def posted(self, path: str, body: str) -> Any:
        self.sent.append((path, body))
        if path.endswith("/chat/completions"):
            return self.chat(json.loads(body))
        if path.endswith("/cancel"):
            self.status = "cancelled"
        if path.endswith("/files"):
            self.file = "\n".join(line for line in body.splitlines() if line.startswith("{"))
            head = {"id": "file-1", "object": "file", "bytes": 1, "created_at": 1, "filename": "r.jsonl"}
            return head | {"purpose": "batch", "status": "processed"}
        return self.batch()

    def got(self, path: str) -> Any:
        if path.endswith("/content"):
            rows = map(json.loads, self.file.splitlines()[::-1])
            lines = [
                {"custom_id": row["custom_id"], "response": {"status_code": 200, "body": self.chat(row["body"])}}
                for row in rows
            ]
            return "".join(json.dumps(line) + "\n" for line in lines)
        self.looks += 1
        self.status = "completed" if self.looks % 3 == 0 and self.status == "in_progress" else self.status
        return self.batch()

    def batch(self) -> Any:
        head = {"id": "batch_1", "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": "file-1"}
        counts = {"total": 42, "completed": 42 if self.status == "completed" else 7, "failed": 0}
        more = {"completion_window": "24h", "status": self.status, "output_file_id": "file-2", "created_at": 1}
        return head | more | {"request_counts": counts}

    def chat(self, body: dict[str, Any]) -> Any:
        yes = np.log((len(body["messages"][0]["content"]) % 17 + 1) / 20)
        rows = [{"token": "Yes", "logprob": yes, "bytes": None}, {"token": "No", "logprob": -1.5, "bytes": None}]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes"}}
        choice |= {"logprobs": {"content": [rows[0] | {"top_logprobs": rows}]}}
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-1", "choices": [choice]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    started = BatchServer()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{started.http.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-mine-123")
    yield started
    started.http.shutdown()
    started.http.server_close()


def scores_in(folder: Path) -> dict[str, pd.DataFrame]:
    return {path.name: pd.read_parquet(path) for path in folder.glob("scores.*.parquet")}


def test_a_batch_is_sent_once_and_equals_the_direct_run(
    server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], waited: list[float]
) -> None:
    out = tmp_path / "requests.jsonl"
    command = ["requests", *STUDY, "--model", MODEL, "--out", str(out), "--batch"]
    for _ in range(2):  # the second time everything is there
        assert main(command) == 0
    assert [path for path, _ in server.sent] == ["/v1/files", "/v1/batches"] and waited == [30.0, 30.0]
    told = capsys.readouterr()
    assert "batch_1: in_progress, 7 of 42 answered" in told.err
    results = tmp_path / "requests.results.jsonl"
    assert f"--model answers:{results}" in told.out
    assert main(["run", *STUDY, "--model", f"answers:{results}", "--out", str(tmp_path / "batch")]) == 0
    assert main(["run", *STUDY, "--model", MODEL, "--out", str(tmp_path / "direct")]) == 0
    batch, direct = scores_in(tmp_path / "batch"), scores_in(tmp_path / "direct")
    assert len(batch) == 2 and batch.keys() == direct.keys()
    for name, table in batch.items():
        pd.testing.assert_frame_equal(table, direct[name], check_exact=False, atol=1e-6)
    assert "a-key-of-mine" not in "".join(path.read_text("utf-8") for path in tmp_path.glob("*.json*"))


def test_waiting_goes_on_where_it_stopped_and_a_batch_can_be_cancelled(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "requests.jsonl"
    command = ["requests", *STUDY, "--model", MODEL, "--out", str(out)]
    monkeypatch.setattr("psa_core.asking.endpoint.time.sleep", stop)
    for _ in range(2):
        with pytest.raises((KeyboardInterrupt, SystemExit)):
            raise SystemExit(main([*command, "--batch"]))
    assert [path for path, _ in server.sent] == ["/v1/files", "/v1/batches"]
    other = ["requests", *STUDY[:-1], "3", "--model", MODEL, "--out", str(out), "--batch"]
    assert main(other) == 2 and "other requests were sent as batch_1" in capsys.readouterr().err
    assert main([*command, "--cancel"]) == 0 and server.sent[-1][0] == "/v1/batches/batch_1/cancel"
    assert main([*command, "--cancel"]) == 2


def test_a_batch_that_failed_is_told_and_may_be_sent_again(
    server: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status = "failed"
    command = ["requests", *STUDY, "--model", MODEL, "--out", str(tmp_path / "r.jsonl"), "--batch"]
    assert main(command) == 2 and "batch_1, which is failed" in capsys.readouterr().err
    server.status = "in_progress"
    assert main(command) == 0
    chat = [*command[:-1], "--batch"]
    chat[chat.index(MODEL)] = "ask:chat:http://127.0.0.1:1/v1?question=interview"
    assert main(chat) == 2
