"""The parts of Thresholds: Figure 2, more curves, and the result at the chosen threshold."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import address, exports, markup, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context, measured
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import group_columns
from psa_core import tables
from psa_core.charts._figure import OTHER, group_colours
from psa_core.charts._theme import MUTED
from psa_core.charts.curves import MEAN, CurveOptions
from psa_core.charts.label_dist import label_dist_figure
from psa_core.charts.print.figures import threshold_figure
from psa_core.cube import ScoreCube
from psa_core.tables import findings

HERE = Path(__file__).resolve().parent
_mark = st.components.v2.component("psa_threshold_mark", js=(HERE / "threshold_mark.js").read_text(encoding="utf-8"))
FIGURE = "thresholds_figure"
SELECTED = "Selected names"
MAX_CURVES = 9


def ask_curves(study: StudyContext) -> str:
    """What to draw beside the mean: nothing, the selected names, or a group column."""
    options = [MEAN, SELECTED, *group_columns(study, most=MAX_CURVES)]
    chosen = st.segmented_control(
        "Compare with",
        options,
        required=True,
        format_func=markup.literal,
        help="Names are selected on the Names page, or below.",
        **address.linked(Key.THRESHOLDS_CURVES, MEAN, options),
    )
    return str(chosen)


def curves(study: StudyContext, chosen: str) -> dict[str, np.ndarray]:
    """LabelDist of the selected names, or of the groups of a column, at the table's thresholds."""
    if chosen == MEAN:
        return {}
    if chosen == SELECTED:
        found = {study.labels[name]: (name,) for name in study.seen.names[:MAX_CURVES]}
    else:
        rows = study.cube.names
        values = rows[chosen].astype(str)
        found = {value: tuple(rows["name"][values == value]) for value in dict.fromkeys(values)}
    return {label: _curve(study.target_key, study.cube, names=names) for label, names in found.items()}


@st.cache_data(max_entries=256, show_spinner=False)
def _curve(key: context.TargetKey, _cube: ScoreCube, *, names: tuple[str, ...]) -> np.ndarray:
    return tables.label_dist_table(_cube, key[1], names=names, interval=False)["label_dist"].to_numpy()


def _colours(study: StudyContext, chosen: str) -> dict[str, str]:
    """A group has the colour that it has on Names."""
    if chosen in (MEAN, SELECTED):
        return {}
    values = study.cube.names[chosen]
    colours = group_colours(values)
    return {value: colours.get(value, colours.get(OTHER, "")) for value in values.astype(str).unique()}


def figure(study: StudyContext, chosen: str) -> None:
    """Figure 2; the chosen threshold lies over it, so that a step of it draws no curve again."""
    table, here = measured.thresholds(study), measured.at_threshold(study)
    options = CurveOptions(
        threshold=study.threshold,
        value=float(here["label_dist"].iloc[0]),
        curves=curves(study, chosen),
        target=study.target.name,
        colours=_colours(study, chosen),
    )
    st.plotly_chart(
        _figure(study.target_key, table, options, chosen=chosen, labels=tuple(options.curves)),
        key=FIGURE,
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]},
        alt=f"LabelDist of {study.target.name} and the cells that flip, over every threshold",
    )
    low, high = (float(end) for end in table["threshold"].iloc[[0, -1]])
    place = {"figure": f".st-key-{FIGURE}", "low": low, "high": high, "threshold": study.threshold}
    beside = {"words": f"{options.value:.3f} at {study.threshold:g}", "colour": MUTED}
    _mark(key=Key.THRESHOLDS_MARK, data=place | beside)
    with exports.row():
        exports.csv_button(table, f"label_dist.{study.target.name}.csv", key="thresholds_csv")
        picture = partial(threshold_figure, table, options)
        found = findings.threshold_finding(measured.at_threshold(study), study.target.name, threshold=study.threshold)
        words = study.words(f"Labels for {study.target.name} that change with the name, by threshold", found)
        exports.picture_buttons(picture, f"label_dist.{study.target.name}", words, key="thresholds_picture")
    if chosen == SELECTED and not study.seen.names:
        typography.small_print("No name is selected yet: click a bar on the Names page.")
    labelled = measured.at_threshold(study)["labelled"].iloc[0]
    typography.small_print(
        f"At this threshold {100 * labelled:.1f} % of the originals have the label. Above: how far "
        "the set of labelled sentences moves with a name in the anchor's place (Jaccard distance, mean over names; "
        "band: 95 % interval over sentences). Below: how many cells, sentence × name, change their label."
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _figure(
    key: context.TargetKey, _table: pd.DataFrame, _options: CurveOptions, *, chosen: str, labels: tuple[str, ...]
) -> Any:
    """The picture that everybody sees who compares the same, at whichever threshold."""
    return label_dist_figure(_table, replace(_options, threshold=None, value=None))


def headline(study: StudyContext) -> None:
    """What the names do at the chosen threshold, measured exactly there."""
    here = measured.at_threshold(study)
    typography.finding(findings.threshold_finding(here, study.target.name, threshold=study.threshold))


def numbers(study: StudyContext) -> None:
    """Every threshold as a table."""
    table = measured.thresholds(study)
    with st.expander("Every threshold as a table"):
        number, three = st.column_config.NumberColumn, {"format": "%.3f"}
        st.dataframe(
            table.assign(labelled=100 * table["labelled"]),
            hide_index=True,
            alt="LabelDist and flips at every threshold",
            column_config={
                "threshold": number("Threshold", **three),
                "label_dist": number("LabelDist", **three),
                "low": number("From", help="95 % interval over sentences", **three),
                "high": number("To", help="95 % interval over sentences", **three),
                "flips_up": number("Labels that appear"),
                "flips_down": number("Labels that disappear"),
                "labelled": number("Originals with the label", format="%.1f %%"),
            },
        )
