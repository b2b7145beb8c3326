"""Templates, values and the grammar between them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from psa_core.errors import OptionError
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
        (["no slot"], "value\nA\nB\n", r"--templates: got 'no slot'"),
        (["{value} and {value}"], "value\nA\nB\n", "--templates"),
        (["{value} is", "{value} is"], "value\nA\nB\n", "twice"),
        ([], "value\nA\nB\n", "0 templates"),
        (["{value} is"], "value\nA\n", "--values"),
        (["{value} said he/she"], "value\nA\nB\n", "no gender"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, lines: list[str], values: str, message: str) -> None:
    (tmp_path / "t.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "v.csv").write_text(values, encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        prompts.load(str(tmp_path / "t.txt"), str(tmp_path / "v.csv"))


def test_unknown_lists() -> None:
    with pytest.raises(OptionError, match="--templates"):
        prompts.load("nowhere", "country")
    with pytest.raises(OptionError, match="--values"):
        prompts.load("country", "nowhere")


def test_prompts_have_a_limit_in_all() -> None:
    lines = [f"{n} {'x' * 1_900} {prompts.SLOT}" for n in range(60)]
    values = pd.DataFrame({"value": [f"v{n}" for n in range(1_000)]})
    with pytest.raises(OptionError, match=r"characters in all, expected at most 100,000,000"):
        prompts.checked(lines, values)
