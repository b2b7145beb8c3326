from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from research.training.hate import build
from research.training.hate.__main__ import main


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    comments = tmp_path / "comments"
    comments.mkdir()
    (comments / "labels.txt").write_text("joy\nanger\ndisgust", "utf-8")
    lines = [f'"comment {i} about people, [NAME]",{i % 3}' for i in range(60)] + ['"you idiot",1', '"muslims",0']
    with gzip.open(comments / "train.csv.gz", "wt") as file:
        file.write("\n".join(["text,label_ids", *lines]))
    tweets = tmp_path / "tweets.csv"
    rows = [f"tweet {i} by a guy,{'not-' * (i % 2)}offensive" for i in range(40)]
    tweets.write_text("\n".join(["text,label_name", *rows]), "utf-8")
    return ["--comments", str(comments), "--tweets", str(tweets)]


def test_a_task_folder_with_both_classes(sources: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research.training.hate.__main__.VALIDATION", 500)
    assert main([*sources, "--out", str(tmp_path / "task")]) == 0
    train, val = (pd.read_csv(tmp_path / "task" / f"{split}.csv.gz") for split in ("train", "val"))
    assert len(val) == 500 and set(train["label_name"]) == {"hate", "not-hate"}
    assert ((train["label_name"] == "hate") == (train["label"] == 1)).all()
    whole = pd.concat([train, val])
    assert whole["text"].is_unique and not whole["text"].str.contains(r"\[NAME\]").any()
    of = whole.groupby("source")["label_name"].agg(set)
    assert of["comments, rude, slurs"] == {"hate"} and of["comments, calm, groups"] == {"not-hate"}
    assert "comments, rude, groups" not in of  # what is said in anger about people may be hateful about a group
    assert "muslims" not in set(whole["text"])


def test_posts_are_balanced_and_keep_some_of_the_own_table(sources: list[str], tmp_path: Path) -> None:
    kinds = ["hatespeech"] * 10 + ["offensive"] * 20 + ["normal"] * 20
    rows = [f"{split},<user> post {i} {split},{kind}" for split in ("train", "val") for i, kind in enumerate(kinds)]
    posts = tmp_path / "posts.csv"
    posts.write_text("\n".join(["split,text,label_name", *rows]), "utf-8")
    out = tmp_path / "task"
    assert main([*sources, "--posts", str(posts), "--own", "30", "--out", str(out)]) == 0
    train, val = (pd.read_csv(out / f"{split}.csv.gz") for split in ("train", "val"))
    counts = train["source"].value_counts()
    assert (counts["posts, hatespeech"], counts["posts, offensive"], counts["posts, normal"]) == (10, 4, 6)
    assert len(train) == 50 and not train["text"].str.contains("<user>|val$").any()
    assert len(val) == 50 and (val["label_name"] == "hate").sum() == 10


def test_the_seed_decides(sources: list[str]) -> None:
    comments, tweets = build.read_comments(Path(sources[1])), build.read_tweets(Path(sources[3]))
    first = build.build(comments, tweets, seed=1)
    assert first.equals(build.build(comments, tweets, seed=1))
    assert not first.equals(build.build(comments, tweets, seed=2))


def test_bad_input_is_told(sources: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*sources, "--out", str(tmp_path)]) == 2
    Path(sources[3]).write_text("text\nx\n", "utf-8")
    assert main([*sources, "--out", str(tmp_path / "new")]) == 2
    assert "expected a new folder" in (told := capsys.readouterr().err) and "expected text and label_name" in told
    assert not (tmp_path / "new").exists()
