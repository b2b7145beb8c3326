"""Any sentence can be looked up: taken or not, why, and what to do."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import psa_core as psa
from psa_core import anchors
from psa_core.errors import PsaError
from psa_core.inputs import corpus
from psa_core.study.selection import (
    ELIGIBLE,
    EMPTY,
    NO_ANCHOR,
    NOT_LOOKED_AT,
    SWITCHED_OFF,
    WORDS,
    SelectionOptions,
    outcome_table,
    select,
)


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
    table = psa.review(texts, sample=2, switched=frozenset({("7", 0)}))
    assert table["taken"].tolist() == [True, False, False, False, False, True, False]
    assert table["text"].tolist() == texts
    none = "It has no word that a name could replace."
    write = "Choose other words to replace, or write {name} where the name should stand, in every sentence."
    assert table[["reason", "what_to_do"]].to_numpy().tolist() == [
        ["", ""],
        [none, write],
        ["The text is empty.", "Fill it in, or leave it."],
        ["It is longer than 50 words.", "Allow longer sentences."],
        [f"{none} Left alone: a name or a title (Mr. He, Her Majesty).", write],
        ["", ""],
        ["Each word that a name could replace is switched off.", "Switch one on again."],
    ]


def test_what_is_not_drawn_is_told_from_what_cannot_be() -> None:
    for texts, options, count, words in (
        (
            ["He left.", "He ran.", "She left."],
            {},
            1,
            ("is left out so that female and male words are equally common.", "Do not balance them."),
        ),
        (
            ["He left.", "He ran.", "He sat."],
            {"sample": 1, "balance": False},
            2,
            ("is not in the random sample.", "Take a larger sample."),
        ),
    ):
        table = psa.review(texts, **options)
        left_out = table.loc[~table["taken"], ["reason", "what_to_do"]].to_numpy().tolist()
        assert left_out == [[f"It could be used, but {words[0]}", words[1]]] * count


def test_it_answers_also_where_no_sentence_can_be_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\nNobody came.\n", encoding="utf-8")
    assert psa.review(tmp_path / "a.csv")["taken"].tolist() == [False]
    assert psa.review(pd.DataFrame({"text": ["I met {name}."]}))["taken"].tolist() == [True]
    with pytest.raises(PsaError, match="charm"):
        psa.review(["He left."], charm=1)


def test_every_fate_has_words() -> None:
    assert {EMPTY, NO_ANCHOR, *anchors.REASONS, SWITCHED_OFF, NOT_LOOKED_AT, *ELIGIBLE} == set(WORDS)


def test_some_sentences_are_looked_up_without_a_look_at_all() -> None:
    frame = corpus.from_memory(["He left.", "He ran.", "She left.", "Nobody came."]).sentences
    finder, options = anchors.finder("pronouns"), SelectionOptions(balance=True)
    every = outcome_table(frame, finder, options)
    for rows in (frame.iloc[:2], frame.iloc[1:], frame.iloc[[3]]):
        some = outcome_table(rows, finder, options, select(frame, finder, options))
        pd.testing.assert_frame_equal(some, every.iloc[rows.index].reset_index(drop=True))


def test_families_are_named_as_in_the_readers_file() -> None:
    frame = pd.DataFrame({"text": ["He left.", "He ran.", "He sat."], "family": list("aab"), "role": list("abb")})
    for column in ("family", "role"):
        found = select(
            corpus.from_memory(frame).sentences, anchors.finder("pronouns"), SelectionOptions(families=column)
        )
        assert found.families.sizes.tolist() == ([2, 1] if column == "family" else [1, 2])
