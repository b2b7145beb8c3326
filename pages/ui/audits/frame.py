"""What the pages of all audits share: the run in the address, opening an earlier one, and the footer of a result."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import cached, exports, form, markup, shell, typography, uploads, visitor
from pages.ui.study import job_panel
from psa_core import audits, jobs, options
from psa_core.audits import Audit
from psa_core.errors import RunFolderError
from psa_core.folders import results
from psa_core.jobs import RUN_ID

#: Takes what names a result, and its folder.
Show = Callable[[str, Path], None]


@dataclass(frozen=True)
class AuditPage:
    """The runs of one command, which is also the URL's parameter for the run, and what their page calls them.

    The run's id is in the URL, so that results survive a page change, a reload and a restart.
    """

    command: str
    words: str
    audit: Audit | None = None

    @classmethod
    def of(cls, audit: Audit) -> AuditPage:
        return cls(audit.command, audit.noun, audit)

    def key(self, part: str) -> str:
        """A widget key of this audit's page."""
        return f"{self.command}_{part}"

    def kept(self, part: str) -> dict[str, Any]:
        """Arguments of a widget whose value is still there when one comes back to the page."""
        return {"key": self.key(part), "persist_state": "session"}

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
        st.session_state[self.key("run")] = run_id
        st.query_params[self.command] = run_id

    def leave(self) -> None:
        """Close the open run; it keeps running, and its link stays valid."""
        st.session_state.pop(self.key("run"), None)
        st.query_params.pop(self.command, None)

    def start(self, arguments: Sequence[str], files: Mapping[str, bytes]) -> None:
        """Queue the command for a worker process and show its progress."""
        with shell.show_errors(f"This {self.words} cannot be started"):
            run_id = jobs.submit_audit(self.command, arguments, files, origin=visitor.origin(), visitor=visitor.key())
        self.open(run_id)
        st.rerun()


def begin(page: AuditPage, show: Show, so_far: Show | None = None) -> None:
    """Draw the heading of an audit; show the open run and end the page, or explain the audit if none is open.

    `so_far` shows a run that is not finished.
    """
    audit = page.audit
    shell.heading(audit.title, audit.question)
    folder = result(page, so_far)
    if folder is not None:
        with shell.show_errors("This audit cannot be opened", then=lambda: ask_another(page)):
            show(str(page.run_id), folder)
        st.stop()
    typography.second(audit.introduction)


def result(page: AuditPage, so_far: Show | None = None) -> Path | None:
    """The result folder of the open run, None when no run is open; until it exists, show its status and end the page.

    `so_far` shows the smaller result that an unfinished run has by now.
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
            job_panel.watch(
                run_id,
                page.key("stop"),
                page.words.capitalize(),
                is_over=lambda: _stamp(jobs.result_so_far(run_id)) not in (0, stamp),
            )
        else:
            st.markdown(f":orange[:material/warning: **{job_panel.WORDS[status.state]}.**]")
            st.html(markup.plain(status.message))
            job_panel.resume(run_id, page.key("resume"))
    if so_far is not None and part is not None:
        with suppress(RunFolderError):  # a larger part is being put in its place
            so_far(f"{run_id} {stamp}", part)
    ask_another(page)
    st.stop()


def _stamp(folder: Path | None) -> int:
    """Changes when the folder is replaced; 0 while there is none."""
    try:
        return folder.stat().st_ino if folder else 0
    except OSError:
        return 0


def ask_another(page: AuditPage) -> None:
    """Leave the run that is open, so that another one can be set up."""
    words = f"Set up another {page.words}"
    st.button(words, key=page.key("new"), type="tertiary", icon=":material/add:", on_click=page.leave)


def ask_earlier(page: AuditPage) -> None:
    """Offer to open an audit that was downloaded, as a new run."""

    def keep(content: bytes) -> str:
        # Every file is written again from the data alone, and only then kept: no page or table of the archive survives.
        with tempfile.TemporaryDirectory() as aside:
            audits.open_zip(page.audit.id, content, Path(aside) / "written")
            return jobs.adopt(page.command, Path(aside) / "written", visitor=visitor.key())

    with st.expander("Open an earlier audit", icon=":material/folder_open:"):
        uploads.ask_zip("A result folder as a zip", page.command, keep, page.open)


def end(page: AuditPage, folder: Path, main: pd.DataFrame | None = None, *, file: str = "", key: str = "") -> None:
    """The footer of a result: download its folder or main table, or start another audit."""
    with st.container(horizontal=True, vertical_alignment="center"):
        tip = {"help": "Every score, table and setting. Open the zip on this page to see it again."}
        zipped, file_name = partial(results.to_zip, folder), f"{page.command}.zip"
        exports.download(
            "Download the result folder", zipped, file_name, key=page.key("download"), icon="folder_zip", **tip
        )
        if main is not None:
            exports.csv_button(main, file, key=page.key(key))
        ask_another(page)


def table(
    page: AuditPage,
    shown: pd.DataFrame,
    alt: str,
    *,
    words: str = "",
    csv: str = "",
    file: pd.DataFrame | None = None,
    digits: int = 3,
    signed: Mapping[str, int] | None = None,
    **heads: Any,
) -> None:
    """A table with readable headings (`heads` has other ones), words below it, and its download as a file `csv`.

    The download is of the `file` where that has ids and the table titles.
    Of the columns that are `signed` the decimals are given.
    """
    config = exports.config(shown, heads, digits=digits)
    exports.table(exports.signed(shown, signed) if signed else shown, alt, config)
    if words:
        typography.small_print(words)
    if csv:
        exports.csv_button(shown if file is None else file, csv, key=page.key(f"{Path(csv).stem}_csv"))


def say_sizes(sizes: Mapping[str, int | str], caption: str = "") -> None:
    """The estimated cost of a run, before it is started."""
    with st.container(horizontal=True):
        for words, size in sizes.items():
            st.metric(words, size if isinstance(size, str) else f"{size:,}", border=True)
    if caption:
        st.caption(caption)


def run_button(page: AuditPage, values: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """The button that starts an audit with these option values; uploaded files are referred to by name."""
    if st.button("Run the audit", type="primary", key=page.key("start"), icon=":material/play_arrow:"):
        page.start(options.as_arguments(page.audit.spec, values), files)


def any_audit(audit: Audit) -> None:
    """The default page of an audit: a form for its options; findings and tables of its results."""
    page = AuditPage.of(audit)
    begin(page, partial(_show, page))
    ask_earlier(page)
    with shell.step(1, "Options", "What is audited, and how."):
        values = form.ask(page.key, audit.spec, unlabelled=True)
        with shell.step(2, "Run", "You can close this page; it keeps running."):
            run_button(page, options.as_json(audit.spec(**values)), {})


def _show(page: AuditPage, run_id: str, folder: Path) -> None:
    found = cached.audit(page.audit.id, run_id, folder)
    report = page.audit.report(found)
    for finding in report.findings:
        typography.finding(finding)
    for line in report.method:
        typography.small_print(line)
    for name, content in page.audit.files(found).items():
        if isinstance(content, pd.DataFrame):
            st.header(name, anchor=False)
            table(page, content, name)
    for line in report.limits:
        typography.small_print(line)
    end(page, folder)
