"""The parts of Thresholds: Figure 2, the borderline sentences, and a table of all thresholds."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import components, controls, exports, markup, typography
from pages.ui.frame.typography import in_words
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import tables
from psa_core.charts._theme import MUTED, OTHER, UP, group_colours
from psa_core.charts.label_dist import MEAN, CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg
from psa_core.cube import ScoreCube
from psa_core.inputs.groups import grouping
from psa_core.plurals import counted

FIGURE = "thresholds_figure"
SELECTED = "Selected names"
MAX_CURVES, MAX_STROKES, DIGITS = 9, 400, 4
_mark = components.component("threshold_mark")
_strokes = components.picture("crossing")
#: Only the threshold is sent when it moves; the strokes, which do not change, are not sent again.
_line = components.teller("crossing_line", variable="psaThreshold", event="psa-threshold")


def ask_curves(study: StudyContext) -> str:
    """What to draw beside the mean: nothing, the selected names, or a group column."""
    options = [MEAN, SELECTED, *grouping(study.cube.names, most=MAX_CURVES)]
    tip = "Names are selected on the Names page, or below."
    return str(controls.choose("Compare with", options, "curves", words=markup.literal, help=tip))


def _curves(study: StudyContext, chosen: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """LabelDist of the selected names, or of the groups of a column, with the colours that groups have on Names."""
    colours: dict[str, str] = {}
    if chosen == MEAN:
        return {}, colours
    if chosen == SELECTED:
        found = {study.labels[name]: (name,) for name in study.seen.names[:MAX_CURVES]}
    else:
        rows, of_groups = study.cube.names, group_colours(study.cube.names[chosen])
        values = rows[chosen].astype(str)
        found = {value: tuple(rows["name"][values == value]) for value in dict.fromkeys(values)}
        colours = {value: of_groups.get(value, of_groups.get(OTHER, "")) for value in found}
    dists = {
        label: study.compute(tables.label_dist_table, names=names, interval=False)["label_dist"].to_numpy()
        for label, names in found.items()
    }
    return dists, colours


def figure(study: StudyContext, chosen: str) -> None:
    """Figure 2; the chosen threshold is an overlay, so that moving it redraws no curve."""
    table, rates = study.compute_slowly(tables.label_dist_table), study.at_threshold().iloc[0]
    dists, colours = _curves(study, chosen)
    value = float(rates["label_dist"])
    options = CurveOptions(study.threshold, value, dists, target=f"the {study.words.brief}", colours=colours)
    st.plotly_chart(
        _figure(study.target_key, table, options, chosen=chosen, labels=tuple(dists)),
        key=FIGURE,
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage"]},
        alt=f"LabelDist of {study.words.phrase} and the labels that change, over every threshold",
    )
    low, high = (float(end) for end in table["threshold"].iloc[[0, -1]])
    place = {"figure": f".st-key-{FIGURE}", "low": low, "high": high, "threshold": study.threshold}
    beside = {"words": f"{value:.3f} at {study.words.at(study.threshold)}", "colour": MUTED}
    _mark(key="thresholds_mark", data=place | beside)
    stem = f"label_dist.{study.target.name}"
    with exports.row():
        exports.csv_button(table, f"{stem}.csv", key="thresholds_csv")
        title = f"Labels for {study.words.phrase} that change with the name, by threshold"
        words = study.caption(title, study.threshold_finding())
        paper = partial(label_dist_figure, table, options)
        exports.picture_buttons(lambda: figure_svg(paper()), stem, words, key="thresholds_picture")
    if chosen == SELECTED and not study.seen.names:
        typography.small_print("No name is selected yet: click a bar on the Names page.")
    typography.small_print(
        f"At this threshold {100 * rates['labelled']:.1f} % of the originals have the label. Above: how far "
        "the set of sentences with the label changes when a name is put in (Jaccard distance, mean over names; "
        "band: 95 % interval over sentences). Below: how many sentence–name pairs change their label."
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _figure(
    key: context.TargetKey, _table: pd.DataFrame, _options: CurveOptions, *, chosen: str, labels: tuple[str, ...]
) -> Any:
    """The figure without the threshold, so that all sessions share it."""
    return label_dist_figure(_table, replace(_options, threshold=None, value=None))


def borderline(study: StudyContext) -> None:
    """Every sentence's range over the names, thinned out if there are many; borderline sentences are coloured."""
    st.header(in_words("Borderline sentences"), anchor=False)
    _strokes(key="thresholds_crossing", data=study.compute(_ranges), height=264)
    _line(key="thresholds_line", data={"threshold": study.target.scale * study.threshold})
    shown = f" {MAX_STROKES} evenly spaced ones are drawn." if len(study.cube.sentences) > MAX_STROKES else ""
    typography.small_print(
        f"Each line spans a sentence's scores with all names, from the lowest to the highest; the tick is its original "
        f"score (sort order). Coloured: the names fall on both sides of the threshold (dashed).{shown}"
    )


def _ranges(cube: ScoreCube, target_name: str) -> dict[str, Any]:
    """The part that does not depend on the threshold."""
    target = cube.targets[cube.target_index(target_name)]
    original, perturbed = (target.scale * scores for scores in cube.scores(target_name))
    answered = ~np.isnan(original) & ~np.isnan(perturbed).all(axis=1)
    original, perturbed = original[answered], perturbed[answered]
    order = np.argsort(original, kind="stable")
    if len(order) > MAX_STROKES:
        order = order[np.linspace(0, len(order) - 1, MAX_STROKES).round().astype(int)]
    low, high = np.fmin.reduce(perturbed, axis=1), np.fmax.reduce(perturbed, axis=1)
    ends = ((target.low, min(low.min(), original.min())), (target.high, max(high.max(), original.max())))
    bottom, top = (float(target.scale * end if np.isfinite(end) else seen) for end, seen in ends)
    columns = {"low": low, "high": high, "original": original}
    return {
        **{name: np.round(values[order].astype(float), DIGITS).tolist() for name, values in columns.items()},
        "bottom": bottom,
        "top": top,
        "unit": " %" * target.is_in_points,
        "colour": UP,
        "muted": MUTED,
        "alt": f"Range of {target_name} over the names for {counted(len(order), 'sentence')}, and the threshold",
    }


def numbers(study: StudyContext) -> None:
    table = study.compute_slowly(tables.label_dist_table)
    head, three = exports.head, "%.3f"
    heads = {
        "threshold": head("Threshold", format="%.1f %%" if study.target.is_in_points else three),
        "label_dist": head("LabelDist", format=three),
        "low": head("95 % low", format=three, help="Interval over sentences"),
        "high": head("95 % high", format=three, help="Interval over sentences"),
        "flips_up": head("Labels that appear"),
        "flips_down": head("Labels that disappear"),
        "labelled": head("Originals with the label", format="%.1f %%"),
    }
    with st.expander("Every threshold as a table"):
        exports.table(
            study.in_unit(table.assign(labelled=100 * table["labelled"]), "threshold"),
            "LabelDist and flips at every threshold",
            heads,
        )
