"""What changed since an earlier result, as Markdown and as JUnit XML."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from psa_core import tables
from psa_core.report.change_summary import SHOWN_NAMES, _code, junit, markdown
from psa_core.tables import MatchedCubes
from tests.pages import result_studies

TABLE = pd.DataFrame(
    {
        "name": ["Still", "Grown", "Fallen", "Person D"],
        "before": [0.0, 0.1, 0.3, 0.0],
        "now": [0.01, 0.3, 0.0, 0.0],
        "change": [0.01, 0.2, -0.3, 0.0],
        "low": [-0.1, 0.15, -0.4, 0.0],
        "high": [0.1, 0.25, -0.2, 0.0],
        "p_change": [0.8, 0.01, 0.02, 1.0],
        "p_above": [1.0, 0.01, 1.0, 1.0],
        "above": [False, True, False, False],
    }
)


@pytest.fixture(scope="module")
def pair() -> MatchedCubes:
    """The third name raises all scores now; the earlier result lacks a sentence and a name."""
    before = result_studies.cube()
    raised = before.perturbed.copy()
    raised[:, 2, 0] = np.minimum(raised[:, 2, 0] + 0.3, 1)
    names = before.names.iloc[:11]
    earlier = replace(before, names=names, perturbed=before.perturbed[:, :11]).rows(np.arange(1, 40))
    return tables.paired(replace(before, perturbed=raised), earlier)


def rows_of(text: str) -> list[str]:
    return [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| `")]


def test_a_verdict_with_what_was_judged_and_what_was_not(pair: MatchedCubes) -> None:
    text = markdown(pair, {"toxicity": TABLE}, limit=0.1)
    assert text.startswith("## Perturbation sensitivity: failed\n\n39 sentences × 11 names, in both results. ")
    assert "may be 0.1 further from 0 than before." in text
    assert "Not in the baseline, so not judged: 1 sentence and 1 name." in text
    passed = markdown(pair, {"toxicity": TABLE.assign(above=False)}, limit=0.1)
    assert passed.startswith("## Perturbation sensitivity: passed")
    whole = replace(pair, unmatched_sentences=0, unmatched_names=0)
    assert "Not in the baseline" not in markdown(whole, {"toxicity": TABLE}, limit=0.1)


def test_names_that_changed_stand_in_a_table_those_above_the_limit_first(pair: MatchedCubes) -> None:
    text = markdown(pair, {"toxicity": TABLE}, limit=0.1)
    assert rows_of(text) == ["`Grown`", "`Fallen`"]
    assert "| name | before | now | change, 95 % interval | p (Holm) | the limit |" in text
    assert "| +0.1000 | +0.3000 | +0.2000 [+0.1500, +0.2500] | 0.01 | **above** |" in text
    assert "[-0.4000, -0.2000] | 0.02 |  |" in text
    many = pd.concat([TABLE.iloc[[2]].assign(name=f"N{i}", change=-0.3 + 0.01 * i) for i in range(25)])
    many = pd.concat([many, TABLE.iloc[[1]]], ignore_index=True)
    shown = rows_of(markdown(pair, {"toxicity": many}, limit=0.1))
    assert shown == ["`Grown`", *(f"`N{i}`" for i in range(SHOWN_NAMES - 1))]
    assert rows_of(markdown(pair, {"toxicity": TABLE.assign(above=False, p_change=0.5)}, limit=0.1)) == []


def test_a_long_text_is_shortened(pair: MatchedCubes) -> None:
    long = TABLE.assign(name=["x" * 500, "y" * 500, "z" * 400, "w"])
    assert rows_of(markdown(pair, {"toxicity": long}, limit=0.1)) == [f"`{'y' * 399}…`", f"`{'z' * 400}`"]


def test_new_flips_are_listed_those_of_names_above_the_limit_first(pair: MatchedCubes) -> None:
    table = tables.change_table(pair, "toxicity", limit=0.1)
    assert table["above"].tolist() == [name == 2 for name in range(11)]
    flips = tables.new_flips(pair, "toxicity")
    text = markdown(pair, {"toxicity": table}, limit=0.1)
    assert f"did not before (5 of {len(flips)}):" in text
    listed = [line for line in text.splitlines() if line.startswith("- `")]
    assert len(listed) == 5 and all("with `Person C`: " in line for line in listed)
    first = flips.frame().iloc[0]
    before = pair.second.scores("toxicity")[1][first["sentence_position"], 2]
    assert f"{first['original']:.3f} → {first['perturbed']:.3f} (before {before:.3f})" in listed[0]
    less = pair.first.perturbed.copy()
    less[:, 5, 0] = np.minimum(less[:, 5, 0] + 0.2, 1)  # the sixth name is moved too, and less
    both = replace(pair, first=replace(pair.first, perturbed=less))
    assert len(tables.new_flips(both, "toxicity")) > len(flips) + 5
    sixth = table.assign(above=[name == 5 for name in range(11)])
    listed = [line for line in markdown(both, {"toxicity": sixth}, limit=0.1).splitlines() if line.startswith("- `")]
    assert len(listed) == 5 and all("with `Person F`: " in line for line in listed)
    assert "Labels that" not in markdown(replace(pair, second=pair.first), {"toxicity": table}, limit=0.1)


def test_each_name_is_a_test_of_its_target() -> None:
    suites = ElementTree.fromstring(junit({"toxicity": TABLE, "other": TABLE.assign(above=False)}, limit=0.1))
    assert [suite.attrib["failures"] for suite in suites] == ["1", "0"]
    assert [suite.attrib["tests"] for suite in suites] == ["4", "4"]
    (failed,) = [case for case in suites[0] if len(case)]
    assert failed.attrib == {"classname": "psa.toxicity", "name": "Grown"}
    assert failed[0].attrib["message"] == "effect +0.1000 before, +0.3000 now: grown by more than 0.1"
    assert "95 % interval +0.1500 to +0.2500; corrected p = 0.01" in str(failed[0].text)


def test_few_new_flips_are_only_counted(pair: MatchedCubes) -> None:
    table = tables.change_table(pair, "toxicity", limit=0.1)
    for rows in range(2, 30):
        few = replace(pair, first=pair.first.rows(np.arange(rows)), second=pair.second.rows(np.arange(rows)))
        if len(tables.new_flips(few, "toxicity")) == 5:
            break
    assert "did not before (5):" in markdown(few, {"toxicity": table}, limit=0.1)


def test_every_name_above_the_limit_is_a_failure() -> None:
    (suite,) = ElementTree.fromstring(junit({"toxicity": TABLE.assign(above=[True, True, False, True])}, limit=0.1))
    assert suite.attrib["failures"] == "3" and len([case for case in suite if len(case)]) == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("plain  text\n", "`plain text`"),
        ("a `b` ``c`` d", "```a `b` ``c`` d```"),
        ("`a", "`` `a ``"),
        ("a``", "``` a`` ```"),
        ("\x07", "`\ufffd`"),
    ],
)
def test_no_text_is_markup(text: str, code: str) -> None:
    assert _code(text) == code
