"""One reader for every table: quotation marks, headers, sizes, and what is read elsewhere."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from psa_core import trust
from psa_core.errors import CorpusError
from psa_core.inputs import tables
from psa_core.inputs.tables import SMALL, TableSchema

WANTED = TableSchema(
    "table", CorpusError, ("csv", "tsv", "txt", "jsonl", "parquet"), "one text a row", frozenset({"text"})
)
ZIP, OLE = b"PK\x03\x04\x14\0\x06\0\x08\0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"


def read(name, content, only=None):
    content = content.encode() if isinstance(content, str) else content
    return tables.read(name, content, WANTED, only)


def columns(name, content):
    return read(name, content).frame.to_dict("list")


def parquet(table, **options):
    buffer = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), buffer, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ('text\n"Well he said\nShe left\n', ['"Well he said', "She left"]),
        ('text\n"Well" he said\nShe "left"\n"Oh\n', ['"Well" he said', 'She "left"', '"Oh']),
        ('text\tn\n"Well he\t1\nShe left"\t2\nHe\t3\n', ['"Well he', 'She left"', "He"]),
        ('text\tn\n"Well he\t1\nShe left"\nHe\t3\n', ['"Well he', 'She left"', "He"]),
        ('text\tn\n"He ""left"""\t1\nHe\t3\n', ['He "left"', "He"]),
        ('text\tn\n"two\nlines"\t1\nHe\t3\n', ["two\nlines", "He"]),
        ('text\tn\r\n"a\tb"\t1\r\nHe\t3\r\n', ["a\tb", "He"]),
    ],
)
def test_a_quotation_mark_in_a_tsv_file_swallows_no_row(content, texts):
    assert columns("a.tsv", content)["text"] == texts


def test_marks_around_lines_of_which_each_could_be_a_row_are_told():
    with pytest.raises(CorpusError, match=r"marks around several lines of a tsv file \('Well he.*Save it as csv"):
        read("a.tsv", 'text\n"Well he\nShe left"\n')


@pytest.mark.parametrize("content", ['text\n"He said" no, twice\nShe\n', 'text\n"He\nShe\n', 'text\n"He"said\n'])
def test_a_csv_file_whose_marks_could_swallow_rows_is_told(content):
    with pytest.raises(CorpusError, match=r"malformed csv file \(line \d"):
        read("a.csv", content)


@pytest.mark.parametrize("header", ["genre,genre ", "genre,genre", "\ufeffgenre,  genre", "a  b,a b"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_headers_that_differ_by_blanks_at_most_are_told(header, ending):
    spelled = [*header.split(","), "text"]
    if ending == "parquet":
        content = parquet(pa.Table.from_arrays([pa.array(["x"])] * 3, names=spelled))
    elif ending == "jsonl":
        content = "{" + ",".join(f'{json.dumps(name)}: "x"' for name in spelled) + "}"
        if len(json.loads(content)) < 3:
            pytest.skip("JSON has each key once")
    else:
        mark = "," if ending == "csv" else "\t"
        content = mark.join(spelled) + "\n" + mark.join("xyz")
    with pytest.raises(CorpusError, match=r"two columns .(genre|a b)."):
        read(f"a.{ending}", content)


def test_columns_without_a_header_are_left_out_with_a_note():
    table = read("a.csv", ",text, \n1,He,x\n")
    assert table.frame.to_dict("list") == {"text": ["He"]}
    assert table.notes == ("2 columns without a header left out: they are no groups.",)
    assert read("a.csv", ",text\n1,He\n").notes == ("Column without a header left out: it is no group.",)


def test_short_rows_are_filled_and_surplus_blanks_go():
    assert columns("a.csv", "text,g\nHe\nShe,x,,\n") == {"text": ["He", "She"], "g": ["", "x"]}


def test_keys_that_come_late_have_blanks_above_them(monkeypatch):
    monkeypatch.setattr("psa_core.inputs.tables.PART", 2)
    rows = [{"text": "He", "n": 1}, {"text": None}, {"text": "She", "late": [1], "n": 0.5}]
    assert columns("a.jsonl", "\n".join(map(json.dumps, rows))) == {
        "text": ["He", "", "She"],
        "n": ["1", "", "0.5"],
        "late": ["", "", "[1]"],
    }


def test_parquet_values_are_written_as_python_does_and_labels_of_rows_are_no_columns():
    frame = pd.DataFrame({"text": ["He", None], "n": [1, 2], "x": [0.5, np.nan], "b": [True, False]}, index=[5, 6])
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    assert columns("a.parquet", buffer.getvalue()) == {
        "text": ["He", ""],
        "n": ["1", "2"],
        "x": ["0.5", ""],
        "b": ["True", "False"],
    }


def test_whole_numbers_of_parquet_stay_whole_beside_missing_ones():
    large = 2**53 + 1
    frame = pa.table({"text": ["He", "She", "He"], "n": pa.array([1, None, large]), "b": pa.array([True, None, False])})
    columns = read("a.parquet", parquet(frame)).frame
    assert columns["n"].tolist() == ["1", "", str(large)]
    assert columns["b"].tolist() == ["True", "", "False"]


def test_the_sign_that_ends_a_file_of_dos_is_no_row():
    assert read("a.csv", b"text,id\r\nHe left.,1\r\n\x1a").frame["text"].tolist() == ["He left."]
    assert read("a.txt", b"He left.\r\n\x1a").frame["text"].tolist() == ["He left."]


def test_json_that_is_one_list_is_told_how_to_become_lines():
    with pytest.raises(CorpusError, match=r"list in line 1, expected an object a line\. Write each row"):
        read("a.jsonl", b'[{"text": "He left."}]')


def test_a_gzip_file_is_read_whatever_its_name_says_and_a_parquet_file_is_told():
    assert read("a.csv", gzip.compress(b"text\nHe left.\n")).frame["text"].tolist() == ["He left."]
    with pytest.raises(CorpusError, match=r"a parquet file.*ends in \.parquet"):
        read("a.csv", parquet({"text": ["He left."]}))


def test_a_file_put_together_from_utf_8_and_windows_keeps_all_letters():
    content = "text\nHe’s in a café 😀\n".encode() + "She’s in a café\n".encode("cp1252") + "cut 😀".encode()[:-1]
    table = read("a.csv", content)
    assert table.frame["text"].tolist() == ["He’s in a café 😀", "She’s in a café", "cut \ufffd"]
    assert table.notes == ("The table are not all UTF-8: read as UTF-8 and Windows-1252.",)


@pytest.mark.parametrize("said", [b"{", b"[]", b'{"columns": 7}', b'{"index_columns": ["no"], "columns": []}', b"\xff"])
def test_what_pandas_is_said_to_have_written_is_not_read(said):
    table = pa.table({"text": ["He"]}).replace_schema_metadata({b"pandas": said})
    assert columns("a.parquet", parquet(table)) == {"text": ["He"]}


def test_only_the_columns_asked_for_are_kept():
    table = read("a.parquet", parquet({"text": ["He"], "a": ["x"], "b": ["y"]}), ["text", "b"])
    assert table.frame.columns.tolist() == ["text", "b"] and table.headers == ("text", "a", "b")
    assert read("a.csv", "text,a,b\nHe,x,y\n", ["b"]).frame.to_dict("list") == {"b": ["y"]}


BOMBS = {
    "rows that parquet declares": (
        "a.parquet",
        lambda: parquet({"text": pa.DictionaryArray.from_arrays(np.zeros(3_000_000, np.int32), ["He"])}),
        "3,000,000 rows",
    ),
    "columns of parquet": ("a.parquet", lambda: parquet({f"c{n}": ["x"] for n in range(1500)}), "1,500 columns"),
    "bytes that gzip declares": ("a.txt.gz", lambda: gzip.compress(bytes(300 * 2**20), 1), "300 MB when unpacked"),
    "equal headers": ("a.csv", lambda: b"a," * 60_000 + b"a\nx\n", "60,001 columns"),
    "keys": ("a.jsonl", lambda: b"\n".join(b'{"k%d": 1}' % n for n in range(20_000)), "10,000 columns"),
    "cells": (
        "a.jsonl",
        lambda: json.dumps({f"k{n}": "" for n in range(999)}).encode() + b"\n{}" * 5_000,
        r"4,995,999 cells",
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_sizes_are_checked_before_they_are_spent(bomb, monkeypatch):
    monkeypatch.setenv("PSA_MAX_CELLS", "4000000")
    name, make, words = BOMBS[bomb]
    with pytest.raises(CorpusError, match=f"{words}.*PSA_MAX_"):
        read(name, make())


def test_one_long_value_many_times_is_told(monkeypatch):
    monkeypatch.setenv("PSA_MAX_CHARACTERS", "1000")
    long = pa.DictionaryArray.from_arrays(np.zeros(50, np.int32), ["He left. " * 200])
    with pytest.raises(CorpusError, match="1,800 characters in one cell"):
        read("a.parquet", parquet({"text": long}))


@pytest.mark.parametrize("name", ["a.parquet", "a.csv.gz"])
def test_a_visitors_file_unpacks_to_what_a_session_may_upload(name, monkeypatch):
    """The texts come to 1.2 MB, in files of a few kilobytes."""
    monkeypatch.setenv("PSA_MAX_UPLOADS_EACH_MB", "1")
    monkeypatch.setattr(tables, "SMALL", 1000)  # what may be larger inside is read in a process of its own
    texts = ["He left. " * 140] * 1_000
    packed = parquet({"text": texts}) if name == "a.parquet" else gzip.compress("\n".join(["text", *texts]).encode())
    assert len(packed) < 10_000
    assert len(read(name, packed).frame) == 1_000  # on the command line
    with (
        trust.acting(trust.Origin.VISITOR),
        pytest.raises(CorpusError, match=r"1\.2 MB of text.*at most 1 MB"),
    ):
        read(name, packed)
    monkeypatch.setenv("PSA_MAX_UPLOADS_EACH_MB", "2")
    with trust.acting(trust.Origin.VISITOR):
        assert len(read(name, packed).frame) == 1_000


def test_what_is_large_is_read_in_another_process_with_the_same_answer(monkeypatch):
    content = b"text,n\n" + b"".join(b"He left %d times,%d\n" % (n, n) for n in range(30))
    here = read("a.csv", content).frame
    monkeypatch.setattr(tables, "SMALL", 10)
    assert len(content) < SMALL
    pd.testing.assert_frame_equal(read("a.csv", content).frame, here)
    pd.testing.assert_frame_equal(read("a.csv.gz", gzip.compress(content)).frame, here)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**31 - 1], pa.date32()),
        pa.array([2**62], pa.timestamp("us")),
        pa.array([2**62], pa.duration("s")),
    ],
    ids=["date", "time", "duration"],
)
def test_dates_that_no_calendar_has_are_told(column):
    with pytest.raises(CorpusError, match="dates in no calendar"):
        read("a.parquet", parquet({"text": ["He"], "born": column}))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'{"text": "He", "a\\u0000b": "x", "\\u202ec\\u001b[2J": "y"}'),
        ("a.parquet", parquet({"text": ["He"], "a\x07b": ["x"], "c\u202d\x1b[2J": ["y"]})),
        ("a.csv", "text,a\x07b,\u202ec\x1b[2J\nHe,x,y\n"),
    ],
)
def test_headers_hold_nothing_that_does_not_print(name, content):
    assert columns(name, content) == {"text": ["He"], "ab": ["x"], "c[2J": ["y"]}


def test_headers_that_differ_by_what_does_not_print_are_told():
    with pytest.raises(CorpusError, match="two columns 'ab'"):
        read("a.jsonl", b'{"text": "He", "a\\u0000b": "x", "ab": "y"}')


def test_many_columns_without_a_header_are_one_note():
    assert read("a.csv", "text" + "," * 900 + "\nHe\n").notes == (
        "900 columns without a header left out: they are no groups.",
    )


@pytest.mark.parametrize("name", ["people.xlsx", "People.XLS", "people.ods.gz"])
def test_a_workbook_is_told_how_to_become_a_csv_file(name):
    with pytest.raises(CorpusError, match=rf"got a workbook, {name}, expected one of \.csv.*save the sheet as CSV"):
        read(name, ZIP)
    with pytest.raises(CorpusError, match="a workbook"):
        tables.read(name, ZIP, WANTED, kind="txt")


@pytest.mark.parametrize("content", [ZIP, OLE])
def test_a_workbook_by_another_name_is_told_too(content):
    with pytest.raises(CorpusError, match=r"got a workbook or a zip, whatever its name says.*save the sheet as CSV"):
        read("people.csv", content)


def test_a_text_that_begins_like_a_zip_is_a_text():
    assert columns("a.txt", "PK\x03\x04 he left\n") == {"text": ["PK\x03\x04 he left"]}
