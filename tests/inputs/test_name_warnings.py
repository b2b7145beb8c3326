"""Warnings about names that may not be what they seem."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.inputs.name_warnings import lint


def kinds(*names: str) -> list[tuple[str, str]]:
    return [(warning.name, warning.kind) for warning in lint(pd.DataFrame({"name": list(names)}))]


@pytest.mark.parametrize("name", ["Will", "Grace", "Go", "Six", "go", "Pink", "Edge", "Hope", "May", "Mark"])
def test_ordinary_words(name):
    assert (name, "word") in kinds(name, "Ann Lee")


@pytest.mark.parametrize(
    "name", ["Will Smith", "Beyoncé", "Shakira", "Angela", "the nurse", "O'Neil", "Hillary Clinton"]
)
def test_names_that_raise_no_warning(name):
    assert kinds(name, "Bob Dylan") == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Wolfeschlegelsteinhausenbergerdorff Hubert", "long"),
        ("The Right Honourable Baroness Thatcher of Kesteven", "long"),
        ("50 Cent", "digit"),
        ("محمد", "script"),
        ("Елена", "script"),
        ("Li 李", "script"),
        ("bell hooks", "lower case"),
        ("=1+1", "markup"),
        ("@someone", "markup"),
        ("<b>Ann</b>", "markup"),
        ("{name}", "markup"),
    ],
)
def test_each_kind(name, kind):
    assert (name, kind) in kinds(name, "Ann Lee")


def test_names_that_differ_in_capitals_only_are_both_marked():
    assert kinds("Ann Lee", "ANN LEE", "Eve Fox") == [("Ann Lee", "duplicate"), ("ANN LEE", "duplicate")]


def test_message_is_a_sentence_that_starts_with_the_name():
    (warning,) = lint(pd.DataFrame({"name": ["Grace"]}))
    assert warning.message.startswith("'Grace' is also an ordinary English word") and warning.message.endswith(".")
