"""The parts of Compare that show every study: one metric as a chart, and Table 2."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import address, exports, shell, typography
from pages.ui.frame.keys import Key
from pages.ui.results import measured
from pages.ui.results.compare_studies import Compared
from pages.ui.results.context import StudyContext
from psa_core import methods
from psa_core.charts._altair import drawing_svg
from psa_core.charts.comparison import metric_intervals
from psa_core.charts.print.caption import Caption
from psa_core.tables import findings

PARTS = ("value", "low", "high")
#: The paper's first, then those of other files in ``methods/`` that have one value per sentence.
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist"} | {
    item: method.title
    for item, method in methods.plugins().items()
    if method.axis == "sentence" and item not in ("score_dev", "score_range")
}
IN_PARTS = ("score_dev", "score_range")
UNIT = ", % of the range"


def numbers(study: StudyContext, studies: list[Compared]) -> pd.DataFrame:
    """Every study's numbers, each with its bounds; what a threshold has a part in is at the chosen one.

    Returns
    -------
    DataFrame
        One row per study and target: ``label``, ``brief``, ``cells`` (alike where sentences and names are), ``target``,
        ``threshold`` (the chosen one where the target is the chosen one, else the target's own), ``extent`` of its
        range, ``sentences``, ``names``, each metric's ``value``, ``low`` and ``high``.
    """
    rows = []
    for compared in studies:
        key = compared.run, compared.cube.shape[0], tuple(sorted(compared.left_out))
        summary = measured.summary_of(key, compared.cube, measured.chosen_threshold(study))
        for target, metrics in summary.items():
            declared = compared.cube.targets[compared.cube.target_index(target)]
            rows.append(
                {
                    "run": compared.run,
                    "label": compared.label,
                    "brief": compared.brief,
                    "cells": hash((tuple(compared.cube.sentences["text"]), tuple(compared.cube.names["name"]))),
                    "target": target,
                    "threshold": metrics["label_dist"]["threshold"],
                    "extent": float(declared.high - declared.low),
                    "sentences": compared.cube.shape[0],
                    "names": compared.cube.shape[1],
                    **{f"{metric}.{part}": metrics[metric][part] for metric in METRICS for part in PARTS},
                }
            )
    return pd.DataFrame(rows)


ALONE = "One study alone: nothing is compared yet. Add another, or run another model on the same sentences."


def in_parts(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """``value``, ``low``, ``high`` of a metric: those of scores in per cent of the target's range."""
    values = table[[f"{metric}.{part}" for part in PARTS]].astype(float)
    values.columns = list(PARTS)
    return values.mul(100 / table["extent"], axis=0) if metric in IN_PARTS else values


def chart(table: pd.DataFrame) -> str:
    """One metric of every study and target, in words and as a chart, on a scale that targets share; which one."""
    with shell.headline_slot() as slot:
        metric = _ask_metric()
        rows = table.assign(label=table["brief"] + " · " + table["target"], **in_parts(table, metric))
        rows = rows[rows["value"].notna()]
        title = titled(metric)
        is_alone = table["run"].nunique() == 1
        found = ALONE if is_alone else findings.comparison_finding(rows, title + "," * (metric in IN_PARTS))
        with slot:
            typography.finding(found)
    drawing = metric_intervals(rows, title=title)
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=f"{title} of {len(rows)} studies with intervals")
    with exports.row():
        words = Caption(f"{title} by model and sentences", str(found), "Whiskers: 95 % intervals over sentences.")
        exports.picture_buttons(partial(drawing_svg, drawing), f"comparison.{metric}", words, key="compare_picture")
    return metric


def _ask_metric() -> str:
    return str(
        st.segmented_control(
            "Metric",
            METRICS,
            format_func=METRICS.get,
            required=True,
            help="ScoreDev and ScoreRange are in per cent of the score's range, here and in the table, so that a score "
            "from 0 to 1 and one from −1 to 1 can stand side by side: 1 % is 0.01 of the first and 0.02 of the second.",
            **address.linked(Key.COMPARE_METRIC, "score_dev", METRICS),
        )
    )


def titled(metric: str) -> str:
    """The metric's title, with its unit where that is not the score's own."""
    return METRICS[metric] + UNIT * (metric in IN_PARTS)


def table_2(table: pd.DataFrame) -> None:
    """Table 2 of the paper: models × corpora, with intervals."""
    shown = table[["label", "target", "sentences", "names"]].rename(columns={"label": "model · sentences"})
    for metric in METRICS:
        shown[titled(metric)] = [
            _with_bounds(*row, digits=1 if metric in IN_PARTS else 3)
            for row in in_parts(table, metric).itertuples(index=False)
        ]
    shown["flagged at"] = table["threshold"]
    st.dataframe(shown, hide_index=True, alt=f"{', '.join(METRICS.values())} of every study and target")
    typography.small_print("LabelDist depends on the threshold; “flagged at” is each row's.")
    exports.csv_button(table.drop(columns=["run", "brief", "cells"]), "comparison.csv", key="compare_csv")


def _with_bounds(value: float, low: float, high: float, *, digits: int = 3) -> str:
    middle, *ends = (f"{number:.{digits}f}" for number in (value, low, high))
    return middle if pd.isna(low) else f"{middle} ({' to '.join(ends)})"
