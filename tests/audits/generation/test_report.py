"""Audits side by side: a row an audit and score, and a sentence that says no more than the intervals do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core.audits.generation import AUDIT, report
from psa_core.audits.generation.cube import WHOLE
from psa_core.audits.generation.report import (
    QUALITY,
    account,
    comparable,
    comparison_finding,
    fairness_rows,
    finding,
    model_table,
    relevance_table,
    shown_averages,
)
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import tables
from psa_core.registry import ASSETS
from psa_core.report.page import framed
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
        options = {"cut": cut, "tokens": 50, "temperature": 1.0, "seed": 7}
        told = account(replace(made, provenance={"options": options}))
        assert told[0].endswith(" of each; at most 50 tokens at temperature 1.0, seed 7.")
        assert told[1] == f"1 of 180 continuations were left out: {why}"
        imported = account(replace(made, provenance={"generator": {"id": "continuations:mine.csv"}}))
        assert imported[0].endswith(" of each, generated elsewhere.")
    scores = made.scores.copy()
    scores[1, 2, :3] = np.nan
    assert account(replace(made, scores=scores))[2:] == ["3 more have no score by mood."]


def test_what_a_report_does_not_show_is_said() -> None:
    made = AUDITS["large"]
    told = framed(report.report(made)).replace("&#39;", "'")
    for words in (
        "Continuations are scored alone, without their prompt.",
        "<h3>Values that differ most, over all templates</h3>",
        "Where nothing stands as a corrected value, the number is not above noise.",
        "The values' continuations are not known to share a random seed.",
    ):
        assert words in told, words
    provenance = {**made.cube.provenance, "generator": {"id": "continuations:mine.csv"}}
    imported = framed(report.report(replace(made, cube=replace(made.cube, provenance=provenance))))
    assert "(seed, temperature, length) is not known: they come from a file." in imported


def test_what_is_of_texts_with_a_value_says_so() -> None:
    assert {key for key, words in QUALITY.items() if "with a value in them" in words} == {
        "ppl_sensitive", "held_out_sensitive",
    }  # fmt: skip


def fairness(above_noise: bool, **numbers: Any) -> dict[str, Any]:
    usual = {"value": 0.2, "floor": 0.1, "corrected": 0.17, "low": 0.1, "high": 0.25, "p": 0.012, "needed": 30.0}
    return usual | {"above_noise": above_noise} | numbers


def pairs(*rows: dict[str, Any]) -> pd.DataFrame:
    usual = {
        "scorer": "mood", "value_a": "ann", "value_b": "bob", "w1": 0.3, "corrected": 0.25, "p_adjusted": 0.049,
        "difference": 0.2, "difference_low": 0.1, "difference_high": 0.3,
    }  # fmt: skip
    return pd.DataFrame([usual | row for row in rows])


BEYOND = "Continuations differ between values by 0.170 on a scale of 0 to 1 (0.100 to 0.250), beyond a noise of 0.100."
WITHIN = (
    "I.F., the mean distance between the scores of two values, is 0.200 where chance alone shows 0.100 (p = 0.012)."
)
MOST = "What is written about ann and bob differs most: their scores are 0.250 apart on a scale of 0 to 1"


@pytest.mark.parametrize(
    ("above_noise", "table", "headline", "evidence"),
    [
        (
            True,
            pairs({}),
            f"{MOST}; bob scores higher, by 0.200 on average (95 % interval 0.100 to 0.300).",
            f"1 of 1 pair is above noise. {BEYOND}",
        ),
        (
            False,
            pairs({"difference": -0.2, "difference_low": -0.3, "difference_high": -0.1}, {"corrected": 0.2}),
            f"{MOST}; ann scores higher, by 0.200 on average (95 % interval 0.100 to 0.300).",
            f"2 of 2 pairs are above noise. {WITHIN}",
        ),
        (True, pairs({"difference_low": 0.0}), f"{MOST}.", f"1 of 1 pair is above noise. {BEYOND}"),
        (
            True,
            pairs({"difference_low": -0.3, "difference_high": 0.0}, {"p_adjusted": 0.05, "corrected": 0.9}),
            f"{MOST}.",
            f"1 of 2 pairs is above noise. {BEYOND}",
        ),
        (
            True,
            pairs({"p_adjusted": 0.05}),
            "What is written differs between values; no single pair stands out from chance.",
            BEYOND,
        ),
        (
            False,
            pairs({"corrected": 0.0}),
            "No clear difference between what is written about one value and another.",
            WITHIN,
        ),
    ],
)
def test_the_pair_that_differs_most(above_noise: bool, table: pd.DataFrame, headline: str, evidence: str) -> None:
    found = finding({"mood": {"individual_fairness": fairness(above_noise)}}, "mood", table)
    assert (found.headline, found.evidence) == (headline, evidence)


def test_an_interval_that_is_not_known_is_left_out() -> None:
    summary = {"mood": {"individual_fairness": fairness(True, low=None, high=None)}}
    assert "by 0.170 on a scale of 0 to 1, beyond a noise" in finding(summary, "mood", pairs({})).evidence


def test_every_measure_is_listed_with_its_numbers_beside_its_floor() -> None:
    numbers = {
        "individual_fairness": fairness(True),
        "group_fairness": fairness(False, by="gender", value=0.5),
        "demographic_disparity": fairness(False, value=0.6, p=0.3, needed=None),
        "groups": {"gender": fairness(True, value=0.7, p_adjusted=0.024)},
    }
    assert [words for words, _ in fairness_rows(numbers)] == [
        "between values (I.F.)", "between groups by gender (G.F.)", "in the share of scores above the threshold",
    ]  # fmt: skip
    table = shown_averages({"mood": numbers}, ["mood"])
    assert table["as measured"].tolist() == [0.2, 0.7, 0.6] and table["floor"].tolist() == [0.1] * 3
    assert table["p"].tolist() == [0.012, 0.024, 0.3] and table["continuations needed"].tolist()[:2] == [30, 30]
    for column, value in (("corrected", 0.17), ("95 % low", 0.1), ("95 % high", 0.25)):
        assert table[column].tolist()[:2] == [value, value] and np.isnan(table[column][2])
    alone = fairness_rows(numbers | {"groups": {"age": fairness(True)}})
    assert [words for words, _ in alone][1:3] == ["between groups (G.F.)", "between groups by age (G.F.)"]


def test_only_intervals_that_do_not_meet_tell_audits_apart() -> None:
    def audits(*numbers: dict[str, Any]) -> dict[str, GenerationResult]:
        made = AUDITS["large"]
        summaries = [{"mood": {"individual_fairness": each}} for each in numbers]
        return {f"a{n}": replace(made, tables=replace(made.tables, summary=each)) for n, each in enumerate(summaries)}

    large = fairness(True, corrected=0.5, low=0.4, high=0.6)
    assert comparison_finding(audits(fairness(True, high=0.399), large), "mood") == (
        "By mood values differ more in a1 (0.500 (0.400 to 0.600)) than in a0 (0.170 (0.100 to 0.399)); the intervals "
        "do not meet."
    )
    assert comparison_finding(audits(fairness(True, high=0.4), large), "mood") == (
        "By mood there is no clear difference between these audits: a1 (0.500 (0.400 to 0.600)), a0 (0.170 (0.100 to "
        "0.400))."
    )


def test_readers_see_titles_and_files_have_ids() -> None:
    example = AUDIT.read(ASSETS / "examples" / "occupations")
    page = framed(report.report(example))
    words = re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert "What SmolLM2-135M-Instruct writes about one value and another" in words
    assert "MiniLM sentiment: What is written about" in words and "Opinion words" in words
    assert not [name for name in (*example.cube.scorers, "lm:smollm2") if name in words]
    assert set(model_table({"a": example})["score"]) == set(example.cube.scorers), "as the download has them"
