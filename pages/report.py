"""Report: what goes into the export?"""

from __future__ import annotations

from pages.ui.frame import shell, typography
from pages.ui.results import context, report_view

shell.guard()
shell.heading("Report", "Share the report, or download the data.")
study = context.need_study()
with shell.show_errors():
    typography.finding(study.corpus_finding())
    report_view.downloads(study)
    report_view.contents()
    report_view.flips(study)
    report_view.preview(study)
