"""Runs: the progress of one, what is left of one that ended early, and how to open a finished one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.ui.frame import address, cached, markup, shell, state, typography, uploads, visitor
from pages.ui.frame.keys import Key
from pages.ui.results import context, overview_view
from psa_core import jobs, models, tables
from psa_core.claims import findings
from psa_core.claims.formatting import duration, speed, too_few_in
from psa_core.errors import PsaError, RunFolderError
from psa_core.folders.view import view_of
from psa_core.jobs import RunStatus
from psa_core.plurals import counted, verb

POLL_SECONDS = 0.7
SHOWN = 12
WORDS = {"queued": "Waiting", "running": "Running", "finished": "Finished", "failed": "Failed", "cancelled": "Stopped"}


def show(run_id: str) -> None:
    """Show a run by its id, whatever state it is in."""
    status = jobs.status(run_id)
    if status.live:
        with st.container(border=True, key="job_panel"):
            watch(run_id, "study_cancel", below=lambda: _early(run_id))
        return
    if status.state == "finished":
        if status.spec is not None:
            overview_view.show(status)  # under the study bar, which says what the study is
        else:
            st.html(markup.plain(f"{title_of(status)} · {WORDS[status.state]}", faint=True))
    else:
        with st.container(border=True, key="job_panel"):
            _ended_early(status)
    if status.state != "failed":
        ask_another()


def watch(
    run_id: str,
    key: str,
    title: str = "",
    *,
    is_over: Callable[[], bool] = lambda: False,
    below: Callable[[], None] = lambda: None,
) -> None:
    """Follow a run until it ends or `is_over` says that the page must rerun; `key` is that of the button to stop it."""

    def stop() -> None:
        with shell.report_errors("This run cannot be stopped"):
            jobs.cancel(run_id)

    @st.fragment(run_every=POLL_SECONDS)
    def progress() -> None:
        try:
            status = jobs.status(run_id)
            if not status.live or is_over():
                st.rerun()
        except RunFolderError:  # tidied away meanwhile
            st.rerun()
        st.html(markup.plain(f"{title or title_of(status)} · {WORDS[status.state]}", faint=True))
        _bar(status)
        st.button("Stop", key=key, icon=":material/stop:", on_click=stop)
        below()

    progress()


def _early(run_id: str) -> None:
    """The finished sentences come in random order, so this is an early estimate of the whole."""
    try:
        cube = cached.cube(run_id)
    except PsaError:  # the first part is about to be written
        return
    if context.is_early(run_id, cube):
        st.html(markup.plain(too_few_in(cube), faint=True))
        return
    target, baseline = cube.targets[0].name, tables.default_baseline(cube)
    st.html(markup.plain(f"So far, on {counted(cube.shape[0], 'sentence')} drawn at random:", faint=True))
    table = cached.name_table(run_id, target, baseline, cube, sentences=cube.shape[0])
    typography.second(findings.name_finding(table, target, baseline=baseline))


def resume(run_id: str, key: str, label: str = "Resume", kind: Literal["primary", "secondary"] = "primary") -> None:
    """The button that goes on with a run that ended early."""
    if st.button(label, key=key, icon=":material/play_arrow:", type=kind):
        with shell.show_errors():
            jobs.resume(run_id)
        st.rerun()


def _bar(status: RunStatus) -> None:
    """A run's progress, speed and time left; its place in the queue while it waits."""
    if status.state == "queued":
        words = "Starting the worker"
        if status.ahead:
            known = status.starts_in is not None
            turn = f"its turn comes in about {duration(status.starts_in or 0)}" if known else "how long is not known"
            words = f"{counted(status.ahead, 'run')} before this one; {turn}"
        st.progress(0.0, words)
        return
    done, total, what = status.sentences_done, status.sentences_total, "sentence"
    if status.texts_total > 0:
        done, total, what = status.texts_done, status.texts_total, "text"
    pace = f" · {speed(status.texts_per_second)}" if status.texts_per_second else ""
    counts = f"{done:,} of {counted(total, what)}{pace}" if total else "Starting the worker"
    left = "" if status.seconds_left is None else f" · about {duration(status.seconds_left)} left"
    st.progress(min(1.0, done / max(1, total)), f"{status.message or counts}{left}")


def _ended_early(status: RunStatus) -> None:
    """What happened, which results remain, and what to do next."""
    st.html(markup.plain(title_of(status), faint=True))
    st.markdown(f":orange[:material/warning: **{WORDS[status.state]}.**]")
    failed = status.state == "failed"
    try:
        count = 0 if status.spec is None else cached.cube(status.run_id).shape[0]
    except PsaError:  # it ended before anything was scored
        count = 0
    if failed or not count:
        st.html(markup.plain(status.message))
    if count:
        total = status.sentences_total
        scored = f"{count:,} of {counted(total, 'sentence')}" if total else counted(count, "sentence")
        st.markdown(
            f"Nothing is lost: {scored} {verb(count, 'are', 'is')} scored and can be looked at. "
            f"{verb(count, 'They are', 'It is')} not scored again."
        )
        shell.link("names", "Look at the results so far")
    if failed:  # the same again fails the same way, so what comes first is to change it
        ask_another("Change it and run again", type="primary")
    resume(status.run_id, "study_resume", *(("Retry", "secondary") if failed else ()))


def ask_another(words: str = "Set up another study", *, type: Literal["primary", "tertiary"] = "tertiary") -> None:
    """Go to the form, which keeps every choice; the run continues, and its link stays valid."""
    icon = ":material/edit:" if type == "primary" else ":material/add:"
    if st.button(words, key="study_new", type=type, icon=icon):
        shell.go_to("new_study")


def title_of(status: RunStatus) -> str:
    """A study in one line."""
    if status.spec is None:
        return status.command
    sentences, names = (Path(place).name for place in (status.spec.sentences, status.spec.names))
    return f"{sentences} × {names} · {models.titled(status.spec.model)} · {status.spec.anchors}"


def open_another() -> None:
    """Open a zip as a new run; the history is shown only to the machine's owner."""

    def keep(content: bytes) -> str:
        run_id = jobs.keep_zip(content, visitor=visitor.key())
        if view_of(cached.cube(run_id)).hidden_names:  # so it was when it was downloaded
            address.put(Key.HIDE_NAMES, True)
        return run_id

    label = "Open a result folder that was downloaded as a zip"
    uploads.ask_zip(label, "study", keep, lambda run_id: state.choose(run=run_id))
    runs = [status for status in jobs.history() if status.spec is not None][:SHOWN]  # audits have pages of their own
    if runs:
        st.header("On this machine", anchor=False)
    for status in runs:
        words, button = st.columns([8, 2], vertical_alignment="center")
        started = f"{datetime.fromtimestamp(jobs.started(status.run_id)):%d %b %Y %H:%M}"
        line = f"{title_of(status)} · {WORDS[status.state].lower()} · {started}"
        words.html(markup.plain(line))
        opens = {"on_click": state.choose, "kwargs": {"run": status.run_id}}
        button.button("Open", key=f"open_{status.run_id}", width="stretch", **opens)
