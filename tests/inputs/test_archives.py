"""Zips from somebody else's hand."""

import io
import zipfile

import pytest

from psa_core.errors import RunFolderError
from psa_core.inputs import archives


def zipped(*files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.getvalue()


def unpack(content, folder):
    archives.unpack(content, folder, lambda name: name.endswith(".csv"))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_only_wanted_files_come_out_and_no_path_is_followed(tmp_path):
    content = zipped(("../../a.csv", "1"), ("c:\\x\\b.csv", "2"), ("study/c.html", "3"), ("/etc/d.csv", "4"))
    assert unpack(content, tmp_path) == {"a.csv": b"1", "b.csv": b"2", "d.csv": b"4"}


def test_two_files_of_one_name_are_told(tmp_path):
    with pytest.raises(RunFolderError, match=r"two files 'a\.csv'"):
        unpack(zipped(("x/a.csv", "1"), ("y/a.csv", "2")), tmp_path)


def test_sizes_are_checked_as_they_are_declared(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_MAX_ARCHIVE_MB", "1")
    monkeypatch.setenv("PSA_MAX_ARCHIVE_FILES", "3")
    large = bytes(2**20)
    with pytest.raises(RunFolderError, match=r"2\.0 MB unpacked, expected at most 1 MB"):
        unpack(zipped(("a.csv", large), ("b.csv", large)), tmp_path)
    with pytest.raises(RunFolderError, match="4 files, expected at most 3"):
        unpack(zipped(*((f"{n}.csv", "") for n in range(4))), tmp_path)
    assert not list(tmp_path.iterdir())
    assert unpack(zipped(("a.csv", "1"), ("b.html", large * 2)), tmp_path) == {"a.csv": b"1"}


def test_a_file_that_says_less_than_it_holds_is_damaged(tmp_path):
    content = zipped(("a.csv", bytes(5000)))
    lying = content.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(RunFolderError, match="damaged"):
        unpack(lying, tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"no zip at all", zipped(("a.csv", "1"))[:-30]],
    ids=["empty", "its first bytes", "text", "cut off"],
)
def test_what_is_no_zip_is_told(content, tmp_path):
    with pytest.raises(RunFolderError, match="no zip, or a damaged one"):
        unpack(content, tmp_path)
