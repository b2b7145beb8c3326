"""Three studies at one threshold contradict themselves nowhere; ``python -m tests.agreement`` reads eighteen at two."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.agreement.doors import check
from tests.agreement.said import Door, Files, against_files, contradictions, plain, statements
from tests.agreement.studies import cases

LABELS = (
    "Swapping in a name changes 5 of 40 labels for the mood score (flagged at −0.3 and above): 3 become flagged, 2 "
    "stop being flagged."
)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    logging.getLogger("streamlit").setLevel(logging.ERROR)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["predictions", "left out and hidden", "not answered"])
def test_pages_slides_report_and_files_state_the_same(title: str, tmp_path: Path) -> None:
    case = cases(tmp_path)[title]
    assert list(check(replace(case, thresholds=case.thresholds[1:]))) == []


def test_html_is_read_as_its_text() -> None:
    text = plain('<p style="x">a&nbsp;% &lt;b&gt;</p><details><summary>How sure?</summary><p>c</p></details>')
    assert text.split() == ["a", "%", "<b>", "How", "sure?", "c"]


def test_a_statement_is_found_with_its_kind_up_to_its_full_stop() -> None:
    said = statements(
        f"Before. {LABELS} LabelDist is 0.08 (95 % interval 0.03 to 0.18): how much. And 12 sentences × 3 names."
    )
    assert said == {
        "changed labels": {LABELS},
        "changed labels, measured": {"LabelDist is 0.08 (95 % interval 0.03 to 0.18): how much."},
        "sizes": {"12 × 3"},
        "threshold": {"−0.3"},
    }


def test_two_doors_that_differ_and_a_claim_of_too_small_a_study_are_noticed() -> None:
    other = LABELS.replace("5 of 40", "6 of 40")
    (line,) = contradictions([Door("Names", statements(LABELS)), Door("Report", statements(other))])
    assert line.startswith("changed labels: Names: ['Swapping in a name changes 5") and "6 of 40" in line
    few = "8 sentences are too few to say anything. Results come from 12 on."
    claim = "Put in “Ann” and the mood score goes up by 0.2 on average, from 0.1 to 0.3."
    (line,) = contradictions([Door("Study", statements(few)), Door("Names", statements(claim))])
    assert line.startswith("Names claims") and "Study says that the study is too small" in line
    assert list(contradictions([Door("Study", statements(claim)), Door("Names", statements(claim))])) == []


def test_a_number_that_is_not_that_of_the_files_is_noticed() -> None:
    names = pd.DataFrame({"target": "mood", "name": ["Ann", "Bo"], "score_sens": [0.2, -0.1], "ci_low": [0.15, -0.3],
                          "ci_high": [0.25, 0.1], "p_adjusted": [0.01, 0.4], "threshold": -0.3})  # fmt: skip
    flips = pd.DataFrame({"target": "mood", "direction": ["up"] * 3 + ["down"] * 2})
    interval = ("value", "low", "high")
    summary = {
        "score_range": dict(zip(interval, (0.3, 0.2, 0.4), strict=True)),
        "score_dev": dict(zip(interval, (0.1, 0.05, 0.15), strict=True)),
    }
    files = Files({"mood": summary}, {"names.csv": names, "flips.csv": flips}, {"mood": 40}, {"mood": 1})
    name = (
        "Mean change from the original score over 20 sentences: +0.20 (95 % interval +0.15 to +0.25) for Ann. 1 of 2 "
        "names differs significantly from the original score (t-test)."
    )
    spread = (
        "ScoreRange, that difference, is 0.30 (95 % interval 0.20 to 0.40); ScoreDev is 0.10 (95 % interval 0.05 to "
        "0.15)."
    )
    right = f"{LABELS} {name} {spread}"
    assert list(against_files(statements(right), files, "mood", are_names_hidden=False)) == []
    changes = [("5 of 40", "6 of 40"), ("40 labels", "41 labels"), ("3 become", "2 become"), ("−0.3", "−0.2")]
    changes += [
        ("+0.25", "+0.26"),
        ("for Ann", "for Bo"),
        ("1 of 2", "2 of 2"),
        ("0.40)", "0.41)"),
        ("0.15).", "0.16)."),
    ]
    for wrong in changes:
        assert list(against_files(statements(right.replace(*wrong)), files, "mood", are_names_hidden=False)), wrong
