"""Manifests are data: each field of its kind, and nothing that JSON could not write again."""

import json

import pytest

from psa_core.errors import RunFolderError
from psa_core.folders import manifest

TARGET = {"name": "toxicity", "low": 0.0, "high": 1.0, "meaning": "", "threshold": None}
GOOD = {
    "study": {"model": "vader"},
    "inputs": {"sentences": {"source": "a.csv", "sha256": "0"}},
    "account": {"read": 3},
    "notes": ["one"],
    "versions": {"python": "3.11"},
    "targets": [TARGET],
    "name_columns": ["name"],
    "fingerprint": "x",
    "anything": {"else": [1, 2.5, None, True]},
}


@pytest.fixture
def parse(tmp_path):
    def read(text):
        (tmp_path / "manifest.json").write_text(text)
        return manifest.read(tmp_path / "manifest.json")

    return read


def test_what_a_run_writes_is_read_as_it_is(parse):
    assert parse(json.dumps(GOOD)) == GOOD
    for more in ({"targets": {"vader": [TARGET]}}, {"models": {"vader": {"id": "vader"}}}, {"lm": {"loss": [1]}}):
        assert parse(json.dumps(more)) == more


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("study", ["model"]),
        ("inputs", {"sentences": "a.csv"}),
        ("account", {"read": "3"}),
        ("account", {"read": True}),
        ("account", {"read": 10**15}),
        ("account", {"read": -(10**15)}),
        ("notes", "one"),
        ("versions", {"python": 3.11}),
        ("targets", "toxicity"),
        ("targets", [{**TARGET, "name": "a/b"}]),
        ("targets", [{**TARGET, "name": "a\x01b"}]),
        ("targets", [{**TARGET, "low": "0"}]),
        ("targets", [{**TARGET, "high": 10**40}]),
        ("targets", [{**TARGET, "high": 1e30}]),
        ("targets", [{**TARGET, "low": -1e30}]),
        ("targets", [{"low": 0.0}]),
        ("name_columns", {"name": 1}),
        ("fingerprint", None),
        ("audit", 7),
        ("systems", [1]),
        ("models", {"vader": ["vader"]}),
        ("options", ["seed"]),
        ("masked", {"code": 1.5}),
        ("missing", {"toxicity": 3}),
        ("conditions", [{"id": "none"}]),
    ],
)
def test_a_field_of_another_kind_is_told_by_its_name(field, value, parse):
    with pytest.raises(RunFolderError, match=field):
        parse(json.dumps({**GOOD, field: value}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"\\udc00": 1}',
        "[" * 10**5,
        '{"a": ' + "9" * 5000 + "}",
    ],
)
def test_what_cannot_be_written_again_is_told(text, parse):
    with pytest.raises(RunFolderError, match="damaged"):
        parse(text)


def test_a_folder_without_one_and_a_file_far_too_large_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "MAX_BYTES", 10)
    with pytest.raises(RunFolderError, match=r"no manifest\.json"):
        manifest.read(tmp_path / "manifest.json")
    (tmp_path / "manifest.json").write_bytes(b" " * 20)
    with pytest.raises(RunFolderError, match="larger than 0 KB"):
        manifest.read(tmp_path / "manifest.json")


def test_a_folder_that_is_not_there_is_told_from_one_without_a_manifest(tmp_path):
    with pytest.raises(RunFolderError, match=r"got no manifest\.json"):
        manifest.read(tmp_path / "manifest.json")
    with pytest.raises(RunFolderError, match=r"got no folder '.*gone'"):
        manifest.read(tmp_path / "gone" / "manifest.json")
