from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from psa_core.asking import Request, journal
from psa_core.asking.records import read_answers
from psa_core.asking.server import ChatServer
from psa_core.cli import main
from psa_core.errors import OptionError
from psa_core.folders import results
from psa_core.report import transcripts
from tests.asking.local_server import Answer, LocalServer

Serve = Callable[[Answer], LocalServer]
NUMBERS = {"timeout": 5.0, "retries": 0.0, "per_second": 0.0, "parallel": 2.0}
STUDY = ["run", "--sentences", "interviews", "--anchors", "slot", "--names", "demo", "--sample", "2"]


def sampled(body: dict[str, Any]) -> tuple[int, Any]:
    """Takes no logprobs and one answer at a time."""
    if "logprobs" in body or "n" in body:
        return 400, {"error": {"message": "not supported: logprobs, n"}}
    said = "Yes" if (len(body["messages"][0]["content"]) + body["seed"]) % 3 else "No"
    return 200, {"choices": [{"message": {"content": said}}]}


def request(text: str, **options: Any) -> Request:
    return Request(({"role": "user", "content": text},), options, "tag")


def test_what_was_answered_is_not_asked_again_and_is_read_as_a_file_of_answers(serve: Serve, tmp_path: Path) -> None:
    local, folder = serve(sampled), tmp_path / "out"
    asked = [request(f"text {i}", n=3, seed=0) for i in range(4)]
    with journal.kept_for(folder) as kept:
        first = ChatServer.at(local.address, NUMBERS, "m").ask(asked)
    count, path = len(local.asked), kept.path
    with path.open("ab") as file:
        file.write(b'{"custom_id": "cut of')
    with journal.kept_for(folder) as kept:
        assert ChatServer.at(local.address, NUMBERS, "m").ask([*asked, request("new", seed=0)])[:4] == first
        again = [body for body in local.asked[count:] if "n" not in body]  # n is refused anew, and no answer
        assert [body["messages"][0]["content"] for body in again] == ["new"]
        (tmp_path / "whole").mkdir()
        kept.copy_to(tmp_path / "whole")
        kept.discard()
    assert [list(one.answers) for one in read_answers(tmp_path / "whole" / journal.FILE).ask(asked)] == [
        list(one.answers) for one in first
    ]
    assert not path.exists() and not list(tmp_path.glob("*.lock"))


@pytest.mark.slow
def test_a_second_run_says_what_its_answers_took_and_which_are_kept_elsewhere(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        status, content = sampled(body)
        return status, content | {"usage": {"prompt_tokens": 10, "completion_tokens": 1}}

    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    local, first, second = serve(answer), tmp_path / "first", tmp_path / "second"
    arguments = [*STUDY, "--model", local.id("&samples=2&retries=0&parallel=2", "interview"), "--out"]
    assert main([*arguments, str(first)]) == 0
    answers, asked = (first / journal.FILE).read_bytes(), _manifest(first)["asked"]
    assert asked["requests"] == len(answers.splitlines()) and asked["tokens_in"] == 10 * asked["requests"] > 800
    count = len(local.asked)
    assert main([*arguments, str(first)]) == 0  # from the cache, but for the refused request that is no answer
    assert len(local.asked) == count + 1 and _manifest(first)["asked"] == asked
    assert any(f"{asked['tokens_in']:,} tokens read" in note for note in _manifest(first)["notes"])
    assert sorted((first / journal.FILE).read_bytes().splitlines()) == sorted(answers.splitlines())
    assert main([*arguments, str(second)]) == 0
    cube = results.read(second)
    assert _manifest(second)["asked"]["requests"] == 1 and _manifest(second)["cache_hits"] == 42
    for folder, words in ((first, "Answer"), (second, transcripts.NOT_KEPT)):
        ((one,),) = transcripts.of_cells(cube, "interview", [(0, 0)], folder / journal.FILE)
        headings = [heading for heading, _ in one.parts([])]
        assert "Message" in headings and any(words in str(part) for part in one.parts([]))
        assert ("Tokens" in headings) == (folder == first)


def _manifest(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "manifest.json").read_text("utf-8")))


def test_an_error_is_no_answer_and_is_asked_about_again(serve: Serve, tmp_path: Path) -> None:
    answers = [(200, {"choices": []}), (200, {"choices": [{"message": {"content": "Yes"}}]})]
    local = serve(lambda _: answers.pop(0))
    errors = []
    for _ in range(2):
        with journal.kept_for(tmp_path / "out"):
            errors.append(ChatServer.at(local.address, NUMBERS, "m").reply(request("text")).error)
    assert errors == ["an answer without choices", ""]


def test_two_runs_do_not_write_for_one_folder(tmp_path: Path) -> None:
    with journal.kept_for(tmp_path / "out"), pytest.raises(OptionError, match="another run is asking"):
        journal.current()
        with journal.kept_for(tmp_path / "out"):
            journal.current()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("after", [30, 90])
def test_a_run_that_is_killed_asks_nothing_twice(after: int, serve: Serve, tmp_path: Path) -> None:
    reached = threading.Event()

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        if len(local.asked) > after:
            reached.set()
        return sampled(body)

    local, folder = serve(answer), tmp_path / "out"
    options = "&samples=3&parallel=2&retries=0"
    arguments = [*STUDY, "--model", local.id(options, "interview"), "--out", str(folder)]
    environment = os.environ | {"PSA_CACHE_DIR": str(tmp_path / "cache")}
    run = subprocess.Popen([sys.executable, "-m", "psa_core", *arguments], env=environment)
    assert reached.wait(60)
    run.send_signal(signal.SIGKILL)
    run.wait()
    (path,) = tmp_path.glob(".psa-answers-*.jsonl")
    before = {line["key"] for line in map(_whole, path.read_bytes().splitlines()) if line}
    assert len(before) > after / 4
    local.asked.clear()
    assert subprocess.run([sys.executable, "-m", "psa_core", *arguments], env=environment, check=False).returncode == 0
    address = f"{local.address}/chat/completions"
    assert before & {journal.key_of(address, body) for body in local.asked} == set()
    rows = [json.loads(line) for line in (folder / journal.FILE).read_bytes().splitlines()]
    assert before <= {row["key"] for row in rows} and not list(tmp_path.glob(".psa-answers-*"))


def _whole(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def test_a_model_of_this_machine_leaves_no_answers(tmp_path: Path) -> None:
    arguments = [*STUDY, "--model", "keyword", "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not (tmp_path / "out" / journal.FILE).exists()
