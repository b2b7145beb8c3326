from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import psa_core as psa
from psa_core import study
from psa_core.claims.groups import condition_finding
from psa_core.cube import Target
from psa_core.errors import CubeError, OptionError
from psa_core.inputs import conditions
from psa_core.study import StudySpec, perturbation_of, preview
from psa_core.study.conditions import joined
from psa_core.tables import condition_table

PEOPLE = (
    *("Lakisha Brown", "Jamal Jones", "Ebony Fox", "Rasheed Cole", "Latoya Reed", "Darnell Moss"),
    *("Emily Walsh", "Greg Baker", "Anne Lee", "Todd Hill", "Meredith Ross", "Brett Stone"),
)
NAMES = pd.DataFrame({"name": PEOPLE, "race": ["black"] * 6 + ["white"] * 6, "gender": ["female", "male"] * 6})
BLACK = PEOPLE[:6]
FILE = b"condition,context,names\nnone,,\ntold,BE FAIR\nblind,,removed\n"


def judge(told: float) -> Callable[[Sequence[str]], np.ndarray]:
    """A model that scores black names 8 points lower, or so much lower behind the words *be fair*, with noise."""

    def score(texts: Sequence[str]) -> np.ndarray:
        lower = [(told if "BE FAIR" in text else 0.08) * any(name in text for name in BLACK) for text in texts]
        noise = [sum(map(ord, text)) % 101 / 5_000 for text in texts]
        return 0.6 - np.array(lower) + np.array(noise)

    return score


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "conditions.csv"
    path.write_bytes(FILE)
    return path


def run(told: float, file: Path) -> psa.Study:
    spelled = {"name": "invite", "low": 0.0, "high": 1.0, "meaning": "chance"}
    return psa.run("interviews", NAMES, judge(told), targets=[spelled], conditions=str(file), cache=False)


def test_each_condition_has_its_own_targets_and_texts(file: Path) -> None:
    texts = ["{name} bakes and {he} likes it.", "I met {first}."]
    found = psa.run(texts, NAMES, len_of, conditions=str(file), cache=False).cube
    assert [target.name for target in found.targets] == ["none.score", "told.score", "blind.score"]
    shown = [perturbation_of(found, target.name).text(0, 0) for target in found.targets]
    plain = "Lakisha Brown bakes and she likes it."
    assert shown == [plain, f"BE FAIR\n\n{plain}", "X bakes and she likes it."]
    assert perturbation_of(found, "told.score").pieces(0, BLACK[0])[0][0] == "BE FAIR\n\n"
    assert found.perturbed[0, 0].tolist() == [len(text) for text in shown]
    assert found.provenance["texts_scored"] == 2 * 2 * (1 + 12) + 2 + 3  # X is a she or a he, in one of the texts


def part(rows: str, score: float, target: Target, **provenance: Any) -> psa.ScoreCube:
    """A cube of sentences with these letters as ids, two names and one edit, whose scores are all the same."""
    sentences = pd.DataFrame({"sentence_id": list(rows), "text": "he ran", "anchor": "he", "start": 0, "end": 2})
    counts = {"unique_texts": 5, "texts_scored": 4, "cache_hits": 1, "texts_truncated": 0, "seconds": 0.1}
    shape = len(rows), 2, 1
    return psa.ScoreCube(
        sentences.assign(role="subject"),
        pd.DataFrame({"name": ["Ann", "Bo"]}),
        (target,),
        np.full(shape[::2], score, np.float32),
        np.full(shape, score, np.float32),
        {"fingerprint": "f", "notes": ["both"], **counts, **provenance},
        controls=np.full(shape, score, np.float32),
    )


def test_the_cubes_of_two_conditions_become_one_of_the_sentences_in_both() -> None:
    target = Target("loan", meaning="grants it", phrase="chance of a loan")
    first = part("abc", 0.25, target, study="first", seconds=0.1004)
    missing = {"loan": {"no valid answer": 1}}
    second = part("bcd", 0.75, target, notes=["both", "own"], unique_texts=7, seconds=0.2003, missing=missing)
    told = [conditions.Condition("none"), conditions.Condition("told", context="BE FAIR")]
    cube = joined(told, [first, replace(second, names=second.names.assign(more=1))])
    assert cube.sentences["sentence_id"].tolist() == ["b", "c"] and list(cube.names) == ["name"]
    assert cube.original.tolist() == [[0.25, 0.75]] * 2 and cube.perturbed.tolist() == [[[0.25, 0.75]] * 2] * 2
    assert cube.controls is not None and cube.controls.tolist() == [[[0.25, 0.75]] * 2] * 2
    assert [(one.name, one.phrase, one.meaning) for one in cube.targets] == [
        ("none.loan", "chance of a loan under “none”", "grants it under “none”"),
        ("told.loan", "chance of a loan under “told”", "grants it under “told”"),
    ]
    said = cube.provenance
    assert said["study"] == "first" and said["notes"] == ["both", "own"]
    assert (said["unique_texts"], said["texts_scored"], said["cache_hits"], said["seconds"]) == (12, 8, 2, 0.301)
    assert said["missing"] == {"told.loan": {"no valid answer": 1}}
    assert [one["name"] for one in said["targets"]] == ["none.loan", "told.loan"]
    assert said["conditions"][1] == {"id": "told", "system": "", "context": "BE FAIR", "names": ""}
    assert re.fullmatch("[0-9a-f]{16}", said["fingerprint"])
    other = joined(told, [first, replace(second, provenance={**second.provenance, "fingerprint": "g"})])
    assert other.provenance["fingerprint"] != said["fingerprint"]


def test_without_edits_and_missing_scores_a_joined_cube_has_none() -> None:
    cubes = [replace(part("ab", 0.5, Target(name)), controls=None) for name in ("loan", "risk score")]
    cube = joined([conditions.Condition("a"), conditions.Condition("b")], cubes)
    assert cube.controls is None and "missing" not in cube.provenance
    assert [one.phrase for one in cube.targets] == ["loan score under “a”", "risk score under “b”"]
    assert [one.meaning for one in cube.targets] == ["under “a”", "under “b”"]


def test_a_long_phrase_is_cut_before_its_condition() -> None:
    cube = joined([conditions.Condition("told")], [part("a", 0.5, Target("loan", phrase="x" * 195))])
    assert cube.targets[0].phrase == "x" * 187 + " under “told”" and len(cube.targets[0].phrase) == 200


def test_a_planted_change_is_found_and_the_sentence_says_how_large(file: Path) -> None:
    table = run(0.05, file).conditions("race")
    told = table[table["condition"] == "told"].set_index("group")
    assert told.loc["black", "difference"] == pytest.approx(0.03, abs=0.004)
    assert told.loc["black", ["before", "after"]].tolist() == pytest.approx([-0.08, -0.05], abs=0.004)
    assert table["above_noise"].all()
    blind = table[table["condition"] == "blind"].set_index("group")
    assert blind.loc["black", "after"] == 0
    of_told = condition_finding(table, "invite", column="race")
    assert of_told.headline == (
        "Under “told”, the difference in the invite score between “black” names and the other names falls from 0.08 to "
        "0.05."
    )
    assert of_told.is_significant
    of_blind = condition_finding(table[table["condition"] == "blind"], "invite", column="race")
    assert of_blind.headline.endswith("falls from 0.08 to 0.00, by definition: all names make the same text.")


def test_a_condition_that_changes_nothing_shows_nothing(file: Path) -> None:
    file.write_bytes(b"condition,context\nnone,\ntold,BE FAIR\nkind,Be kind\n")
    table = run(0.08, file).conditions("race")
    assert not table["above_noise"].any()
    assert condition_finding(table, "invite", column="race").headline.startswith("No condition is shown to change")


def test_tests_are_corrected_for_the_number_of_conditions(file: Path) -> None:
    table = run(0.079, file).conditions("race")
    alone = condition_table(_without(run(0.079, file).cube, "blind"), "invite", "race")
    told = table[table["condition"] == "told"]
    assert told["p_adjusted"].tolist() == pytest.approx(np.minimum(1, 2 * alone["p_adjusted"]).tolist())


def _without(cube: psa.ScoreCube, condition: str) -> psa.ScoreCube:
    kept = [row for row in cube.provenance["conditions"] if row["id"] != condition]
    return replace(cube, provenance={**cube.provenance, "conditions": kept})


@pytest.mark.slow
def test_a_study_with_conditions_is_kept_and_opened(file: Path, tmp_path: Path) -> None:
    found = run(0.05, file)
    found.save(tmp_path / "out")
    opened = psa.open(tmp_path / "out")
    pd.testing.assert_frame_equal(opened.conditions("race"), found.conditions("race"))
    assert opened.manifest["study"]["conditions"] == str(file)


def test_only_a_model_that_is_asked_can_be_told_something() -> None:
    spec = StudySpec(sentences="interviews", names="demo", model="vader", conditions="none,legal-notice")
    with pytest.raises(OptionError, match=r"a system message for 'vader'.*ask:"):
        study.plan(spec).parts()
    told = study.plan(replace(spec, model="ask:lm:smollm2?question=interview")).parts()
    assert [part.condition.id for part in told if part.condition] == ["none", "legal-notice"]
    assert told[0].spec.model == "ask:lm:smollm2?question=interview"
    assert "Legal%20notice" in told[1].spec.model


def test_the_estimate_counts_every_condition() -> None:
    address = "ask:chat:http://localhost:1/v1?question=interview"
    spec = StudySpec(sentences="interviews", names="demo", model=address)
    plain = preview.estimate(study.plan(spec), address)
    told = preview.estimate(study.plan(replace(spec, conditions="none,fair-request,initials-only")), address)
    assert told.requests == 3 * plain.requests
    assert told.tokens_in > 3 * plain.tokens_in


def test_a_study_without_conditions_has_no_such_table() -> None:
    with pytest.raises(CubeError, match="--conditions"):
        psa.run(["{name} bakes."], NAMES, len_of, cache=False).conditions("race")


def len_of(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,system\na,b\nc,d\n", "the columns name, system"),
        (b"condition,system\na,b\n", "1 of them"),
        (b"condition,system\na,same\nb,same\n", "1 contents"),
        (b"condition,system\na.b,\nc,d\n", "the name 'a.b'"),
        (b"condition,names\na,\nb,hidden\n", "names 'hidden'"),
    ],
)
def test_a_file_that_is_none_is_told_what_one_is(content: bytes, words: str) -> None:
    with pytest.raises(OptionError, match="the columns condition") as raised:
        conditions.read("mine.csv", content)
    assert words in str(raised.value.full_message)


def test_a_file_of_conditions_is_as_small_as_one_of_names() -> None:
    rows = "".join(f"c{n}\n" for n in range(30_000))
    with pytest.raises(OptionError, match="at most 20,000 rows"):
        conditions.read("c.csv", f"condition\n{rows}".encode())
    with pytest.raises(OptionError, match="at most 5 MB"):
        conditions.read("c.csv", b"condition\n" + b"x" * 6_000_000)
