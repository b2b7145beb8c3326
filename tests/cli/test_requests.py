from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from psa_core.cli import main
from tests.asking.local_server import Answer, LocalServer

STUDY = ["--sentences", "interviews", "--anchors", "slot", "--names", "demo", "--sample", "2"]


def share_of_yes(body: dict[str, Any]) -> float:
    return (len(body["messages"][0]["content"]) % 17 + 1) / 20


def by_logs(body: dict[str, Any]) -> tuple[int, Any]:
    import math

    yes = share_of_yes(body)
    rows = [{"token": "Yes", "logprob": math.log(yes)}, {"token": "No", "logprob": math.log(1 - yes)}]
    choice = {"message": {"content": "Yes"}, "logprobs": {"content": [{"token": "Yes", "top_logprobs": rows}]}}
    return 200, {"model": "fake-1", "choices": [choice]}


def by_samples(body: dict[str, Any]) -> tuple[int, Any]:
    if "logprobs" in body:
        return 400, {"error": {"message": "logprobs are not supported"}}
    n, yes = body.get("n", 1), share_of_yes(body)
    return 200, {"choices": [{"message": {"content": "Yes" if k < n * yes else "No"}} for k in range(n)]}


def results_of(requests: Path, answer: Answer) -> str:
    """What a provider returns for a file of requests, not in their order."""
    lines = []
    for line in requests.read_text("utf-8").splitlines()[::-1]:
        row = json.loads(line)
        assert (row["method"], row["url"]) == ("POST", "/v1/chat/completions")
        status, body, *_ = answer(row["body"])
        lines.append({"custom_id": row["custom_id"], "response": {"status_code": status, "body": body}, "error": None})
    return "".join(json.dumps(line) + "\n" for line in lines)


def scores_in(folder: Path) -> dict[str, pd.DataFrame]:
    return {path.name: pd.read_parquet(path) for path in folder.glob("scores.*.parquet")}


@pytest.mark.parametrize(
    ("answer", "options"), [(by_logs, "&order=averaged"), (by_logs, ""), (by_samples, "&samples=8")]
)
def test_a_batch_by_files_equals_the_direct_run(
    answer: Answer, options: str, serve: Callable[[Answer], LocalServer], tmp_path: Path
) -> None:
    model = serve(answer).id(options, "interview")
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    assert main(["requests", *STUDY, "--model", model, "--out", str(requests)]) == 0
    ids = [json.loads(line)["custom_id"] for line in requests.read_text("utf-8").splitlines()]
    assert len(ids) == len(set(ids)) == (84 if "averaged" in options else 42) and max(map(len, ids)) <= 64
    results.write_text(results_of(requests, answer), "utf-8")
    assert main(["run", *STUDY, "--model", model, "--out", str(tmp_path / "direct")]) == 0
    assert main(["run", *STUDY, "--model", f"answers:{results}", "--out", str(tmp_path / "by_files")]) == 0
    direct, by_files = scores_in(tmp_path / "direct"), scores_in(tmp_path / "by_files")
    assert direct.keys() == by_files.keys() and len(direct) == (3 if "averaged" in options else 2)
    for name, table in direct.items():
        pd.testing.assert_frame_equal(table, by_files[name])


def test_a_question_of_ones_own_is_named_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = tmp_path / "flat.json"
    content = {"prompt": "{text} A flat? {answers}", "answers": {"Yes": 1, "No": 0}, "target": "flat"}
    question.write_text(json.dumps(content), "utf-8")
    requests, results = tmp_path / "requests.jsonl", tmp_path / "results.jsonl"
    asked = f"ask:lm:any?question={question}"
    assert main(["requests", *STUDY, "--model", asked, "--out", str(requests)]) == 0
    results.write_text(results_of(requests, by_logs), "utf-8")
    run = ["run", *STUDY, "--out", str(tmp_path / "out"), "--model"]
    assert main([*run, f"answers:{results}"]) == 2
    assert "add ?question= and its file" in capsys.readouterr().err
    assert main([*run, f"answers:{results}?question={question}"]) == 0
    assert (tmp_path / "out" / "scores.flat.parquet").is_file()


def test_who_is_not_asked_by_requests_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "requests.jsonl"
    assert main(["requests", *STUDY, "--model", "keyword", "--out", str(out)]) == 2
    assert "a model that is asked by requests (ask:" in capsys.readouterr().err
    assert not out.exists()
