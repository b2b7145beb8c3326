"""What every kind of anchor promises."""

from __future__ import annotations

import subprocess
import sys

import pytest

from psa_core import anchors
from psa_core.errors import AnchorError

TEXTS = ["He saw Angela Merkel in Paris.", "I hate {name}.", "nothing", "", "😀 her dog's name"]
SPECS = ["pronouns", "pronouns:he,they", "entities:PERSON,GPE", "terms:he,dog", "slot", "slot:somebody"]


@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec: str) -> None:
    finder = anchors.finder(spec)
    found = finder.find(TEXTS)
    assert finder.spec == spec
    assert finder.fingerprint
    assert len(found) == len(TEXTS)
    assert any(found)
    assert finder.find([]) == []
    for text, spans in zip(TEXTS, found, strict=True):
        edges = [edge for one in spans for edge in (one.start, one.end)]
        assert edges == sorted(edges)
        assert all(0 <= one.start < one.end <= len(text) for one in spans)
        assert {one.role for one in spans} <= {"subject", "object", "possessive"}


def test_plug_ins_are_found_by_themselves() -> None:
    assert sorted(anchors.plugins()) == ["entities", "person", "pronouns", "slot", "terms"]
    assert all(plugin.title and plugin.summary and plugin.argument for plugin in anchors.plugins().values())


@pytest.mark.parametrize("spec", ["", "pronoun", "nouns:he"])
def test_unknown_kind(spec: str) -> None:
    with pytest.raises(AnchorError, match="entities, person, pronouns, slot, terms"):
        anchors.finder(spec)


def test_listing_the_kinds_loads_nothing_heavy() -> None:
    lines = ["import sys", "from psa_core import anchors", "anchors.finder('pronouns').fingerprint"]
    code = "; ".join([*lines, "print('spacy' in sys.modules)"])
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_one_kind_is_the_default() -> None:
    assert [kind.id for kind in anchors.plugins().values() if kind.is_default] == [anchors.default()] == ["pronouns"]


def test_only_a_slot_has_no_original() -> None:
    assert not anchors.kind("slot:this person").has_original
    assert anchors.kind("pronouns:he").has_original and anchors.kind("unknown").has_original
