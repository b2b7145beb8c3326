"""``run`` from files to a folder, by the contract; bad input is exit code 2, one sentence and nothing written."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from psa_core import cli, metrics, models

SENTENCES = "text,genre\n" + "\n".join(
    f'"{text}",{genre}'
    for text, genre in [
        ("I think he is a liar and his plan is stupid.", "a"),
        ("She won, and nobody helped her.", "a"),
        ("We gave him everything he wanted.", "b"),
        ("Her book is wonderful, I love it!", "b"),
        ("Nothing to see here.", "b"),
        ("word " * 60 + "he", "a"),
    ]
)


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(SENTENCES, encoding="utf-8")
    (tmp_path / "n.csv").write_text("name,gender\nDick Cheney,male\nJames,male\nBeyoncé,female\n", encoding="utf-8")


def run(*extra, **options):
    values = {"sentences": "s.csv", "names": "n.csv", "model": "vader", "anchors": "pronouns", "out": "out", **options}
    arguments = [part for name, value in values.items() if value is not None for part in (f"--{name}", value)]
    return cli.main(["run", *arguments, *extra])


def test_a_study_end_to_end(tmp_path, capsys):
    assert run() == 0
    out = tmp_path / "out"
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["sentences"], manifest["names"], manifest["cells"]) == (4, 3, 12)
    assert manifest["unique_texts"] == manifest["texts_scored"] + manifest["cache_hits"] == 16
    assert manifest["account"]["no anchor"] == 1
    assert sum(manifest["account"][reason] for reason in manifest["account"] if reason != "read") == 6
    rows = list(csv.DictReader((out / "sentences.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["text"][int(row["start"]) : int(row["end"])] for row in rows] == [row["anchor"] for row in rows]
    assert [row["anchor"] for row in rows] == ["he", "She", "him", "Her"]


def test_scores_and_metrics_are_the_models_own(tmp_path):
    assert run() == 0
    table = pd.read_parquet(tmp_path / "out" / "scores.sentiment.parquet")
    expected = [
        "I think James is a liar and his plan is stupid.",
        "James won, and nobody helped her.",
        "We gave James everything he wanted.",
        "James's book is wonderful, I love it!",
    ]
    assert np.allclose(table["James"], models.load("vader").score(expected)[:, 0], atol=1e-6)
    names = pd.read_csv(tmp_path / "out" / "names.csv")
    scores = table[["Dick Cheney", "James", "Beyoncé"]].to_numpy()
    assert np.allclose(names["score_sens"], metrics.score_sens(table["original"].to_numpy(), scores), atol=1e-6)
    assert names["gender"].tolist() == ["male", "male", "female"]
    curve = pd.read_csv(tmp_path / "out" / "label_dist.csv")
    assert len(curve) >= 101
    by_loop = metrics.label_dist(table["original"].to_numpy(), scores, curve["threshold"].to_numpy())
    assert np.allclose(curve["label_dist"], by_loop, atol=1e-6)


def test_crossed_groups_are_rows_of_the_groups_file(tmp_path, capsys):
    people = "name,gender,race\n" + "\n".join(f"Ann{n},{'fm'[n % 2]},{'bw'[n // 2 % 2]}" for n in range(8))
    (tmp_path / "n.csv").write_text(people, encoding="utf-8")
    assert run("--groups", "gender*race", "--reference", "m*w", "--select", "top:2") == 0
    selection = pd.read_csv(tmp_path / "out" / "selection.csv")
    header = "target,column,group,names,texts,selected,rate,impact_ratio,low,high"
    assert ",".join(selection.columns) == header
    assert selection.groupby(["target", "column"])["selected"].sum().round(6).unique().tolist() == [8.0]
    assert "Selection rates" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    groups = pd.read_csv(tmp_path / "out" / "groups.csv")
    rows = groups[groups["target"] == groups["target"].iloc[0]].groupby("column", sort=False)["group"].agg(list)
    assert rows["gender*race"] == ["f*b", "m*b", "f*w"]
    assert (rows["gender"], rows["race"], rows["gender:race"]) == (["f"], ["b"], ["f*b"])
    assert run("--select", "top:8", out="other") == 2
    assert "fewer than the list's 8 names" in capsys.readouterr().err
    assert run("--groups", "gender*rase", out="other") == 2
    assert "Did you mean 'race'?" in capsys.readouterr().err and not (tmp_path / "other").exists()


def test_a_second_run_scores_nothing_new(tmp_path):
    run()
    assert run(out="again") == 0
    manifest = json.loads((tmp_path / "again" / "manifest.json").read_text())
    assert (manifest["texts_scored"], manifest["cache_hits"]) == (0, 16)


def test_a_manifest_runs_again(tmp_path):
    run(mentions="all")
    assert cli.main(["run", "--from-manifest", "out/manifest.json", "--out", "again"]) == 0
    for name in ("sentences.csv", "names.csv", "flips.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_texts_go_out_and_predictions_come_back(tmp_path):
    assert cli.main(["texts", "--sentences", "s.csv", "--names", "n.csv", "--out", "texts.csv"]) == 0
    texts = pd.read_csv(tmp_path / "texts.csv", keep_default_na=False)
    assert texts.columns.tolist() == ["text_id", "sentence_id", "name", "text"]
    assert len(texts) == 16
    assert texts["text_id"].is_unique
    scored = texts.assign(toxicity=np.linspace(0, 1, 16))[["text", "toxicity"]]
    extra = pd.DataFrame({"text": ["Nobody asked."], "toxicity": [0.5]})
    pd.concat([scored, extra]).to_csv("p.csv", index=False)
    assert run(model="predictions:p.csv") == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert any("1 text that the study does not have" in note for note in manifest["notes"])
    table = pd.read_parquet(tmp_path / "out" / "scores.toxicity.parquet")
    assert np.allclose(table.iloc[0, 1:].astype(float), np.linspace(0, 1, 16)[:4])


BAD = {
    "no such file": dict(sentences="nowhere.csv"),
    "an empty file": dict(sentences="empty.csv"),
    "binary": dict(sentences="binary.csv"),
    "no anchor anywhere": dict(sentences="plain.txt"),
    "twice the same id": dict(sentences="ids.csv"),
    "nothing but empty cells": dict(sentences="nan.csv"),
    "one name": dict(names="one.txt"),
    "no such list": dict(names="nobodies"),
    "no such model": dict(model="gpt-17"),
    "no such folder": dict(model="hf:nowhere/at-all-here-1"),
    "no such anchor": dict(anchors="verbs"),
    "an unknown label": dict(anchors="entities:ROBOT"),
    "a sample of nothing": {"sample": "0"},
    "words below one": {"max-words": "0"},
    "not a number": {"seed": "x"},
    "no model": dict(model=None),
}


@pytest.mark.parametrize("options", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_sentence_and_writes_nothing(tmp_path, capsys, monkeypatch, options):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "binary.csv").write_bytes(b"\x00\xff\x00\xfe" * 50)
    (tmp_path / "plain.txt").write_text("Nothing here.\nNor here.\n")
    (tmp_path / "ids.csv").write_text("sentence_id,text\n1,he ran\n1,she ran\n")
    (tmp_path / "nan.csv").write_text("text,x\n,1\n,2\n")
    (tmp_path / "one.txt").write_text("Ann\n")
    try:
        status = run(**options)
    except SystemExit as stop:
        status = stop.code
    error = capsys.readouterr().err
    assert status == 2
    assert error.startswith("psa run: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_files_is_refused_before_any_work(tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("precious")
    assert run() == 2
    assert "other files" in capsys.readouterr().err


def test_a_damaged_cache_is_told_once(tmp_path, capsys):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "scores.sqlite").write_bytes(b"no database " * 500)
    assert run() == 0
    told = capsys.readouterr()
    assert (told.out + told.err).count("was damaged") == 1
    assert told.err.startswith("psa run: the score cache was damaged") and told.err.count("\n") == 1
    assert "was damaged" in json.loads((tmp_path / "out" / "manifest.json").read_text())["notes"][-1]


def test_a_cache_that_cannot_be_opened_is_told_once(tmp_path, capsys):
    (tmp_path / "cache").write_text("a file")
    assert cli.main(["cache", "info"]) == 0
    assert capsys.readouterr().err.count("cannot be opened") == 1


@pytest.mark.parametrize("command", ["models", "anchors", "names", "methods"])
def test_listings_have_a_row_each(command, capsys):
    assert cli.main([command]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len({row.split()[0] for row in rows}) == len(rows) >= 3


@pytest.mark.parametrize("limit", ["nan", "-1"])
def test_a_gate_that_nothing_could_pass_or_fail_is_refused(tmp_path, capsys, limit):
    assert run("--fail-above", limit) == 2
    assert "--fail-above" in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--ancors", "got '--ancors', expected an option of this command, such as --anchors."),
        ("--ancors=pronouns", "got '--ancors', expected an option of this command, such as --anchors."),
        ("--qqq", "got '--qqq', expected an option of this command."),
        ("words", "got 'words', expected an option of this command."),
    ],
)
def test_an_option_that_a_command_does_not_know_is_said_by_the_command(
    given: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", "--sentences", "sample", "--names", "demo", "--model", "keyword", "--out", "out", given])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"psa run: {said} See psa run --help.\n"
