"""What the pages of all audits share: heading, the open run, opening an earlier one, the end of a result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import audit_job, form
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import columns, exports, shell, typography
from pages.ui.frame.step import step
from psa_core import audits, options
from psa_core.audits import Audit

Show = Callable[[str, Path], None]


def begin(page: AuditPage, show: Show, so_far: Show | None = None) -> None:
    """Head the page of an audit; where a run is open, show it and end the page, else say what the audit is.

    Parameters
    ----------
    page : AuditPage
    show : callable
        Shows a result: takes what names it, and its folder.
    so_far : callable, optional
        The same of a run that is not finished.
    """
    audit = page.audit
    shell.heading(audit.title, audit.question)
    folder = audit_job.result(page, so_far)
    if folder is not None:
        with shell.show_errors("This audit cannot be opened", then=lambda: audit_job.ask_another(page)):
            show(str(page.run_id), folder)
        st.stop()
    typography.second(audit.introduction)


def ask_earlier(page: AuditPage) -> None:
    """Offer to open an audit that was downloaded."""
    with st.expander("Open an earlier audit", icon=":material/folder_open:"):
        audit_job.ask_zip(page)


@st.cache_resource(max_entries=13, show_spinner="Opening the audit", show_time=True)
def opened(audit: str, run_id: str, folder: str) -> Any:
    """A result; `run_id` names it, and changes when another one is put in its place."""
    return audits.plugins()[audit].read(Path(folder))


def end(page: AuditPage, folder: Path, table: pd.DataFrame | None = None, *, file: str = "", key: str = "") -> None:
    """The last line of a result: its folder, its main table, and another audit."""
    with st.container(horizontal=True, vertical_alignment="center"):
        audit_job.ask_download(page, folder)
        if table is not None:
            exports.csv_button(table, file, key=page.key(key))
        audit_job.ask_another(page)


def any_audit(audit: Audit) -> None:
    """The page of an audit that has none of its own: a form of its options; findings and tables of its results."""
    page = AuditPage.of(audit)
    begin(page, partial(_show, page))
    ask_earlier(page)
    with step(1, "Options", "What is audited, and how."), shell.show_errors():
        values = form.ask_all(page, audit.spec)
        with step(2, "Run", "You can close this page; it keeps running."):
            if st.button("Run the audit", type="primary", key=page.key("start"), icon=":material/play_arrow:"):
                page.run(options.as_json(audit.spec(**values)), {})


def _show(page: AuditPage, run_id: str, folder: Path) -> None:
    result = opened(page.audit.id, run_id, str(folder))
    report = page.audit.report(result)
    for finding in report.findings:
        typography.finding(finding)
    for line in report.method:
        typography.small_print(line)
    for name, table in page.audit.files(result).items():
        if isinstance(table, pd.DataFrame):
            st.header(name, anchor=False)
            st.dataframe(table, hide_index=True, column_config=columns.config(table), placeholder="–", alt=name)
    for line in report.limits:
        typography.small_print(line)
    end(page, folder)
