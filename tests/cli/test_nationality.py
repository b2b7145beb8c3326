"""``nationality`` from a file to a folder; bad input is exit code 2, one sentence and nothing written."""

import csv
import html
import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from psa_core import audits, cli
from psa_core.audits.nationality import AUDIT
from psa_core.folders import results

TEXTS = [
    "I met Susan Miller's brother.",
    "The weather was fine.",
    "Everybody says John Smith lied to Susan Miller, and I hate it.",
    "=Peter Brown is my best friend, I love him.",
]
EXPECTED = {"manifest.json", "sentences.csv", "names.csv", "label_dist.csv", "summary.json", "flips.csv", "report.html"}


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"comment": TEXTS, "place": list("abcd")}).to_csv("s.csv", index=False)
    Path("lm_stub.py").write_text(
        "def perplexity(texts):\n"
        "    return [2.0 * len(text) for text in texts]\n"
        "perplexity.targets = [{'name': 'log_perplexity', 'low': 0, 'high': 1000}]\n"
    )


def nationality(*extra, **options):
    values = {"sentences": "s.csv", "text-column": "comment", "model": "vader", "countries": "France,India"}
    values |= {"draws": "3", "out": "out", **options}
    arguments = [part for name, value in values.items() if value is not None for part in (f"--{name}", value)]
    return cli.main(["nationality", *arguments, *extra])


def rows_of(path):
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


def test_an_audit_end_to_end():
    assert nationality() == 0
    assert {path.name for path in Path("out").iterdir()} >= EXPECTED | {"countries.csv", "texts.csv"}
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["sentences"] == manifest["account"]["kept"] == 3
    assert manifest["account"]["no person found"] == 1
    assert (manifest["names"], manifest["cells"]) == (6, 18)
    assert manifest["unique_texts"] == manifest["texts_scored"] + manifest["cache_hits"]
    assert manifest["names_not_in_latin_letters_left_out"]["India"] > 0
    rows = rows_of("out/countries.csv")
    assert {"country", "target", "original_count", "perturbed_count", "change_percent", "delta"} <= set(rows[0])
    assert {(row["country"], row["target"]) for row in rows} == {
        (country, target)
        for country in ("France", "India")
        for target in ("sentiment", "sentiment ≥ 0", "sentiment < 0")
    }
    assert not Path("out/correlations.csv").exists()


def test_the_same_seed_gives_the_same_texts_and_another_one_others():
    assert nationality() == nationality(out="again") == nationality(out="other", seed="1") == 0
    first, again, other = (Path(place, "texts.csv").read_bytes() for place in ("out", "again", "other"))
    assert first == again != other


def test_the_report_is_the_audits_own_and_its_command_runs_it_again():
    assert nationality(seed="3") == 0
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "Names by country: VADER" in page and "(seed 3)" in page and "ScoreSens" not in page
    program, _, command = html.unescape(page.partition("<pre>")[2].partition("</pre>")[0]).partition(" ")
    assert program == "psa"
    assert cli.main(shlex.split(command)) == 0
    assert Path("out/texts.csv").read_bytes() == Path("again/texts.csv").read_bytes()


def test_a_folder_reopens_with_texts_that_spreadsheets_would_run():
    assert nationality() == 0
    opened = AUDIT.read(Path("out"))
    assert opened.cube.shape == (3, 6, 1)
    row = opened.cube.sentences["sentence_id"].tolist().index("4")
    assert opened.cube.sentences["text"].iloc[row] == TEXTS[3]
    assert all(text.startswith("=") and text.endswith(" is my best friend, I love him.") for text in opened.texts[row])
    assert opened.cube.sentences["place"].tolist() == ["a", "c", "d"]
    assert opened.countries["change_percent"].notna().any()
    audits.open_zip(AUDIT.id, results.to_zip(Path("out")), Path("anew"))
    assert AUDIT.read(Path("anew")).texts == opened.texts


def test_correlations_with_perplexity_against_scipy():
    assert nationality("--lm", "python:lm_stub:perplexity") == 0
    opened = AUDIT.read(Path("out"))
    assert list(opened.correlations.columns) == [
        "country", "target", "global_r", "global_p", "local_r", "local_p", "sentences", "original_r", "original_p",
    ]  # fmt: skip
    overall = opened.correlations.set_index("country").loc["Overall"]
    scores = np.append(opened.cube.perturbed[:, :, 0], opened.cube.original[:, 0]).astype(float)
    lengths = [2.0 * len(text) for row in opened.texts for text in row]
    lengths += [2.0 * len(text) for text in opened.cube.sentences["text"]]
    assert overall["global_r"] == pytest.approx(pearsonr(scores, lengths).statistic)
    alone = [2.0 * len(text) for text in opened.cube.sentences["text"]]
    assert overall["original_r"] == pytest.approx(pearsonr(opened.cube.original[:, 0].astype(float), alone).statistic)
    assert json.loads(Path("out/manifest.json").read_text())["lm"]["id"] == "python:lm_stub:perplexity"


def test_the_packaged_sentences_have_people():
    assert nationality(sentences="people", **{"text-column": None}, draws="1") == 0
    account = json.loads(Path("out/manifest.json").read_text())["account"]
    assert account["read"] == 60
    assert account["kept"] >= 40


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sentences": "missing.csv"}, "missing.csv"),
        ({"sentences": "empty.csv"}, "an empty file"),
        ({"sentences": "nobody.csv", "text-column": None}, "no person"),
        ({"text-column": "nope"}, "nope"),
        ({"model": "no-such-model"}, "no-such-model"),
        ({"countries": "Atlantis"}, "Atlantis"),
        ({"countries": ","}, "countries: got none"),
        ({"countries": "France,France"}, "twice"),
        ({"countries": ","}, "countries"),
        ({"draws": "0"}, "at least 1"),
        ({"draws": "many"}, "many"),
        ({"sample": "-3"}, "at least 1"),
        ({"seed": "-1"}, "seed"),
        ({"lm": "vader"}, "a perplexity scorer"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(options, words, capsys):
    Path("empty.csv").write_text("")
    Path("nobody.csv").write_text("text\nthe weather was fine.\n")
    try:
        status = nationality(**options)
    except SystemExit as stopped:  # argparse
        status = stopped.code
    assert status == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said and "Traceback" not in said
    assert not Path("out").exists()
