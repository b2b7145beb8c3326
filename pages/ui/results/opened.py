"""The open study as the result pages see it, and its tables, measured once and remembered by what they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.frame import shell, shown_names, state
from pages.ui.frame.keys import Key
from psa_core import jobs, mitigate, tables
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation

RunKey = tuple[str, int, tuple[str, ...]]
TargetKey = tuple[RunKey, str]


@dataclass(eq=False)
class Opened:
    """A study and what is looked at in it.

    Attributes
    ----------
    run : str
    whole : ScoreCube
        With every sentence.
    cube : ScoreCube
        Without the sentences that readers took out.
    seen : View
        With target and threshold set.
    left_out : frozenset of str
        Ids of the sentences that readers took out.
    """

    run: str
    whole: ScoreCube
    cube: ScoreCube
    seen: state.View
    left_out: frozenset[str] = frozenset()

    @property
    def key(self) -> RunKey:
        """What a remembered table depends on: the run, how many of its sentences are in, and which were taken out."""
        return self.run, len(self.whole.sentences), tuple(sorted(self.left_out))

    @property
    def target_key(self) -> TargetKey:
        """The same, and the chosen target."""
        return self.key, self.target.name

    @property
    def target(self) -> Target:
        """The chosen target."""
        return self.cube.targets[self.cube.target_index(str(self.seen.target))]

    @property
    def threshold(self) -> float:
        """The chosen threshold."""
        return float(self.seen.threshold or 0.0)

    @cached_property
    def labels(self) -> dict[str, str]:
        """What to show for each name: itself, or dots while names are hidden."""
        return shown_names.labels(self.cube)


def need_study() -> Opened:
    """The open study; without one, an empty state ends the page."""
    whole = shell.need_run()
    seen = state.view(whole)
    run = str(seen.run)
    remember_run(run)
    left_out = judged_away(run) if st.session_state.get(Key.SENTENCES_LEAVE_OUT, True) else frozenset()
    keep = ~whole.sentences["sentence_id"].isin(left_out).to_numpy()
    if not left_out or keep.all() or not keep.any():
        return Opened(run, whole, whole, seen)
    count = int((~keep).sum())
    st.caption(f"Left out: {count} sentence{'s' * (count > 1)} whose meaning changes with a name, as readers said.")
    return Opened(run, whole, whole.rows(keep), seen, left_out)


def judged_away(run: str) -> frozenset[str]:
    """Sentences that readers took out of a finished run."""
    folder = result_folder(run)
    return judgements.left_out(judgements.load(folder)) if folder else frozenset()


def result_folder(run: str) -> Path | None:
    """The result folder of a run; None while it has none."""
    try:
        return jobs.result_folder(run)
    except RunFolderError:
        return None


def remember_run(run: str) -> None:
    """Keep a run among those this session knows, for Compare."""
    known = st.session_state.setdefault(Key.RUNS_SEEN, [])
    if run not in known:
        known.append(run)


def perturbation(opened: Opened) -> Perturbation:
    """The texts behind the study's cells."""
    return _perturbation(opened.key, opened.cube)


@st.cache_resource(max_entries=8, show_spinner=False)
def _perturbation(key: RunKey, _cube: ScoreCube) -> Perturbation:
    return perturbation_of(_cube)


def names(opened: Opened, *, baseline: str = "original", correction: str = "holm") -> pd.DataFrame:
    """See `tables.name_table`, at the chosen threshold."""
    return _names(opened.target_key, opened.cube, baseline=baseline, correction=correction, threshold=opened.threshold)


@st.cache_data(max_entries=64, show_spinner=False)
def _names(key: TargetKey, _cube: ScoreCube, *, baseline: str, correction: str, threshold: float) -> pd.DataFrame:
    return tables.name_table(_cube, key[1], baseline=baseline, correction=correction, threshold=threshold)


def thresholds(opened: Opened) -> pd.DataFrame:
    """See `tables.label_dist_table`; does not depend on the chosen threshold."""
    return _thresholds(opened.target_key, opened.cube)


@st.cache_data(max_entries=32, show_spinner="Measuring every threshold")
def _thresholds(key: TargetKey, _cube: ScoreCube) -> pd.DataFrame:
    return tables.label_dist_table(_cube, key[1])


def at_threshold(opened: Opened) -> pd.DataFrame:
    """The one row of `tables.label_dist_table` at the chosen threshold, exactly."""
    return _at_threshold(opened.target_key, opened.cube, threshold=opened.threshold)


@st.cache_data(max_entries=256, show_spinner=False)
def _at_threshold(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> pd.DataFrame:
    return tables.label_dist_table(_cube, key[1], thresholds=[threshold])


def groups(opened: Opened, column: str, *, baseline: str, correction: str) -> pd.DataFrame:
    """See `tables.group_table`."""
    return _groups(opened.target_key, opened.cube, column=column, baseline=baseline, correction=correction)


@st.cache_data(max_entries=64, show_spinner=False)
def _groups(key: TargetKey, _cube: ScoreCube, *, column: str, baseline: str, correction: str) -> pd.DataFrame:
    return tables.group_table(_cube, key[1], column, baseline=baseline, correction=correction)


def sentences(opened: Opened) -> pd.DataFrame:
    """See `tables.sentence_table`, at the chosen threshold, with the texts."""
    return _sentences(opened.target_key, opened.cube, threshold=opened.threshold)


@st.cache_resource(max_entries=16, show_spinner=False)
def _sentences(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> pd.DataFrame:
    table = tables.sentence_table(_cube, key[1], threshold=threshold)
    return table.assign(text=_cube.sentences["text"].to_numpy())


def summary(opened: Opened) -> tables.corpus.Summary:
    """See `tables.summary`, at the targets' own thresholds."""
    return _summary(opened.key, opened.cube)


def summary_of(run: str, cube: ScoreCube) -> tables.corpus.Summary:
    """The same of another study, with every sentence."""
    return _summary((run, len(cube.sentences), ()), cube)


@st.cache_data(max_entries=32, show_spinner="Measuring")
def _summary(key: RunKey, _cube: ScoreCube) -> tables.corpus.Summary:
    return tables.summary(_cube)


def averaged_summary(opened: Opened, count: int) -> tables.corpus.Summary:
    """The summary of the study's name-averaged form: so many names of the list averaged over."""
    return _averaged_summary(opened.key, opened.cube, count=count)


@st.cache_data(max_entries=64, show_spinner="Measuring again")
def _averaged_summary(key: RunKey, _cube: ScoreCube, *, count: int) -> tables.corpus.Summary:
    return tables.summary(mitigate.averaged_cube(_cube, mitigate.drawn_names(_cube, count)))
