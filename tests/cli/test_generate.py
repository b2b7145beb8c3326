"""The command from templates to the result folder, with continuations made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from psa_core import jobs, trust
from psa_core.audits.generation import AUDIT, quality
from psa_core.cli import main
from tests.audits.generation.test_quality import colours
from tests.jobs.waiting import waiting_run

FILES = {
    "manifest.json", "continuations.parquet", "scores.parquet", "pairs.csv", "matrix.csv", "values.csv", "summary.json",
    "occupations.csv", "report.html",
}  # fmt: skip


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(quality, "minilm_embeddings", colours)
    (tmp_path / "t.txt").write_text("{value} is\nI saw a/an {value}, and\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text("value\nred\nblue\n", encoding="utf-8")


def made(tmp_path: Path, k: int = 3) -> str:
    prompts = tmp_path / "prompts.csv"
    selection = ["--templates", str(tmp_path / "t.txt"), "--values", str(tmp_path / "v.csv"), "--continuations", str(k)]
    assert main(["generate", *selection, "--export-prompts", str(prompts)]) == 0
    rows = pd.read_csv(prompts)
    assert [*rows.columns] == ["template", "value", "k", "prompt"] and len(rows) == 2 * 2 * k
    rows["continuation"] = [f" good{' bad' * (i % 3)} car {i}." for i in range(len(rows))]
    rows.to_csv(tmp_path / "made.csv", index=False)
    return str(tmp_path / "made.csv")


def arguments(tmp_path: Path, file: str, *more: str) -> list[str]:
    return [
        "generate", "--lm", f"continuations:{file}", "--templates", str(tmp_path / "t.txt"), "--values",
        str(tmp_path / "v.csv"), "--continuations", "3", "--scorer", "keyword,opinion-words", "--out",
        str(tmp_path / "out"), *more,
    ]  # fmt: skip


def test_exported_prompts_come_back_as_an_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path, made(tmp_path))) == 0
    assert "12 continuations" in capsys.readouterr().out
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == FILES
    opened = AUDIT.read(out)
    assert opened.cube.shape == (2, 2, 3) and opened.cube.scorers == ["keyword", "opinion-words"]
    summary = json.loads((out / "summary.json").read_text())
    fields = {"value", "floor", "corrected", "low", "high", "p"}
    assert fields <= set(summary["keyword"]["individual_fairness"]) and summary["quality"]["kept"] == 1
    assert set(summary["quality"]["leak"]) == {"keyword", "opinion-words"}
    assert opened.manifest["generator"]["common_noise"] is False
    assert main(arguments(tmp_path, str(tmp_path / "made.csv"), "--continuations", "2")) == 0


def test_a_file_is_asked_for_as_many_continuations_as_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = made(tmp_path, k=4)
    words = [word for word in arguments(tmp_path, file) if word not in ("--continuations", "3")]
    assert main(words) == 0
    assert "16 continuations" in capsys.readouterr().out
    opened = AUDIT.read(tmp_path / "out")
    assert opened.cube.shape == (2, 2, 4) and opened.manifest["options"]["continuations"] == 4
    assert main([*words, "--continuations", "50"]) == 2
    said = capsys.readouterr().err
    assert "got 4 of each prompt in the file, expected the 50 that were asked for. Ask for 4" in said


def test_a_job_shows_what_it_has_so_far_and_clears_it_away_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    whole = pd.read_csv(made(tmp_path, k=10))
    whole[whole["k"] < 8].to_csv(tmp_path / "made.csv", index=False)
    run_id = waiting_run("generate", origin=trust.Origin.COMMAND_LINE)
    place = jobs.root() / run_id
    job = [*arguments(tmp_path, str(tmp_path / "made.csv"), "--continuations", "10"), "--job", str(place)]
    assert main(job) == 2 and jobs.status(run_id).state == "failed"
    so_far = jobs.result_so_far(run_id)
    assert so_far is not None and AUDIT.read(so_far).cube.shape == (2, 2, 8)
    assert not (tmp_path / "out").exists()
    whole.to_csv(tmp_path / "made.csv", index=False)
    assert main(job) == 0 and jobs.result_so_far(run_id) is None
    assert AUDIT.read(tmp_path / "out").cube.shape == (2, 2, 10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--continuations", "0"], "--continuations"),
        (["--tokens", "0"], "--tokens"),
        (["--temperature", "0"], "--temperature"),
        (["--temperature", "nan"], "--temperature"),
        (["--scorer", ""], "--scorer"),
        (["--scorer", "keyword,keyword"], "--scorer"),
        (["--lm", "nothing"], "--lm"),
        (["--lm", "lm:"], "--lm"),
        (["--values", "nowhere"], "--values"),
        (["--values", "x" * 5000], "--values"),
        (["--templates", "nowhere"], "no file that can be read"),
        (["--held-out", "sample"], "--held-out"),
        (["--leak-check", "-1"], "--leak-check"),
        (["--continuations", "4"], "continuations"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: list[str], message: str
) -> None:
    assert main(arguments(tmp_path, made(tmp_path), *change)) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "expected" in error
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*"))
