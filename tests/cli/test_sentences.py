"""``psa sentences``: the reason of each sentence that a study leaves out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from psa_core.cli import main


def test_every_sentence_has_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.csv"
    file.write_text("text\nHe left.\nNobody came.\n=cmd() him\n", encoding="utf-8")
    assert main(["sentences", "--sentences", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "2  Nobody came.\n    not taken: It has no word that a name could replace." in printed
    assert printed.endswith("2 of 3 sentences taken.\n")
    assert main(["sentences", "--sentences", str(file), "--find", "nobody", "--out", str(tmp_path / "why.csv")]) == 0
    found = pd.read_csv(tmp_path / "why.csv")
    assert found["text"].tolist() == ["Nobody came."] and not found["taken"].any()


def test_slots_are_taken_without_being_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("I met {name}.\n", encoding="utf-8")
    assert main(["sentences", "--sentences", str(tmp_path / "a.txt")]) == 0
    assert "1 of 1 sentence taken." in capsys.readouterr().out
    options = ["--sentences", str(tmp_path / "a.txt"), "--names", "demo", "--model", "keyword"]
    assert main(["run", *options, "--out", str(tmp_path / "out")]) == 0


def test_a_file_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sentences", "--sentences", "nowhere.csv"]) == 2
    assert "nowhere.csv" in capsys.readouterr().err
