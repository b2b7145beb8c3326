"""Split a study for Mitigate: names to average over, and names and sentences to measure on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from pages.ui.frame import cached
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import anchors, mitigate, tables
from psa_core.cube import ScoreCube
from psa_core.mitigate import Halves, Trial
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.corpus import Metrics

#: Texts in which people are looked for when the page opens: a few seconds of spaCy.
TEXTS = 600


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A study in halves.

    Attributes
    ----------
    study : Opened
    names, sentences : Halves
        Of the study's rows. Of the sentences to measure those are left out that take too long to read.
    """

    study: StudyContext
    names: Halves
    sentences: Halves

    @property
    def key(self) -> tuple[context.RunKey, int]:
        """What a remembered result depends on."""
        return self.study.key, len(self.sentences.measured)

    @cached_property
    def rows(self) -> ScoreCube:
        """The sentences that are measured, with all names."""
        return self.study.cube.rows(self.sentences.measured)

    @cached_property
    def perturbation(self) -> Perturbation:
        """The texts of the sentences and names that are measured."""
        every = np.arange(self.rows.shape[0])
        return perturbation_of(mitigate.part(self.rows, sentences=every, names=self.names.measured))

    @property
    def seen(self) -> np.ndarray:
        """Where a measured name is recognised as a person: bool (S, M)."""
        return _seen(self.key, self.perturbation)

    def used(self, count: int) -> np.ndarray:
        """Positions of the names averaged over."""
        return mitigate.drawn(self.names.used, count)

    def trial(self, count: int) -> Trial:
        """Before and after, averaged over so many names."""
        return mitigate.trial(self.rows, used=self.used(count), measured=self.names.measured, seen=self.seen)

    def summaries(self, count: int) -> dict[str, Metrics]:
        """The corpus metrics of the chosen target, for each cube of the trial."""
        name, threshold = self.study.target.name, self.study.threshold
        return _summaries(self.key, self.trial(count), count=count, target=name, threshold=threshold)


def split(study: StudyContext, *, whole: bool) -> HeldOut:
    """Halve a study; unless `whole`, only so many sentences are measured as are read in a few seconds."""
    names, sentences = mitigate.split_names(study.cube), mitigate.split_sentences(study.cube)
    most = len(sentences.measured) if whole else max(2, TEXTS // len(names.measured))
    return HeldOut(study, names, replace(sentences, measured=sentences.measured[:most]))


@st.cache_data(max_entries=16, show_spinner="Looking for people in the texts", show_time=True)
def _seen(key: tuple[context.RunKey, int], _perturbation: Perturbation) -> np.ndarray:
    return mitigate.recognised(_perturbation, cached.finder(anchors.people()))


@st.cache_data(max_entries=64, show_spinner="Measuring again", show_time=True)
def _summaries(
    key: tuple[context.RunKey, int], _trial: Trial, *, count: int, target: str, threshold: float
) -> dict[str, Metrics]:
    return {kind: tables.target_summary(cube, target, threshold=threshold) for kind, cube in _trial._asdict().items()}
