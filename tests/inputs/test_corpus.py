"""Sentences from every format and every kind of bad file."""

import errno
import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from psa_core.errors import CorpusError
from psa_core.inputs import corpus


def texts(name, content, column=None):
    return corpus.parse(name, content, column).sentences["text"].tolist()


def parquet(columns):
    buffer = io.BytesIO()
    pd.DataFrame(columns).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'text,stars\n"He said ""no"", twice",1\nShe left.,2\n'),
        ("a.csv", 'text;stars\n"He said ""no"", twice";1\nShe left.;2\n'.encode("utf-16")),
        ("a.tsv", b'stars\ttext\n1\t"He said ""no"", twice"\n2\tShe left.\n'),
        ("a.txt", b'He said "no", twice\n\nShe left.\n'),
        ("a.jsonl", b'{"body": "He said \\"no\\", twice", "n": 1}\n{"body": "She left.", "n": null}\n'),
        ("a.csv.gz", gzip.compress(b'\xef\xbb\xbftext\n"He said ""no"", twice"\nShe left.\n', mtime=0)),
    ],
)
def test_formats(name, content):
    assert texts(name, content) == ['He said "no", twice', "She left."]


def test_parquet():
    buffer = io.BytesIO()
    pd.DataFrame({"n": [1, 2], "comment": ["He ran.", None]}).to_parquet(buffer)
    assert texts("a.parquet", buffer.getvalue()) == ["He ran.", ""]


def test_other_columns_are_kept_as_groups_and_na_words_are_text():
    table = corpus.parse("a.csv", b"text,genre\nNA,x\nnull,y\n").sentences
    assert table["text"].tolist() == ["NA", "null"]
    assert table["genre"].tolist() == ["x", "y"]
    assert table["sentence_id"].tolist() == ["1", "2"]


def test_columns_that_a_result_has_of_its_own_are_kept_under_another_name():
    table = corpus.parse("a.csv", b"body,anchor,role,x\nHe ran,1,2,3\n").sentences
    assert table.columns.tolist() == ["sentence_id", "text", "corpus_anchor", "corpus_role", "x"]


def test_the_longest_column_is_the_text_when_no_name_tells():
    assert texts("a.csv", b"a,b\nx,He ran all the way\n") == ["He ran all the way"]


def test_a_column_can_be_chosen():
    assert texts("a.csv", b"text,note\nHe ran,She sat\n", "note") == ["She sat"]


def test_windows_encoding_is_recognised():
    assert texts("a.csv", "text\nShe’s at the café\n".encode("cp1252")) == ["She’s at the café"]


def test_english_of_windows_is_not_taken_for_another_code_page():
    text = "I saw him at the café yesterday and he didn’t say much."
    assert texts("a.txt", f"{text}\n".encode("cp1252") * 50) == [text] * 50


def test_other_code_pages_are_still_told_apart():
    assert texts("a.txt", "Он сказал, что она придёт завтра.\n".encode("cp1251") * 20)[0].startswith("Он сказал")


def test_only_line_ends_end_a_line():
    assert texts("a.jsonl", '{"text": "he\u2028ran"}\r\n{"text": "she\x85sat"}\r'.encode()) == [
        "he\u2028ran",
        "she\x85sat",
    ]
    assert texts("a.txt", "he\x0cran\u2029on\n".encode()) == ["he\x0cran\u2029on"]


def test_half_a_character_is_replaced():
    assert texts("a.jsonl", b'{"text": "he \\ud83d ran \\ud83d\\ude00", "\\udc00": 1}\n') == ["he \ufffd ran 😀"]


def test_parquet_columns_may_be_numbered():
    assert texts("a.parquet", parquet({0: ["x"], 1: ["He ran all the way"]})) == ["He ran all the way"]


@pytest.mark.parametrize(
    ("name", "content", "column", "words"),
    [
        ("a.csv", b"", None, "an empty file"),
        ("a.csv", b"text\n", None, "no rows"),
        ("a.csv", b"text,u\n,1\n ,2\n", None, "no text in any row"),
        ("a.csv", b'text\n"He ran', None, "malformed csv"),
        ("a.csv", b"text\nHe ran, she sat.\nHe ate, too.\n", None, "quotes around"),
        ("a.csv", b"id,text\n1,He ran, she sat.\n", None, "3 cells in row 1 ('1 He ran  she sat.') below 2 headers"),
        ("a.csv", b"text\nhe\0ran\n", None, "NUL"),
        ("a.csv", b"\x80\x00\x01", None, "not text"),
        ("a.csv", b"text\nhe ran\n", "body", "'body'"),
        ("a.csv", b"sentence_id,text\n1,he ran\n1,she ran\n", None, "'1' twice"),
        ("a.pdf", b"%PDF", None, "a.pdf"),
        ("a.csv.gz", b"text\nhe ran\n", None, "damaged gzip"),
        ("a.csv.gz", gzip.compress(b"text\nhe ran\n", mtime=0)[:12] + b"\xff" * 4, None, "damaged gzip"),
        ("a.jsonl", b'{"text": "he"}\n{"text": \n', None, "line 2"),
        ("a.jsonl", b"[1, 2]\n", None, "list in line 1"),
        ("a.jsonl", b'{"text": "he", "n": ' + b"9" * 5000 + b"}\n", None, "line 1"),
        ("a.parquet", b"PAR1 nothing", None, "damaged parquet"),
        ("a.parquet", parquet({"text": [b"he \xff", b"she"]}), None, "not text"),
    ],
)
def test_bad_files_are_told_in_one_sentence(name, content, column, words):
    with pytest.raises(CorpusError) as caught:
        corpus.parse(name, content, column)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told():
    with pytest.raises(CorpusError, match=r"no file at 'nowhere\.csv'"):
        corpus.load("nowhere.csv")


def test_a_name_that_no_file_can_have_is_told():
    with pytest.raises(CorpusError, match="no file at 'xxx"):
        corpus.load("x" * 300 + ".csv")


def test_a_file_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    def refuse(_):
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "a.csv").write_text("text\nHe left.\n")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(CorpusError, match="Permission denied"):
        corpus.load(str(tmp_path / "a.csv"))


def test_a_gzip_that_unpacks_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setenv("PSA_MAX_FILE_MB", "1")
    with pytest.raises(CorpusError, match=r"2\.9 MB when unpacked, expected at most 1 MB"):
        corpus.parse("a.txt.gz", gzip.compress(b"he " * 10**6))


def test_a_very_long_line_is_one_sentence():
    assert len(texts("a.jsonl", json.dumps({"text": "he " * 10**6}).encode())) == 1


def test_blank_rows_of_a_spreadsheet_need_no_id():
    read = corpus.parse("a.csv", b"id,text\n7,He left.\n,\n8,\n,\n")
    assert read.sentences["sentence_id"].tolist() == ["7", "8"]
    with pytest.raises(CorpusError, match="an empty id"):
        corpus.parse("a.csv", b"id,text\n7,He left.\n,She left.\n")


def test_a_column_that_is_guessed_is_told():
    assert corpus.parse("a.csv", b"remark\nHe left.\nShe left.\n").notes == (
        "No column is called text: the texts are taken from 'remark'.",
    )
    assert corpus.parse("a.csv", b"id,words\n1,He left.\n", "words").notes == ()


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b"He left early.\nShe stayed.\n", ["He left early.", "She stayed."]),
        ("a.csv", b"I hate him\nShe is nice\n", ["I hate him", "She is nice"]),
        (
            "a.csv",
            b"neg;He left, angry.\npos;She stayed, and he, too\n",
            ["He left, angry.", "She stayed, and he, too"],
        ),
        ("a.csv", b"1,He left.\n2,She stayed.\n", ["He left.", "She stayed."]),
        ("a.tsv", b"He left early!\t3\nShe stayed.\t4\n", ["He left early!", "She stayed."]),
        ("a.csv", b"He left early.\n", ["He left early."]),
    ],
)
def test_a_file_without_a_header_keeps_its_first_sentence(name, content, expected):
    found = corpus.parse(name, content)
    assert found.sentences["text"].tolist() == expected
    assert any("no row of headers" in note for note in found.notes)


@pytest.mark.parametrize(
    "content",
    [
        b"stars,What do you think of her?\n3,She ran.\n4,He ran.\n",
        b"Time,Your opinion of the manager in one sentence please\n2024/01/02 10:00:11 AM,She ran all the way.\n",
        b",0\n0,She ran.\n1,He ran.\n",
        b"0\nShe ran.\nHe ran.\n",
        b"full comment text\nShe ran all the way to the station.\nHe went home and never came back.\n",
        b"kommentar;quelle\nShe ran.;x\nHe ran.;y\n",
        b"what they wrote,place\nShe ran home early.,forum\nHe ran late.,forum\n",
        b"a,b\nx,He ran all the way\n",
    ],
)
def test_a_header_that_no_one_knows_is_still_a_header(content):
    found = corpus.parse("a.csv", content)
    assert found.sentences["text"].str.contains(" ran|home").all()
    assert not any("no row of headers" in note for note in found.notes)


def test_a_column_that_is_named_is_a_header_whatever_it_says():
    header = "What do you think of your manager?"
    assert texts("a.csv", f"{header}\nShe ran.\n".encode(), header) == ["She ran."]


@pytest.mark.parametrize("mark", [b";", b",", b"\t", b"|", b"^"])
@pytest.mark.parametrize("line", [b"sep=%s\r\n", b'"sep=%s"\n', b"\xef\xbb\xbfSEP=%s\n"])
def test_the_line_with_which_excel_names_the_separator_is_no_header(line, mark):
    rows = [b"remark", b"stars"], [b"He left", b"3"], [b"She stayed", b"4"]
    found = corpus.parse("a.csv", line % mark + b"".join(mark.join(row) + b"\n" for row in rows))
    assert found.sentences["text"].tolist() == ["He left", "She stayed"]
    assert found.sentences["stars"].tolist() == ["3", "4"]


def test_no_column_of_the_reader_vanishes():
    header = "body,id,role,start,end,anchor,mentions,anchor_gender,text,sentence_id_2,original.toxicity,corpus_end"
    found = corpus.parse("a.csv", f"{header}\nHe ran,7,{','.join(f'c{n}' for n in range(10))}\n".encode(), "body")
    row = found.sentences.iloc[0].to_dict()
    assert row["sentence_id"] == "7" and row["text"] == "He ran"
    assert [value for value in row.values() if value.startswith("c")] == [f"c{n}" for n in range(10)]
    assert any("Column role is called corpus_corpus_role" in note for note in found.notes)


def test_sentences_in_memory():
    assert corpus.from_memory(("He ran.", "")).sentences["text"].tolist() == ["He ran.", ""]
    frame = pd.DataFrame({"n": [1, 2], "body": ["He ran.", None], 3: [0.5, None]}, index=[7, 7])
    found = corpus.from_memory(frame)
    assert found.sentences.to_numpy().tolist() == [["1", "He ran.", "1", "0.5"], ["2", "", "2", ""]]
    assert found.sha256 != corpus.from_memory(frame.assign(n=3)).sha256


@pytest.mark.parametrize(
    ("given", "column", "words"),
    [
        (pd.DataFrame({"text": [1, 2]}), None, "1 as text 1"),
        (pd.DataFrame({"text": ["He ran."]}), "body", "'body'"),
        (pd.DataFrame({"text": []}), None, "no rows"),
        (pd.DataFrame({"text": [None, ""]}), None, "no text in any row"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), None, "two columns"),
    ],
)
def test_a_frame_without_texts_is_told_in_one_sentence(given, column, words):
    with pytest.raises(CorpusError, match=words):
        corpus.from_memory(given, column)


@pytest.mark.parametrize("given", ["He ran.", [1], [None], 3, [], ["a\ud800"]])
def test_a_list_that_is_none_of_texts_is_told_in_one_sentence(given):
    with pytest.raises(CorpusError):
        corpus.from_memory(given)
