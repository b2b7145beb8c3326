"""The parts of Report: contents of the export, downloads, preview."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import controls, exports, shell, state, typography
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import jobs, report
from psa_core.claims.formatting import Words
from psa_core.cube import ScoreCube
from psa_core.folders import judgements
from psa_core.folders.view import View, shown, view_of, with_view
from psa_core.plurals import counted
from psa_core.report.flips_file import flip_rows, json_lines

FILES = {
    "report.html": "The report below, one self-contained page that opens offline and prints.",
    "manifest.json": "Everything needed to run the study again: inputs with hashes, seed, versions, counts, seconds.",
    "sentences.csv": "The sentences with their anchors, groups and original scores.",
    "names.csv": "Per name: ScoreSens with its interval, p-values, LabelDist at the chosen threshold.",
    "scores.<target>.parquet": "Every score: a row per sentence, a column per name.",
    "label_dist.csv": "LabelDist and flips by direction at 101 thresholds.",
    "summary.json": "ScoreDev, ScoreRange, LabelDist, flips, sensitivity–score correlation; intervals, thresholds.",
    "flips.csv": "Every flip at the chosen threshold, with its text.",
    "judgements.csv": "Readers' judgements of flips, if there are any.",
}
PREVIEW_PIXELS = 860
#: Each takes a second to be measured and drawn.
MAX_TARGETS = 6


def seen(study: StudyContext) -> View:
    """The reader's settings, which zip and report include."""
    everything = View(state.thresholds(study.cube), tuple(study.left_out), controls.are_names_hidden())
    return view_of(with_view(study.full_cube, everything))


@st.cache_data(max_entries=8, show_spinner="Writing the report", show_time=True)
def _page(
    key: context.RunKey, levels: tuple[float, ...], about: tuple[str, ...], is_hidden: bool, *, _cube: ScoreCube
) -> str:
    return report.render(_cube, about)


def page(study: StudyContext) -> str:
    """The report of the study with the reader's settings.

    Where that is the study as it was written, it is the report that was written.
    """
    folder, view = context.result_folder(study.run), seen(study)
    if folder is not None and view == view_of(study.full_cube):
        with suppress(OSError):
            return (folder / "report.html").read_text(encoding="utf-8")
    # A page view is about the chosen target and the first of the others.
    others = [target.name for target in study.cube.targets if target.name != study.target.name]
    about, levels = (study.target.name, *others[: MAX_TARGETS - 1]), tuple(state.thresholds(study.cube).values())
    return _page(study.key, levels, about, view.hidden_names, _cube=shown(with_view(study.full_cube, view)))


def downloads(study: StudyContext) -> None:
    """Downloads of the folder and the report, both with the reader's settings."""
    view, has_result = seen(study), context.result_folder(study.run) is not None
    if has_result and view == view_of(study.full_cube):  # of an opened study not all files are there yet
        with shell.report_errors("The folder of this study cannot be written"):
            has_result = False
            with st.spinner("Measuring the study", show_time=True):
                has_result = bool(jobs.complete_result(study.run))
    elif not has_result:
        typography.small_print("The study is still running: its folder can be downloaded when it has finished.")
    with exports.row():
        if has_result:
            how = {"key": "report_zip", "icon": "folder_zip", "type": "primary"}
            as_zip = partial(jobs.zip_as_seen, study.run, view)
            exports.download("Everything as a zip", as_zip, f"study-{study.run[:8]}.zip", **how)
        exports.download("report.html", page(study), "report.html", key="report_html", icon="description")
    of_target = {target.name: Words.of(target) for target in study.cube.targets}
    carried = [f"{name} flagged at {of_target[name].at(at)} and above" for name, at in view.thresholds.items()]
    if view.left_out:
        carried.append(f"without {counted(len(view.left_out), 'sentence')} whose meaning changes with a name")
    if view.hidden_names:
        carried.append("with initials for names in report.html; the zip's other files and the flips have the names")
    if carried:
        typography.small_print(f"Zip and report are as you see the study: {'; '.join(carried)}.")


def contents() -> None:
    with st.expander("What is in the zip?", icon=":material/list:"):
        rows = pd.DataFrame({"file": list(FILES), "what it holds": list(FILES.values())})
        exports.table(rows, "Files of a result folder and what they hold")
        st.markdown("Open such a zip again on the page **Your study**, or run it again from its `manifest.json`.")


def flips(study: StudyContext) -> None:
    """Every flip at the chosen threshold with texts and judgements, in three formats."""
    st.header("Flips at the chosen threshold", anchor=False)
    label = f"{study.target.name} ≥ {study.words.at(study.threshold)}"
    typography.small_print(
        f"{label}: every sentence × name whose label changes, with both texts and readers' judgements."
    )
    verdicts, cube, target = context.judged(study.run), study.cube, study.target.name
    judged = pd.DataFrame(columns=judgements.COLUMNS) if verdicts is None else verdicts

    def rows_as(file: Callable[[pd.DataFrame], bytes]) -> bytes:
        return file(flip_rows(cube, target, threshold=study.threshold, judged=judged))

    formats = {"csv": exports.csv, "jsonl": json_lines, "parquet": lambda rows: rows.to_parquet(index=False)}
    with exports.row():
        for ending, file in formats.items():
            exports.download(ending.upper(), partial(rows_as, file), f"flips.{target}.{ending}", key=f"flips_{ending}")


def preview(study: StudyContext) -> None:
    """The report as it will look; a data address has no access to this page."""
    st.header("Preview", anchor=False)
    encoded = base64.b64encode(page(study).encode("utf-8")).decode("ascii")
    with st.container(border=True):
        address = f"data:text/html;charset=utf-8;base64,{encoded}"
        st.iframe(address, height=PREVIEW_PIXELS, alt="Preview of report.html")
