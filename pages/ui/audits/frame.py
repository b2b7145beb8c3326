"""What the pages of all audits share: heading, the open run, opening an earlier one, the footer of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, columns, exports, form, shell, typography
from pages.ui.frame.step import step
from psa_core import options
from psa_core.audits import Audit
from psa_core.charts.print.caption import Caption

Show = Callable[[str, Path], None]


def begin(page: AuditPage, show: Show, so_far: Show | None = None) -> None:
    """Draw the heading of an audit; show the open run and end the page, or explain the audit if none is open.

    `show` takes what names a result, and its folder; `so_far` takes the same of a run that is not finished.
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


def end(page: AuditPage, folder: Path, main: pd.DataFrame | None = None, *, file: str = "", key: str = "") -> None:
    """The footer of a result: download its folder or main table, or start another audit."""
    with st.container(horizontal=True, vertical_alignment="center"):
        audit_job.ask_download(page, folder)
        if main is not None:
            exports.csv_button(main, file, key=page.key(key))
        audit_job.ask_another(page)


def table(
    page: AuditPage, shown: pd.DataFrame, alt: str, *, words: str = "", csv: str = "", digits: int = 3, **heads: Any
) -> None:
    """A table with readable headings (`heads` has other ones), words below it, and its download as a file `csv`."""
    config = columns.config(shown, heads, digits=digits)
    st.dataframe(shown, hide_index=True, column_config=config, placeholder="–", alt=alt)
    if words:
        typography.small_print(words)
    if csv:
        exports.csv_button(shown, csv, key=page.key(f"{Path(csv).stem}_csv"))


def words_apart(page: AuditPage, found: pd.DataFrame, sides: tuple[str, str]) -> None:
    """Words that texts to or about one side have and the other's hardly, with how many have them; nothing without."""
    if len(found):
        st.subheader("Words that differ", anchor=False)
        heads = dict(zip(("count_a", "count_b"), sides, strict=True))
        shown = found[["word", "count_a", "count_b", "p_adjusted"]]
        table(page, shown, "Words by the number of texts that have them", words="Words beyond chance alone.", **heads)


def picture(page: AuditPage, draw: Callable[[], str], stem: str, caption: Caption) -> None:
    """The buttons below a chart that save it as a picture."""
    with exports.row():
        what = stem.removeprefix(f"{page.command}_").partition(".")[0]
        exports.picture_buttons(draw, stem, caption, key=page.key(f"{what}_picture"))


def say_sizes(sizes: Mapping[str, int | str], caption: str = "") -> None:
    """The estimated cost of a run, before it is started."""
    with st.container(horizontal=True):
        for words, size in sizes.items():
            st.metric(words, size if isinstance(size, str) else f"{size:,}", border=True)
    if caption:
        st.caption(caption)


def is_started(page: AuditPage) -> bool:
    """The button that starts an audit."""
    return st.button("Run the audit", type="primary", key=page.key("start"), icon=":material/play_arrow:")


def any_audit(audit: Audit) -> None:
    """The default page of an audit: a form for its options; findings and tables of its results."""
    page = AuditPage.of(audit)
    begin(page, partial(_show, page))
    ask_earlier(page)
    with step(1, "Options", "What is audited, and how."):
        values = form.ask(page.key, audit.spec, unlabelled=True)
        with step(2, "Run", "You can close this page; it keeps running."):
            if is_started(page):
                page.run(options.as_json(audit.spec(**values)), {})


def _show(page: AuditPage, run_id: str, folder: Path) -> None:
    result = cached.audit(page.audit.id, run_id, folder)
    report = page.audit.report(result)
    for finding in report.findings:
        typography.finding(finding)
    for line in report.method:
        typography.small_print(line)
    for name, content in page.audit.files(result).items():
        if isinstance(content, pd.DataFrame):
            st.header(name, anchor=False)
            table(page, content, name)
    for line in report.limits:
        typography.small_print(line)
    end(page, folder)
