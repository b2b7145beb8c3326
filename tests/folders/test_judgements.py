"""Judgements: one word per reader and flip, kept safely, exported harmlessly."""

from __future__ import annotations

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.cube import ScoreCube, Target
from psa_core.errors import OptionError, RunFolderError
from psa_core.folders import judgements
from psa_core.folders.judgements import Judgement
from tests.zips import judged_in

FIRST = Judgement("s1", "Ann", "toxicity", "defect", "eva", "2026-01-01T00:00:00+00:00")


@pytest.fixture
def cube() -> ScoreCube:
    sentences = pd.DataFrame(
        {"sentence_id": ["s1"], "text": ["He ran."], "anchor": ["He"], "start": [0], "end": [2], "role": ["subject"]}
    )
    names, targets = pd.DataFrame({"name": ["Ann", "Bo"]}), (Target("toxicity"),)
    original, perturbed = np.zeros((1, 1), np.float32), np.zeros((1, 2, 1), np.float32)
    return ScoreCube(sentences, names, targets, original, perturbed, {})


def zipped(folder: Path, name: str = "study/judgements.csv") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        if (folder / judgements.FILE).is_file():
            archive.write(folder / judgements.FILE, name)
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "result").mkdir()
    return tmp_path / "result"


def test_nothing_judged_yet(folder: Path) -> None:
    assert judgements.load(folder).empty
    assert judgements.left_out(judgements.load(folder)) == frozenset()


def test_last_word_of_a_reader_counts_and_readers_stay_apart(folder: Path) -> None:
    judgements.save(folder, FIRST)
    judgements.save(folder, replace(FIRST, verdict="meaning"))
    after = judgements.save(folder, replace(FIRST, reader="bo", verdict="fine"))
    assert after[["reader", "verdict"]].to_numpy().tolist() == [["eva", "meaning"], ["bo", "fine"]]
    assert judgements.load(folder).equals(after)
    assert judgements.left_out(after) == {"s1"}


def test_withdraw(folder: Path) -> None:
    judgements.save(folder, FIRST)
    judgements.save(folder, replace(FIRST, name="Bo"))
    assert judgements.withdraw(folder, replace(FIRST, verdict="fine"))["name"].tolist() == ["Bo"]


def test_formulas_are_neutralised_in_the_file_and_come_back(folder: Path) -> None:
    judgements.save(folder, replace(FIRST, name="=1+1", sentence_id="001"))
    assert "'=1+1" in (folder / judgements.FILE).read_text()
    row = judgements.load(folder).iloc[0]
    assert (row["name"], row["sentence_id"]) == ("=1+1", "001")


def test_a_judgement_has_its_own_time_or_that_of_now(folder: Path) -> None:
    kept = judgements.save(folder, FIRST)
    assert kept["time"].tolist() == ["2026-01-01T00:00:00+00:00"]
    now = judgements.save(folder, replace(FIRST, time=""))["time"][0]
    assert datetime.fromisoformat(now).tzinfo is not None


@pytest.mark.parametrize(("error", "words"), [(OSError(28, "No space left"), "No space left"), (OSError(), "OSError")])
def test_what_cannot_be_written_says_why(
    folder: Path, error: OSError, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("psa_core.folders.judgements.atomic.write", refuse)
    with pytest.raises(RunFolderError, match=f"got {words}, expected room"):
        judgements.save(folder, FIRST)


def test_readers_at_the_same_time_lose_nothing(folder: Path) -> None:
    words = [replace(FIRST, reader=f"reader {i}") for i in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda word: judgements.save(folder, word), words))
    assert len(judgements.load(folder)) == 12
    assert [path.name for path in folder.iterdir()] == [judgements.FILE]


@pytest.mark.parametrize("wrong", [{"verdict": "maybe"}, {"reader": " "}, {"reader": "x" * 61}])
def test_bad_words_are_refused(folder: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        judgements.save(folder, replace(FIRST, **wrong))
    assert not (folder / judgements.FILE).exists()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError):
        judgements.save(tmp_path / "nowhere" / "result", FIRST)


def test_damaged_file(folder: Path) -> None:
    (folder / judgements.FILE).write_text("no,columns\n1,2\n")
    with pytest.raises(RunFolderError, match="damaged"):
        judgements.load(folder)


@pytest.mark.parametrize("path", ["judgements.csv", "study/judgements.csv", "../../judgements.csv"])
def test_judgements_travel_in_the_zip(folder: Path, cube: ScoreCube, path: str) -> None:
    judgements.save(folder, FIRST)
    said = judgements.save(folder, replace(FIRST, name="Bo", verdict="meaning"))
    travelled = judged_in(zipped(folder, path), cube)
    assert travelled.equals(said)
    (folder.parent / "other").mkdir()
    assert judgements.keep(folder.parent / "other", travelled).equals(said)
    assert judgements.load(folder.parent / "other").equals(said)


@pytest.mark.parametrize("stranger", [{"sentence_id": "s9"}, {"name": "Cy"}, {"target": "anger"}])
def test_judgements_of_other_cells_stay_behind(folder: Path, cube: ScoreCube, stranger: dict[str, str]) -> None:
    judgements.save(folder, replace(FIRST, **stranger))
    judgements.save(folder, FIRST)
    assert len(judged_in(zipped(folder), cube)) == 1


def test_a_verdict_that_nobody_can_give_stays_behind(folder: Path, cube: ScoreCube) -> None:
    judgements.save(folder, FIRST)
    path = folder / judgements.FILE
    path.write_text(path.read_text().replace("defect", "<b>"))
    assert judged_in(zipped(folder), cube).empty


def test_a_zip_without_judgements_has_none_and_a_damaged_file_is_told(folder: Path, cube: ScoreCube) -> None:
    assert judged_in(zipped(folder), cube).empty
    assert judgements.keep(folder, judged_in(zipped(folder), cube)).empty
    (folder / judgements.FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RunFolderError, match="damaged"):
        judged_in(zipped(folder), cube)


def test_far_too_many_judgements_are_told(folder: Path, cube: ScoreCube, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_MAX_JUDGED_MB", "1")
    judgements.save(folder, FIRST)
    with (folder / judgements.FILE).open("a", encoding="utf-8") as file:
        file.write("s1,Ann,toxicity,defect,reader,now\n" * 40_000)
    with pytest.raises(RunFolderError, match="PSA_MAX_JUDGED_MB"):
        judged_in(zipped(folder), cube)


def test_a_reader_may_have_one_letter(cube: ScoreCube) -> None:
    row = {"sentence_id": cube.sentences["sentence_id"][0], "name": cube.names["name"][0]}
    row |= {"target": cube.targets[0].name, "verdict": "fine", "time": ""}
    judged = pd.DataFrame([row | {"reader": reader} for reader in ("A", " ", "x" * 61)])
    assert judgements.about(judged, cube)["reader"].tolist() == ["A"]


def test_of_a_zip_only_the_judgements_are_unpacked(folder: Path, tmp_path: Path) -> None:
    saved = judgements.save(folder, FIRST)
    packed, aside = io.BytesIO(), tmp_path / "aside"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(folder / judgements.FILE, judgements.FILE)
        archive.writestr("another.csv", "a")
    aside.mkdir()
    assert judgements.unpacked(packed.getvalue(), aside).equals(saved)
    assert [path.name for path in aside.iterdir()] == [judgements.FILE]


def test_only_a_changed_meaning_leaves_a_sentence_out() -> None:
    judged = pd.DataFrame({"sentence_id": ["s1", "s2", "s3"], "verdict": ["defect", "meaning", "fine"]})
    assert judgements.left_out(judged) == {"s2"}
