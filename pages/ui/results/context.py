"""The open study as its pages use it: its selection, without the sentences that readers removed; its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from pages.ui.frame import address, cached, controls, shell, state
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from psa_core import jobs, models, tables
from psa_core.charts.caption import Caption, study_source
from psa_core.claims import findings
from psa_core.claims.formatting import Finding, Words, too_few_in
from psa_core.cube import ScoreCube, Target, in_unit
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders import judgements
from psa_core.plurals import counted
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.parts import ROUNDING

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
        return self.cube.targets[self.cube.target_index(str(self.seen.target))]

    @property
    def axis(self) -> str:
        """What the chosen target is called as a title."""
        return self.words.brief[:1].upper() + self.words.brief[1:]

    @property
    def threshold(self) -> float:
        return float(self.seen.threshold or 0.0)

    def digits(self, decimals: int) -> int:
        """Decimals of a table's numbers `in_unit` that show as much as so many do on the scale of the score."""
        return decimals if self.target.scale == 1 else decimals - 2

    @property
    def of_points(self) -> str:
        """What follows the words for changes of a score, where they are in hundredths."""
        return ", in points of 100" * self.target.is_in_points

    @property
    def words(self) -> Words:
        """How the chosen target is called, and its scores and their changes are written."""
        return Words.of(self.target)

    @property
    def score_range(self) -> float:
        """How far apart the chosen target's lowest and highest possible scores are."""
        return float(self.target.high - self.target.low)

    @cached_property
    def baseline(self) -> str:
        """What effects are against, unless somebody chooses."""
        return tables.default_baseline(self.cube)

    @cached_property
    def is_asked(self) -> bool:
        """Whether its model is a language model that was asked by requests."""
        return models.is_asked(str(self.cube.asked.get("model", "")))

    @cached_property
    def do_names_differ(self) -> bool:
        """Whether a score differs from one name to another by more than rounding, in any sentence."""
        return float(self.summary()["score_range"]["value"] or 0.0) > ROUNDING

    @cached_property
    def labels(self) -> dict[str, str]:
        """The label shown for each name: itself, or dots while names are hidden."""
        return controls.labels_of(self.cube.names["name"].astype(str).tolist())

    def caption(self, title: str, finding: Finding | str = "") -> Caption:
        return Caption(in_words(title), in_words(str(finding)), study_source(self.cube, self.target, self.threshold))

    def in_unit(self, table: pd.DataFrame, *columns: str) -> pd.DataFrame:
        """A table with scores of the chosen target, and changes of them, in these columns as people read them."""
        return in_unit(table, *columns, target=self.target)

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
        return self.compute(perturbation_of)

    def names(self, *, baseline: str = "original", correction: str = "holm") -> pd.DataFrame:
        """See `tables.name_table`, at the chosen threshold."""
        options = {"baseline": baseline, "correction": correction}
        # Results that no threshold changes are cached apart from the others: the slider does not rerun tests.
        effects = self.compute(tables.effect_columns, **options)

        def with_label_dist(cube: ScoreCube, name: str, *, threshold: float, **_: str) -> pd.DataFrame:
            return tables.name_table(cube, name, threshold=threshold, effects=effects)

        return self.compute(with_label_dist, threshold=self.threshold, **options)

    def at_threshold(self) -> pd.DataFrame:
        """The one row of `tables.label_dist_table` at the chosen threshold, exactly."""
        return self.compute(tables.label_dist_table, thresholds=(self.threshold,))

    def sentences(self) -> pd.DataFrame:
        """See `tables.sentence_table`, at the chosen threshold, with the texts."""
        table = self.compute(tables.sentence_table, threshold=self.threshold)
        return table.assign(text=self.cube.sentences["text"].to_numpy())

    def flips(self, **only: Any) -> tables.Flips:
        """Every label that changes at the chosen threshold, or `only` some: see `tables.find_flips`."""
        return tables.find_flips(self.cube, self.target.name, threshold=self.threshold, **only)

    def summary(self) -> tables.corpus.Metrics:
        """See `tables.target_summary`: at the target's own threshold."""
        return summary(self.key, self.cube, self.target, self.target.default_threshold)

    def name_finding(self, table: pd.DataFrame, baseline: str, correction: str = "holm") -> Finding:
        """The largest effects in a table of `names`."""
        shown = self.shown(table)
        return findings.name_finding(shown, self.target.name, baseline=baseline, correction=correction)

    def corpus_finding(self) -> Finding:
        """How far names move the score, over the whole corpus."""
        return findings.corpus_finding(self.summary(), self.target)

    def sentence_finding(self) -> Finding:
        """In how many sentences a label changes."""
        return findings.sentence_finding(self.sentences(), self.target.name, threshold=self.threshold)

    def threshold_finding(self) -> Finding:
        """What the names do at exactly the chosen threshold."""
        return findings.threshold_finding(self.at_threshold(), self.target.name, threshold=self.threshold)


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


def summary(key: RunKey, cube: ScoreCube, target: Target, threshold: float) -> tables.corpus.Metrics:
    """See `tables.target_summary`."""
    measure = partial(tables.target_summary, cube, target.name, threshold=threshold)
    return cached.measured("summary", key, target.name, threshold, _measure=measure)


def need_study(*, alone: bool = False) -> StudyContext:
    """The open study under its line of chips, or `alone`; an empty state ends the page where there is none."""
    run = state.view().run
    if run is None:
        empty_state()
        st.stop()
    try:
        full_cube = cached.cube(run)
    except PsaError as error:
        shell.problem(error, title="This study cannot be opened")
        with suppress(PsaError):
            if jobs.status(run):
                shell.link("study", "See how far it is")
                st.stop()
        empty_state()
        st.stop()
    cube, left_out = without_left_out(run, full_cube)
    shell.open_study_has(cube.noun)
    if not alone:
        remember_run(run)
        st.session_state[Key.PRESENT_FROM] = shell.page_shown()  # where Present begins, and where it is left to
        address.write({Key.PRESENT_VIEW: []})
        st.session_state.pop(Key.PRESENT_VIEW, None)
        controls.study_bar(cube)
    _say_unfinished(run, cube)
    if left_out and not alone:
        count = len(full_cube.sentences) - len(cube.sentences)
        st.caption(f"Left out: {counted(count, 'sentence')} whose meaning changes with a name, as readers judged.")
    return StudyContext(run, full_cube, cube, state.view(full_cube), left_out)


def is_early(run: str, cube: ScoreCube) -> bool:
    """Whether a study is still running and has too few sentences for any claim."""
    return bool(too_few_in(cube)) and jobs.status(run).live


def _say_unfinished(run: str, cube: ScoreCube) -> None:
    """Say if a study is small or still running, and where to follow its progress; both at once end the page."""
    with shell.show_errors("This study cannot be opened", then=empty_state):  # deleted since it was opened
        status, early = jobs.status(run), is_early(run, cube)
    if few := too_few_in(cube):
        st.info(in_words(few))
    if early:
        shell.link("study", "See its progress")
        st.stop()
    if status.state != "finished":
        with st.container(horizontal=True, vertical_alignment="center"):
            words = "is still running" if status.live else "was not finished"
            sentences, total = len(cube.sentences), status.sentences_total
            seen = f"{sentences:,} of {counted(total, cube.noun)}" if total else counted(sentences, cube.noun)
            st.markdown(f":orange[This study {words}: you see {seen}, drawn at random.]", width="content")
            shell.link("study", "See its progress")


def empty_state() -> None:
    """What to do where no study is open, or where the link has no valid id of one."""
    if st.session_state.get(Key.BROKEN_LINK):
        fix = "Copy it again from where the study is open."
        shell.problem(RunFolderError("run", got="this link names no study", expected="the whole address", fix=fix))
    with st.container(border=True, gap="small"):
        st.header("No study is open yet", anchor=False)
        st.markdown(
            "A **study** is many sentences, each with every name, scored by one model. Load the example to look "
            "around, or set up your own."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Load the example study", type="primary", key="load_example", icon=":material/play_arrow:"):
                with shell.show_errors(), st.spinner("Scoring the sample corpus with 20 names", show_time=True):
                    state.choose(run=cached.example_run())
                st.rerun()
            shell.link("new_study", "Set up your own study")


def ask_part(parts: Mapping[str, str], key: str, *, first: str = "") -> str:
    """The chosen part of a page, bound to the URL; only that part is drawn.

    A page that had an address of its own, and is a part of another one now, is still found there.
    """
    shown = shell.page_shown()
    first = first or (shown if shown in shell.MOVED else next(iter(parts)))
    return str(controls.choose("Part of the page", parts, key, first, label_visibility="collapsed"))


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


def remember_run(run: str, seen: str = Key.RUNS_SEEN) -> None:
    """Keep a run among those this session has `seen`, to be compared; those of audits have keys of their own."""
    known = st.session_state.setdefault(seen, [])
    if run not in known:
        known.append(run)
