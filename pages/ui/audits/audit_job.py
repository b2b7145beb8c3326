"""An audit as a run, whose id is in the URL, so that results survive a page change, a reload and a restart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.frame import markup, permissions, shell, visitor
from pages.ui.study import job_panel
from psa_core import audits, jobs, options
from psa_core.audits import Audit
from psa_core.errors import RunFolderError
from psa_core.folders import results
from psa_core.jobs import RUN_ID


@dataclass(frozen=True)
class AuditPage:
    """The runs of one command, which is also the URL's parameter for the run, and what their page calls them."""

    command: str
    words: str
    audit: Audit | None = None

    @classmethod
    def of(cls, audit: Audit) -> AuditPage:
        """The page of an audit."""
        return cls(audit.command, audit.noun, audit)

    def key(self, part: str) -> str:
        """A widget key of this audit's page."""
        return f"{self.command}_{part}"

    @property
    def run_id(self) -> str | None:
        """Id of the open run: from the URL or, after a page change, from the session."""
        linked = st.query_params.get(self.command, "")
        if RUN_ID.fullmatch(linked):
            st.session_state[self.key("run")] = linked
        run_id: str | None = st.session_state.get(self.key("run"))
        if run_id and linked != run_id:
            st.query_params[self.command] = run_id
        return run_id

    def open(self, run_id: str) -> None:
        """Open a run."""
        st.session_state[self.key("run")] = run_id
        st.query_params[self.command] = run_id

    def leave(self) -> None:
        """Close the open run; it keeps running, and its link stays valid."""
        st.session_state.pop(self.key("run"), None)
        st.query_params.pop(self.command, None)

    def run(self, values: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Queue the audit with these option values; uploaded files are referred to by name."""
        self.start(options.as_arguments(self.audit.spec, values), files)

    def start(self, arguments: Sequence[str], files: Mapping[str, bytes]) -> None:
        """Queue the command for a worker process and show its progress."""
        with shell.show_errors(f"This {self.words} cannot be started"):
            run_id = jobs.submit_audit(
                self.command, arguments, files, origin=permissions.origin(), visitor=visitor.key()
            )
        self.open(run_id)
        st.rerun()


def result(page: AuditPage, so_far: Callable[[str, Path], None] | None = None) -> Path | None:
    """The result folder of the open run, None when no run is open; until it exists, show its status and end the page.

    `so_far` shows the smaller result that an unfinished run has by now: it takes what names it, and its folder.
    """
    run_id = page.run_id
    if run_id is None:
        return None
    with shell.show_errors(f"This {page.words} cannot be opened", then=lambda: ask_another(page)):
        status = jobs.status(run_id)
        if status.state == "finished":
            return jobs.result_folder(run_id)
        part = jobs.result_so_far(run_id)
    stamp = _stamp(part)
    with st.container(border=True, key=page.key("job")):
        if status.live:
            _watch(page, run_id, stamp)
        else:
            st.markdown(f":orange[:material/warning: **{job_panel.WORDS[status.state]}.**]")
            st.html(markup.plain(status.message))
            if st.button("Resume", key=page.key("resume"), icon=":material/play_arrow:", type="primary"):
                with shell.show_errors():
                    jobs.resume(run_id)
                st.rerun()
    if so_far is not None and part is not None:
        so_far(f"{run_id} {stamp}", part)
    ask_another(page)
    st.stop()


def ask_another(page: AuditPage) -> None:
    """Leave the run that is open, so that another one can be set up."""
    words = f"Set up another {page.words}"
    st.button(words, key=page.key("new"), type="tertiary", icon=":material/add:", on_click=page.leave)


def ask_zip(page: AuditPage) -> None:
    """Open a zipped result folder as a new run."""
    chosen = st.file_uploader("A result folder as a zip", ["zip"], key=page.key("zip"))
    opened = page.key("zip_opened")
    if chosen is None or st.session_state.get(opened) == chosen.file_id:
        return
    # Every file is written again from the data alone, and only then kept: no page or table of the archive survives.
    with shell.show_errors("This zip cannot be opened"), tempfile.TemporaryDirectory() as aside:
        audits.open_zip(page.audit.id, chosen.getvalue(), Path(aside) / "written")
        run_id = jobs.adopt(page.command, Path(aside) / "written", visitor=visitor.key())
    st.session_state[opened] = chosen.file_id
    page.open(run_id)
    st.rerun()


def ask_download(page: AuditPage, folder: Path) -> None:
    """Offer the complete result folder for download; this page can open it later."""
    st.download_button(
        "Download the result folder",
        lambda: results.to_zip(folder),
        file_name=f"{page.command}.zip",
        mime="application/zip",
        key=page.key("download"),
        icon=":material/folder_zip:",
        on_click="ignore",
        help="Every score, table and setting. Open the zip on this page to see it again.",
    )


def _watch(page: AuditPage, run_id: str, shown: int) -> None:
    @st.fragment(run_every=job_panel.POLL_SECONDS)
    def progress() -> None:
        try:
            status, part = jobs.status(run_id), jobs.result_so_far(run_id)
        except RunFolderError:  # tidied away meanwhile
            st.rerun()
        if not status.live or _stamp(part) not in (0, shown):
            st.rerun()
        st.html(markup.plain(f"{page.words.capitalize()} · {job_panel.WORDS[status.state]}", faint=True))
        job_panel.bar(status)
        st.button("Stop", key=page.key("stop"), icon=":material/stop:", on_click=job_panel.stop, args=(run_id,))

    progress()


def _stamp(folder: Path | None) -> int:
    """Changes when the folder is replaced; 0 while there is none."""
    try:
        return folder.stat().st_ino if folder else 0
    except OSError:
        return 0
