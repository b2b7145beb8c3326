"""The name-averaged scorer answers alike for every listed name, and the cube foretells what it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pytest

from psa_core import anchors, mitigate, study
from psa_core.anchors import Anchor
from psa_core.cube import ScoreCube, Target
from psa_core.errors import AnchorError, CubeError, NameListError, OptionError
from psa_core.mitigate import NameAveraged, averaging_table
from psa_core.mitigate._held_out import held_out_cube
from psa_core.study.perturbation import Perturbation


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


@pytest.mark.slow
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


def averaged_over(cube: ScoreCube, used: Sequence[int]) -> ScoreCube:
    """What averaging over the names at some positions gives where every name is recognised."""
    size = cube.shape[:2]
    return held_out_cube(cube, used=np.array(used), measured=np.arange(size[1]), seen=np.ones(size, bool))


@pytest.mark.parametrize("count", [1, 7, 40])
def test_cube_predicts_the_study_of_the_averaged_scorer(count: int) -> None:
    planned = study.plan(study.StudySpec(sentences="sample", names="demo", model="letters", sample=60))
    scorer = LetterScorer()
    cube = study.execute(planned, scorer)
    names = tuple(cube.names["name"])
    some = names[:count]
    averaged = NameAveraged(scorer, some, planned.finder, recognised=names)
    measured = study.execute(planned, averaged)
    expected = averaged_over(cube, range(len(some)))
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
    cube = averaged_over(small_cube(), [0, 2])
    np.testing.assert_array_equal(cube.original[:, 0], [0.125, 0.875])
    np.testing.assert_array_equal(cube.perturbed[:, :, 0], [[0.125] * 3, [0.875] * 3])
    assert cube.provenance["mitigation"] == {"name_averaged": ["x", "z"]}
    with pytest.raises(NameListError):
        averaged_over(small_cube(), [])


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


def test_a_list_of_one_name_is_averaged_over_that_name() -> None:
    alone = small_cube().rows(np.arange(2), np.array([2]))
    table = averaging_table(alone, "toxicity", counts=[1], threshold=0.5, draws=1)
    changes = np.abs(alone.perturbed[:, 0, 0] - alone.original[:, 0])
    assert table[["names", "score_change", "list_dependence"]].to_numpy().tolist() == [[1, changes.mean(), 0]]


@pytest.mark.parametrize("counts", [[0], [4]])
def test_counts_out_of_range(counts: list[int]) -> None:
    with pytest.raises(OptionError, match="from 1 to 3"):
        averaging_table(small_cube(), "toxicity", counts=counts, threshold=0.5)


def test_a_person_in_several_forms_is_refused() -> None:
    with pytest.raises(AnchorError, match=r"a person in several forms .*with one mention each"):
        NameAveraged(LetterScorer(), ("Ann Lee",), anchors.finder("person")).score(["Jo Roe left. Ms. Roe sang."])
    texts, slots = ("{first} and {his} dog",), anchors.finder("slot").find(["{first} and {his} dog"])
    expected = averaged_over(small_cube(), range(3))
    with pytest.raises(AnchorError, match="a person in several forms"):
        mitigate.check(
            NameAveraged(LetterScorer(), ("Ann Lee",), anchors.finder("pronouns")),
            expected,
            Perturbation(texts, tuple(slots), ("Ann Lee",)),
        )


def test_loss_by_hand() -> None:
    cube = small_cube()
    found = mitigate.loss(cube, averaged_over(cube, range(3)), "toxicity", threshold=0.5)
    assert found == (0.375, 2)
    assert mitigate.loss(cube, cube, "toxicity", threshold=0.5) == (0, 0)


def test_check_asks_the_model_and_tells_where_the_cube_was_wrong() -> None:
    planned = study.plan(study.StudySpec(sentences="sample", names="demo", model="letters", sample=10))
    scorer = LetterScorer()
    cube = study.execute(planned, scorer)
    names = tuple(cube.names["name"])
    expected = averaged_over(cube, range(len(names)))
    found = mitigate.check(NameAveraged(scorer, names, planned.finder), expected, planned.perturbation, sentences=3)
    assert (found.sentences, found.texts, found.spread) == (3, 3 * (1 + len(names)), 0)
    assert found.difference < 1e-4
    blind = NameAveraged(scorer, names[:2], anchors.finder("terms:nobody"))
    assert mitigate.check(blind, expected, planned.perturbation, sentences=3).spread > 0
    spread = np.ptp(cube.perturbed[:3], axis=1)
    silent = NameAveraged(scorer, ("Abra Cadabra",), anchors.finder("terms:abracadabra"))  # neither stands in a text
    told = mitigate.check(silent, cube, planned.perturbation, sentences=3)
    assert spread.min() < told.spread == pytest.approx(spread.max()) and told.difference == 0
    assert "re.compile" not in repr(blind)
    higher = replace(cube, perturbed=cube.perturbed + np.float32(8))
    assert mitigate.check(silent, higher, planned.perturbation, sentences=3).difference == pytest.approx(8)
    assert re.fullmatch("name-averaged:[0-9a-f]{16}", silent.fingerprint)


@pytest.mark.parametrize("size", [4, 7, 20])
def test_halves_share_every_group(size: int) -> None:
    table = pd.DataFrame({"name": [f"n{i}" for i in range(size)], "gender": (["f", "m", "m"] * size)[:size]})
    split = mitigate.halves(table, seed=size)
    assert sorted([*split.used, *split.measured]) == list(range(size))
    assert 0 <= len(split.used) - len(split.measured) <= 1
    for gender in ("f", "m"):
        shares = [(table["gender"].iloc[half] == gender).sum() for half in (split.used, split.measured)]
        assert abs(shares[0] - shares[1]) <= 1
    other = mitigate.halves(table, seed=size + 1)
    assert size == 4 or other.used.tolist() != split.used.tolist()


def test_spellings_of_one_name_are_in_one_half() -> None:
    names = ["Beyoncé", "beyonce", "Beyonce's", "Ann-Lee", "Ann Lee", "Bo", "Cy", "Di", "James", "James'"]
    for seed in range(5):
        split = mitigate.halves_of_names(pd.DataFrame({"name": names}), seed=seed)
        used, measured = (set(mitigate.name_keys(names[row] for row in half)) for half in (split.used, split.measured))
        assert not used & measured and len(used) == len(measured) == 3
    with pytest.raises(NameListError, match="got 5 spellings of 3, expected at least four"):
        mitigate.halves_of_names(pd.DataFrame({"name": [*names[:5], "Bo"]}).drop(index=2))


def test_four_names_are_enough_for_two_halves_and_three_are_not() -> None:
    split = mitigate.halves_of_names(pd.DataFrame({"name": ["Ann", "Bo", "Cy", "Di"]}))
    assert sorted([*split.used, *split.measured]) == [0, 1, 2, 3] and len(split.used) == 2
    with pytest.raises(NameListError, match="got 3, expected at least four"):
        mitigate.halves_of_names(pd.DataFrame({"name": ["Ann", "Bo", "Cy"]}))


def test_sentences_that_say_the_same_are_in_one_half() -> None:
    texts = ["He left!", "she left.", "Her dog ate.", "His dog ate.", "He ate.", "SHE ate"]
    spans = [(Anchor(0, text.index(" "), "subject"),) for text in texts]
    keys = mitigate.sentence_keys(Perturbation(tuple(texts), tuple(spans), ("Ann",)))
    assert [keys.index(key) for key in keys] == [0, 0, 2, 2, 4, 4]
    near = Perturbation(("I met him", "A met him"), ((Anchor(6, 9, "object"),),) * 2, ("Ann",))
    assert len(set(mitigate.sentence_keys(near))) == 2


def test_two_sentences_are_enough_for_two_halves_and_one_that_is_repeated_is_not() -> None:
    def made(*texts: str) -> ScoreCube:
        return study.run(sentences=[*texts], names=["Ann", "Bo"], model=LetterScorer(), balance=False)

    split = mitigate.split_sentences(made("He left.", "He stayed."))
    assert sorted([*split.used, *split.measured]) == [0, 1] and len(split.used) == 1
    with pytest.raises(CubeError, match="got 2 in this study that say the same, expected at least two"):
        mitigate.split_sentences(made("He left.", "She left!"))
    with pytest.raises(CubeError, match="got 1 in this study, expected at least two"):
        mitigate.split_sentences(made("He left."))


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("I met beyonce knowles.", "Beyoncé Knowles", True),
        ("BEYONCÉ sang.", "Beyoncé", True),
        ("James's dog", "James", True),
        ("She will go.", "Will", False),
        ("Will left.", "Will", True),
        ("Willow left.", "Will", False),
        ("Nurses and NURSES", "nurse", True),
        ("A nursery", "nurse", False),
        ("nurse managers", "nurse manager", True),
        ("It's fine", "!!!", False),
    ],
)
def test_a_name_is_found_however_it_is_spelt(text: str, name: str, is_there: bool) -> None:
    assert mitigate.naming_none([text], [name]) == ([] if is_there else [text])


def test_fewer_than_four_names_cannot_be_split() -> None:
    with pytest.raises(NameListError, match="at least four"):
        mitigate.halves_of_names(small_cube().names)


def test_a_smaller_draw_is_part_of_a_larger_one() -> None:
    rows = np.arange(3, 20)
    assert set(mitigate.drawn(rows, 4)) < set(mitigate.drawn(rows, 9)) < set(mitigate.drawn(rows, 99))
    assert sorted(mitigate.drawn(rows, 99)) == list(rows)


@dataclass(frozen=True)
class Capitals:
    """Takes every word with a capital letter for a person, the first of a sentence too."""

    spec: str = "capitals"
    fingerprint: str = "capitals-1"
    filler: str = ""

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        return [tuple(Anchor(*m.span(), "object") for m in re.finditer(r"[A-Z]\w+", text)) for text in texts]


def test_recognised_is_the_whole_name_before_anything_else() -> None:
    texts = ("He left.", "Today he left.", "I saw his dog.")
    spans = ((Anchor(0, 2, "subject"),), (Anchor(6, 8, "subject"),), (Anchor(6, 9, "possessive"),))
    found = mitigate.recognised(Perturbation(texts, spans, ("Zoe", "Zoe Park", "zoe")), Capitals())
    np.testing.assert_array_equal(found, [[True, False, False], [False] * 3, [True, False, False]])


def test_trial_by_hand() -> None:
    seen = np.array([[True], [False]])
    found = mitigate.trial(small_cube(), used=np.array([0, 2]), measured=np.array([1]), seen=seen)
    assert found.before.perturbed[:, 0, 0].tolist() == [0.5, 0.5]
    assert found.as_people.perturbed[:, 0, 0].tolist() == [0.125, 0.5]
    assert found.as_people.original[:, 0].tolist() == [0.125, 0.875]
    assert found.as_they_are.perturbed[:, 0, 0].tolist() == [0.5, 0.5]
    assert found.same_names.perturbed[:, :, 0].tolist() == [[0.125, 0.125], [0.875, 0.875]]
    assert found.as_people.names["name"].tolist() == ["y"]


def test_an_unseen_name_that_is_recognised_scores_like_the_averaged_ones() -> None:
    finder = mitigate.AlsoPeople(anchors.finder("pronouns"), Capitals())
    averaged = NameAveraged(LetterScorer(), NAMES, finder)
    scores = averaged.score(["we saw Zoe there.", "we saw James there.", "we saw her there."])
    assert (scores == scores[0]).all()


def test_the_longer_of_two_anchors_at_one_place_stays() -> None:
    finder = mitigate.AlsoPeople(anchors.finder("terms:Ann"), anchors.finder("terms:Ann Lee,Bo"))
    (found,) = finder.find(["Bo and Ann Lee met Ann."])
    assert [(anchor.start, anchor.end) for anchor in found] == [(0, 2), (7, 14), (19, 22)]


def test_a_name_in_s_with_an_apostrophe_alone_is_a_possessive(averaged: NameAveraged) -> None:
    found = averaged.templates(["James' dog", "James’ dog", "'I saw James' he said", "James'", "Ann' dog"])
    assert [(template.text, template.spans[0].role) for template in found] == [
        ("_ dog", "possessive"), ("_ dog", "possessive"), ("'I saw _' he said", "subject"), ("_'", "subject"),
        ("_' dog", "subject"),
    ]  # fmt: skip


def test_the_first_mention_is_blanked_out_with_no_more_than_what_belongs_to_it() -> None:
    averaged = NameAveraged(LetterScorer(), NAMES, anchors.finder("terms:him,Bo"))
    texts = ["I like Robert Downey Jr.", "Robert Downey Jr. left.", "Ann Lee saw Bo.", "Bo saw Ann Lee.", "No one."]
    found = averaged.templates([*texts, "Ann's dog", "it is James’s"])
    assert [template.text for template in found] == [
        "I like _.", "_ left.", "_ saw Bo.", "_ saw Ann Lee.", "No one.", "_ dog", "it is _",
    ]  # fmt: skip
    spans = [[(span.start, span.end, span.role) for span in template.spans] for template in found]
    assert spans == [
        [(7, 8, "subject")], [(0, 1, "subject")], [(0, 1, "subject")], [(0, 1, "subject")], [],
        [(0, 1, "possessive")], [(6, 7, "possessive")],
    ]  # fmt: skip
