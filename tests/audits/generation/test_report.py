"""Audits side by side: a row an audit and score, and a sentence that says no more than the intervals do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from psa_core.audits.generation.cube import WHOLE
from psa_core.audits.generation.report import (
    QUALITY,
    account,
    comparable,
    comparison_finding,
    model_table,
    relevance_table,
)
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import tables
from tests.audits.generation.test_tables import cube


def audit(shift: float, **quality: float) -> GenerationResult:
    made = cube(shift)
    return GenerationResult(made, tables(made, quality=quality))


AUDITS = {"large": audit(0.5, ppl=20.0, semantic_similarity=0.4), "small": audit(0.2), "none": audit(0.0)}


def test_each_audit_has_its_numbers_beside_their_floors() -> None:
    table = model_table(AUDITS).set_index("audit")
    assert table.loc["large", "PPL"] == 20 and table.loc["large", "kept"] == pytest.approx(179 / 180)
    assert table["PPL"].isna().tolist() == [False, True, True]
    assert "PPLˢ" not in table
    number = AUDITS["large"].tables.summary["mood"]["individual_fairness"]
    assert table.loc["large", ["I.F.", "floor of I.F."]].tolist() == [number["value"], number["floor"]]
    assert table.loc["large", "I.F. corrected"].startswith(f"{number['corrected']:.3f} (")
    assert table.loc["none", "I.F. corrected"] == "not above noise"


def test_fairness_against_relevance_needs_both() -> None:
    both = AUDITS | {"none": audit(0.0, semantic_similarity=0.1)}
    table = relevance_table(both, "mood").set_index("audit")
    assert table.index.tolist() == ["large", "none"], "of the small one nobody knows how much is about the value"
    number = AUDITS["large"].tables.summary["mood"]["individual_fairness"]
    assert table.loc["large"].tolist() == [0.4, number["corrected"], number["low"], number["high"]]
    assert table.loc["none"].tolist() == [0.1, 0, 0, 0]
    assert relevance_table(both, "another").empty


def test_the_sentence_says_what_the_intervals_allow() -> None:
    both = {name: AUDITS[name] for name in ("large", "small")}
    apart = comparison_finding(both, "mood")
    assert apart.startswith("By mood values differ more in large (") and "than in small (" in apart
    assert apart.endswith("; the intervals do not meet.")
    same = {"one": AUDITS["large"], "other": AUDITS["large"]}
    assert comparison_finding(same, "mood").startswith(
        "By mood there is no clear difference between these audits: one ("
    )
    unsure = {"large": AUDITS["large"], "none": AUDITS["none"]}
    assert "no clear difference" in comparison_finding(unsure, "mood")
    assert "none (not above noise)" in comparison_finding(unsure, "mood")
    assert "none (" not in comparison_finding(AUDITS, "mood")
    assert "none of these" in comparison_finding({"none": AUDITS["none"], "again": AUDITS["none"]}, "mood")
    assert "Only one" in comparison_finding(both, "another")


def test_only_audits_of_the_same_prompts_are_about_the_same() -> None:
    cube = AUDITS["large"].cube
    some = replace(cube, values=cube.values[:2], texts=cube.texts[:, :2], scores=cube.scores[:, :2])
    part = replace(AUDITS["large"], cube=some)
    assert comparable(AUDITS) and not comparable(AUDITS | {"part": part})


def test_why_continuations_were_left_out_depends_on_how_they_are_cut() -> None:
    made = AUDITS["large"].cube
    for cut, why in (
        (WHOLE, "they are empty."),
        ("sentence", "they have no full stop and no line break to be cut at."),
    ):
        told = account(replace(made, provenance={"options": {"cut": cut}}))
        assert told[1] == f"1 of 180 continuations were left out: {why}"


def test_what_is_of_texts_with_a_value_says_so() -> None:
    assert {key for key, words in QUALITY.items() if "with a value in them" in words} == {
        "ppl_sensitive", "held_out_sensitive",
    }  # fmt: skip
