"""The name-averaged scorer answers alike for every listed name, and the cube foretells what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pytest

from psa_core import anchors, mitigate, study
from psa_core.cube import ScoreCube, Target
from psa_core.errors import NameListError, OptionError
from psa_core.mitigate import NameAveraged, averaged_cube, averaging_table, drawn_names


@dataclass
class LetterScorer:
    """Scores depend on every letter of a text, so two texts score alike only when they are the same."""

    targets: tuple[Target, ...] = (Target("weight"), Target("length", 0, 200))
    fingerprint: str = "letters-1"
    asked: list[str] = field(default_factory=list)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        weights = [sum(ord(c) * (i + 1) for i, c in enumerate(text)) % 997 / 997 for text in texts]
        return np.array([weights, [len(text) for text in texts]], dtype=np.float32).T.reshape(len(texts), 2)


NAMES = ("Ann Lee", "James", "Robert Downey Jr.", "Ann")


@pytest.fixture
def averaged() -> NameAveraged:
    return NameAveraged(LetterScorer(), NAMES, anchors.finder("pronouns"))


def test_mean_of_the_variants(averaged: NameAveraged) -> None:
    expected = LetterScorer().score([f"I like {name} a lot." for name in NAMES]).astype(np.float64).mean(axis=0)
    np.testing.assert_allclose(averaged.score(["I like him a lot."])[0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    "original, named",
    [
        ("I like her a lot.", "I like Ann Lee a lot."),
        ("She left.", "James left."),
        ("That is his dog.", "That is James's dog."),
        ("That is his dog.", "That is Ann Lee’s dog."),
        ("He's here and he knows.", "Ann's here and he knows."),
        ("I like him.", "I like Robert Downey Jr."),
        ("“I like him.”", "“I like Robert Downey Jr.”"),
        ("She said it, and Ann Lee agreed.", "James said it, and Ann Lee agreed."),
    ],
)
def test_sentence_and_its_named_variant_score_alike(averaged: NameAveraged, original: str, named: str) -> None:
    first, second = averaged.score([original, named])
    np.testing.assert_array_equal(first, second)


def test_a_text_without_mention_and_an_unlisted_name_keep_their_scores(averaged: NameAveraged) -> None:
    texts = ["Nobody came.", "Zoe came.", "Anna came.", ""]
    np.testing.assert_array_equal(averaged.score(texts), LetterScorer().score(texts))


def test_no_texts(averaged: NameAveraged) -> None:
    assert averaged.score([]).shape == (0, 2)


def test_variants_of_one_sentence_are_scored_once(averaged: NameAveraged) -> None:
    averaged.score([f"I like {name} a lot." for name in NAMES] + ["I like him a lot."] * 3)
    assert sorted(averaged.scorer.asked) == sorted(f"I like {name} a lot." for name in NAMES)  # type: ignore[attr-defined]


def test_recognised_names_are_not_averaged_over() -> None:
    averaged = NameAveraged(LetterScorer(), ("Ann",), anchors.finder("pronouns"), recognised=("Zoe",))
    np.testing.assert_array_equal(averaged.score(["Zoe left."]), LetterScorer().score(["Ann left."]))


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(NameListError, match="at least one name"):
        NameAveraged(LetterScorer(), (), anchors.finder("pronouns"))


def test_fingerprint_changes_with_what_decides_the_answer(averaged: NameAveraged) -> None:
    others = [
        replace(averaged, names=NAMES[:2]),
        replace(averaged, finder=anchors.finder("terms:boss")),
        replace(averaged, scorer=LetterScorer(fingerprint="letters-2")),
        replace(averaged, recognised=("Zoe",)),
    ]
    assert len({averaged.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert replace(averaged).fingerprint == averaged.fingerprint


@pytest.mark.parametrize("count", [1, 7, 40])
def test_cube_foretells_the_study_of_the_averaged_scorer(count: int) -> None:
    planned = study.plan(study.StudySpec(sentences="sample", names="demo", model="letters", sample=60))
    scorer = LetterScorer()
    cube = study.execute(planned, scorer)
    names = tuple(cube.names["name"])
    some = drawn_names(cube, count)
    averaged = NameAveraged(scorer, some, planned.finder, recognised=names)
    measured = study.execute(planned, averaged)
    expected = averaged_cube(cube, some)
    np.testing.assert_allclose(measured.original, expected.original, rtol=1e-5)
    np.testing.assert_allclose(measured.perturbed, expected.perturbed, rtol=1e-5)
    assert np.ptp(measured.perturbed, axis=1).max() == 0


def small_cube() -> ScoreCube:
    sentences = pd.DataFrame({"sentence_id": ["a", "b"], "text": "He left.", "anchor": "He", "start": 0, "end": 2})
    original = np.array([[0.5], [0.25]], dtype=np.float32)
    perturbed = np.array([[0.25, 0.5, 0.0], [0.75, 0.5, 1.0]], dtype=np.float32)[:, :, None]
    names = pd.DataFrame({"name": ["x", "y", "z"]})
    return ScoreCube(sentences.assign(role="subject"), names, (Target("toxicity"),), original, perturbed)


def test_averaged_cube_by_hand() -> None:
    cube = averaged_cube(small_cube(), ["x", "z"])
    np.testing.assert_array_equal(cube.original[:, 0], [0.125, 0.875])
    np.testing.assert_array_equal(cube.perturbed[:, :, 0], [[0.125] * 3, [0.875] * 3])
    assert cube.provenance["mitigation"] == {"name_averaged": ["x", "z"]}
    with pytest.raises(NameListError):
        averaged_cube(small_cube(), ["nobody"])


def test_averaging_table_by_hand() -> None:
    table = averaging_table(small_cube(), "toxicity", counts=[1, 3], threshold=0.5, draws=300)
    one, whole = table.iloc[0], table.iloc[1]
    # Means 0.25 and 0.75 against 0.5 and 0.25: changes of 0.25 and 0.5, and both labels change.
    assert (whole["names"], whole["score_change"], whole["labels_changed"]) == (3, 0.375, 2)
    assert whole["list_dependence"] == 0
    assert one["list_dependence"] == pytest.approx(np.std([0.25, 0.5, 0.0]))
    # One name at random: changes of 0.25, 0 or 0.5, and of 0.5, 0.25 or 0.75.
    assert one["score_change"] == pytest.approx((0.25 + 0.5) / 2, abs=0.03)


def test_list_dependence_is_the_spread_over_all_draws() -> None:
    cube = small_cube()
    pairs = [(0, 1), (0, 2), (1, 2)]
    means = np.array([cube.perturbed[:, pair, 0].mean(axis=1) for pair in pairs])
    table = averaging_table(cube, "toxicity", counts=[2], threshold=0.5)
    assert table["list_dependence"][0] == pytest.approx(means.std(axis=0).mean())


@pytest.mark.parametrize("counts", [[0], [4]])
def test_counts_out_of_range(counts: list[int]) -> None:
    with pytest.raises(OptionError, match="from 1 to 3"):
        averaging_table(small_cube(), "toxicity", counts=counts, threshold=0.5)


def test_loss_by_hand() -> None:
    cube = small_cube()
    found = mitigate.loss(cube, averaged_cube(cube), "toxicity", threshold=0.5)
    assert found == (0.375, 2)
    assert mitigate.loss(cube, cube, "toxicity", threshold=0.5) == (0, 0)


def test_check_asks_the_model_and_tells_what_the_cube_did_not_foretell() -> None:
    planned = study.plan(study.StudySpec(sentences="sample", names="demo", model="letters", sample=10))
    scorer = LetterScorer()
    cube = study.execute(planned, scorer)
    names = tuple(cube.names["name"])
    found = mitigate.check(NameAveraged(scorer, names, planned.finder), cube, planned.perturbation, sentences=3)
    assert (found.sentences, found.texts, found.spread) == (3, 3 * (1 + len(names)), 0)
    assert found.difference < 1e-4
    blind = NameAveraged(scorer, names[:2], anchors.finder("terms:nobody"))
    assert mitigate.check(blind, cube, planned.perturbation, sentences=3).spread > 0
