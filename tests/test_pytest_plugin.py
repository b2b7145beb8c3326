"""The pytest plug-in, in the real pytest: what passes, what fails and with which words, baselines, JUnit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from psa_core.errors import OptionError
from psa_core.pytest_plugin import NameSensitivity

ROOT = Path(__file__).resolve().parent.parent

SENTENCES = [
    "He missed the last ferry to the island.", "Nobody knew that she had won the chess club's cup.",
    "The dentist asked him to come back on Friday.", "For years her garden was the loveliest in town.",
    "He sold two cars and a boat before lunch.", "It rained, so she read the whole manual instead.",
    "When the lights went out, he lit a candle.", "Everybody who met her spoke of that laugh.",
    "The new neighbours invited her for tea and scones.", "After the storm he mended every fence on the hill.",
    "Two of the judges gave her full marks.", "In the photograph he stands behind the piano.",
]  # fmt: skip
TEST_FILE = f"""
SENTENCES = {SENTENCES!r}

def kind(texts):
    return [0.1] * len(texts)

def biased(texts):  # three percent less for every sentence, and half for one name
    return [0.1 + 0.4 * ("Tyrone" in text) + 0.001 * (len(text) % 3) for text in texts]

NAMES = ["Ann", "Bob", "Carla", "Dai", "Tyrone"]

def test_no_name_moves_it(psa):
    assert len(psa.assert_stable(kind, SENTENCES, names=NAMES, max_effect=0.02).names) == 5

def test_one_name_moves_it(psa):
    psa.assert_stable(biased, SENTENCES, names=NAMES, max_effect=0.02)

def test_within_its_limit(psa):
    psa.assert_stable(biased, SENTENCES, names=NAMES, max_effect=0.5)

def test_slots_are_compared_with_the_typical_name(psa):
    texts = ["{{name}} " + text[:1].lower() + text[1:] for text in
             ("Missed the last ferry.", "Won the cup of the chess club.", "Went to the dentist on Friday.",
              "Had the loveliest garden.", "Sold two cars and a boat.", "Read the whole manual at once.",
              "Lit a candle in the dark.", "Laughed about the weather.", "Invited all neighbours for tea.",
              "Mended every fence on the hill.", "Gave two of us full marks.", "Stands behind the piano here.")]
    psa.assert_stable(lambda given: [0.5 * ("Tyrone" in text) + 0.001 * (len(text) % 3) for text in given],
                      texts, names=NAMES, max_effect=0.02)

def test_too_few_to_tell(psa):
    psa.assert_stable(biased, SENTENCES[:5], names=NAMES, max_effect=0.02)

def test_known_before(psa):
    psa.assert_stable(biased, SENTENCES, names=NAMES, max_effect=0.02, baseline="known/before.npz")

def test_grown_since(psa):
    psa.assert_stable(biased, SENTENCES, names=NAMES, max_effect=0.02, baseline="kind.npz")
"""


@pytest.mark.slow
def test_a_test_fails_where_a_name_moves_the_score_and_says_so_like_the_page(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(TEST_FILE, encoding="utf-8")
    NameSensitivity(tmp_path, updates=True).assert_stable(
        lambda texts: [0.1] * len(texts), SENTENCES, names=["Ann", "Bob", "Carla", "Dai", "Tyrone"], max_effect=0,
        baseline="kind.npz", targets="score",
    )  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-p", "psa_core.pytest_plugin", "-p", "no:cacheprovider"]
    alone = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # where it is installed, it would be twice
    run = subprocess.run(
        [*command, "--junitxml=out.xml", "-rN"], cwd=tmp_path, env=os.environ | alone,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    said = run.stdout
    assert run.returncode == 1 and "3 failed, 4 passed, 1 warning" in said, said + run.stderr
    assert "Put in “Tyrone” and the score goes up by 0.40 on average" in said
    # Three sentences a failure; -rN because the summary says them all again where the environment has CI=true.
    assert len([line for line in said.splitlines() if " → " in line]) == 9
    assert "With “Tyrone”" in said and "Effects of 1 of 5 names are shown to have grown by more than 0.02" in said
    assert "sentences are too few to say anything" in said and "This test cannot fail." in said
    assert "pytest_plugin.py" not in said  # no line of ours stands between a reader and the finding
    assert (tmp_path / "known" / "before.npz").is_file()  # the first run writes what there is to compare with
    cases = ElementTree.parse(tmp_path / "out.xml").iter("testcase")
    largest = {case.get("name"): [float(found.get("value")) for found in case.iter("property")] for case in cases}
    assert largest["test_no_name_moves_it"] == [0.0]
    assert largest["test_one_name_moves_it"] == [pytest.approx(0.4, abs=0.002)]


@pytest.mark.parametrize("limit", [-1, True, "0.1", float("nan")])
def test_a_limit_that_is_none_is_refused_before_anything_is_scored(limit, tmp_path) -> None:
    with pytest.raises(OptionError, match="max_effect"):
        NameSensitivity(tmp_path).assert_stable("vader", SENTENCES, names="demo", max_effect=limit)
