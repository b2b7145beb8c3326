"""The open study as its pages use it: its selection, without the sentences that readers removed; its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import address, controls, open_study, shell, shown_names, state
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from psa_core import jobs, tables
from psa_core.charts.caption import Caption, study_source
from psa_core.claims.formatting import Finding, Words
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements
from psa_core.plurals import counted
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation

T = TypeVar("T")
RunKey = tuple[str, int, tuple[str, ...]]
TargetKey = tuple[RunKey, str]


@dataclass(eq=False)
class StudyContext:
    """A study and the selection in it, whose target and threshold are set.

    `cube` is `full_cube` without the sentences that readers removed, whose ids are `left_out`.
    """

    run: str
    full_cube: ScoreCube
    cube: ScoreCube
    seen: state.View
    left_out: frozenset[str] = frozenset()

    @property
    def key(self) -> RunKey:
        """The cache key of a table: the run, how many of its sentences are scored, and which were removed."""
        return self.run, len(self.full_cube.sentences), tuple(sorted(self.left_out))

    @property
    def target_key(self) -> TargetKey:
        """The same, and the chosen target."""
        return self.key, self.target.name

    @property
    def target(self) -> Target:
        """The chosen target."""
        return self.cube.targets[self.cube.target_index(str(self.seen.target))]

    @property
    def phrase(self) -> str:
        """What the chosen target is called in a sentence."""
        return Words.of(self.target).phrase

    @property
    def brief(self) -> str:
        """The same on charts and cards, where room is short."""
        return Words.of(self.target).brief

    @property
    def axis(self) -> str:
        """The same as a title."""
        return self.brief[:1].upper() + self.brief[1:]

    @property
    def threshold(self) -> float:
        """The chosen threshold."""
        return float(self.seen.threshold or 0.0)

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label shown for each name: itself, or dots while names are hidden."""
        return shown_names.labels(self.cube)

    def caption(self, title: str, finding: Finding | str = "") -> Caption:
        """The caption of an exported figure of this study."""
        return Caption(in_words(title), in_words(str(finding)), study_source(self.cube, self.target, self.threshold))

    def shown(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table with the names as shown, for text and tables; elsewhere ``name`` has the ids."""
        return table.assign(name=table["name"].map(self.labels))

    def compute(self, function: Callable[..., T], **options: Any) -> T:
        """The result of a library function for the cube and the chosen target, computed once for all sessions."""
        return _at_once(self.target_key, _id_of(function), options, _function=function, _cube=self.cube)

    def compute_slowly(self, function: Callable[..., T], **options: Any) -> T:
        """The same with a spinner, for what takes a second or more."""
        return _while_waiting(self.target_key, _id_of(function), options, _function=function, _cube=self.cube)

    @property
    def perturbation(self) -> Perturbation:
        """The texts behind the study's cells."""
        return self.compute(_texts)

    def names(
        self, *, baseline: str = "original", correction: str = "holm", target: Target | None = None
    ) -> pd.DataFrame:
        """See `tables.name_table`: at the chosen threshold, or of any target at its own."""
        name, threshold = (target.name, target.default_threshold) if target else (self.target.name, self.threshold)
        options = {"baseline": baseline, "correction": correction}
        # Results that no threshold changes are cached apart from the others: the slider does not rerun tests.
        effects = _at_once((self.key, name), "effects", options, _function=tables.effect_columns, _cube=self.cube)

        def with_label_dist(cube: ScoreCube, name: str, *, threshold: float, **_: str) -> pd.DataFrame:
            return tables.name_table(cube, name, threshold=threshold, effects=effects)

        at_threshold = options | {"threshold": threshold}
        return _at_once((self.key, name), "names", at_threshold, _function=with_label_dist, _cube=self.cube)

    def at_threshold(self) -> pd.DataFrame:
        """The one row of `tables.label_dist_table` at the chosen threshold, exactly."""
        return self.compute(tables.label_dist_table, thresholds=(self.threshold,))

    def sentences(self) -> pd.DataFrame:
        """See `tables.sentence_table`, at the chosen threshold, with the texts."""
        return self.compute(_sentences, threshold=self.threshold)

    def flips(self) -> tables.Flips:
        """Every label that changes at the chosen threshold."""
        return tables.find_flips(self.cube, self.target.name, threshold=self.threshold)

    def summary(self, *, threshold: float | None = None) -> tables.corpus.Metrics:
        """See `tables.target_summary`: at the chosen threshold, or the target's own for metrics without one."""
        at = self.target.default_threshold if threshold is None else threshold
        return _summary(self.target_key, self.cube, threshold=at)


def _id_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


# Results are shared by all sessions and not copied: nobody may change one. A data frame is never part of a key.
@st.cache_resource(max_entries=512, show_spinner=False)
def _at_once(
    key: TargetKey, function: str, options: Mapping[str, Any], *, _function: Callable[..., T], _cube: ScoreCube
) -> T:
    return _function(_cube, key[1], **options)


@st.cache_resource(max_entries=128, show_spinner="Measuring", show_time=True)
def _while_waiting(
    key: TargetKey, function: str, options: Mapping[str, Any], *, _function: Callable[..., T], _cube: ScoreCube
) -> T:
    return _function(_cube, key[1], **options)


@st.cache_data(max_entries=1024, show_spinner="Measuring", show_time=True)
def _summary(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> tables.corpus.Metrics:
    return tables.target_summary(_cube, key[1], threshold=threshold)


def _sentences(cube: ScoreCube, target: str, *, threshold: float) -> pd.DataFrame:
    table = tables.sentence_table(cube, target, threshold=threshold)
    return table.assign(text=cube.sentences["text"].to_numpy())


def _texts(cube: ScoreCube, target: str) -> Perturbation:
    return perturbation_of(cube, target)


def summaries(key: RunKey, cube: ScoreCube, thresholds: Mapping[str, float]) -> tables.corpus.Summary:
    """See `tables.summary`; without a valid threshold, a target's own is used."""
    found = {}
    for target in cube.targets:
        at = thresholds.get(target.name, np.nan)
        inside = target.low <= at <= target.high
        found[target.name] = _summary(
            (key, target.name), cube, threshold=float(at) if inside else target.default_threshold
        )
    return found


def need_study() -> StudyContext:
    """The open study under its line of chips; without one, an empty state ends the page."""
    study = _opened()
    remember_run(study.run)
    st.session_state[Key.PRESENT_FROM] = shell.page_shown()  # where Present begins, and where it is left to
    address.write({Key.PRESENT_VIEW: []})
    st.session_state.pop(Key.PRESENT_VIEW, None)
    controls.study_bar(study.cube)
    open_study.say_unfinished(study.run, study.cube)
    if study.left_out:
        count = len(study.full_cube.sentences) - len(study.cube.sentences)
        st.caption(f"Left out: {counted(count, 'sentence')} whose meaning changes with a name, as readers judged.")
    return study


def need_study_alone() -> StudyContext:
    """The open study without its line of chips; an empty state ends the page where there is none."""
    study = _opened()
    open_study.say_unfinished(study.run, study.cube)
    return study


def _opened() -> StudyContext:
    full_cube = open_study.need_run()
    study = at_selection(str(state.view(full_cube).run), full_cube)
    shell.open_study_has(study.cube.noun)
    return study


def at_selection(run: str, full_cube: ScoreCube) -> StudyContext:
    """A study at its selection, without the sentences that readers removed."""
    cube, left_out = without_left_out(run, full_cube)
    return StudyContext(run, full_cube, cube, state.view(full_cube), left_out)


def ask_part(parts: Mapping[str, str], key: Key, *, first: str = "") -> str:
    """The chosen part of a page, bound to the URL; only that part is drawn.

    A page that had an address of its own, and is a part of another one now, is still found there.
    """
    shown = shell.page_shown()
    first = first or (shown if shown in shell.MOVED else next(iter(parts)))
    link = address.linked(key, first, parts)
    words = {"format_func": lambda part: in_words(parts[part]), "required": True, "label_visibility": "collapsed"}
    return str(st.segmented_control("Part of the page", parts, **words, **link))


def without_left_out(run: str, full_cube: ScoreCube) -> tuple[ScoreCube, frozenset[str]]:
    """A study without the sentences readers removed, and their ids; the full study on request or if all are removed."""
    left_out = to_leave_out(run)
    keep = ~full_cube.sentences["sentence_id"].isin(left_out).to_numpy()
    if keep.all() or not keep.any():
        return full_cube, frozenset()
    return full_cube.rows(keep), left_out


def to_leave_out(run: str) -> frozenset[str]:
    """Sentences that readers removed, if removals apply."""
    found = judged(run) if st.session_state.get(Key.SENTENCES_LEAVE_OUT, True) else None
    return frozenset() if found is None else judgements.left_out(found)


def judged(run: str) -> pd.DataFrame | None:
    """Readers' judgements of a finished run; None if it has no result or they cannot be read, which is reported."""
    folder = result_folder(run)
    with shell.report_errors("The readers' judgements of this study cannot be read"):
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
