"""The open study as its pages see it: at a selection, without the sentences that readers took out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import pandas as pd
import streamlit as st

from pages.ui.frame import chips, open_study, shell, shown_names, state
from pages.ui.frame.keys import Key
from psa_core import jobs
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube, Target
from psa_core.errors import RunFolderError
from psa_core.folders import judgements
from psa_core.plurals import counted
from psa_core.registry import in_short
from psa_core.tables.formatting import Finding

RunKey = tuple[str, int, tuple[str, ...]]
TargetKey = tuple[RunKey, str]


@dataclass(eq=False)
class StudyContext:
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


def need_study() -> StudyContext:
    """The open study; without one, an empty state ends the page."""
    whole = open_study.need_run()
    seen = state.view(whole)
    run = str(seen.run)
    remember_run(run)
    cube, left_out = without_left_out(run, whole)
    with chips.show(cube):
        shell.link("present", "Present")
    open_study.say_unfinished(run, len(whole.sentences))
    if left_out:
        count = len(whole.sentences) - len(cube.sentences)
        st.caption(f"Left out: {counted(count, 'sentence')} whose meaning changes with a name, as readers said.")
    return StudyContext(run, whole, cube, seen, left_out)


def source(cube: ScoreCube) -> str:
    """What a cube was measured on, in one line."""
    size = " × ".join(map(counted, cube.shape, ("sentence", "name")))
    return " · ".join([*model_and_file(cube), size])


def model_and_file(cube: ScoreCube) -> tuple[str, str]:
    """The model and the file of the sentences."""
    study = cube.provenance.get("study", {})
    file = cube.provenance.get("inputs", {}).get("sentences", {}).get("source", study.get("sentences", "sentences"))
    return in_short(str(study.get("model", "model"))), PurePath(str(file)).name


def need_whole_study() -> StudyContext:
    """The open study without its line of chips; an empty state ends the page where there is none."""
    whole = open_study.need_run()
    seen = state.view(whole)
    open_study.say_unfinished(str(seen.run), len(whole.sentences))
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


def is_still(study: StudyContext, away: frozenset[str]) -> bool:
    """Whether a study is looked at as it was opened: for a part of a page that is drawn by itself.

    Parameters
    ----------
    study : Opened
    away : frozenset of str
        What `to_leave_out` said then.
    """
    return state.view(study.whole) == study.seen and to_leave_out(study.run) == away


def finished(run: str, whole: ScoreCube) -> StudyContext:
    """A study as the page shows it that tells of its end: at no selection, and without what readers left out."""
    cube, left_out = without_left_out(run, whole)
    return StudyContext(run, whole, cube, state.view(whole), left_out)


def judged_away(run: str) -> frozenset[str]:
    """Sentences that readers took out of a finished run."""
    found = judged(run)
    return frozenset() if found is None else judgements.left_out(found)


def judged(run: str) -> pd.DataFrame | None:
    """What readers said of a finished run; None while it has no result, or where that cannot be read, which is told."""
    folder = result_folder(run)
    with shell.report_errors("What readers said of this study cannot be read"):
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
