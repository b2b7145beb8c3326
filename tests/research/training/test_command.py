from __future__ import annotations

import json
from pathlib import Path

import pytest

from research.training.command import main
from tests.tiny_models import tiny_classifier


def test_command_writes_an_adapter_that_says_how_it_was_made(
    task_folder: Path,
    tiny_base: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    out = tmp_path / "animals"
    words = ["--task-folder", str(task_folder), "--out", str(out), "--base", str(tiny_base), "--epochs", "1"]
    words += ["--about", str(task_folder / "about.json"), "--difference", "lean=dog,cat", "--max-tokens", "8"]
    assert main([*words, "--no-test"]) == 0
    assert "epoch 1/1" in caplog.text
    assert capsys.readouterr().out == f"adapter: {out}\n"
    content = json.loads((out / "labels.json").read_text("utf-8"))
    assert content["command"].startswith("python -m research.training --task-folder task --out animals --base")
    assert str(tmp_path) not in (out / "README.md").read_text("utf-8").replace(str(tiny_base), "")
    assert [target["name"] for target in content["targets"]] == ["dog", "lean"]
    assert content["about"]["limits"] == "Knows two animals."
    assert main([*words, "--score-test"]) == 0
    assert capsys.readouterr().out.startswith("test: macro_f1")
    # The folder's own description can be handed to the next training.
    again = [*words[:3], str(tmp_path / "again"), *words[4:8], "--about", str(out / "labels.json"), "--no-test"]
    assert main(again) == 0
    assert json.loads((tmp_path / "again" / "labels.json").read_text("utf-8"))["about"] == content["about"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epochs", "0"], "epochs: got 0"),
        (["--difference", "lean"], "--difference: got 'lean'"),
        (["--difference", "lean=dog,cow"], "--difference: got the label 'cow'"),
        (["--about", "nowhere.json"], "--about: got nowhere.json"),
        (["--base", "nowhere"], "--base: got no config.json"),
        (["--class-weights", "cow=2"], "--class-weights: got 'cow=2'"),
        (["--class-weights", "dog=much"], "--class-weights: got 'dog=much'"),
        (["--class-weights", "dog=-1"], "class_weights: got (1.0, -1.0)"),
        (["--start-from", "nowhere"], "adapter folder: got no labels.json"),
        (["--threads", "0"], "--threads: got 0"),
        (["--score-test"], "adapter folder: got no labels.json"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    task_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    out = tmp_path / "out"
    assert main(["--task-folder", str(task_folder), "--out", str(out), *options]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(message)
    assert captured.err.count("\n") == 1
    assert not out.exists()


def test_missing_task_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--task-folder", str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == 2
    assert "no train.csv" in capsys.readouterr().err


def test_retraining_on_a_task_folder(task_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tiny_classifier(tmp_path / "model", labels=("cat", "dog"))
    (tmp_path / "names.csv").write_text("name\nalice\nbob\ncarol\ndave\n")
    (tmp_path / "held.csv").write_text("text\nhe is good.\nshe is bad.\n")
    table = (task_folder / "train.csv").read_text("utf-8")
    (task_folder / "train.csv").write_text(table + "he sees a cat,0,cat\nshe sees a dog,1,dog\n", "utf-8")
    (task_folder / "test.csv").write_text("text,label,label_name\nmy cat runs,0,cat\nThe CAT sees!,0,cat\n", "utf-8")
    words = ["--task-folder", str(task_folder), "--counterfactual", str(tmp_path / "names.csv"), "--steps", "2"]
    words += ["--held-out", str(tmp_path / "held.csv"), "--seeds", "2", "--out", str(tmp_path / "out")]
    assert main([*words, "--model", f"hf:{model}", "--strength", "3"]) == 0
    said = capsys.readouterr().out
    assert "| 3 | `dog` |" in said and "| 3 | accuracy |" in said
    content = json.loads((tmp_path / "out" / "retraining.json").read_text("utf-8"))
    assert content["seeds"] == [0, 1]
    assert content["runs"][0]["material"] | {"texts": 22, "sentences_trained": 2} == content["runs"][0]["material"]
    assert main(words) == 2
    assert "--model" in capsys.readouterr().err
    assert main([*words, "--model", f"hf:{model}", "--labelled", "0"]) == 2
    assert "--labelled: got 0" in capsys.readouterr().err
