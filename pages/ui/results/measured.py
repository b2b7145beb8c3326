"""Tables of the open study, each computed once and cached by what it depends on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.results.context import RunKey, StudyContext, TargetKey
from psa_core import tables
from psa_core.cube import ScoreCube, Target
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.replicability import Replicability, order_replicability


def perturbation(opened: StudyContext) -> Perturbation:
    """The texts behind the study's cells."""
    return _perturbation(opened.key, opened.cube)


@st.cache_resource(max_entries=8, show_spinner=False)
def _perturbation(key: RunKey, _cube: ScoreCube) -> Perturbation:
    return perturbation_of(_cube)


def names(opened: StudyContext, *, baseline: str = "original", correction: str = "holm") -> pd.DataFrame:
    """See `tables.name_table`, at the chosen threshold."""
    return _names(opened.target_key, opened.cube, baseline=baseline, correction=correction, threshold=opened.threshold)


def names_of(opened: StudyContext, target: Target) -> pd.DataFrame:
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


def thresholds(opened: StudyContext) -> pd.DataFrame:
    """See `tables.label_dist_table`; does not depend on the chosen threshold."""
    return _thresholds(opened.target_key, opened.cube)


@st.cache_data(max_entries=32, show_spinner="Measuring every threshold", show_time=True)
def _thresholds(key: TargetKey, _cube: ScoreCube) -> pd.DataFrame:
    return tables.label_dist_table(_cube, key[1])


def at_threshold(opened: StudyContext) -> pd.DataFrame:
    """The one row of `tables.label_dist_table` at the chosen threshold, exactly."""
    return _at_threshold(opened.target_key, opened.cube, threshold=opened.threshold)


@st.cache_data(max_entries=256, show_spinner=False)
def _at_threshold(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> pd.DataFrame:
    return tables.label_dist_table(_cube, key[1], thresholds=[threshold])


def groups(opened: StudyContext, column: str, *, baseline: str, correction: str) -> pd.DataFrame:
    """See `tables.group_table`."""
    return _groups(opened.target_key, opened.cube, column=column, baseline=baseline, correction=correction)


@st.cache_data(max_entries=64, show_spinner=False)
def _groups(key: TargetKey, _cube: ScoreCube, *, column: str, baseline: str, correction: str) -> pd.DataFrame:
    return tables.group_table(_cube, key[1], column, baseline=baseline, correction=correction)


def again(opened: StudyContext) -> Replicability:
    """See `tables.replicability.order_replicability`."""
    return _again(opened.target_key, opened.cube)


@st.cache_data(max_entries=64, show_spinner=False)
def _again(key: TargetKey, _cube: ScoreCube) -> Replicability:
    return order_replicability(_cube, key[1])


def sentences(opened: StudyContext) -> pd.DataFrame:
    """See `tables.sentence_table`, at the chosen threshold, with the texts."""
    return _sentences(opened.target_key, opened.cube, threshold=opened.threshold)


@st.cache_resource(max_entries=16, show_spinner=False)
def _sentences(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> pd.DataFrame:
    table = tables.sentence_table(_cube, key[1], threshold=threshold)
    return table.assign(text=_cube.sentences["text"].to_numpy())


def summary(opened: StudyContext) -> tables.corpus.Metrics:
    """See `tables.target_summary`, of the chosen target at the chosen threshold."""
    return _summary(opened.target_key, opened.cube, threshold=opened.threshold)


def unlabelled_summary(opened: StudyContext) -> tables.corpus.Metrics:
    """The same at the target's own threshold: for numbers that no threshold has a part in, since it is at hand."""
    return _summary(opened.target_key, opened.cube, threshold=opened.target.default_threshold)


def summary_of(key: RunKey, cube: ScoreCube, thresholds: Mapping[str, float]) -> tables.corpus.Summary:
    """See `tables.summary`; a target has its own threshold where none is given that lies in its range."""
    return {
        target.name: _summary((key, target.name), cube, threshold=_within(target, thresholds.get(target.name)))
        for target in cube.targets
    }


def chosen_threshold(opened: StudyContext) -> dict[str, float]:
    """The chosen target's threshold."""
    return {opened.target.name: opened.threshold}


def _within(target: Target, threshold: float | None) -> float:
    inside = threshold is not None and target.low <= threshold <= target.high
    return threshold if inside and threshold is not None else target.default_threshold


@st.cache_data(max_entries=1024, show_spinner="Measuring", show_time=True)
def _summary(key: TargetKey, _cube: ScoreCube, *, threshold: float) -> tables.corpus.Metrics:
    return tables.target_summary(_cube, key[1], threshold=threshold)
