"""``psa_core retrain``: a result folder, or one sentence about what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from psa_core import jobs
from psa_core.cli import main
from psa_core.folders import cube_file
from psa_core.jobs._records import read_status
from psa_core.jobs.worker import Job
from psa_core.scoring import Progress
from psa_core.trust import Origin
from tests.jobs.waiting import waiting_run
from tests.tiny_models import tiny_classifier


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "names.csv").write_text("name\nalice\nbob\ncarol\ndave\n")
    (tmp_path / "sentences.csv").write_text("text\nhe is good.\nshe is bad.\nhe was so bad.\nshe was good.\n")
    model = tiny_classifier(tmp_path / "model")
    files = [
        f"--{option}={tmp_path / file}" for option, file in (("names", "names.csv"), ("sentences", "sentences.csv"))
    ]
    return ["retrain", f"--model=hf:{model}", *files, "--steps=2", f"--out={tmp_path / 'out'}"]


@pytest.mark.slow
def test_every_strength_and_seed_is_trained(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--strength", "0.5,2", "--seeds", "2"]) == 0
    assert "measured on 2 held-out sentences" in capsys.readouterr().out
    content = json.loads((tmp_path / "out" / "retraining.json").read_text("utf-8"))
    assert [(run["strength"], run["seed"]) for run in content["runs"]] == [(0.5, 0), (0.5, 1), (2.0, 0), (2.0, 1)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.md",
        "retraining.json",
        "strength-0.5",
        "strength-2",
    ]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--strength", "much", "--strength"),
        ("--strength", "1,1", "--strength"),
        ("--strength", "-1", "--strength"),
        ("--seeds", "0", "--seeds"),
        ("--seeds", "9" * 23, "--seeds"),
        ("--model", "keyword", "--model"),
    ],
)
def test_bad_options_end_with_a_sentence(
    option: str, value: str, said: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, f"{option}={value}"]) == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*"))


def test_an_anchor_that_is_switched_off_stays(words: list[str], tmp_path: Path) -> None:
    rows = [f"{row},he said {what} to her." for row, what in enumerate(["good", "bad", "so", "not"])]
    (tmp_path / "sentences.csv").write_text("\n".join(["sentence_id,text", *rows]) + "\n")
    (tmp_path / "switched.csv").write_text("sentence_id,start\n" + "".join(f"{row},0\n" for row in range(4)))
    assert main([*words, "--switched", str(tmp_path / "switched.csv")]) == 0
    cube = cube_file.load(tmp_path / "out" / "strength-1" / "before.npz")
    assert cube.sentences["anchor"].tolist() == ["her", "her"]


def test_a_choice_of_the_person_is_for_anchors_that_have_one(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "whom.csv").write_text("sentence_id,person\n0,Tom Ray\n")
    assert main([*words, "--subjects", str(tmp_path / "whom.csv")]) == 2
    assert "--subjects: got 1 choice beside the anchors pronouns" in capsys.readouterr().err


@pytest.mark.parametrize("room", [1_000, 3_000, 9_000])
def test_a_disk_without_room_is_one_sentence(
    room: int, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))  # a file that grows beyond it cannot be written
    try:
        assert main([*words, "--steps=1"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["", "sentence_id\n1\n", "sentence_id,start\n1,soon\n"])
def test_switched_off_anchors_that_are_none(
    content: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "switched.csv").write_text(content)
    assert main([*words, "--switched", str(tmp_path / "switched.csv")]) == 2
    assert "expected a csv with the columns sentence_id and start" in capsys.readouterr().err


def test_progress_is_told_in_words_and_in_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    place = jobs.run_path(waiting_run("retrain", origin=Origin.OWN_MACHINE))
    Job(place).show(Progress(0, 0, 32, 320, 1.0, 32.0, 9.0, words="Training: step 1 of 10"))
    status = read_status(place)
    assert (status.message, status.seconds_left) == ("Training: step 1 of 10", 9.0)
    assert (status.texts_done, status.texts_total) == (32, 320)


def test_a_job_stops_and_goes_on(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    run_id = waiting_run("retrain", origin=Origin.OWN_MACHINE)
    place = jobs.run_path(run_id)
    asked = [*words[:-1], f"--out={place / jobs.RESULT}", f"--job={place}"]
    (place / jobs.CANCEL).touch()
    assert main(asked) == 0
    assert jobs.status(run_id).state == "cancelled"
    (place / jobs.CANCEL).unlink()
    assert main(asked) == 0
    status = jobs.status(run_id)
    assert (status.state, status.sentences_done) == ("finished", 2)
    assert (jobs.result_folder(run_id) / "retraining.json").is_file()
