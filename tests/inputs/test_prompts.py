"""Templates, values and the grammar between them."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pandas as pd
import pytest

from psa_core.errors import NameListError, OptionError, PsaError
from psa_core.inputs import prompts

COUNTS = {"occupation": (10, 29), "country": (10, 10), "name": (10, 34)}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_the_papers_lists(name: str) -> None:
    found = prompts.load(name)
    assert (len(found.templates), len(found.values)) == COUNTS[name]
    texts = [prompt for row in found.prompts() for prompt in row]
    assert len(set(texts)) == COUNTS[name][0] * COUNTS[name][1]
    assert not any(mark in text for text in texts for mark in ("{", "a/an", "he/she", "his/her", "<"))


@pytest.mark.parametrize(
    ("template", "row", "wanted"),
    [
        ("I met a/an {value}, and we", {"value": "attendant"}, "I met an attendant, and we"),
        ("A/An {value} is", {"value": "nurse"}, "A nurse is"),
        ("A/An {value} is", {"value": "engineer"}, "An engineer is"),
        ("{value} said he/she feels", {"value": "Jake", "gender": "male"}, "Jake said he feels"),
        ("{value} is known for his/her", {"value": "Amy", "gender": "Female"}, "Amy is known for her"),
        ("{value} is known for his/her", {"value": "Sam", "gender": "nonbinary"}, "Sam is known for their"),
        ("He/She, {value}, is", {"value": "Amy", "gender": "female"}, "She, Amy, is"),
        ("a/an old {value}", {"value": "baker"}, "an old baker"),
        ("{Title} {last} left {his} car.", {"value": "Ann Lee", "gender": "f"}, "Ms. Lee left her car."),
        ("{first} {is/are} late, says {value}.", {"value": "Kim Lee"}, "Kim are late, says Kim Lee."),
        ("{last} is a/an", {"value": "Bo", "first": "Bo", "last": "Ek"}, "Ek is a/an"),
        ("{name} met {value}", {"value": "{he} Lee"}, "{he} Lee met {he} Lee"),
        ("{value}", {"value": "{value} \\1"}, "{value} \\1"),
    ],
)  # fmt: skip
def test_grammar_is_resolved_when_filled(template: str, row: dict[str, str], wanted: str) -> None:
    assert prompts.filled(template, row) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("hour", "an"), ("house", "a"), ("honest clerk", "an"), ("heir", "an"), ("heiress", "an"), ("heist", "a"),
        ("European", "a"), ("user", "a"), ("usher", "an"), ("unicorn", "a"), ("uncle", "an"), ("uninvited guest", "an"),
        ("one-time clerk", "a"), ("CEO", "a"), ("MBA", "an"), ("HR manager", "an"), ("IT clerk", "an"),
        ("émigré", "an"), ("“auditor”", "an"), ("umbrella maker", "an"), ("UK minister", "a"), ("FBI agent", "an"),
        ("utility worker", "a"),
    ],
)  # fmt: skip
def test_articles_follow_the_sound(word: str, wanted: str) -> None:
    assert prompts.article(word) == wanted


def test_files(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("\ufeff{value} is\n\nI know {value}, and\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text("value,gender\nAnn,female\nBob, male\n", encoding="utf-8")
    found = prompts.load(str(tmp_path / "t.txt"), str(tmp_path / "v.csv"))
    assert found.prompts() == [["Ann is", "Bob is"], ["I know Ann, and", "I know Bob, and"]]
    assert found.group == "gender" and found.values["gender"].tolist() == ["female", "male"]


@pytest.mark.parametrize(
    ("lines", "values", "message"),
    [
        (["no slot"], "value\nA\nB\n", r"templates: got 'no slot'"),
        (["{value} and {value}"], "value\nA\nB\n", "templates: "),
        (["{value} is", "{value} is"], "value\nA\nB\n", "twice"),
        (["{value} works as a/an"], "value\nA\nB\n", "a word after a/an"),
        (["{value} became A/an, once"], "value\nA\nB\n", "a word after a/an"),
        ([], "value\nA\nB\n", "0 templates"),
        (["{value} is"], "value\nA\n", "values: "),
        (["{value} said he/she"], "value\nA\nB\n", "no gender"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, lines: list[str], values: str, message: str) -> None:
    (tmp_path / "t.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "v.csv").write_text(values, encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        prompts.load(str(tmp_path / "t.txt"), str(tmp_path / "v.csv"))


def test_values_that_are_typed_may_have_groups() -> None:
    table = prompts.typed_values("Value, gender\n\nMary Ann, female\nJohn,\n")
    assert table.to_dict("list") == {"value": ["Mary Ann", "John"], "gender": ["female", ""]}
    assert prompts.typed_values("value").to_dict("list") == {"value": ["value"]}
    assert prompts.typed_values("Paris, France\nRome, Italy")["value"].tolist() == ["Paris, France", "Rome, Italy"]
    with pytest.raises(OptionError, match="got 1 value, expected"):
        prompts.checked(["{value} is"], prompts.typed_values("nurse\nnurse"))
    with pytest.raises(NameListError):
        prompts.typed_values("value,gender\n")


def test_unknown_lists() -> None:
    with pytest.raises(OptionError, match=r"^templates: "):
        prompts.load("nowhere", "country")
    with pytest.raises(OptionError, match=r"^values: "):
        prompts.load("country", "nowhere")


def test_prompts_have_a_limit_in_all() -> None:
    lines = [f"{n} {'x' * 1_900} {prompts.SLOT}" for n in range(60)]
    values = pd.DataFrame({"value": [f"v{n}" for n in range(1_000)]})
    with pytest.raises(OptionError, match=r"characters in all, expected at most 100,000,000"):
        prompts.checked(lines, values)


def in_files(folder: Path, lines: str, values: bytes) -> prompts.PromptSet:
    (folder / "t.txt").write_text(lines, encoding="utf-8")
    (folder / "v.csv").write_bytes(values)
    return prompts.load(str(folder / "t.txt"), str(folder / "v.csv"))


@pytest.mark.parametrize("blank", [b"\t", b"\x0b\t", b' "', b"\t;"])
def test_a_long_header_of_blanks_takes_no_longer_than_another(tmp_path: Path, blank: bytes) -> None:
    began = time.process_time()
    with pytest.raises(OptionError, match=r"^values: "):
        in_files(tmp_path, "{value} is", blank * 200_000 + b"x\nAnn\n")
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "header", [b"value,born", b'"Value",born', b"\xef\xbb\xbfvalue,born", b"value;born", b"born\tVALUE"]
)
def test_the_column_of_values_is_found_by_its_header(tmp_path: Path, header: bytes) -> None:
    mark = next(mark for mark in (b",", b";", b"\t") if mark in header)
    row = b"Ann%s1950\nBo%s1960\n" if not header.startswith(b"born") else b"1950%sAnn\n1960%sBo\n"
    found = in_files(tmp_path, "{value} is", header + b"\n" + row % (mark, mark))
    assert found.values["value"].tolist() == ["Ann", "Bo"] and found.values["born"].tolist() == ["1950", "1960"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes of that kind on this system")
def test_what_may_never_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    os.symlink("/dev/zero", tmp_path / "zero.csv")
    with (tmp_path / "sparse.csv").open("wb") as file:
        file.truncate(2**33)
    for name in ("pipe.csv", "zero.csv", "sparse.csv"):
        with pytest.raises(OptionError, match=r"^templates: "):
            prompts.load(str(tmp_path / name), "name")
        with pytest.raises(OptionError, match=r"^values: "):
            prompts.load("name", str(tmp_path / name))


def test_templates_about_a_person_need_no_value_slot(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("{first} told {his} boss that\n{value} said\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text("value,first,last,gender\nAnn Lee,Ann,Lee,female\nBo Ek,Bo,Ek,male\n", "utf-8")
    found = prompts.load(str(tmp_path / "t.txt"), str(tmp_path / "v.csv"))
    assert found.prompts() == [["Ann told her boss that", "Bo told his boss that"], ["Ann Lee said", "Bo Ek said"]]


@pytest.mark.parametrize(
    ("template", "told"),
    [("nobody is", "one {value} in each, or slots of a person"), ("{value} and {value}", "one {value}"),
     ("{name} and {value} and {value}", "one {value}"), ("{nmae} is", "a slot: got {nmae}")],
)  # fmt: skip
def test_a_template_that_cannot_be_filled_is_told(template: str, told: str) -> None:
    with pytest.raises(PsaError, match=re.escape(told)):
        prompts.checked([template], pd.DataFrame({"value": ["Ann", "Bo"]}))
