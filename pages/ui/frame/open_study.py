"""The study that is open, or what a page shows where there is none or where it is not finished."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import cached, shell, state
from pages.ui.frame.keys import Key
from psa_core import jobs
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.plurals import counted

COPY_AGAIN = "Copy it again from where the study is open."
#: Sentences that a running study needs before anything is said of it.
EARLIEST = 30


def need_run() -> ScoreCube:
    """The cube of the open study; without one, an empty state ends the page."""
    run_id = state.view().run
    if run_id is None:
        say_broken_link()
        _empty_state()
        st.stop()
    try:
        return cached.cube(run_id)
    except PsaError as error:
        shell.problem(error, title="This study cannot be opened")
        if _is_known(run_id):
            shell.link("study", "See how far it is")
        else:
            _empty_state()
        st.stop()


def _is_known(run_id: str) -> bool:
    """Whether there is such a run, in whatever state."""
    try:
        return bool(jobs.status(run_id))
    except PsaError:
        return False


def is_early(run_id: str, sentences: int) -> bool:
    """Whether a study is still going and has too few sentences for anything to be said of it."""
    return sentences < EARLIEST and jobs.status(run_id).live


def too_early(sentences: int) -> str:
    """Why nothing is said of a study yet."""
    scored = f"{counted(sentences, 'sentence')} {'is' if sentences == 1 else 'are'} scored so far"
    return f"{scored}: too few to say anything. Results come from {EARLIEST} on."


def say_broken_link() -> None:
    """Say that the address asked for a study by something that cannot be the id of one."""
    if st.session_state.get(Key.BROKEN_LINK):
        shell.problem(
            RunFolderError("run", got="this link names no study", expected="the whole address", fix=COPY_AGAIN)
        )


def say_unfinished(run_id: str, sentences: int) -> None:
    """Say when a study is looked at before its end, and where to see it go on; too early, that ends the page."""
    with shell.show_errors("This study cannot be opened", then=_empty_state):  # deleted since it was opened
        status, early = jobs.status(run_id), is_early(run_id, sentences)
    if early:
        st.info(too_early(sentences))
        shell.link("study", "See its progress")
        st.stop()
    if status.state != "finished":
        with st.container(horizontal=True, vertical_alignment="center"):
            words = "is still running" if status.live else "was not finished"
            total = status.sentences_total
            seen = f"{sentences:,} of {counted(total, 'sentence')}" if total else counted(sentences, "sentence")
            st.markdown(f":orange[This study {words}: you see {seen}, drawn at random.]", width="content")
            shell.link("study", "See its progress")


def open_example() -> None:
    """Open the example study; scores it first when no session has done so."""
    state.choose(run=cached.example_run())


def _empty_state() -> None:
    with st.container(border=True, gap="small"):
        st.header("No study is open yet", anchor=False)
        st.markdown(
            "This page looks at a **study**: many sentences, each with every name, scored by one model. "
            "Load the example to look around, or set up your own."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Load the example study", type="primary", key=Key.EXAMPLE, icon=":material/play_arrow:"):
                with shell.show_errors(), st.spinner("Scoring the sample corpus with 40 names", show_time=True):
                    open_example()
                st.rerun()
            shell.link("study", "Set up your own study")
