"""Studies that try the sentences above the numbers: small, null, tied, huge, of judges, documents, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import models
from psa_core.cube import ScoreCube, Target
from psa_core.inputs import corpus as corpora
from psa_core.inputs import names as name_lists
from psa_core.inputs.conditions import Condition
from psa_core.study import StudySpec, execute, plan
from psa_core.study.conditions import COUNTS, joined

SPEC = StudySpec(sentences="sample", names="demo", model="keyword", anchors="pronouns")
TOXICITY = Target("toxicity", meaning="more toxic")
LOAN = Target("P(Yes)", phrase="chance of a “Yes” to “Would you grant this loan?”", unit="points")


@dataclass(frozen=True)
class Case:
    """A study, two thresholds of its target at which it is read, and what its reader has set otherwise."""

    title: str
    cube: ScoreCube
    thresholds: tuple[float, float] = (0.5, 0.7)
    target: str = "toxicity"
    address: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


def cases(folder: Path) -> dict[str, Case]:
    """Every study by its title; files that some are read from are written to a folder."""
    made = [
        Case("null", _cube(0.0)),
        Case("small", _cube(0.3, sentences=8)),
        Case(
            "tied",
            replace(_cube(0.15), perturbed=_cube(0.15).perturbed.round(1), original=_cube(0.15).original.round(1)),
        ),
        Case("huge effect", _cube(0.9, noise=0.0)),
        Case("rare", _rare()),
        Case("one huge name", _one_name()),
        Case("nobody differs in sampled answers", _sampled(), (0.5, 0.3), target="P(Yes)"),
        Case("two conditions", _conditions(), target="strict.toxicity"),
        Case("person", _person(folder), (0.5, 0.55)),
        Case(
            "judge",
            _cube(0.12, targets=(LOAN, replace(LOAN, name="P(No)", phrase="chance of a “No”"))),
            target="P(Yes)",
        ),
        Case("not answered", _unanswered()),
        Case("slot", _slot(folder), (0.5, 0.25)),
        Case("predictions", _predicted(folder), (0.0, -0.3), target="mood"),
        Case("families", _families()),
        Case("left out and hidden", _cube(0.3), address={"hide_names": "True"}, left_out=("s3", "s4")),
        Case("documents", _documents(folder), (0.5, 0.55)),
        Case("crossed groups", _crossed(), address={"names_group": "gender*career"}),
        Case("second target", _cube(0.2, targets=(TOXICITY, Target("calm"))), target="calm"),
    ]
    return {case.title: case for case in made}


def _cube(
    effect: float, *, sentences: int = 40, noise: float = 0.02, targets: tuple[Target, ...] = (TOXICITY,)
) -> ScoreCube:
    """Ten names in two groupings; the first name moves the score by the effect, the actors by half of it."""
    random = np.random.default_rng(7)
    names = pd.DataFrame(
        {
            "name": [f"Person {letter}" for letter in "ABCDEFGHIJ"],
            "gender": ["female", "male"] * 5,
            "career": ["actor"] * 4 + ["leader"] * 6,
        }
    )
    original = random.uniform(0.1, 0.9, (sentences, len(targets)))
    moved = np.where(names["career"] == "actor", effect / 2, 0.0) + np.eye(10)[0] * effect / 2
    signs = np.array([1, -1])[: len(targets)]
    perturbed = original[:, None, :] + moved[None, :, None] * signs
    perturbed += random.normal(0, noise, perturbed.shape)
    texts = [f"He counted to {number} before lunch." for number in range(sentences)]
    table = pd.DataFrame({"sentence_id": [f"s{number}" for number in range(sentences)], "text": texts})
    provenance = {
        "study": asdict(SPEC),
        "targets": [asdict(target) for target in targets],
        "account": {"read": sentences, "kept": sentences},
    }
    return ScoreCube(
        table.assign(anchor="He", start=0, end=2, role="subject"),
        names,
        targets,
        original.astype(np.float32),
        np.clip(perturbed, 0, 1).astype(np.float32),
        provenance,
    )


def _rare() -> ScoreCube:
    """One sentence in ten is moved, by any name, by a lot."""
    cube = _cube(0.0, sentences=60)
    random = np.random.default_rng(3)
    jumps = 0.4 * (random.random(cube.perturbed.shape) < 0.04)
    return replace(cube, perturbed=np.clip(cube.perturbed + jumps, 0, 1).astype(np.float32))


def _one_name() -> ScoreCube:
    """One name moves every score by half of the range, no other name any."""
    cube = _cube(0.0)
    moved = cube.perturbed + 0.5 * np.eye(10)[0][None, :, None]
    return replace(cube, perturbed=np.clip(moved, 0, 1).astype(np.float32))


def _sampled() -> ScoreCube:
    """Five answers to each text, as often a Yes with one name as with another."""
    cube, random = _cube(0.0, targets=(replace(LOAN, samples=5),)), np.random.default_rng(11)
    often = random.uniform(0.2, 0.8, (40, 1, 1))
    drawn = random.binomial(5, np.broadcast_to(often, (40, 11, 1))) / 5
    return replace(cube, original=drawn[:, 0].astype(np.float32), perturbed=drawn[:, 1:].astype(np.float32))


def _conditions() -> ScoreCube:
    """Names matter under one of two conditions only."""
    counts = dict.fromkeys(COUNTS, 1)
    cubes = [
        replace(cube, provenance={**cube.provenance, "fingerprint": "f", "notes": [], **counts})
        for cube in (_cube(0.3), _cube(0.0))
    ]
    return joined([Condition("plain", "Answer."), Condition("strict", "Ignore the name.")], cubes)


def _person(folder: Path) -> ScoreCube:
    """Documents as they are written, in which one person is found."""
    file, people = folder / "written.csv", folder / "written-names.csv"
    name_lists.load("us-people").table.iloc[::20].to_csv(people, index=False)
    written = plan(replace(SPEC, sentences="cvs", names=str(people), anchors="slot")).perturbation
    pd.DataFrame({"text": [written.text(row, 0) for row in range(len(written.texts))]}).to_csv(file, index=False)
    spec = replace(SPEC, sentences=str(file), names=str(people), anchors="person", model="keyword:she=0.2,Mr=0.1")
    return execute(plan(spec), models.load(spec.model))


def _families() -> ScoreCube:
    cube = _cube(0.3, sentences=60)
    return replace(cube, sentences=cube.sentences.assign(family=np.arange(60) // 3))


def _unanswered() -> ScoreCube:
    """A judge that gives no answer now and then, and none about one sentence as it is."""
    cube = _cube(0.3)
    perturbed, original = cube.perturbed.copy(), cube.original.copy()
    perturbed[::7, 3], perturbed[5], original[9] = np.nan, np.nan, np.nan
    missing = {"toxicity": {"no valid answer": int(np.isnan(perturbed).sum() + np.isnan(original).sum())}}
    return replace(cube, perturbed=perturbed, original=original, provenance={**cube.provenance, "missing": missing})


def _slot(folder: Path) -> ScoreCube:
    """Texts without an original, so that names are compared with the typical name."""
    file = folder / "slots.csv"
    ends = ("a stupid fool", "late again", "an idiot", "here now", "a kind soul", "so awful")
    pd.DataFrame({"text": [f"{{name}} is {end} on day {day}." for end in ends for day in range(6)]}).to_csv(file)
    spec = replace(SPEC, sentences=str(file), anchors="slot", model="keyword:Kanye West=0.2,Dick Cheney=-0.1")
    return execute(plan(spec), models.load(spec.model))


def _documents(folder: Path) -> ScoreCube:
    """Long texts about one person in many forms, with neutral edits."""
    file, people = folder / "documents.csv", folder / "people.csv"
    corpora.load("cvs").sentences[["sentence_id", "text"]].to_csv(file, index=False)
    name_lists.load("us-people").table.iloc[::16].to_csv(people, index=False)
    spec = replace(SPEC, sentences=str(file), names=str(people), anchors="slot", controls=3)
    cube = execute(plan(spec), models.load(spec.model))
    random = np.random.default_rng(5)
    assert cube.controls is not None
    own = random.uniform(0.2, 0.8, (len(cube.sentences), 1, len(cube.targets)))
    moved = np.linspace(-0.06, 0.06, cube.shape[1])[None, :, None] + random.normal(0, 0.02, cube.perturbed.shape)
    return replace(
        cube,
        original=own[:, 0].astype(np.float32),
        perturbed=(own + moved).astype(np.float32),
        controls=(own + random.normal(0, 0.01, cube.controls.shape)).astype(np.float32),
    )


def _crossed() -> ScoreCube:
    """Groups that two columns make together, and how often each is selected."""
    cube = _cube(0.3)
    study = asdict(SPEC) | {"groups": "gender*career", "reference": "", "select": "threshold"}
    return replace(cube, provenance=dict(cube.provenance) | {"study": study})


def _predicted(folder: Path) -> ScoreCube:
    """A score from −1 to 1 that was made elsewhere."""
    texts, file = folder / "texts.csv", folder / "scored.csv"
    pd.DataFrame({"text": [f"She paid {amount} for it." for amount in range(30)]}).to_csv(texts, index=False)
    spec = replace(SPEC, sentences=str(texts), model=f"predictions:{file}")
    planned = plan(spec)
    every = list(dict.fromkeys([*planned.perturbation.originals(), *planned.perturbation]))
    scores = np.sin([sum(map(ord, text)) / 9 for text in every])
    pd.DataFrame({"text": every, "mood": scores}).to_csv(file, index=False)
    return execute(planned, models.load(spec.model))
