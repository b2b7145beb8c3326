"""Neutral edits: outside of every mention, the same each time, scored beside the names and counted in none."""

import re

import numpy as np
import pytest

from psa_core import study, tables
from psa_core.anchors import Anchor
from psa_core.claims.findings import floor_finding
from psa_core.errors import CubeError
from psa_core.folders import cube_file, results
from psa_core.study.controls import DAYS, MONTHS, controls_of
from psa_core.study.perturbation import Perturbation

TEXT = "Ring 0161 555 0142 on Monday at 21:40, and perhaps he did not leave 14 Alder Row."
NAMES = ["Ann", "Bo", "Cleopatra", "Dan", "Evangeline", "Flo"]
WORDS = (
    "wrote letters, and sang", "perhaps rang", "cooked soup, but burnt rice", "ran", "painted whole houses",
    "often slept, and snored", "mended nine bicycles", "lost keys", "nearly won chess games", "drew maps, and swam",
)  # fmt: skip


def perturbation(*texts, names=("Ann", "Bo Lee")):
    spans = tuple((Anchor(text.index("he "), text.index("he ") + 2, "subject"),) for text in texts)
    return Perturbation(texts, spans, names)


def test_each_edit_changes_one_thing_that_is_about_nobody():
    found = controls_of(perturbation(TEXT), 6)
    assert found.first[0] in [TEXT.replace("he did", f"{name} did") for name in ("Ann", "Bo Lee")]
    pieces = {change.split(" → ")[0] for change in found.changes[0]}
    assert pieces <= {"0142", "Monday", "21:40,", "21:40, and", "perhaps", "did not", "14", "Row."}
    assert len(set(found.texts[0])) == 6 and found.first[0] not in found.texts[0]


def edits_of(text, count=20):
    """Every change of a text that is about nobody, over some seeds."""
    return {change for seed in range(4) for change in controls_of(perturbation(text), count, seed).changes[0]}


NEGATED = {f"{verb} not": f"{verb}n't" for verb in ("did", "does", "do", "is", "was", "could", "would")}
SAME = (("perhaps", "maybe"), ("often", "frequently"), ("quickly", "rapidly"), ("for example", "for instance"))


@pytest.mark.parametrize(
    ("phrase", "other"),
    [
        *NEGATED.items(),
        *(pair[::way] for pair in SAME for way in (1, -1)),
        ("cannot", "can't"),
        ("although", "though"),
        ("nearly", "almost"),
    ],
)
def test_a_phrase_becomes_its_synonym_and_keeps_its_capital(phrase, other):
    found = edits_of(f"Then he left; {phrase} they sang")
    assert f"{phrase} → {other}" in found and f"{phrase} → {other.capitalize()}" not in found
    capital = edits_of(f"Then he left. {phrase.capitalize()} they sang")
    assert f"{phrase.capitalize()} → {other.capitalize()}" in capital


@pytest.mark.parametrize("text", ["Then he left, not often", "Then he wrote a often-told tale", "Then he softens"])
def test_what_only_looks_like_a_phrase_stays(text):
    assert all(re.fullmatch(r"Then → \d+\. Then", change) for change in edits_of(text))


def test_two_places_that_touch_are_edited_alone_and_together():
    (changes,) = controls_of(perturbation("Then he left on Monday, and sang"), 3).changes
    day = next(change for change in changes if change.startswith("Monday, →") and ";" not in change)
    assert set(changes) == {day, "Monday, and → Monday and", f"{day}; Monday, and → Monday and"}


@pytest.mark.parametrize("count", [90, 100])
def test_numbers_in_front_begin_with_10_and_are_distinct(count):
    found = controls_of(perturbation("he left"), count)
    numbers = sorted(int(text.removesuffix(f". {found.first[0]}")) for text in found.texts[0])
    assert numbers == list(range(10, 10 + count))


@pytest.mark.parametrize("space", [" ", "\n"])
def test_a_change_is_told_without_the_space_in_front_of_it(space):
    found = edits_of(f"{space}Perhaps rain fell, but he left")
    assert "Perhaps → Maybe" in found and f"{space}Perhaps → {space}Maybe" not in found


def test_the_mention_and_what_touches_it_stay():
    found = controls_of(perturbation("On Monday, and he and Tuesday."), 30)
    name = found.first[0].split(", and ")[1].split(" and")[0]
    assert all(f" {name} and" in text for text in found.texts[0])


def test_what_touches_any_of_the_mentions_stays():
    text = "Ella saw nine books, which fell, but sang"
    spans = (Anchor(0, 4, "subject"), Anchor(21, 26, "subject"))  # the comma in front of “which” touches that
    changes = controls_of(Perturbation((text,), (spans,), ("Ann",)), 20).changes[0]
    assert not any("which" in change for change in changes)
    assert any("fell, but → fell but" in change for change in changes)


@pytest.mark.parametrize(
    "text",
    [
        "Then June Walker and he started in 2017 - 2023; born 03/22/1944; GPA 3.45 then",
        "he earns 540 000 kronor, even though it's been hard, and April said so",
        "The salary he has is 1 200 000, begin to end, number 4471902",
    ],
)
def test_names_years_dates_of_birth_and_amounts_are_no_edits(text):
    changed = " ".join(change.partition(" → ")[0] for change in controls_of(perturbation(text), 20).changes[0])
    assert not any(word in changed for word in ("June", "April", "20", "19", "3.45", "000", "though", "it's", "44"))


def test_a_person_in_many_places_is_compared_with_edits_in_as_many():
    text = "On Monday he rang. On Friday he sat. Perhaps he ran at 10:45. Often he slept. In July he left 4 Elm Road."
    spans = tuple(Anchor(*match.span(), "subject") for match in re.finditer(r"\bhe\b", text))
    changes = controls_of(Perturbation((text,), (spans,), ("Ann",)), 3).changes[0]
    assert [change.count(" → ") for change in changes] == [4, 4, 4]  # half of eight places


def test_the_same_text_and_seed_give_the_same_edits_in_any_company():
    alone, beside = controls_of(perturbation(TEXT), 4, 3), controls_of(perturbation("I saw he was.", TEXT), 4, 3)
    assert alone.texts[0] == beside.texts[1] and alone.changes[0] == beside.changes[1]
    assert controls_of(perturbation(TEXT), 4, 4).changes != alone.changes


def test_a_text_with_few_places_gets_pairs_and_then_numbers():
    changes = controls_of(perturbation("Then he left"), 3).changes[0]
    assert all(change.startswith("Then → ") and change.endswith(". Then") for change in changes)
    assert any(";" in change for change in controls_of(perturbation(TEXT), 10).changes[0])


def test_later_mentions_move_with_an_edit_before_them():
    text = "Perhaps he left; it is sure that he came."
    spans = (Anchor(8, 10, "subject"), Anchor(33, 35, "subject"))
    found = controls_of(Perturbation((text,), (spans,), ("Ann",)), 5)
    assert all(edited.count("Ann") == 2 and "Annl" not in edited for edited in found.texts[0])


class Letters:
    """Scores a text by its number of letters and by its digits."""

    fingerprint = "letters"

    def __init__(self, of=str.isalpha):
        from psa_core.cube import Target

        self.of, self.targets = of, (Target("letters"),)

    def score(self, texts):
        return np.array([[sum(map(self.of, text)) / 100] for text in texts], np.float32)


@pytest.fixture(scope="module")
def cube():
    texts = [f"On Monday at 1{n}:05 he {word}." for n, word in enumerate(WORDS)] + [TEXT, "So he left."]
    planned, _ = study.execution.planned_from(
        {
            "sentences": texts,
            "names": ["Ann", "Bo", "Cleopatra", "Dan", "Evangeline", "Flo"],
            "model": "m",
            "controls": 4,
        }
    )
    return study.execute(planned, Letters())


def test_controls_are_columns_of_their_own(cube):
    assert cube.perturbed.shape == (12, 6, 1) and cube.controls.shape == (12, 5, 1)
    edits = controls_of(study.perturbation_of(cube), 4, 0)
    assert cube.controls[3, 0, 0] == np.float32(sum(map(str.isalpha, edits.first[3])) / 100)
    assert cube.controls[3, 2, 0] == np.float32(sum(map(str.isalpha, edits.texts[3][1])) / 100)


def test_folder_and_file_keep_them_and_a_part_has_its_own(cube, tmp_path):
    results.write(cube, tmp_path / "out", lambda _: "")
    assert np.array_equal(results.read(tmp_path / "out").controls, cube.controls)
    cube_file.save(cube, tmp_path / "cube.npz")
    assert np.array_equal(cube_file.load(tmp_path / "cube.npz").controls, cube.controls)
    assert np.array_equal(cube.rows(np.array([2, 4])).controls, cube.controls[[2, 4]])
    summary = tables.target_summary(cube, "letters")["controls"]
    assert summary["edits_a_text"] == 4 and summary["names"] > summary["edits"] > 0


def test_a_study_without_them_says_nothing(cube):
    from dataclasses import replace

    without = replace(cube, controls=None)
    assert floor_finding(without, "letters") is None and "controls" not in tables.target_summary(without, "letters")
    with pytest.raises(CubeError, match="shape"):
        replace(cube, controls=cube.controls[:3])


def test_the_claim_says_which_is_larger(cube):
    found = floor_finding(cube, "letters")
    assert found.is_significant and found.estimate > 1
    assert found.headline.startswith("Names move this model more than neutral edits do: 0.0")
    from dataclasses import replace

    swapped = replace(cube, perturbed=np.repeat(cube.controls, 2, axis=1)[:, :6], controls=cube.perturbed)
    less = floor_finding(swapped, "letters")
    assert "not shown to move" in less.headline and not less.is_significant
    flat = replace(cube, controls=np.zeros_like(cube.controls))
    assert floor_finding(flat, "letters").headline.startswith("Names move this model, and neutral edits do not")
    same = replace(cube, controls=cube.perturbed[:, ::-1])
    assert floor_finding(same, "letters").headline.startswith("No clear difference")
    assert not floor_finding(same, "letters").is_significant


def test_a_day_becomes_another_day_a_month_another_month_and_a_digit_another_digit():
    text = "On Monday he rang 0161 555 0142 now, and in July left 14 Elm Road at 21:40 for good."
    span, seen = Anchor(10, 12, "subject"), set()
    for seed in range(30):
        for change in controls_of(Perturbation((text,), ((span,),), ("Ann",)), 3, seed).changes[0]:
            before, _, after = change.partition(" → ")
            seen.add(before)
            for kind in (DAYS, MONTHS):
                assert (before in kind) == (after in kind) and before != after
            if before[-1].isdigit():
                assert before[:-1] == after[:-1] and after[-1].isdigit()
    assert {"Monday", "July", "21:40", "0142", "14"} <= seen
