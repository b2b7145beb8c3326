from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core import models
from psa_core.errors import ModelError
from psa_core.models.predictions import Coverage, Predictions, load

EXPORT = """text_id,sentence_id,name,text,toxicity,sentiment,remark
1,s1,,He left.,0.1,-0.5,first
2,s1,Al,Al left.,0.9,0.25,
3,s1,Bo,Bo left.,0.5,0,
"""


def written(folder: Path, content: str, name: str = "scores.csv") -> Path:
    (folder / name).write_text(content, "utf-8")
    return folder / name


def read(folder: Path, content: str, options: str = "") -> Predictions:
    return load(f"{written(folder, content)}{options}")


def test_scores_are_read_back_by_text(tmp_path: Path) -> None:
    scorer = read(tmp_path, EXPORT)
    assert [(t.name, t.low, t.high) for t in scorer.targets] == [("toxicity", 0, 1), ("sentiment", -1, 1)]
    np.testing.assert_allclose(scorer.score(["Bo left.", "He left.", "Bo left."]), [[0.5, 0], [0.1, -0.5], [0.5, 0]])


@pytest.mark.parametrize("name", ["scores.csv", "scores.tsv", "scores.jsonl", "scores.parquet", "scores.csv.gz"])
def test_every_format_gives_the_same(tmp_path: Path, name: str) -> None:
    table = pd.DataFrame({"text": ["He, left.", 'Al "left"', "two\nlines"], "toxicity": [0.125, 0.5, 1.0]})
    path = tmp_path / name
    if name.endswith(".parquet"):
        table.to_parquet(path)
    elif name.endswith(".jsonl"):
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    scorer = models.load(f"predictions:{path}")
    np.testing.assert_array_equal(scorer.score(["two\nlines", "He, left.", 'Al "left"'])[:, 0], [1.0, 0.125, 0.5])


@pytest.mark.parametrize("cells", [("0,125", "0,5", "1"), ("-0,125", ",5", "1"), ("1,25", "2,345", "3")])
def test_a_spreadsheet_with_decimal_commas_is_read(tmp_path: Path, cells: tuple[str, str, str]) -> None:
    rows = "".join(f"{text};{cell}\n" for text, cell in zip("abc", cells, strict=True))
    scorer = read(tmp_path, f"text;joy\n{rows}")
    expected = [float(cell.replace(",", ".")) for cell in cells]
    assert scorer.score(["a", "b", "c"])[:, 0].tolist() == pytest.approx(expected)


def test_points_and_commas_in_one_column_are_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'0,25' in row 2"):
        read(tmp_path, "text;joy\na;0.5\nb;0,25\nc;0.1\n")


def test_an_unnamed_index_is_no_target_and_half_a_column_is_one(tmp_path: Path) -> None:
    assert [t.name for t in read(tmp_path, "Unnamed: 0,text,joy\n0,a,0.1\n1,b,0.9\n").targets] == ["joy"]
    half = read(tmp_path, "text,joy\na,0.5\nb,\nc,\n")
    assert half.score(["a"]).tolist() == [[0.5]] and half.unscored == 2


@pytest.mark.parametrize("cell", ["1,234", "10%", "True", "high"])
def test_what_is_no_number_is_shown(tmp_path: Path, cell: str) -> None:
    with pytest.raises(ModelError, match=f"no column of numbers beside text \\(joy: '{cell}'\\)"):
        read(tmp_path, f"text;joy\na;{cell}\nb;{cell}\n")


def test_missing_texts_are_counted_and_the_first_is_shown(tmp_path: Path) -> None:
    scorer = read(tmp_path, EXPORT)
    with pytest.raises(ModelError, match=r"no score for 2 of 3 texts in scores\.csv, first 'Cy left\.'"):
        scorer.score(["He left.", "Cy left.", "Di left.", "Cy left."])


def test_missing_doubled_extra_and_unscored_are_counted(tmp_path: Path) -> None:
    rows = ["a,0.1", "a,0.1001", "b,0.2", "c,", "d,NaN", "e,0.3"]
    scorer = read(tmp_path, "\n".join(["text,toxicity", *rows]))
    # of the texts a, b, c, z: c has no score and z no row; e is in the file only
    coverage = scorer.coverage(["a", "b", "c", "z", "a"])
    assert coverage == Coverage(missing=2, doubled=1, extra=1, unscored=2)
    assert "2 texts without a score" in coverage.words
    np.testing.assert_allclose(scorer.score(["a"]), [[0.10005]], atol=1e-7)


def test_one_text_with_two_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"different scores for the same text \(1 text, first .a.\)"):
        read(tmp_path, "text,toxicity\na,0.1\nb,0.3\na,0.2\n")


def test_an_apostrophe_against_spreadsheets_may_be_there_or_not(tmp_path: Path) -> None:
    scorer = read(tmp_path, "text,toxicity\n'=SUM(A1),0.25\n'tis fine,0.5\n")
    np.testing.assert_allclose(scorer.score(["=SUM(A1)", "'=SUM(A1)", "'tis fine"])[:, 0], [0.25, 0.25, 0.5])
    with pytest.raises(ModelError, match="first 'tis fine'"):
        scorer.score(["tis fine"])


def test_words_like_na_are_texts(tmp_path: Path) -> None:
    assert read(tmp_path, "text,toxicity\nNA,0.5\nnull,0.25\n").score(["null", "NA"]).tolist() == [[0.25], [0.5]]


def test_targets_and_range_can_be_chosen(tmp_path: Path) -> None:
    scorer = read(tmp_path, EXPORT, "?targets=toxicity&range=0..10")
    assert [(t.name, t.low, t.high) for t in scorer.targets] == [("toxicity", 0, 10)]


def test_scores_beyond_the_range_that_was_asked_for_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"column 'stars': got 7\.5 for the text in row 3, .* 0 to 5, .*\?range="):
        read(tmp_path, "text,stars\na,1.5\nb,\nc,7.5\n", "?range=0..5")
    assert read(tmp_path, "text,stars\na,5.0000001\n", "?range=0..5").score(["a"]).tolist() == [[5]]


def test_a_wider_range_is_that_of_the_scores(tmp_path: Path) -> None:
    target = read(tmp_path, "text,stars\na,1.5\nb,4.2\n").targets[0]
    assert (target.low, target.high) == (1, 5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "an empty file"),
        ("text,toxicity\n", "no rows"),
        ("sentence,toxicity\na,0.1\n", "expected a column named text"),
        ("text,toxicity\na,high\n", "no column of numbers"),
        ("text,toxicity\na,0.1\nb,high\nc,0.2\n", "'high' in row 2"),
        ("text,toxicity\na,0.1\nb,inf\n", "'inf' in row 2"),
        ("text,text_id\na,1\n", "no column of numbers"),
        ('text,toxicity\n"a,0.1\n', "malformed|no rows|no column"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        read(tmp_path, content)
    assert "\n" not in str(caught.value)


def test_a_range_from_the_values_is_said_in_the_account(tmp_path: Path) -> None:
    rows = "".join(f"text {i},{i / 20},{i - 5}\n" for i in range(20))
    scorer = read(tmp_path, f"text,joy,logit\n{rows}wild,1000000,0\n")
    assert [(t.low, t.high, t.default_threshold) for t in scorer.targets] == [(0, 1e6, 0.5), (-5, 14, 0)]
    assert scorer.about.startswith(
        "21 texts with a score in scores.csv: joy (0 to 1,000,000, from the values in the file; flagged at 0.5 and "
        "above), logit (−5 to 14, from the values in the file; flagged at 0 and above). joy: 1 of 21 scores is far "
        "from the others"
    )
    assert read(tmp_path, EXPORT, "?targets=toxicity&range=0..10").ranges == ("toxicity (0 to 10, as declared)",)


def test_bad_options_and_names_are_said(tmp_path: Path) -> None:
    path = written(tmp_path, EXPORT)
    for argument, said in (
        (f"{path}?targets=anger", "got anger"),
        (f"{path}?range=1", "low..high"),
        (f"{path}?frob=1", "frob=1"),
        ("nowhere.csv", "no file at"),
        ("scores.xlsx", "one of .csv"),
    ):
        with pytest.raises(ModelError, match=said.replace(".", r"\.")):
            load(argument)


def test_fingerprint_is_of_the_scores_and_not_of_the_file(tmp_path: Path) -> None:
    first = read(tmp_path, EXPORT).fingerprint
    lines = EXPORT.splitlines()
    assert read(tmp_path, "\n".join([lines[0], *lines[:0:-1]])).fingerprint == first
    assert read(tmp_path, EXPORT.replace("first", "other")).fingerprint == first
    assert read(tmp_path, EXPORT.replace("0.25", "0.26")).fingerprint != first
    assert read(tmp_path, EXPORT.replace("Al left", "Alf left")).fingerprint != first
    assert read(tmp_path, EXPORT, "?targets=toxicity").fingerprint != first


@pytest.mark.parametrize("number", ["1e39", "-1e39", "1e400", "9" * 60])
def test_a_number_that_no_score_can_be_is_told(tmp_path: Path, number: str) -> None:
    with pytest.raises(ModelError, match=r"column 'toxicity': got '.*' in row 2, expected a finite number"):
        read(tmp_path, f"text,toxicity\nHe left.,0.5\nShe left.,{number}\n")
