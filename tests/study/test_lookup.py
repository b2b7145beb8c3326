"""Any sentence can be looked up: taken or not, why, and what to do."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import psa_core as psa
from psa_core.errors import PsaError
from psa_core.study.lookup import WORDS
from psa_core.study.selection import ELIGIBLE, EMPTY, NO_ANCHOR, SWITCHED_OFF


def test_every_sentence_has_its_reason() -> None:
    texts = [
        "He left.",
        "Nobody came.",
        " ",
        "He " + "really " * 60 + "left.",
        "Her Majesty came.",
        "She left.",
        "He ran.",
    ]
    table = psa.review(texts, sample=2, exclude=frozenset({("7", 0)}))
    assert table["taken"].tolist() == [True, False, False, False, False, True, False]
    assert table["text"].tolist() == texts
    reasons = table["reason"].tolist()
    assert "no word that a name could replace" in reasons[1] and "Majesty" in reasons[4]
    assert "empty" in reasons[2] and "longer than 50 words" in reasons[3] and "switched off" in reasons[6]
    assert (table["what_to_do"] != "").tolist() == (~table["taken"]).tolist()


def test_what_is_not_drawn_is_told_from_what_cannot_be() -> None:
    table = psa.review(["He left.", "He ran.", "She left."])
    assert sorted(table["reason"].str.contains("equally common").tolist()) == [False, False, True]
    drawn = psa.review(["He left.", "He ran.", "He sat."], sample=1, balance=False)
    assert drawn["reason"].str.contains("random sample").sum() == 2


def test_it_answers_also_where_no_sentence_can_be_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\nNobody came.\n", encoding="utf-8")
    assert psa.review(tmp_path / "a.csv")["taken"].tolist() == [False]
    assert psa.review(pd.DataFrame({"text": ["I met {name}."]}))["taken"].tolist() == [True]
    with pytest.raises(PsaError, match="charm"):
        psa.review(["He left."], charm=1)


def test_every_fate_has_words() -> None:
    assert {EMPTY, NO_ANCHOR, SWITCHED_OFF, *ELIGIBLE} == set(WORDS)
