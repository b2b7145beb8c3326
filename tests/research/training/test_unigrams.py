"""The SVM on single words: from a task folder to a model that the dashboard loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from psa_core import models
from research.training import unigrams

pytest.importorskip("skops")
ROWS = [
    f"{text} {number},{label}" for number in range(6) for text, label in (("so glad", "joy"), ("so cross", "anger"))
]


def folder_of(place: Path, rows: list[str]) -> Path:
    for split in ("train", "val", "test"):
        (place / f"{split}.csv").write_text("\n".join(["text,label", *rows]) + "\n", "utf-8")
    return place


def test_from_a_task_folder_to_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "svm.skops"
    assert unigrams.main(["--task-folder", str(folder_of(tmp_path, ROWS)), "--out", str(file)]) == 0
    assert "test: macro_f1 1.000" in capsys.readouterr().out
    scorer = models.load(f"skops:{file}?targets=joy")
    glad, cross = scorer.score(["I am glad", "I am cross"])[:, 0]
    assert glad > 0.5 > cross


@pytest.mark.parametrize(
    ("rows", "out", "words"),
    [
        (ROWS, "svm.pkl", "ends in .skops"),
        (ROWS[:6], "svm.skops", "a class with 3 texts"),
        ([], "svm.skops", "no rows"),
    ],
)
def test_bad_input_is_one_sentence(
    rows: list[str], out: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unigrams.main(["--task-folder", str(folder_of(tmp_path, rows)), "--out", str(tmp_path / out)]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / out).exists()
