"""The open study with its tables, each computed once and cached by what it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import chips, shell, shown_names, state
from pages.ui.frame.keys import Key
from psa_core import jobs, tables
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements
from psa_core.registry import in_short
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.again import Again, order_again
from psa_core.tables.wording import Finding, counted

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

    def words(self, title: str, finding: Finding | str = "") -> Caption:
        """What a picture of this study says when it stands alone."""
        return Caption(title, str(finding), source(self.cube))

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
    cube, left_out = without_left_out(run, whole)
    with chips.show(cube):
        shell.link("present", "Present")
    shell.say_unfinished(run, len(whole.sentences))
    if left_out:
        count = len(whole.sentences) - len(cube.sentences)
        st.caption(f"Left out: {count} sentence{'s' * (count > 1)} whose meaning changes with a name, as readers said.")
    return Opened(run, whole, cube, seen, left_out)


def source(cube: ScoreCube) -> str:
    """What a cube was measured on, in one line."""
    size = " × ".join(map(counted, cube.shape, ("sentence", "name")))
    return " · ".join([*model_and_file(cube), size])


def model_and_file(cube: ScoreCube) -> tuple[str, str]:
    """The model and the file of the sentences."""
    study = cube.provenance.get("study", {})
    file = cube.provenance.get("inputs", {}).get("sentences", {}).get("source", study.get("sentences", "sentences"))
    return in_short(str(study.get("model", "model"))), PurePath(str(file)).name


def need_whole_study() -> Opened:
    """The open study without its line of chips; an empty state ends the page where there is none."""
    whole = shell.need_run()
    seen = state.view(whole)
    shell.say_unfinished(str(seen.run), len(whole.sentences))
    return finished(str(seen.run), whole)


def without_left_out(run: str, whole: ScoreCube) -> tuple[ScoreCube, frozenset[str]]:
    """A study without the sentences that readers took out, and their ids; whole where that is wished or all are out."""
    left_out = to_leave_out(run)
    keep = ~whole.sentences["sentence_id"].isin(left_out).to_numpy()
    if keep.all() or not keep.any():
        return whole, frozenset()
    return whole.rows(keep), left_out


def to_leave_out(run: str) -> frozenset[str]:
    """Sentences that readers took out, where that is to count."""
    return judged_away(run) if st.session_state.get(Key.SENTENCES_LEAVE_OUT, True) else frozenset()


def is_still(study: Opened, away: frozenset[str]) -> bool:
    """Whether a study is looked at as it was opened: for a part of a page that is drawn by itself.

    Parameters
    ----------
    study : Opened
    away : frozenset of str
        What `to_leave_out` said then.
    """
    return state.view(study.whole) == study.seen and to_leave_out(study.run) == away


def finished(run: str, whole: ScoreCube) -> Opened:
    """A study as the page shows it that tells of its end: at no selection, and without what readers left out."""
    cube, left_out = without_left_out(run, whole)
    return Opened(run, whole, cube, state.view(whole), left_out)


def judged_away(run: str) -> frozenset[str]:
    """Sentences that readers took out of a finished run."""
    found = judged(run)
    return frozenset() if found is None else judgements.left_out(found)


def judged(run: str) -> pd.DataFrame | None:
    """What readers said of a finished run; None while it has no result, or where that cannot be read, which is told."""
    folder = result_folder(run)
    with shell.telling("What readers said of this study cannot be read"):
        return judgements.load(folder) if folder else None
    return None


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


def names_of(opened: Opened, target: Target) -> pd.DataFrame:
    """The same of any target, at its own threshold and against the baseline that suits the study."""
    key, threshold = (opened.key, target.name), target.default_threshold
    baseline = tables.default_baseline(opened.cube)
    return _names(key, opened.cube, baseline=baseline, correction="holm", threshold=threshold)


@st.cache_data(max_entries=64, show_spinner=False)
def _names(key: TargetKey, _cube: ScoreCube, *, baseline: str, correction: str, threshold: float) -> pd.DataFrame:
    effects = _effects(key, _cube, baseline=baseline, correction=correction)
    return tables.name_table(_cube, key[1], threshold=threshold, effects=effects)


@st.cache_data(max_entries=64, show_spinner=False)
def _effects(key: TargetKey, _cube: ScoreCube, *, baseline: str, correction: str) -> dict[str, np.ndarray]:
    """What no threshold changes, so that a step of the slider does not test the names again."""
    return tables.effect_columns(_cube, key[1], baseline=baseline, correction=correction)


def thresholds(opened: Opened) -> pd.DataFrame:
    """See `tables.label_dist_table`; does not depend on the chosen threshold."""
    return _thresholds(opened.target_key, opened.cube)


@st.cache_data(max_entries=32, show_spinner="Measuring every threshold", show_time=True)
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


def again(opened: Opened) -> Again:
    """See `tables.again.order_again`."""
    return _again(opened.target_key, opened.cube)


@st.cache_data(max_entries=64, show_spinner=False)
def _again(key: TargetKey, _cube: ScoreCube) -> Again:
    return order_again(_cube, key[1])


def sentences(opened: Opened) -> pd.DataFrame:
    """See `tables.sentence_table`, at the chosen threshold, with the texts."""
    return _sentences(opened.target_key, opened.cube, threshold=opened.threshold)


@st.cache_resource(max_entries=16, show_spinner=False)
def _sentences(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> pd.DataFrame:
    table = tables.sentence_table(_cube, key[1], threshold=threshold)
    return table.assign(text=_cube.sentences["text"].to_numpy())


def summary(opened: Opened) -> tables.corpus.Metrics:
    """See `tables.target_summary`, of the chosen target at the chosen threshold."""
    return _summary(opened.target_key, opened.cube, threshold=opened.threshold)


def unlabelled_summary(opened: Opened) -> tables.corpus.Metrics:
    """The same at the target's own threshold: for numbers that no threshold has a part in, since it is at hand."""
    return _summary(opened.target_key, opened.cube, threshold=opened.target.default_threshold)


def summary_of(key: RunKey, cube: ScoreCube, thresholds: Mapping[str, float]) -> tables.corpus.Summary:
    """See `tables.summary`; a target has its own threshold where none is given that lies in its range."""
    return {
        target.name: _summary((key, target.name), cube, threshold=_within(target, thresholds.get(target.name)))
        for target in cube.targets
    }


def chosen_threshold(opened: Opened) -> dict[str, float]:
    """The chosen target's threshold."""
    return {opened.target.name: opened.threshold}


def _within(target: Target, threshold: float | None) -> float:
    inside = threshold is not None and target.low <= threshold <= target.high
    return threshold if inside and threshold is not None else target.default_threshold


@st.cache_data(max_entries=1024, show_spinner="Measuring", show_time=True)
def _summary(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> tables.corpus.Metrics:
    return tables.target_summary(_cube, key[1], threshold=threshold)
