"""Measure name averaging on held-out names and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from psa_core.anchors import Anchor, AnchorFinder
from psa_core.cube import ScoreCube
from psa_core.errors import NameListError
from psa_core.study.perturbation import Perturbation


def part(cube: ScoreCube, *, sentences: np.ndarray, names: np.ndarray) -> ScoreCube:
    """The cube of some sentences and some names, by position."""
    rows = cube.rows(sentences)
    return replace(rows, names=cube.names.iloc[names].reset_index(drop=True), perturbed=rows.perturbed[:, names])


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
        pairs = zip(self.finder.find(texts), self.people.find(texts), strict=True)
        return [_without_overlaps(sorted((*a, *b), key=lambda anchor: (anchor.start, -anchor.end))) for a, b in pairs]


def _without_overlaps(anchors: list[Anchor]) -> tuple[Anchor, ...]:
    kept: list[Anchor] = []
    for anchor in anchors:
        if not kept or anchor.start >= kept[-1].end:
            kept.append(anchor)
    return tuple(kept)


def recognised(perturbation: Perturbation, people: AnchorFinder) -> np.ndarray:
    """Whether `people` (``entities:PERSON``) sees a name as a person, whole and first, in each text: bool (S, N)."""
    texts = list(perturbation)
    starts = np.repeat([spans[0].start for spans in perturbation.spans], len(perturbation.names))
    names = perturbation.names * len(perturbation.texts)
    found = people.find(texts)
    seen = [
        bool(anchors) and anchors[0].start == start and text[start : anchors[0].end] in _forms(name)
        for text, start, name, anchors in zip(texts, starts, names, found, strict=True)
    ]
    return np.array(seen, dtype=bool).reshape(len(perturbation.texts), len(perturbation.names))


def _forms(name: str) -> tuple[str, ...]:
    """A name as it may stand in a text: without the full stop that ends a sentence, as a possessive of names in -s."""
    return name, name.removesuffix("."), f"{name}'", f"{name}’"


def held_out_cube(cube: ScoreCube, *, used: np.ndarray, measured: np.ndarray, seen: np.ndarray) -> ScoreCube:
    """What the name-averaged scorer answers for names that it does not know.

    Parameters
    ----------
    cube : ScoreCube
        The sentences that are measured, with all names.
    used, measured : int array
        Positions of the names averaged over, and of the M names that are measured.
    seen : bool array (S, M)
        Where a name is recognised as a person (`recognised`); elsewhere the text keeps its own score.

    Returns
    -------
    ScoreCube
        With the measured names alone. The original, whose anchor is found, has the mean over the names used.
    """
    if not len(used):
        raise NameListError("names to average over", got="none of the study's names", expected="at least one")
    means = cube.perturbed[:, used].astype(np.float64).mean(axis=1).astype(np.float32)
    own = part(cube, sentences=np.arange(cube.shape[0]), names=measured)
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
        part(cube, sentences=every, names=measured),
        held_out_cube(cube, used=used, measured=measured, seen=seen),
        held_out_cube(cube, used=used, measured=measured, seen=np.zeros_like(seen)),
        held_out_cube(cube, used=used, measured=used, seen=np.ones((cube.shape[0], len(used)), dtype=bool)),
    )
