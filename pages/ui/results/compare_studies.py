"""The studies on Compare: the open one, those of the session and the link, and those on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

import streamlit as st

from pages.ui.frame import address, cached, markup, shell
from pages.ui.frame.keys import Key
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import jobs
from psa_core.charts.caption import model_and_file
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError, PsaError
from psa_core.plurals import counted
from psa_core.registry import readable_id

PARAMETER = "with"
MAX_RUNS = 12
#: Of the box with the chosen studies: where its lines end on a narrow screen, and how large they are.
BOX_PIXELS, CHIP_PIXELS, LETTER_PIXELS = 640, 38, 7.2
LABEL_REM, LINE_REM, MAX_LINES = 2.2, 2.05, 4.5
RUN_IN_TEXT = re.compile(r"(?:^|[?&](?:run|with)=)([A-Za-z0-9_-]{16,32})(?=$|[&#\s])")


@dataclass(frozen=True, eq=False)
class Compared:
    """One study that is compared, without the sentences that readers took out: `left_out` has their ids.

    `parts` are what may tell it apart from the others, in this order: title or model, file, number of names, the
    model's id, time.
    `label` has title, or model and file, and what else is needed; `brief` lacks what all of the others have too.
    """

    run: str
    parts: tuple[str, ...]
    cube: ScoreCube
    left_out: frozenset[str] = frozenset()
    label: str = ""
    brief: str = ""

    @property
    def full(self) -> str:
        """The label in the list of studies: with the time."""
        label, time = self.label, self.parts[-1]
        return label if time in label else f"{label} · {time}"


def ask_studies(study: StudyContext) -> list[Compared]:
    """The studies of this session, those of the link, and any other by its link."""
    linked = [run for run in st.query_params.get_all(PARAMETER)[:MAX_RUNS] if jobs.RUN_ID.fullmatch(run)]
    for run in linked:
        context.remember_run(run)
    before: list[str] | None = st.session_state.get(Key.COMPARE_RUNS)
    seen = st.session_state[Key.RUNS_SEEN]
    # Finished studies on this machine; audits have pages of their own.
    history = [one.run_id for one in jobs.history() if one.state == "finished" and one.spec is not None]
    found = _open(list(dict.fromkeys([study.run, *(before or ()), *seen[::-1], *history]))[:MAX_RUNS])
    by_run = {compared.run: compared for compared in found}
    is_new = st.session_state.get("compare_open") != study.run
    st.session_state["compare_open"] = study.run
    if before is None:
        chosen = _at_first(study, found, linked)
    else:  # a study that was opened since the last look joins the chosen ones; one that was taken away stays away
        chosen = [study.run, *before] if is_new and study.run not in before else before
    st.session_state[Key.COMPARE_RUNS] = [run for run in chosen if run in by_run]
    box, buttons = st.columns([2, 1], vertical_alignment="bottom", gap="medium")
    with box:
        st.html(_room([by_run[run].full for run in st.session_state[Key.COMPARE_RUNS]]))
        st.multiselect(
            "Studies",
            list(by_run),
            format_func=lambda run: by_run[run].full if run in by_run else run,
            key=Key.COMPARE_RUNS,
            wrap=True,
            persist_state="session",
        )
    with buttons, st.container(horizontal=True):
        with st.popover("Add a study", icon=":material/add:"):
            words = "Open the other study in the dashboard and copy the address. To compare two models, run the same "
            words += "sentences and names with both."
            st.text_input("Its link or run id", key="compare_add", on_change=_add, help=words)
        if not cached.is_example(study.run):  # the example is everybody's and keeps its name
            with st.popover("Name this study", icon=":material/edit:"):
                st.session_state["compare_title"] = jobs.title(study.run)
                options = {"max_chars": jobs.MAX_TITLE_LENGTH, "on_change": _give_title, "args": (study.run,)}
                st.text_input("Title of the open study", key="compare_title", **options)
    outcome = st.session_state.pop("compare_added", None)  # what became of the study that was asked for last
    if isinstance(outcome, PsaError):
        shell.problem(outcome, "No study was added")
    elif outcome:
        st.html(markup.plain(outcome, faint=True))
    chosen = st.session_state[Key.COMPARE_RUNS]
    address.write({PARAMETER: [run for run in chosen if run != study.run]})
    return with_own_labels([by_run[run] for run in by_run if run in chosen])


def _room(labels: list[str]) -> str:
    """A CSS rule that reserves room for the chosen studies, whose box would otherwise grow and move the page."""
    lines, left = 0, 0.0
    for label in labels:
        wide = CHIP_PIXELS + LETTER_PIXELS * len(label)
        lines, left = (lines, left - wide) if wide <= left else (lines + 1, BOX_PIXELS - wide)
    high = LABEL_REM + LINE_REM * min(lines, MAX_LINES)
    return f"<style>@media (min-width: 900px) {{.st-key-{Key.COMPARE_RUNS} {{min-height: {high:g}rem}}}}</style>"


def _give_title(run: str) -> None:
    with shell.report_errors("This study cannot be named"):
        jobs.give_title(run, str(st.session_state["compare_title"]))


def _at_first(study: StudyContext, found: list[Compared], linked: list[str]) -> list[str]:
    """The open study and those of the link; without any, those of this session and others of the same sentences."""
    if linked:
        return [c.run for c in found if c.run in {study.run, *linked}]
    sentences = study.cube.sentences["sentence_id"].tolist()
    opened = {study.run, *st.session_state[Key.RUNS_SEEN]}
    return [c.run for c in found if c.run in opened or c.cube.sentences["sentence_id"].tolist() == sentences]


def _add() -> None:
    """Add a study to the comparison, or say why not."""
    typed = str(st.session_state["compare_add"]).strip()
    if not typed:
        return
    chosen: list[str] = st.session_state.get(Key.COMPARE_RUNS, [])
    try:
        runs = list(dict.fromkeys(RUN_IN_TEXT.findall(typed)))
        if not runs:
            fix = "Open the study in the dashboard and copy the address."
            raise OptionError("study", got=repr(typed[:60]), expected="the link of a study, or its run id", fix=fix)
        for run in runs:
            cached.cube(run)
            context.remember_run(run)
    except PsaError as error:
        st.session_state["compare_added"] = error
        return
    new = [run for run in runs if run not in chosen]
    st.session_state[Key.COMPARE_RUNS] = [*chosen, *new][-MAX_RUNS:]
    st.session_state["compare_add"] = ""
    st.session_state["compare_added"] = f"{len(new)} added." if new else "This study is in the comparison already."


def _open(runs: list[str]) -> list[Compared]:
    """The studies that can be opened."""
    found: list[Compared] = []
    for run in runs:
        try:
            full_cube = cached.cube(run)
            if context.is_early(run, full_cube):
                continue
            cube, left_out = context.without_left_out(run, full_cube)
            title, time = jobs.title(run), f"{datetime.fromtimestamp(jobs.started(run)):%d %b %Y %H:%M}"
        except PsaError as error:
            st.session_state[Key.RUNS_SEEN] = [known for known in st.session_state[Key.RUNS_SEEN] if known != run]
            shell.problem(error, "A study could not be opened")
            continue
        model, file = model_and_file(cube)
        named = (title, "") if title else (model, file)
        model_id = readable_id(str(cube.asked.get("model", "")))
        parts = (*named, counted(cube.shape[1], "name"), model_id, time)
        found.append(Compared(run, parts, cube, left_out))
    return with_own_labels(found)


def with_own_labels(studies: list[Compared]) -> list[Compared]:
    """The studies with unique labels: parts are added while two labels are equal, then a number."""
    labels = _labels([study.parts for study in studies], always=2)
    briefs = _labels([study.parts for study in studies], always=1)
    return [
        replace(study, label=label, brief=brief) for study, label, brief in zip(studies, labels, briefs, strict=True)
    ]


def _labels(studies: list[tuple[str, ...]], *, always: int) -> list[str]:
    """The first `always` parts of each study, and each further one that distinguishes it from equal labels."""
    taken = [tuple(part for part in parts[:always] if part) for parts in studies]
    for place in range(always, max(map(len, studies), default=0)):
        before = list(taken)
        for i, parts in enumerate(studies):
            if len({other[place] for other, label in zip(studies, before, strict=True) if label == before[i]}) > 1:
                taken[i] = (*before[i], parts[place])
    words = [" · ".join(filter(None, label)) for label in taken]
    numbered = [(word, words[:i].count(word)) for i, word in enumerate(words)]
    return [f"{word} ({same + 1})" if same else word for word, same in numbered]
