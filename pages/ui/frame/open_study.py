"""The open study, or what a page shows if there is none or it is unfinished."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from pages.ui.frame import cached, shell, state
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from psa_core import jobs
from psa_core.claims.formatting import too_few_in
from psa_core.cube import ScoreCube
from psa_core.errors import PsaError, RunFolderError
from psa_core.plurals import counted


def need_run() -> ScoreCube:
    """The cube of the open study; if there is none, an empty state ends the page."""
    run_id = state.view().run
    if run_id is None:
        say_broken_link()
        empty_state()
        st.stop()
    try:
        return cached.cube(run_id)
    except PsaError as error:
        shell.problem(error, title="This study cannot be opened")
    with suppress(PsaError):
        if jobs.status(run_id):
            shell.link("study", "See how far it is")
            st.stop()
    empty_state()
    st.stop()


def is_early(run_id: str, cube: ScoreCube) -> bool:
    """Whether a study is still running and has too few sentences for any claim."""
    return bool(too_few_in(cube)) and jobs.status(run_id).live


def say_broken_link() -> None:
    """Say that the link has an invalid study id."""
    if st.session_state.get(Key.BROKEN_LINK):
        fix = "Copy it again from where the study is open."
        shell.problem(RunFolderError("run", got="this link names no study", expected="the whole address", fix=fix))


def say_unfinished(run_id: str, cube: ScoreCube) -> None:
    """Say if a study is small or still running, and where to follow its progress; both at once end the page."""
    with shell.show_errors("This study cannot be opened", then=empty_state):  # deleted since it was opened
        status, early = jobs.status(run_id), is_early(run_id, cube)
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
    """What to do where no study is open."""
    with st.container(border=True, gap="small"):
        st.header("No study is open yet", anchor=False)
        st.markdown(
            "A **study** is many sentences, each with every name, scored by one model. Load the example to look "
            "around, or set up your own."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Load the example study", type="primary", key=Key.EXAMPLE, icon=":material/play_arrow:"):
                with shell.show_errors(), st.spinner("Scoring the sample corpus with 20 names", show_time=True):
                    state.choose(run=cached.example_run())
                st.rerun()
            shell.link("new_study", "Set up your own study")
