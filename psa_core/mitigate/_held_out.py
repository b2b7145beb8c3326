"""Measure name averaging: on held-out names and sentences, and by the number of names, without a model call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psa_core import stats
from psa_core.anchors import Anchor, AnchorFinder
from psa_core.cube import ScoreCube
from psa_core.errors import NameListError, OptionError
from psa_core.mitigate._scorer import NameAveraged, refuse_forms
from psa_core.study.perturbation import Perturbation


@dataclass(frozen=True)
class AlsoPeople:
    """An anchor finder that finds what another one does, and people that no list has; the longer of two stays."""

    finder: AnchorFinder
    people: AnchorFinder

    @property
    def spec(self) -> str:
        """Both specifications."""
        return f"{self.finder.spec} and {self.people.spec}"

    @property
    def fingerprint(self) -> str:
        """Both fingerprints."""
        return f"{self.finder.fingerprint}+{self.people.fingerprint}"

    @property
    def filler(self) -> str:
        """That of the first finder."""
        return self.finder.filler

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Anchors of both kinds, by position, not overlapping."""
        found = []
        for pair in zip(self.finder.find(texts), self.people.find(texts), strict=True):
            kept: list[Anchor] = []
            for anchor in sorted((*pair[0], *pair[1]), key=lambda anchor: (anchor.start, -anchor.end)):
                if not kept or anchor.start >= kept[-1].end:
                    kept.append(anchor)
            found.append(tuple(kept))
        return found


def recognised(perturbation: Perturbation, people: AnchorFinder) -> np.ndarray:
    """Whether `people` (``entities:PERSON``) sees a name as a person, whole and first, in each text: bool (S, N)."""
    texts = list(perturbation)
    starts = np.repeat([spans[0].start for spans in perturbation.spans], len(perturbation.names))
    names = perturbation.names * len(perturbation.texts)
    found = people.find(texts)
    # As it may stand in a text: without the full stop that ends a sentence, as a possessive of names in -s.
    forms = {name: (name, name.removesuffix("."), f"{name}'", f"{name}’") for name in perturbation.names}
    seen = [
        bool(anchors) and anchors[0].start == start and text[start : anchors[0].end] in forms[name]
        for text, start, name, anchors in zip(texts, starts, names, found, strict=True)
    ]
    return np.array(seen, dtype=bool).reshape(len(perturbation.texts), len(perturbation.names))


def held_out_cube(cube: ScoreCube, *, used: np.ndarray, measured: np.ndarray, seen: np.ndarray) -> ScoreCube:
    """What the name-averaged scorer answers for names that it does not know: a cube of the measured names alone.

    `used` and `measured` (M,) are positions of names. Where a name is recognised as a person (`seen`, bool (S, M), of
    `recognised`) a text gets the mean over the names used; elsewhere it keeps its own score. The original, whose anchor
    is found, has the mean.
    """
    if not len(used):
        raise NameListError("names to average over", got="none of the study's names", expected="at least one")
    means = cube.perturbed[:, used].astype(np.float64).mean(axis=1).astype(np.float32)
    own = cube.rows(np.arange(cube.shape[0]), measured)
    perturbed = np.where(seen[:, :, None], means[:, None], own.perturbed)
    provenance = {**cube.provenance, "mitigation": {"name_averaged": cube.names["name"].iloc[used].tolist()}}
    return replace(own, original=means, perturbed=perturbed, provenance=provenance)


class Trial(NamedTuple):
    """A study before and after averaging, on sentences that had no part in it.

    ``before``, ``as_people`` and ``as_they_are`` have names that were not averaged over: as the model scores them,
    where they are recognised as people, and where no name off the list is recognised. ``same_names`` has those averaged
    over: alike by construction, and so no evidence.
    """

    before: ScoreCube
    as_people: ScoreCube
    as_they_are: ScoreCube
    same_names: ScoreCube


def trial(cube: ScoreCube, *, used: np.ndarray, measured: np.ndarray, seen: np.ndarray) -> Trial:
    """Average over some names, and measure others; see `held_out_cube` for the arguments."""
    every = np.arange(cube.shape[0])
    return Trial(
        cube.rows(every, measured),
        held_out_cube(cube, used=used, measured=measured, seen=seen),
        held_out_cube(cube, used=used, measured=measured, seen=np.zeros_like(seen)),
        held_out_cube(cube, used=used, measured=used, seen=np.ones((cube.shape[0], len(used)), dtype=bool)),
    )


class Check(NamedTuple):
    """What the name-averaged scorer itself answered on some sentences, beside what a cube says it should answer.

    ``difference`` is the largest difference of the two, ``spread`` the largest difference between two names of one
    sentence, both on the scale of the scores.
    """

    sentences: int
    texts: int
    difference: float
    spread: float


def check(averaged: NameAveraged, expected: ScoreCube, perturbation: Perturbation, *, sentences: int = 20) -> Check:
    """Ask the name-averaged scorer about a study's first sentences, as they are and with every name.

    `expected` is what it should answer (see `held_out_cube`), `perturbation` has the texts behind that. Raises
    `AnchorError` where they mention a person in several forms.
    """
    refuse_forms(perturbation.spans)
    count = min(sentences, expected.shape[0])
    texts = [text for s in range(count) for text in (perturbation.texts[s], *perturbation.row(s))]
    answers = averaged.score(texts).reshape(count, 1 + expected.shape[1], -1)
    expected_answers = np.concatenate([expected.original[:count, None], expected.perturbed[:count]], axis=1)
    spread = float(np.ptp(answers[:, 1:], axis=1).max())
    return Check(count, len(texts), float(np.abs(answers - expected_answers).max()), spread)


def averaging_table(
    cube: ScoreCube, target: str, *, counts: ArrayLike, threshold: float, draws: int = 20
) -> pd.DataFrame:
    """What averaging over K names costs and loses, for several K (`counts`, each from 1 to N, else `OptionError`).

    One row per K: ``names`` (K, also the texts to score per text), ``score_change`` (mean over sentences of the size of
    the change of the original score) and ``labels_changed`` (originals whose label changes), both means over random
    draws of K names; ``list_dependence`` (how far the averaged score depends on which K names of the list were drawn:
    its standard deviation over all such draws, mean over sentences; 0 for the whole list).
    """
    original, perturbed = stats.paired_scores(*cube.scores(target))
    sizes = np.atleast_1d(np.asarray(counts, dtype=np.int64))
    total = perturbed.shape[1]
    if sizes.min(initial=1) < 1 or sizes.max(initial=1) > total:
        raise OptionError("names to average over", got=str(sizes.tolist()), expected=f"numbers from 1 to {total}")
    generator = np.random.default_rng(0)
    changes, labels = np.zeros(len(sizes)), np.zeros(len(sizes))
    before = stats.labels_at(original, threshold)[:, None]
    for _ in range(draws):
        means = np.cumsum(perturbed[:, generator.permutation(total)], axis=1)[:, sizes - 1] / sizes
        changes += np.abs(means - original[:, None]).mean(axis=0)
        labels += (stats.labels_at(means, threshold) != before).sum(axis=0)
    # Variance of the mean of K drawn from N without replacement.
    shrink = np.sqrt((total - sizes) / (sizes * max(1, total - 1)))
    dependence = perturbed.std(axis=1).mean() * shrink
    columns = {"score_change": changes / draws, "labels_changed": labels / draws, "list_dependence": dependence}
    return pd.DataFrame({"names": sizes, **columns})


class Loss(NamedTuple):
    """What averaging does to the originals: mean size of the change of the score, and labels that change."""

    score_change: float
    labels_changed: int


def loss(before: ScoreCube, after: ScoreCube, target: str, *, threshold: float) -> Loss:
    """What became of the original sentences' scores and labels between two cubes of the same sentences."""
    first, second = before.scores(target)[0].astype(np.float64), after.scores(target)[0].astype(np.float64)
    changed = stats.labels_at(first, threshold) != stats.labels_at(second, threshold)
    return Loss(float(np.abs(second - first).mean()), int(changed.sum()))
