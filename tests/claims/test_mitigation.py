"""What is said of averaging over names: less sensitive only where a test over enough sentences says so."""

from __future__ import annotations

from typing import Any

import pytest

from psa_core.claims.formatting import MIN_SENTENCES, Words
from psa_core.claims.mitigation import averaging_finding, retraining_finding
from psa_core.mitigate import Loss
from psa_core.stats import Difference


def found(sentences: int, change: Difference) -> str:
    size = {"sentences": sentences, "names": 15}
    values = {"before": 0.04, "as_people": 0.03, "same_names": 0.0}
    summaries: dict[str, Any] = {kind: {"score_dev": {"value": value}, "size": size} for kind, value in values.items()}
    lost = Loss(0.01, 2)
    return str(averaging_finding(summaries, change, lost, names=15, read=0.97, texts=600, words=Words("the score")))


SMALLER = Difference(0.01, 0.005, 0.015, 0.001)


def test_a_change_beyond_chance_is_said_with_its_interval() -> None:
    said = found(40, SMALLER)
    assert "makes the model less name-sensitive; the software spots the name in 97 % of 600 texts" in said
    assert "0.040 becomes 0.030, smaller by 0.010 (95 % interval 0.005 to 0.015)" in said
    assert "Each text is then scored 15 times" in said and "2 of 40 original labels change" in said


@pytest.mark.parametrize("change", [Difference(0.01, -0.005, 0.025, 0.05), Difference(-0.01, -0.015, -0.005, 0.001)])
def test_chance_and_a_change_for_the_worse_are_no_praise(change: Difference) -> None:
    assert "is not shown to make the model less name-sensitive" in found(40, change)


def test_few_sentences_are_no_claim() -> None:
    said = found(MIN_SENTENCES - 1, SMALLER)
    assert said.startswith("11 sentences are too few to say anything.") and "less name-s" not in said
    assert "makes the model less" in found(MIN_SENTENCES, SMALLER)


def retrained(value: float, low: float | None, high: float | None, shown: Difference | None) -> str:
    """What is said of a training, or of several with an interval."""
    fall = {"value": value, "low": low, "high": high}
    dev = {"before": {"value": 0.05}, "after": {"value": 0.04}, "fall": fall}
    target = {"score_dev": dev, "labels_kept": {"value": 0.97}, "score_change": {"value": 0.012}}
    material = {"names_held_out": 20, "sentences_held_out": 1300}
    return str(retraining_finding(target, material, "toxicity", strength=0.5, shown=shown))


SAID = (
    "Retrained with strength 0.5, toxicity {} with names that training never saw; 97 % of the sentences keep their "
    "label. ScoreDev 0.0500 becomes 0.0400 on 20 names and 1,300 sentences that were only measured.{} Without a change "
    "of name the scores move by 0.0120 on average. {}"
)
FALLS = " It falls by 0.010 (95 % interval 0.005 to 0.015) over sentences."


@pytest.mark.parametrize(
    ("value", "p", "words"),
    [
        (0.2, 0.049, "moves 20 % less"),
        (0.0, 0.049, "moves 0 % less"),
        (-0.2, 0.049, "moves 20 % more"),
        (0.2, 0.05, "is not shown to move less"),
    ],
)
def test_one_training_claims_what_its_test_over_sentences_shows(value: float, p: float, words: str) -> None:
    alone = "A single training run; results vary between runs."
    assert retrained(value, None, None, SMALLER._replace(p=p)) == SAID.format(words, FALLS, alone)
    untested = f"moves {100 * abs(value):.0f} % {'more' if value < 0 else 'less'}"
    assert retrained(value, None, None, None) == SAID.format(untested, "", alone)


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (0.2, 0.1, 0.3, "moves 20 % less"),
        (0.2, 0.0, 0.3, "is not shown to move less"),
        (-0.2, -0.3, 0.0, "is not shown to move less"),
        (-0.2, -0.3, -0.1, "moves 20 % more"),
    ],
)
def test_several_trainings_claim_what_their_interval_shows(value: float, low: float, high: float, words: str) -> None:
    several = "Means over several trainings."
    assert retrained(value, low, high, SMALLER._replace(p=0.9)) == SAID.format(words, "", several)
