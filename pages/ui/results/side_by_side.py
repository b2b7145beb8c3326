"""Mitigate → Retrain: names, thresholds and sentences, as the classifier was and as it is retrained."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import exports, shown_names, typography
from psa_core.charts._altair import drawing_svg
from psa_core.charts.before_after import MAX_NAMES, WHENS, name_changes
from psa_core.charts.curves import CurveOptions
from psa_core.charts.label_dist import label_dist_figure
from psa_core.charts.print.caption import Caption
from psa_core.cube import ScoreCube
from psa_core.errors import RunFolderError
from psa_core.folders import cube_file
from psa_core.retraining import AFTER, BEFORE
from psa_core.stats import Difference
from psa_core.tables import label_dist_table
from psa_core.tables.before_after import names_before_after, sentences_before_after, spread_change

NAMES, THRESHOLDS, SENTENCES = "Names", "Thresholds", "Sentences"
COLUMNS = {
    "text": "sentence",
    "spread_before": f"spread {WHENS[0]}",
    "spread_after": f"spread {WHENS[1]}",
    "flips_before": f"flips {WHENS[0]}",
    "flips_after": f"flips {WHENS[1]}",
}


def change(folder: Path, target: str) -> Difference:
    """How much less names move a target after, over the held-out sentences of a strength."""
    return spread_change(*_both(folder), target)


def model_of(folder: Path) -> str:
    """The id that the retrained classifier was measured by."""
    return str(_both(folder)[1].provenance.get("study", {}).get("model", ""))


def show(folder: Path, target: str, *, key: str) -> None:
    """The held-out cells of a strength, before and after, one part at a time.

    Parameters
    ----------
    folder : path
        Of one strength.
    target : str
    key : str
        Of the widget.
    """
    st.header("Side by side", anchor=False)
    part = st.segmented_control(
        "Part", (NAMES, THRESHOLDS, SENTENCES), default=NAMES, required=True, key=key, label_visibility="collapsed"
    )
    before, after = _both(folder)
    {NAMES: _names, THRESHOLDS: _thresholds, SENTENCES: _sentences}[str(part)](before, after, target)


def _both(folder: Path) -> tuple[ScoreCube, ScoreCube]:
    """The held-out cells; raises `RunFolderError` where one file is missing or damaged, or they are of two studies."""
    try:
        before, after = (_cube(str(folder / file), (folder / file).stat().st_mtime_ns) for file in (BEFORE, AFTER))
    except OSError as error:
        raise RunFolderError("retraining", got=f"no cells in {folder.name}", expected=f"{BEFORE}, {AFTER}") from error
    if before.shape != after.shape:
        raise RunFolderError("retraining", got=f"other cells in {AFTER}", expected=f"those of {BEFORE}")
    return before, after


@st.cache_data(max_entries=8, show_spinner="Opening the held-out cells", show_time=True)
def _cube(place: str, stamp: int) -> ScoreCube:
    return cube_file.load(Path(place))


def _names(before: ScoreCube, after: ScoreCube, target: str) -> None:
    table = names_before_after(before, after, target)
    sizes = table[["before", "after"]].abs().mean()
    found = (
        f"A held-out name moves {target} by {sizes['before']:.4f} on average against the other names as it was, and by "
        f"{sizes['after']:.4f} retrained."
    )
    typography.second(found)
    drawing = name_changes(table, labels=shown_names.labels(before))
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=f"Effect of each held-out name on {target}, before and after")
    with exports.row():
        exports.csv_button(table, f"names.{target}.csv", key="side_names_csv")
        words = Caption(f"Effect of each held-out name on {target}, before and after retraining", found)
        exports.picture_buttons(partial(drawing_svg, drawing), f"names.{target}", words, key="side_names_picture")
    if len(table) > MAX_NAMES:
        typography.small_print(
            f"The {MAX_NAMES} names with the largest effects as it was; the download has all {len(table)}."
        )


def _thresholds(before: ScoreCube, after: ScoreCube, target: str) -> None:
    tables = [label_dist_table(cube, target, interval=False) for cube in (before, after)]
    threshold = before.targets[before.target_index(target)].default_threshold
    means = [float(table["label_dist"].mean()) for table in tables]
    typography.second(
        f"Over all thresholds, LabelDist is {means[0]:.3f} on average as it was and {means[1]:.3f} retrained."
    )
    options = CurveOptions(
        threshold=threshold, curves={WHENS[0]: tables[0]["label_dist"].to_numpy()}, target=target, mean=WHENS[1]
    )
    st.plotly_chart(
        label_dist_figure(tables[1].assign(low=np.nan, high=np.nan), options),
        key="side_thresholds",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]},
        alt=f"LabelDist of {target} over the threshold, before and after",
    )
    both = tables[0].merge(tables[1], on="threshold", suffixes=("_before", "_after"))
    with exports.row():
        exports.csv_button(both, f"label_dist.{target}.csv", key="side_thresholds_csv")
    typography.small_print(
        "Above: LabelDist, the mean over names. Below: the retrained classifier's flips by direction."
    )


def _sentences(before: ScoreCube, after: ScoreCube, target: str) -> None:
    threshold = before.targets[before.target_index(target)].default_threshold
    table = sentences_before_after(before, after, target, threshold=threshold)
    flips = table[["flips_before", "flips_after"]].sum()
    typography.second(
        f"Of {before.shape[0] * before.shape[1]:,} held-out cells {flips['flips_before']:,} change the label at "
        f"{threshold:g} as it was, and {flips['flips_after']:,} retrained."
    )
    shown: pd.DataFrame = table[list(COLUMNS)].rename(columns=COLUMNS)
    st.dataframe(
        shown,
        hide_index=True,
        key="side_sentences",
        alt="Spread and flips of each sentence",
        column_config={COLUMNS["text"]: st.column_config.TextColumn(width="medium")},
    )
    typography.small_print(
        "Spread: standard deviation of a sentence's score over the held-out names. Flips: names with which it has "
        "another label than as it is."
    )
    with exports.row():
        exports.csv_button(table, f"sentences.{target}.csv", key="side_sentences_csv")
