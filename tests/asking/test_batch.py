"""A batch from its submission to a study; runs where the extra `providers` is installed."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core.cli import main

pytest.importorskip("any_llm")

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
