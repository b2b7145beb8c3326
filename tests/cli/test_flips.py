"""``flips`` writes labelled texts that the project's own training reads."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from psa_core import cli, study
from psa_core.folders import results
from research.training.task import read_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("flips") / "out"
    (place.parent / "s.csv").write_text("text,truth\nI hate him.,bad\nShe left.,good\n")
    (place.parent / "n.txt").write_text("Ann\nBen\nCy\n")
    found = study.run(
        sentences=str(place.parent / "s.csv"), names=str(place.parent / "n.txt"), model="keyword:Ben=0.4,Cy=-0.4"
    )
    results.write(found, place, lambda _: "")
    return place


def test_each_flip_has_the_label_of_its_sentence_without_the_name(folder: Path, tmp_path: Path) -> None:
    assert cli.main(["flips", str(folder), "--out", str(tmp_path / "train.csv")]) == 0
    rows = pd.read_csv(tmp_path / "train.csv", keep_default_na=False)
    assert rows.columns.tolist() == ["text", "label", "sentence_id", "name", "target"]
    assert sorted(rows[["text", "label", "name"]].to_numpy().tolist()) == [
        ["Ben left.", 0, "Ben"],
        ["I hate Cy.", 1, "Cy"],
        ["I hate him.", 1, ""],
        ["She left.", 0, ""],
    ]


def test_true_labels_take_the_place_of_the_model_s(folder: Path, tmp_path: Path) -> None:
    options = ["--label-column", "truth", "--out", str(tmp_path / "train.jsonl")]
    assert cli.main(["flips", str(folder), *options]) == 0
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["text"]: row["label"] for row in rows}["I hate Cy."] == "bad"
    assert sorted(row["label"] for row in rows) == ["bad", "bad", "good", "good"]


def test_training_reads_what_was_written(folder: Path, tmp_path: Path) -> None:
    for split in ("train", "val"):
        assert cli.main(["flips", str(folder), "--out", str(tmp_path / f"{split}.csv")]) == 0
    assert read_task(tmp_path).labels == ("0", "1")


@pytest.mark.parametrize("wrong", [("--target", "charm"), ("--label-column", "nothing")])
def test_what_is_unknown_is_one_sentence(
    folder: Path, tmp_path: Path, wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["flips", str(folder), *wrong, "--out", str(tmp_path / "x.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "x.csv").exists()
