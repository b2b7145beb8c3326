"""Names from the bytes of files in the shapes that people have."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core.errors import NameListError
from psa_core.inputs.limits import NAMES_FILE
from psa_core.inputs.names import from_text, name_columns, read_names

PEOPLE = "name,gender\nBeyoncé, female\nŽižek,male\n"


def found(filename: str, text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return read_names(filename, data).table["name"].tolist()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings(encoding):
    names = read_names("people.csv", PEOPLE.encode(encoding))
    assert names.table.to_dict("list") == {"name": ["Beyoncé", "Žižek"], "gender": ["female", "male"]}
    assert (names.id, names.title, names.provenance) == ("people.csv", "people.csv", "file people.csv")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_western_european_bytes(encoding):
    assert found("people.csv", "name\nBeyoncé\nRenée Müller\n".encode(encoding)) == ["Beyoncé", "Renée Müller"]


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\x00\x00", b"PK\x03\x04\x14\x00", b"\xff\xfeabc", b"\xff\xd8\xff\x01\x02", b"a\0b\0"]
)
@pytest.mark.parametrize("filename", ["people.csv", "people.txt", "people"])
def test_binary_data_is_refused(filename, data):
    with pytest.raises(NameListError, match=r"bytes that are not text|a workbook or a zip"):
        read_names(filename, data)


@pytest.mark.parametrize("separator", [",", ";", "|"])
def test_csv_separators(separator):
    text = f'name{separator}kind\n"King{separator} Jr"{separator}a\r\nAnn{separator}b\r\n\r\n'
    assert found("x.csv", text) == [f"King{separator} Jr", "Ann"]


def test_tsv_keeps_commas():
    assert found("x.tsv", "name\tkind\nDiana, Princess of Wales\ta\nAnn\tb") == ["Diana, Princess of Wales", "Ann"]


def test_unquoted_comma_names_the_row():
    with pytest.raises(NameListError, match=r"3 cells in row 2 .* below 2 headers"):
        read_names("x.csv", b"name,kind\nAnn,a\nDiana, Princess of Wales,b\n")


def test_short_rows_have_empty_groups():
    names = read_names("x.csv", b"name,kind\nAnn,a\nBob\n")
    assert names.table["kind"].tolist() == ["a", ""] and names.notes == ("1 name without a kind.",)


def test_words_that_pandas_takes_for_missing_are_names():
    assert found("x.csv", "name\nNone\nNA\nnull\nNan\n") == ["None", "NA", "null", "Nan"]


@pytest.mark.parametrize(
    ("content", "names", "groups"),
    [
        ("Ann,female\nBob,male\nEve,female\n", ["Ann", "Bob", "Eve"], ["female", "male", "female"]),
        ("female;ann\nmale;bob\nfemale;eve\n", ["ann", "bob", "eve"], ["female", "male", "female"]),
        ("Ann\nBob\nEve\n", ["Ann", "Bob", "Eve"], None),
        ("Grace Hopper\tUS\nAlan Turing\tUK\n", ["Grace Hopper", "Alan Turing"], ["US", "UK"]),
    ],
)
def test_a_file_without_headers_keeps_its_first_name(content, names, groups):
    found = read_names("x.tsv" if "\t" in content else "x.csv", content.encode())
    assert found.table["name"].tolist() == names
    assert groups is None or found.table.iloc[:, 1].tolist() == groups
    assert found.notes == (
        "The file has no row of headers, so its first row is read as a name like the others. "
        "If it is a header, rename it to name.",
    )


@pytest.mark.parametrize("header", ["Person", "First_Name,Team", "Full Name,Ethnicity", "Politician,Party"])
def test_headers_in_capitals_are_headers(header):
    row = "Ann,A\nBob,B\n" if "," in header else "Ann\nBob\n"
    assert name_columns("x.csv", f"{header}\n{row}".encode())[0] == header.split(",")[0]


def test_text_has_one_name_a_line_commas_and_all():
    assert found("x.txt", "Ann\r\nDiana, Princess of Wales\r\n\r\nBob") == ["Ann", "Diana, Princess of Wales", "Bob"]


@pytest.mark.parametrize("text", ["name\nAnn\nBob\n", "name,gender\nAnn,f\nBob,m", "Name\tgender\nAnn\tf\nBob\tm"])
def test_text_may_have_a_header(text):
    assert found("x.txt", text) == ["Ann", "Bob"]


@pytest.mark.parametrize("text", ["Ann, Bob", "Ann; Bob\n", "Ann\nBob", "\n Ann\r\rBob\n"])
def test_typed_names(text):
    names = from_text(text)
    assert names.table["name"].tolist() == ["Ann", "Bob"] and names.provenance == "typed"


def test_quote_that_is_never_closed():
    with pytest.raises(NameListError, match=r"malformed csv file \(line 4"):
        read_names("x.csv", b'name\n"Ann\nBob\nEve\n')


def test_parquet():
    buffer = io.BytesIO()
    pd.DataFrame({"name": ["Ann", "Bob"], "born": [1950, 1960]}).to_parquet(buffer)
    assert read_names("x.parquet", buffer.getvalue()).table["born"].tolist() == ["1950", "1960"]
    with pytest.raises(NameListError, match="damaged parquet"):
        read_names("x.parquet", buffer.getvalue()[:50])


@pytest.mark.parametrize("data", [b"", b"  \n \n"])
def test_empty_files(data):
    with pytest.raises(NameListError, match="an empty file"):
        read_names("x.csv", data)


def test_empty_text_box():
    with pytest.raises(NameListError, match="0 names"):
        from_text("")


def test_too_many_bytes():
    with pytest.raises(NameListError, match="at most 5 MB"):
        read_names("x.csv", b"a" * (NAMES_FILE.value + 1))
    with pytest.raises(NameListError, match="at most 5 MB"):
        from_text("a" * (NAMES_FILE.value + 1))


def test_a_cell_that_is_far_too_long_is_an_error():
    with pytest.raises(NameListError, match="a cell of 200,000 characters"):
        read_names("x.csv", b"name\nAnn\n" + b"a" * 200_000)


@given(st.sampled_from(["x.csv", "x.tsv", "x.txt", "x.parquet"]), st.binary(max_size=60))
def test_any_bytes_give_a_list_or_a_name_list_error(filename, data):
    try:
        assert len(read_names(filename, data).table) >= 2
    except NameListError as error:
        assert str(error).startswith("names")


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"name,gender\nAnn,f\nBob,m\n", ("name", "gender")),
        (b"gender,NAME\nf,Ann\nm,Bob\n", ("NAME", "gender")),
        (b"no,team,Full name\n1,A,Ann\n2,A,Bob\n", ("Full name", "team", "no")),
        (b"who\nAnn\nBob\n", ("who",)),
    ],
)
def test_columns_that_may_hold_the_names(content: bytes, columns: tuple[str, ...]) -> None:
    assert name_columns("people.csv", content) == columns


def test_names_are_taken_from_another_column() -> None:
    content = b"name,who,team\nx,Ann,A\ny,Bob,B\n"
    found = read_names("people.csv", content, "who")
    assert found.table["name"].tolist() == ["Ann", "Bob"]
    assert found.group_columns == ("team",)
    assert read_names("people.csv", content, "name").table["name"].tolist() == ["x", "y"]
    assert read_names("people.csv", b"Name,who\nx,Ann\ny,Bob\n", "Name").table["name"].tolist() == ["x", "y"]
    with pytest.raises(NameListError, match="name column: got 'whom', expected one of name, who, team"):
        read_names("people.csv", content, "whom")
