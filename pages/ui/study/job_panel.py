"""Progress and results of a run in a worker process; survives page changes and reloads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.ui.frame import cached, markup, open_study, shell, state, typography
from pages.ui.frame.keys import Key
from pages.ui.frame.step import duration
from pages.ui.study import result
from psa_core import jobs
from psa_core.errors import PsaError, RunFolderError
from psa_core.jobs import RunStatus
from psa_core.plurals import counted, verb
from psa_core.registry import in_short
from psa_core.tables import findings

POLL_SECONDS = 0.7
WORDS = {"queued": "Waiting", "running": "Running", "finished": "Finished", "failed": "Failed", "cancelled": "Stopped"}
NEXT = ("names", "thresholds", "sentences", "compare", "report")


def show(run_id: str, *, look_at: Sequence[str] = NEXT) -> None:
    """Show a run by its id, whatever state it is in."""
    status = jobs.status(run_id)
    with st.container(border=True, key="job_panel"):
        if status.live:
            _watch(run_id)
        else:
            _ended(status, look_at)


def _watch(run_id: str) -> None:
    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        try:
            status = jobs.status(run_id)
        except RunFolderError:  # tidied away meanwhile
            st.rerun()
        if not status.live:
            st.rerun()
        st.html(markup.plain(_title(status), faint=True))
        bar(status)
        st.button("Stop", key=Key.STUDY_CANCEL, icon=":material/stop:", on_click=stop, args=(run_id,))
        _so_far(status)

    progress()


def stop(run_id: str) -> None:
    """Stop a run, from a button."""
    with shell.report_errors("This run cannot be stopped"):
        jobs.cancel(run_id)


def bar(status: RunStatus) -> None:
    """How far a run is, with its speed and the time left; its place in the queue while it waits."""
    if status.state == "queued":
        st.progress(0.0, waiting(status))
        return
    by_texts = status.texts_total > 0
    done, total = (
        (status.texts_done, status.texts_total) if by_texts else (status.sentences_done, status.sentences_total)
    )
    left = "" if status.seconds_left is None else f" · about {duration(status.seconds_left)} left"
    speed = f" · {status.texts_per_second:,.0f} texts a second" if status.texts_per_second else ""
    counts = f"{done:,} of {counted(total, 'text' if by_texts else 'sentence')}{speed}"
    doing = status.message or (counts if total else "Starting the worker")
    st.progress(min(1.0, done / max(1, total)), f"{doing}{left}")


def waiting(status: RunStatus) -> str:
    """A waiting run's place in the queue, and when its turn comes as far as that is known."""
    if not status.ahead:
        return "Starting the worker"
    runs = f"{counted(status.ahead, 'run')} before this one"
    if status.starts_in is None:
        return f"{runs}; how long they take is not known"
    return f"{runs}; its turn comes in about {duration(status.starts_in)}"


def _so_far(status: RunStatus) -> None:
    """The finding on the finished sentences: they come in random order, so it is an early estimate of the whole."""
    try:
        cube = cached.cube(status.run_id)
    except PsaError:  # the first part is about to be written
        return
    if open_study.is_early(status.run_id, cube.shape[0]):
        st.html(markup.plain(open_study.too_early(cube.shape[0]), faint=True))
        return
    target = cube.targets[0].name
    st.html(markup.plain(f"So far, on {counted(cube.shape[0], 'sentence')} drawn at random:", faint=True))
    typography.second(findings.name_finding(cached.name_table(status.run_id, target), target))


def _ended(status: RunStatus, look_at: Sequence[str]) -> None:
    is_finished = status.state == "finished"
    st.html(markup.plain(_title(status) if is_finished else title_of(status), faint=True))
    if is_finished:
        if status.spec is not None:
            result.show(status, look_at)
        else:
            shell.cards(look_at)
    else:
        st.markdown(f":orange[:material/warning: **{WORDS[status.state]}.**]")
        # The same again fails the same way, so what comes first is to change it; a stopped run just goes on.
        failed = status.state == "failed"
        is_kept = _is_kept(status)
        if failed or not is_kept:
            st.html(markup.plain(status.message))
        if is_kept:
            _kept(status)
        if failed:
            ask_another("Change it and run again", type="primary")
        again = "Retry" if failed else "Resume"
        kind = "secondary" if failed else "primary"
        if st.button(again, key=Key.STUDY_RESUME, icon=":material/play_arrow:", type=kind):
            with shell.show_errors():
                jobs.resume(status.run_id)
            st.rerun()
        if failed:
            return
    ask_another()


def _is_kept(status: RunStatus) -> bool:
    """Whether a study that ended early can be looked at; it may have ended before anything was scored."""
    if status.spec is None:
        return False
    try:
        return bool(cached.cube(status.run_id).shape[0])
    except PsaError:
        return False


def _kept(status: RunStatus) -> None:
    """How much is there of a study that ended early, and where."""
    count, total = cached.cube(status.run_id).shape[0], status.sentences_total
    scored = f"{count:,} of {counted(total, 'sentence')}" if total else counted(count, "sentence")
    st.markdown(
        f"Nothing is lost: {scored} {verb(count, 'are', 'is')} scored and can be looked at. "
        f"{verb(count, 'They are', 'It is')} not scored again."
    )
    shell.link("names", "Look at the results so far")


def ask_another(words: str = "Set up another study", *, type: Literal["primary", "tertiary"] = "tertiary") -> None:
    """Leave the run that is open, so that another one can be set up; it goes on, and its link stays valid."""
    icon = ":material/edit:" if type == "primary" else ":material/add:"
    st.button(words, key=Key.STUDY_NEW, type=type, icon=icon, on_click=_leave)


def _leave() -> None:
    state.choose(run=None)


def _title(status: RunStatus) -> str:
    if status.spec is None:
        return f"{status.command} · {WORDS[status.state]}"
    return " · ".join([title_of(status), WORDS[status.state]])


def title_of(status: RunStatus) -> str:
    """A study in one line."""
    if status.spec is None:
        return status.command
    sentences, names = (Path(place).name for place in (status.spec.sentences, status.spec.names))
    return f"{sentences} × {names} · {in_short(status.spec.model)} · {status.spec.anchors}"
