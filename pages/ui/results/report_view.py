"""The parts of Report: contents of the export, downloads, preview."""

from __future__ import annotations

import base64
import io
from contextlib import suppress
from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.frame import exports, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, measured
from pages.ui.results.context import StudyContext
from psa_core import jobs, report
from psa_core.cube import ScoreCube
from psa_core.folders import judgements, results
from psa_core.report.flips_file import flip_rows, json_lines

FILES = {
    "report.html": "The report below, one self-contained page that opens offline and prints.",
    "manifest.json": "Everything needed to run the study again: inputs with hashes, seed, versions, counts, seconds.",
    "sentences.csv": "The sentences with their anchors, groups and original scores.",
    "names.csv": "Per name: ScoreSens with its interval, p-values, LabelDist at the model's own threshold.",
    "scores.<target>.parquet": "Every score: a row per sentence, a column per name.",
    "label_dist.csv": "LabelDist and flips by direction at 101 thresholds.",
    "summary.json": "ScoreDev, ScoreRange, LabelDist, flips, sensitivity–score correlation; intervals, thresholds.",
    "flips.csv": "Every flip at the model's own threshold, with its text.",
    "judgements.csv": "What readers said of flips, if they said anything.",
}
PREVIEW_PIXELS = 860
#: Each takes a second to be measured and drawn.
MAX_TARGETS = 6


@st.cache_data(max_entries=8, show_spinner="Writing the report", show_time=True)
def _page(key: context.RunKey, _cube: ScoreCube, *, thresholds: tuple[float, ...], about: tuple[str, ...]) -> str:
    return report.render(_cube, about)


def page(study: StudyContext) -> str:
    """The report of the study as it is now: at the chosen threshold, without the sentences that readers took out.

    Where that is the study as it was written, it is the report that was written.
    """
    folder = context.result_folder(study.run)
    if folder is not None and not study.left_out and study.threshold == study.target.default_threshold:
        with suppress(OSError):
            return (folder / "report.html").read_text(encoding="utf-8")
    cube = study.cube.with_thresholds(measured.chosen_threshold(study))
    thresholds = tuple(target.default_threshold for target in cube.targets)
    return _page(study.key, cube, thresholds=thresholds, about=_about(study))


def _about(study: StudyContext) -> tuple[str, ...]:
    """The targets that a report written for a page view is about: the chosen one, and the first of the others."""
    others = [target.name for target in study.cube.targets if target is not study.target]
    return study.target.name, *others[: MAX_TARGETS - 1]


def complete_folder(run: str) -> Path | None:
    """The result folder with all its files; None while there is none, or where it cannot be made, which is told."""
    if context.result_folder(run) is None:
        return None
    with (
        shell.report_errors("The folder of this study cannot be written"),
        st.spinner("Measuring the study", show_time=True),
    ):
        return jobs.complete_result(run)
    return None


def downloads(study: StudyContext) -> None:
    """The whole folder, the report, the flips."""
    folder = complete_folder(study.run)
    with st.container(horizontal=True, gap="small"):
        if folder is not None:
            st.download_button(
                "Everything as a zip",
                lambda: results.to_zip(folder),
                file_name=f"study-{study.run[:8]}.zip",
                mime="application/zip",
                type="primary",
                icon=":material/folder_zip:",
                key=Key.REPORT_ZIP,
                on_click="ignore",
            )
        st.download_button(
            "report.html",
            page(study),
            file_name="report.html",
            mime="text/html",
            icon=":material/description:",
            key="report_html",
            on_click="ignore",
        )
    if folder is None:
        typography.small_print("The study is still running: its folder can be downloaded when it has finished.")
    own = study.target.default_threshold
    if study.threshold != own:
        typography.small_print(
            f"The report labels {study.target.name} from {study.threshold:g}, as chosen; the zip from {own:g}, the "
            "model's own threshold."
        )
    if study.left_out:
        typography.small_print(
            "The report leaves out the sentences that readers took out; the zip holds the whole study."
        )


def contents() -> None:
    """What each file is."""
    with st.expander("What is in the zip?", icon=":material/list:"):
        rows = pd.DataFrame({"file": list(FILES), "what it holds": list(FILES.values())})
        st.dataframe(rows, hide_index=True, alt="Files of a result folder and what they hold")
        st.markdown("Open such a zip again on the **Study** page, or run it again from its `manifest.json`.")


def flips(study: StudyContext) -> None:
    """Every flip at the chosen threshold with texts and judgements, in three formats."""
    st.header("Flips at the chosen threshold", anchor=False)
    typography.small_print(
        f"{study.target.name} ≥ {study.threshold:g}: every sentence × name whose label changes, with both texts and "
        "what readers said."
    )
    said_of_it = context.judged(study.run)
    judged = pd.DataFrame(columns=judgements.COLUMNS) if said_of_it is None else said_of_it
    cube, target, threshold = study.cube, study.target.name, study.threshold

    def rows() -> pd.DataFrame:
        return flip_rows(cube, target, threshold=threshold, judged=judged)

    formats = {
        "csv": lambda: exports.csv(rows()),
        "jsonl": lambda: json_lines(rows()),
        "parquet": lambda: _parquet(rows()),
    }
    with st.container(horizontal=True, gap="small"):
        for ending, make in formats.items():
            name = f"flips.{target}.{ending}"
            st.download_button(
                ending.upper(),
                make,
                file_name=name,
                key=f"flips_{ending}",
                icon=":material/download:",
                on_click="ignore",
            )


def _parquet(rows: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    rows.to_parquet(buffer, index=False)
    return buffer.getvalue()


def preview(study: StudyContext) -> None:
    """The report as it will look; a data address has no access to this page."""
    st.header("Preview", anchor=False)
    encoded = base64.b64encode(page(study).encode("utf-8")).decode("ascii")
    with st.container(border=True):
        address = f"data:text/html;charset=utf-8;base64,{encoded}"
        st.iframe(address, height=PREVIEW_PIXELS, alt="Preview of report.html")
