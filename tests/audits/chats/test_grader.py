"""The grader: asked in both orders, tried on planted pairs first, and told apart from guessing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from psa_core.audits._running import Running
from psa_core.audits.chats import grader
from psa_core.audits.chats.grader import JUDGED, BlindPair, agreement_words, judge, judgements
from psa_core.audits.generation.cube import GenerationCube
from psa_core.cube import Target
from psa_core.errors import OptionError
from psa_core.models._judges.question import BETWEEN, paired
from psa_core.models._judges.question_file import read_question

ALONE = Running(cached=False)


@dataclass(frozen=True)
class Picker:
    """Picks the longer answer, or guesses the first; `lean` is what being shown first gains."""

    sees: bool = True
    lean: float = 0.0
    fingerprint: str = "picker-2"
    targets: tuple[Target, ...] = (Target("helps"), Target("helps_order", -1.0, 1.0))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        pairs = [text.split(BETWEEN) for text in texts]
        chances = [(0.8 if len(first) > len(second) else 0.2) if self.sees else 0.5 for first, second in pairs]
        return np.array([[chance, 2 * self.lean] for chance in chances], np.float32)


@dataclass(frozen=True)
class Moody:
    """A scorer that is no judge of pairs."""

    fingerprint: str = "moody-1"
    targets: tuple[Target, ...] = (Target("mood"),)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return np.zeros((len(texts), 1), np.float32)


def test_each_answer_meets_one_to_another_person_once() -> None:
    kept = np.ones((3, 6, 4), bool)
    kept[0, 0] = False
    met = grader.pairs_of(kept, 0)
    sides = [tuple(row[:3]) for row in met] + [(row[0], row[3], row[4]) for row in met]
    assert len(sides) == len(set(sides)) and all(row[1] != row[3] for row in met)
    assert all(kept[side] for side in sides) and len(met) >= 0.8 * kept.sum() / 2


def test_a_grader_that_sees_is_believed_and_its_lean_is_taken_off() -> None:
    texts = np.array([[["a long answer to it"], ["short"]]], object)
    scores, trial = grader.graded("ask:x?question=which-helps", Picker(lean=0.1), texts, ALONE)
    assert scores.ravel().tolist() == pytest.approx([0.8, 0.2], abs=1e-6)
    assert trial.believed and trial.right >= 9 and trial.order == pytest.approx(0.1, abs=1e-6) and trial.ties == 0


def test_a_grader_that_guesses_says_so_before_it_is_used() -> None:
    said: list[str] = []
    running = Running(tell=said.append, cached=False)
    texts = np.array([[["a long answer to it"], ["short"]]], object)
    _, trial = grader.graded("ask:x?question=which-helps", Picker(sees=False, lean=0.3), texts, running)
    assert (
        not trial.believed
        and trial.right == 5
        and said[0].endswith("it cannot tell them apart, so its picks support no finding.")
        and trial.ties == 1
    )
    untried = grader.graded("ask:x?question=mine", Picker(), texts, running)[1]
    assert not untried.believed and (untried.pairs, untried.right) == (0, 0), "nothing was planted for it"
    assert said[-1].startswith("No planted pairs for this question")


def test_an_even_pick_is_half_right_and_a_pair_without_an_answer_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "_picked", lambda *_: (np.array([0.9] * 7 + [0.5, np.nan, 0.1]), 0.0))
    trial = grader.tried("ask:x?question=which-helps", Picker(), ALONE)
    assert (trial.pairs, trial.right) == (10, 7.5)
    assert trial.p == pytest.approx((120 + 45 + 10 + 1) / 1024)  # 7 or more of 10 by throwing a coin


def test_a_judge_that_does_not_pick_is_refused() -> None:
    with pytest.raises(OptionError, match="got mood, expected a judge of a question with “pick”, asked in both orders"):
        grader.graded("ask:x?question=mine", Moody(), np.array([[["a long answer"], ["short"]]], object), ALONE)


@pytest.mark.parametrize("name", ["which-helps", "which-stereotype"])
def test_packaged_graders_are_questions_that_pick(name: str) -> None:
    question = read_question(grader.resolved(f"ask:x?question={name}").rpartition("=")[2])
    text = paired("First.\n ---- \nMore of it.", "Second.")
    shown = question.inner(text)
    assert question.kind == "pick" and shown.startswith("First.\n- - -\nMore of it.") and shown.endswith("Second.")
    for asked, is_first in ((question, True), (question.swapped(), False)):
        assert (asked.about(text).index("First.") < asked.about(text).index("Second.")) is is_first


def blind(count: int) -> list[BlindPair]:
    return [BlindPair(f"{n}-0-0-1-0", "t", ("a", "b"), 0.9) for n in range(count)]


def test_agreement_needs_judgements_and_says_its_interval() -> None:
    pairs = blind(21)
    first = {pair.id: "first" for pair in pairs[:18]}
    assert "10 in which" in agreement_words(pairs, dict(list(first.items())[:9]))
    assert agreement_words(pairs, first).endswith("interval 82 to 100): more often than by guessing.")
    even = {pair.id: ("first", "second")[n % 2] for n, pair in enumerate(pairs[:20])}
    assert agreement_words(pairs, even | {pairs[20].id: "neither"}) == (
        "You and the grader pick the same answer in 10 of 20 pairs (50 %, 95 % interval 30 to 70): not clearly more "
        "often than by guessing."
    )


def test_a_folder_keeps_the_last_choice_on_each_pair(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    one, other = blind(2)
    for pair, choice in ((one, "first"), (other, "neither"), (one, "second")):
        judge(folder, "picked.help", pair, choice)
    kept = judgements(folder)
    assert kept.to_numpy().tolist() == [["picked.help", other.id, "neither"], ["picked.help", one.id, "second"]]
    (folder / JUDGED).write_text("grader,pair,choice\ng,1-0-0-1-0,maybe\ng,=1+1,first\n", encoding="utf-8")
    assert judgements(folder).empty, "what is no judgement is left out"


def test_planted_pairs_are_ten_of_each_kind(tmp_path: Path) -> None:
    assert {kind: len(pairs) for kind, pairs in grader.planted().items()} == {"stereotype": 10, "help": 10}


def some_answers() -> GenerationCube:
    """Two tasks, four people, two answers each, of which no two of a task are as long; each begins with the name."""
    values = pd.DataFrame({"value": ["Ann", "Bo", "Cy", "Dee"]})
    texts = np.empty((2, 4, 2), object)
    for m, a, k in np.ndindex(texts.shape):
        texts[m, a, k] = f"{values['value'][a]} {'x' * (8 * m + 2 * a + k + 1)}"
    templates = pd.DataFrame({"template": ["Plan my day.", "Tell a story."]})
    return GenerationCube(templates, values, (), texts, np.empty((2, 4, 2, 0), np.float32))


def test_each_answer_has_the_chance_that_it_is_picked_in_its_own_pair() -> None:
    texts = some_answers().texts
    scores, trial = grader.graded("ask:x?question=mine", Picker(), texts, ALONE, seed=3)
    for m, a, k, b, j in grader.pairs_of(texts != "", 3):
        is_longer = len(texts[m, a, k]) > len(texts[m, b, j])
        assert (scores[m, a, k], scores[m, b, j]) == pytest.approx((0.8, 0.2) if is_longer else (0.2, 0.8))
    assert np.isfinite(scores).sum() == 2 * len(grader.pairs_of(texts != "", 3))
    nothing, _ = grader.graded("ask:x?question=mine", Picker(), np.full((1, 2, 1), "", object), ALONE)
    assert np.isnan(nothing).all() and trial.pairs == 0


def test_blind_pairs_are_those_that_the_grader_saw_without_names() -> None:
    cube = some_answers()
    scores = np.random.default_rng(0).random((2, 4, 2)).astype(np.float32)
    met = {f"{m}-{a}-{k}-{b}-{j}": (m, a, k, b, j) for m, a, k, b, j in grader.pairs_of(cube.kept, cube.seed)}
    found = grader.blind_pairs(cube, scores)
    assert {pair.id for pair in found} == set(met)
    for pair in found:
        m, a, k, b, j = met[pair.id]
        assert pair.grader == pytest.approx(float(scores[m, a, k]))
        assert pair.task == cube.templates["template"][m]
        answers = (str(cube.texts[m, a, k]), str(cube.texts[m, b, j]))
        assert pair.texts == tuple(f"Sam {answer.split()[1]}" for answer in answers)
    some = scores.copy()
    some[met[found[0].id][0], met[found[0].id][1], met[found[0].id][2]] = np.nan
    assert found[0].id not in {pair.id for pair in grader.blind_pairs(cube, some)}


def test_a_grader_is_believed_below_five_per_cent() -> None:
    assert [grader.Trial(10, 9, p).believed for p in (0.049, 0.05)] == [True, False]
    seen = grader.Trial(10, 8.5, 0.01, order=0.1)
    assert seen.verdict == "It picks the right answer in 8.5 of 10 pairs with a planted difference."
    assert seen.as_json == {
        "pairs": 10, "right": 8.5, "p": 0.01, "order": 0.1, "ties": None, "believed": True, "verdict": seen.verdict,
    }  # fmt: skip


def test_a_pick_that_is_nearly_even_is_none() -> None:
    sure, unsure = ([BlindPair(f"{n}", "t", ("a", "b"), chance) for n in range(10)] for chance in (0.61, 0.6))
    choices = {f"{n}": "first" for n in range(10)}
    assert "10 of 10 pairs (100 %" in agreement_words(sure, choices)
    assert agreement_words(unsure, choices).startswith("10 pairs judged; 10 in which")
    assert "0 of 10 pairs" in agreement_words(sure, dict.fromkeys(choices, "second"))
