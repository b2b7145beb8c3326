"""``eec`` from models to a folder; bad input is exit code 2, one sentence and nothing written."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from psa_core import cli, models
from psa_core.audits.eec import AUDIT, corpus, tables

pytestmark = pytest.mark.slow

PUBLISHED = "b28c42433f1341740d7d16150bec67a1b009a8a851d083f63abebc1d081b55db"
CORRECTED = "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"
PEOPLE = (
    "person,object,reflexive,gender,race,pair\n"
    "my niece,my niece,herself,female,,1\nmy nephew,my nephew,himself,male,,1\n"
)


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def eec_command(*arguments):
    return cli.main(["eec", *arguments])


def rows_of(path):
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


def digest_of(sentences):
    return hashlib.sha256("\n".join(sorted(sentences)).encode()).hexdigest()


@pytest.fixture(scope="module")
def two_systems(tmp_path_factory):
    place = tmp_path_factory.mktemp("eec")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_CACHE_DIR", str(place / "cache"))
        assert eec_command("--model", "vader,keyword", "--out", str(place / "out")) == 0
    return place / "out"


def test_the_sentences_are_the_published_corpus(two_systems):
    rows = rows_of(two_systems / "eec_sentences.csv")
    assert list(rows[0]) == ["sentence", "template", "person", "gender", "race", "emotion", "emotion_word"]
    assert len(rows) == 8640
    assert digest_of(row["sentence"] for row in rows) == PUBLISHED


def test_both_tests_against_scipy_from_the_sentences_alone(two_systems):
    """Scores are asked for here, sentence by sentence, and paired by their labels."""
    table = pd.DataFrame(rows_of(two_systems / "eec_sentences.csv"))
    table["score"] = models.load("vader").score(table["sentence"].tolist())[:, 0].astype(float)
    cells = table.groupby(["template", "emotion_word"], sort=False)
    female, male = [], []
    pairs = [("she", "he"), ("this woman", "this man"), ("this girl", "this boy"), ("my sister", "my brother")]
    pairs += [("my daughter", "my son"), ("my wife", "my husband"), ("my girlfriend", "my boyfriend")]
    pairs += [("my mother", "my father"), ("my aunt", "my uncle"), ("my mom", "my dad")]
    for _, cell in cells:
        score = cell.set_index("person")["score"]
        named = cell[cell["race"] != ""].groupby("gender")["score"].mean()
        female += [score[first] for first, _ in pairs] + [named["female"]]
        male += [score[second] for _, second in pairs] + [named["male"]]
    names = table[table["race"] != ""].groupby(["template", "emotion_word", "race"])["score"].mean().unstack()
    report = json.loads((two_systems / "eec.json").read_text(encoding="utf-8"))["vader/sentiment"]
    assert (report["gender"]["pairs"], report["race"]["pairs"]) == (1584, 144)
    for kind, (first, second) in {
        "gender": (np.array(female), np.array(male)),
        "race": (names["African-American"].to_numpy(), names["European"].to_numpy()),
    }.items():
        expected = ttest_rel(first, second)
        assert report[kind]["t"] == pytest.approx(expected.statistic)
        assert report[kind]["p_value"] == pytest.approx(expected.pvalue)
        assert report[kind]["p_adjusted"] == pytest.approx(min(1, 6 * expected.pvalue))
        assert report[kind]["mean_difference"] == pytest.approx((first - second).mean())
        assert report[kind]["spread"] == pytest.approx(np.ptp(first - second), abs=1e-9)


def test_every_entry_has_the_parts_of_the_contract(two_systems):
    report = json.loads((two_systems / "eec.json").read_text(encoding="utf-8"))
    assert list(report) == ["vader/sentiment", "keyword/toxicity", "keyword/sentiment"]
    wanted = {"pairs", "mean_difference", "t", "p_value", "p_adjusted", "verdict"}
    wanted |= {"mean_positive", "mean_negative", "spread"}
    for entry in report.values():
        parts = [entry, entry["neutral"], *entry["emotions"].values()]
        assert all(wanted <= set(part[kind]) for part in parts for kind in ("gender", "race"))
        assert set(entry["emotions"]) == {"anger", "fear", "joy", "sadness"}
    assert report["keyword/toxicity"]["gender"]["verdict"] == "F=M not significant"


def test_one_model_is_keyed_by_its_targets_and_the_other_spelling_is_told(tmp_path, capsys):
    assert eec_command("--model", "keyword", "--spelling", "corrected", "--out", "out") == 0
    assert list(json.loads(Path("out/eec.json").read_text())) == ["toxicity", "sentiment"]
    assert digest_of(row["sentence"] for row in rows_of("out/eec_sentences.csv")) == CORRECTED
    assert "Spelled “dissapointed” instead, in 240 of the sentences: no verdict changes" in capsys.readouterr().out
    assert {row["comparison"] for row in rows_of("out/spelling.csv")} == {"gender", "race"}


def test_a_folder_reopens_as_what_was_written(two_systems):
    opened = AUDIT.read(two_systems)
    written = json.loads((two_systems / "eec.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(tables.assess(opened.systems))) == written
    assert list(opened.respelled) == ["vader", "keyword"]


def test_a_system_known_by_its_predictions(tmp_path, capsys):
    """The sentences are exported, scored elsewhere, and brought back; the other spelling is then unknown."""
    assert eec_command("--sentences-only", "--out", "texts.csv") == 0
    table = pd.read_csv("texts.csv", keep_default_na=False)
    assert len(table) == 8640
    assert digest_of(table["text"]) == PUBLISHED
    table.assign(joy=[len(text) / 100 for text in table["text"]])[["text", "joy"]].to_csv("scores.csv", index=False)
    assert eec_command("--model", "predictions:scores.csv,vader", "--out", "out") == 0
    report = json.loads(Path("out/eec.json").read_text(encoding="utf-8"))
    ours = report["predictions:scores.csv/joy"]
    assert ours["gender"]["verdict"] == "F↑–M↓"  # the female words are longer
    assert list(AUDIT.read(Path("out")).respelled) == ["vader"]


def test_own_people_without_race_are_compared_by_gender_alone(tmp_path):
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("ranked.csv").write_text("system,score\nkeyword:niece=0.3,0.5\n")
    ranked = ("--task-scores", "ranked.csv")
    assert eec_command("--model", "keyword:niece=0.3", "--people", "people.csv", *ranked, "--out", "out") == 0
    assert AUDIT.read(Path("out")).task_scores == {"keyword:niece=0.3": 0.5}
    entry = json.loads(Path("out/eec.json").read_text())["toxicity"]
    assert "race" not in entry
    assert entry["gender"]["assessments"] == 2
    assert entry["gender"]["pairs"] == 144
    assert entry["gender"]["mean_difference"] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no model"),
        (["--model", "no-such-model"], "no-such-model"),
        (["--model", "vader,no-such-model"], "no-such-model"),
        (["--model", "vader,vader"], "each model once"),
        (["--model", "vader", "--spelling", "british"], "british"),
        (["--model", "vader", "--people", "missing.csv"], "missing.csv"),
        (["--model", "vader", "--people", "empty.csv"], "an empty file"),
        (["--model", "vader", "--people", "alone.csv"], "nobody to compare"),
        (["--model", "vader", "--people", "twice.csv"], "twice"),
        (["--model", "vader", "--templates", "whom.csv"], "{whom}"),
        (["--model", "vader", "--templates", "nobody.csv"], "{person} or {object}"),
        (["--model", "vader", "--templates", "wordless.csv"], "{word}"),
        (["--model", "vader", "--words", "columns.csv"], "no column kind"),
        (["--model", "vader", "--words", "binary.csv"], "EEC words"),
        (["--model", "predictions:few.csv"], "text"),
        (["--model", "vader", "--task-scores", "missing.csv"], "missing.csv"),
        (["--model", "vader", "--task-scores", "stranger.csv"], "stranger"),
        (["--model", "vader", "--task-scores", "good.csv"], "'good' for vader"),
        (["--model", "vader", "--task-scores", "columns.csv"], "no column system"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(arguments, words, tmp_path, capsys):
    Path("empty.csv").write_text("")
    Path("alone.csv").write_text("person,object,reflexive,gender,race,pair\nmy niece,my niece,herself,female,,1\n")
    Path("twice.csv").write_text(PEOPLE + "my niece,my niece,herself,female,,2\n")
    Path("whom.csv").write_text("template,kind\nAsk {whom}.,\n")
    Path("nobody.csv").write_text("template,kind\nIt rained.,\n")
    Path("wordless.csv").write_text("template,kind\n{person} feels {word}.,\n")
    Path("columns.csv").write_text("emotion,word\njoy,glad\n")
    Path("binary.csv").write_bytes(b"\0\1\2" * 50)
    Path("stranger.csv").write_text("system,score\nstranger,0.5\n")
    Path("good.csv").write_text("system,score\nvader,good\n")
    Path("few.csv").write_text("text,joy\nHello.,0.5\n")
    try:
        status = eec_command(*arguments, "--out", "out")
    except SystemExit as stopped:  # argparse
        status = stopped.code
    assert status == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said and "Traceback" not in said
    assert not Path("out").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path, capsys):
    Path("out").mkdir()
    Path("out/mine.txt").write_text("mine")
    assert eec_command("--model", "keyword", "--out", "out") == 2
    assert [path.name for path in Path("out").iterdir()] == ["mine.txt"]


def test_the_exported_sentences_need_a_csv_file_name(capsys):
    assert eec_command("--sentences-only", "--out", "texts.xlsx") == 2
    assert ".csv" in capsys.readouterr().err


def test_published_parts_have_no_hidden_order():
    """Rows are templates and words, columns are people, as in the table of sentences."""
    design = corpus.published_design()
    texts = corpus.grid(design)
    assert (len(texts), len(texts[0])) == (144, 60)
    assert corpus.every_sentence(design)["sentence"].tolist() == [text for row in texts for text in row]
