"""``--subjects``: whom each document is about, as ``psa sentences`` lists it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from psa_core.cli import main

TEXTS = (
    "Anna Ford met Tom Ray. Anna thanked him. Anna left, and Anna Ford slept. Anna woke.",
    "Jane Doe applied. She was a nurse.",
    "It rained.",
)
STUDY = ("--names", "demo", "--model", "keyword", "--sentences", "a.csv", "--anchors", "person")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ids = ("=anna.txt", "2", "3")
    pd.DataFrame({"sentence_id": ids, "text": TEXTS}).to_csv("a.csv", index=False)


def test_what_is_written_is_read_again_once_it_is_edited(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sentences", *STUDY[4:], "--out", "whom.csv"]) == 0
    assert "2 of 3 documents taken. 3 documents in whom.csv." in capsys.readouterr().out
    table = pd.read_csv("whom.csv", keep_default_na=False)
    assert table[["person", "others"]].to_numpy().tolist() == [["Anna Ford", "Tom Ray"], ["Jane Doe", ""], ["", ""]]
    table.loc[0, "person"] = "Tom Ray"
    table.to_csv("whom.csv", index=False)
    capsys.readouterr()
    assert main(["sentences", *STUDY[4:], "--subjects", "whom.csv"]) == 0
    assert "    taken: about Tom Ray\n2  Jane Doe" in capsys.readouterr().out
    assert main(["run", *STUDY, "--subjects", "whom.csv", "--out", "results"]) == 0
    assert "1 without a person. Write {name}" in (said := capsys.readouterr().out)
    assert "`psa sentences --out FILE.csv` lists whom each is about; edited, it goes to --subjects." in said
    manifest = json.loads(Path("results/manifest.json").read_text(encoding="utf-8"))
    assert manifest["study"]["subjects"] == [["2", "Jane Doe"], ["=anna.txt", "Tom Ray"]]
    assert manifest["subjects_chosen"] == 1
    assert "a reader chose whom 1 document is about" in Path("results/report.html").read_text(encoding="utf-8")
    assert main(["run", "--from-manifest", "results/manifest.json", "--out", "again"]) == 0
    assert json.loads(Path("again/manifest.json").read_text(encoding="utf-8"))["study"] == manifest["study"]
    assert main(["texts", *STUDY[:2], *STUDY[4:], "--subjects", "whom.csv", "--out", "texts.csv"]) == 0
    assert pd.read_csv("texts.csv")["text"].str.startswith("Anna Ford met ").sum() == 21


def test_a_text_whose_person_is_not_in_it_says_who_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("whom.csv").write_text("sentence_id,person\n2,Bo Lee\n", encoding="utf-8")
    assert main(["sentences", *STUDY[4:], "--find", "nurse", "--subjects", "whom.csv"]) == 0
    assert "not taken: The person you chose is not in it." in (said := capsys.readouterr().out)
    assert "Bo Lee\n1 of 3" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no file that can be read, expected a csv with the columns sentence_id and person, one text a row."),
        ("id,person\n2,Jane Doe\n", "got the columns id, person, expected a csv with the columns sentence_id and"),
        ("sentence_id,person\n", "got no rows in whom.csv, expected a csv with the columns"),
        ("sentence_id,person\n4,Jane Doe\n", "got '4', the id of no text, expected ids of the study's texts."),
        ("sentence_id,person\n2,Jane Doe\n2,Tom\n", "got two people for '2', 'Jane Doe' and 'Tom', expected one for"),
    ],
)
def test_a_file_that_says_it_of_nobody_is_told(
    content: str | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path("whom.csv").write_text(content, encoding="utf-8")
    for command in (["sentences", *STUDY[4:]], ["run", *STUDY, "--out", "results"]):
        assert main([*command, "--subjects", "whom.csv"]) == 2
        said = capsys.readouterr().err
        assert "--subjects: got" in said and words in said and said.count("\n") == 1


def test_other_anchors_have_no_subject(capsys: pytest.CaptureFixture[str]) -> None:
    Path("whom.csv").write_text("sentence_id,person\n2,Jane Doe\n", encoding="utf-8")
    assert main(["sentences", "--sentences", "a.csv", "--subjects", "whom.csv"]) == 2
    assert "--subjects: got 1 choice beside the anchors pronouns, expected --anchors person" in capsys.readouterr().err
