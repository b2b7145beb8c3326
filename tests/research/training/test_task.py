from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import numpy as np
import pytest

from psa_core.errors import CorpusError
from research.training.task import read_task


def write(folder: Path, **tables: str) -> Path:
    for split, content in tables.items():
        (folder / f"{split}.csv").write_text(content, "utf-8")
    return folder


def test_numbers_in_label_give_the_order_of_the_names(tmp_path: Path) -> None:
    table = "text,label,label_name\nugh,10,bad\nyes,2,good\n"
    task = read_task(write(tmp_path, train=table, val=table))
    assert task.labels == ("good", "bad")  # 2 before 10: by value, not by spelling
    assert task.train.texts == ("ugh", "yes")
    np.testing.assert_array_equal(task.train.labels, [1, 0])
    assert task.test is None


def test_label_alone_may_hold_words(tmp_path: Path) -> None:
    task = read_task(write(tmp_path, train="text,label\nx,no\ny,maybe\n", val="text,label\nz,no\n"))
    assert task.labels == ("maybe", "no")
    np.testing.assert_array_equal(task.val.labels, [1])


def test_gzip_and_words_that_look_like_missing_values(tmp_path: Path) -> None:
    write(tmp_path, val="text,label\nNA,a\n")
    (tmp_path / "train.csv.gz").write_bytes(gzip.compress(b"text,label\nnull,a\nnan,b\n,b\n"))
    task = read_task(tmp_path)
    assert task.train.texts == ("null", "nan", "")
    assert task.val.texts == ("NA",)


@pytest.mark.parametrize(
    ("train", "val", "message"),
    [
        ("text,label\na,1\nb,0\n", None, "no val.csv"),
        ("words,label\na,1\nb,0\n", "text,label\na,1\n", "words, label"),
        ("text,kind\na,1\nb,0\n", "text,label\na,1\n", "text, kind"),
        ("text,label\n", "text,label\na,1\n", "no rows"),
        ("", "text,label\na,1\n", "unreadable"),
        ("text,label\na,1\nb,\n", "text,label\na,1\n", "empty label in data row 2"),
        ("text,label\na,1\nb,1\n", "text,label\na,1\n", "at least two classes"),
        ("text,label\na,1\nb,0\n", "text,label\na,2\n", "2, which train does not have"),
        ("text,label,label_name\na,1,x\nb,0,y\nc,0,x\n", "text,label\na,1\n", "one label per label_name"),
    ],
)
def test_bad_tables_are_named(tmp_path: Path, train: str, val: str | None, message: str) -> None:
    write(tmp_path, train=train, **({} if val is None else {"val": val}))
    with pytest.raises(CorpusError, match=message):
        read_task(tmp_path)


def test_wrong_encodings_and_damaged_gzip_are_named(tmp_path: Path) -> None:
    write(tmp_path, val="text,label\na,1\n")
    (tmp_path / "train.csv").write_bytes(b"text,label\n\xff\xfe,1\n")
    with pytest.raises(CorpusError, match=r"train\.csv"):
        read_task(tmp_path)
    (tmp_path / "train.csv").unlink()
    (tmp_path / "train.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(CorpusError, match=r"train\.csv\.gz"):
        read_task(tmp_path)


def test_tables_over_the_limits_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, val="text,label\na,1\n", train=",".join(map(str, range(2_000))) + "\n")
    with pytest.raises(CorpusError, match="2,000 columns"):
        read_task(tmp_path)
    with (tmp_path / "train.csv").open("wb") as file:
        file.truncate(2**31)
    with pytest.raises(CorpusError, match="2,048 MB"):
        read_task(tmp_path)
    (tmp_path / "train.csv").unlink()
    (tmp_path / "train.csv.gz").write_bytes(gzip.compress(Random(0).randbytes(2**21)) + (2**31).to_bytes(4, "little"))
    with pytest.raises(CorpusError, match="2,048 MB when unpacked"):
        read_task(tmp_path)
