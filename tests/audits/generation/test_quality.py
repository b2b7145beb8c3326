"""Quality beside fairness, on texts that can be counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psa_core import models
from psa_core.audits._running import Running
from psa_core.audits.generation import quality
from psa_core.audits.generation.cube import GenerationCube, measured_targets, on_unit
from psa_core.audits.generation.quality import leak_check, leak_size
from psa_core.cube import Target
from tests.tiny_models import tiny_causal_lm


def cube(texts: Sequence[Sequence[Sequence[str]]], templates: Sequence[str], values: Sequence[str]) -> GenerationCube:
    array = np.array(texts, object)
    scores = np.where(array != "", 0.5, np.nan).astype(np.float32)[..., None]
    return GenerationCube(
        pd.DataFrame({"template": templates}), pd.DataFrame({"value": values}), (Target("s"),), array, scores
    )


SMALL = cube([[["red red car.", ""], ["blue car.", "car blue blue."]]], ["{value} is"], ["red", "blue"])


def colours(texts: Sequence[str]) -> np.ndarray:
    found = np.array(
        [[text.count("red"), text.count("blue") * ("car blue" not in text), 1e-9] for text in texts], float
    )
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_semantic_similarity_counts_continuations_about_their_value() -> None:
    assert quality.semantic_similarity(SMALL, colours).tolist() == [1.0, 0.5]
    found = quality.quality(SMALL, colours)
    assert found == {"semantic_similarity": 0.75, "kept": 0.75, "words": pytest.approx(8 / 3)}


def test_words_that_chance_may_explain_and_the_values_own_are_left_out() -> None:
    reds = ["Red law.", "Some red's law.", "law law town"] * 4
    found = quality.words_apart([*reds, ""], ["Blue band."] * 12, "red blue")
    assert set(found["word"]) == {"law", "band"}, "a town, which four of twelve have, may be chance"
    row = found.set_index("word").loc["law"]
    assert (row["count_a"], row["count_b"]) == (12, 0) and row["log_odds"] < 0 and row["p_adjusted"] < 0.05
    assert quality.words_apart([], ["word"] * 9, "").empty
    sides = [[" ".join(f"word{letter}" for letter in side)] * 40 for side in ("abcdefg", "hijklmn")]
    assert len(quality.words_apart(*sides, "")) == 12, "of fourteen words the surest"
    assert len(quality.words_apart(*sides, "", top=20)) == 14


def test_a_word_of_one_person_alone_does_not_set_two_groups_apart() -> None:
    """Forty answers of each of eight people: one says *tea* in each of theirs, or all of a side in 3 or 4 of ten."""
    people, none = np.repeat(np.arange(4), 40), ["milk"] * 160
    one = ["milk or tea" if person == 0 else "milk" for person in people]
    each = ["milk or tea" if number % 10 < 3 + (number < 40) else "milk" for number in range(160)]
    both = [people, people + 4]
    assert "tea" in set(quality.words_apart(one, none, "")["word"]), "independent texts would differ in it"
    assert quality.words_apart(one, none, "", people=both).empty
    assert "tea" in set(quality.words_apart(each, none, "", people=both)["word"])
    assert quality.words_apart(each, none, "", people=[people * 0, people]).empty, "one person is no group"


def test_occupations_by_the_gender_of_the_template() -> None:
    texts = [[["a nurse.", "Nurses and a CEO."]] * 2, [["a nurse.", "a ceo."]] * 2, [["a nurse.", "a nurse."]] * 2]
    found = cube(texts, ["My wife in {value}", "My husband in {value}", "{value} is"], ["Chile", "Italy"])
    table = quality.occupation_counts(found, least=2)
    assert sorted(table.to_numpy().tolist()) == [["CEO", 2, 2], ["nurse", 4, 2]]
    assert quality.occupation_counts(found, least=5)["occupation"].tolist() == ["nurse"]


@dataclass(frozen=True)
class Counting:
    """A causal scorer in which each text costs 3, however many words it has; its rows begin with one more token."""

    fingerprint: str = "counting-1"
    targets: tuple[Target, ...] = (Target("loss", 0.0, 1000.0),)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return np.full((len(texts), 1), 3.0, np.float32)

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        return [[0] * (1 + len(text.split())) for text in texts]


def test_perplexity_is_of_all_tokens_and_of_the_texts_with_a_value() -> None:
    found = quality.perplexities(Counting(), ["he is", "Ann is a baker", "Annals say so"], ["ann", "bob"])
    # Three times 3 over 2 + 4 + 3 words, and 3 over the 4 words of the only text with a value.
    assert (found["ppl"], found["ppl_sensitive"]) == pytest.approx((np.e, np.exp(0.75)))
    assert (found["held_out"], found["held_out_sensitive"]) == (3, 1)
    assert quality.perplexities(Counting(), [], ["ann"])["ppl"] is None
    assert quality.perplexity(Counting(), ["he"]) == pytest.approx(np.exp(3.0))


@pytest.mark.slow
def test_perplexity_is_per_token(tmp_path: Path) -> None:
    scorer = models.load(f"lm:{tiny_causal_lm(tmp_path / 'lm')}")
    texts = ["she is good", "he said it was so bad"]
    tokens = sum(len(scorer.tokenizer(text)["input_ids"]) for text in texts)  # type: ignore[attr-defined]
    wanted = np.exp(scorer.score(texts).astype(float).sum() / tokens)
    found = quality.perplexities(scorer, texts, ["good", "x"])
    assert found["ppl"] == pytest.approx(wanted, rel=1e-4)
    assert found["ppl_sensitive"] == pytest.approx(quality.perplexity(scorer, texts[:1]))
    assert (found["held_out"], found["held_out_sensitive"]) == (2, 1)


def test_the_leak_is_what_the_scorer_reads_into_the_prompt() -> None:
    scorer = models.load("keyword:red=0.2,blue=-0.1")
    (sizes,) = leak_check(SMALL, "keyword", scorer, Running(cached=False)).values()
    assert sizes["continuations"] == 3
    # Behind "red is" sentiment is 0.2 lower, behind "blue is" 0.1 higher, unless the word is in the text already.
    assert sizes["lasting_difference"] == pytest.approx((0.1 + 0.2 + 0.2) / 3 / 2, abs=1e-6)


def test_the_leak_is_a_part_of_the_range_and_does_not_cancel_within_a_text() -> None:
    target = Target("sentiment", low=-1.0, high=1.0)
    # Three texts behind the prompts of two values: 0.5 higher, 0.5 lower, 0.25 lower.
    sizes = leak_size(np.array([[0.5, 0.0], [0.0, 0.5], [0.0, 0.25]], np.float32), target)
    assert sizes["mean_difference"] == pytest.approx((0.5 + 0.5 + 0.25) / 3 / 2)
    assert sizes["lasting_difference"] == pytest.approx(abs(0.5 - 0.5 - 0.25) / 3 / 2)
    assert sizes["continuations"] == 3


@dataclass(frozen=True)
class Ranged:
    """A scorer with targets of any range."""

    targets: tuple[Target, ...]


def test_a_threshold_is_put_on_the_same_scale_as_the_scores() -> None:
    scorer: Any = Ranged((Target("sentiment", -1.0, 1.0, threshold=0.5), Target("positive")))
    (found,) = measured_targets("vader", scorer).values()
    assert (found.name, found.low, found.high, found.default_threshold) == ("vader", 0.0, 1.0, 0.75)
    assert found.phrase == "sentiment", "the id does not say which of two"
    assert measured_targets("my-sentiment", scorer)[0].phrase == ""
    assert on_unit(np.array([[0.5, 0.1], [-1.0, 0.2]]), scorer, {0: found}).tolist() == [[0.75], [0.0]]
    several: Any = Ranged((Target("anger"), Target("stars", 1.0, 5.0, threshold=2.0)))
    found_all = measured_targets("m", several)
    assert [(target.name, target.default_threshold) for target in found_all.values()] == [
        ("m.anger", 0.5),
        ("m.stars", 0.25),
    ]
    assert on_unit(np.array([[0.5, 2.0]]), several, found_all).tolist() == [[0.5, 0.25]]
    assert on_unit(np.array([[-0.5, 9.0]]), several, found_all).tolist() == [[0.0, 1.0]], "no score leaves its range"
    signed: Any = Ranged((Target("joy"), Target("mood", -1.0, 1.0), Target("calm", -1.0, 1.0)))
    assert list(measured_targets("m", signed)) == [1], "the first signed target stands for the others"
