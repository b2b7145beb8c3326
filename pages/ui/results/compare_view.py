"""The parts of Compare: Table 2, one metric as a chart, two studies cell by cell."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import clicks, exports, said, shell
from pages.ui.frame.keys import Key
from pages.ui.results import opened
from pages.ui.results.compare_studies import Compared
from pages.ui.results.opened import Opened
from psa_core import stats
from psa_core.charts._altair import drawing_svg
from psa_core.charts.comparison import metric_intervals, name_scatter
from psa_core.errors import PsaError
from psa_core.study import perturbation_of
from psa_core.tables import findings
from psa_core.tables.pairs import SharedCells, disagreements, name_agreement, shared_cells

METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist"}
SHOWN_CELLS = 100
SCATTER = "compare_scatter"


def numbers(studies: list[Compared]) -> pd.DataFrame:
    """One row per study and target: ``label``, ``target``, ``extent`` of its range, each metric with its bounds."""
    rows = []
    for compared in studies:
        summary = opened.summary_of(compared.run, compared.cube)
        for target, metrics in summary.items():
            declared = compared.cube.targets[compared.cube.target_index(target)]
            extent = float(declared.high - declared.low)
            values = {
                f"{metric}.{part}": metrics[metric][part] for metric in METRICS for part in ("value", "low", "high")
            }
            size = {"sentences": compared.cube.shape[0], "names": compared.cube.shape[1]}
            rows.append(
                {"run": compared.run, "label": compared.label, "target": target, "extent": extent, **size, **values}
            )
    return pd.DataFrame(rows)


def chart(table: pd.DataFrame) -> None:
    """One metric of every study and target, in words and as a chart, on a scale that targets share."""
    verdict = st.container()
    metric = str(
        st.segmented_control(
            "Metric",
            METRICS,
            format_func=METRICS.get,
            default="score_dev",
            required=True,
            key=Key.COMPARE_METRIC,
            bind="query-params",
            help="ScoreDev and ScoreRange are shown as a part of the target's range, so that a score from 0 to 1 and "
            "one from −1 to 1 can stand side by side. The table below has them as they are.",
        )
    )
    scale = 1.0 if metric == "label_dist" else table["extent"]
    values = {part: table[f"{metric}.{part}"].astype(float) / scale for part in ("value", "low", "high")}
    rows = table.assign(label=table["label"] + " · " + table["target"], **values)
    rows = rows[rows["value"].notna()]
    title = METRICS[metric] if metric == "label_dist" else f"{METRICS[metric]}, as a part of the range,"
    with verdict:
        said.finding(findings.comparison_finding(rows, title))
    drawing = metric_intervals(rows, title=title.rstrip(","))
    st.vega_lite_chart(drawing.rows, drawing.spec, alt=f"{title.rstrip(',')} of {len(rows)} studies with intervals")
    with exports.row():
        exports.picture_buttons(partial(drawing_svg, drawing), f"comparison.{metric}", key="compare_picture")


def table_2(table: pd.DataFrame) -> None:
    """Table 2 of the paper: models × corpora, with intervals."""
    shown = table[["label", "target", "sentences", "names"]].copy()
    for metric, title in METRICS.items():
        parts = table[[f"{metric}.{part}" for part in ("value", "low", "high")]].astype(float)
        shown[title] = [_with_bounds(*row) for row in parts.itertuples(index=False)]
    shown = shown.rename(columns={"label": "model · sentences"})
    st.dataframe(shown, hide_index=True, alt="ScoreDev, ScoreRange and LabelDist of every study and target")
    exports.csv_button(table.drop(columns="run"), "comparison.csv", key="compare_csv")


def _with_bounds(value: float, low: float, high: float) -> str:
    return f"{value:.3f}" if pd.isna(low) else f"{value:.3f} ({low:.3f} to {high:.3f})"


def two_studies(study: Opened, studies: list[Compared]) -> None:
    """Two studies on the same cells: names against each other, and the cells that differ most."""
    st.subheader("Two studies on the same cells", anchor=False)
    choices = {f"{c.label} · {target.name}": (c, target.name) for c in studies for target in c.cube.targets}
    if len(choices) < 2:
        said.second(
            "For this, run the same sentences and names with a second model on the Study page, or add the study of a "
            "model before and after a change."
        )
        shell.link("study", "Run another model")
        return
    names = list(choices)
    columns = st.columns(2)
    first = columns[0].selectbox("First", names, index=0, key=Key.COMPARE_FIRST)
    second = columns[1].selectbox("Second", names, index=_partner(list(choices.values())), key=Key.COMPARE_SECOND)
    (left, left_target), (right, right_target) = choices[first], choices[second]
    targets = (left_target, right_target)
    try:
        shared = shared_cells(left.cube, right.cube)
    except PsaError as error:
        said.second(f"These two cannot be set against each other. {error}")
        return
    _names_against(study, shared, targets, titles=(_short(left, left_target), _short(right, right_target)))
    _cells(shared, targets, titles=(first, second))


def _partner(choices: list[tuple[Compared, str]]) -> int:
    """The first other study or target of the same sentences; the next one where there is none."""
    ids = [frozenset(compared.cube.sentences["sentence_id"]) for compared, _ in choices]
    return next((place for place in range(1, len(ids)) if ids[place] & ids[0]), 1)


def _names_against(study: Opened, shared: SharedCells, targets: tuple[str, str], *, titles: tuple[str, str]) -> None:
    agreement = name_agreement(shared, targets)
    words = _agreement_words(shared, stats.pearson(agreement["first"], agreement["second"]))
    said.second(words)
    labels = {str(name): study.labels.get(str(name), str(name)) for name in agreement["name"]}
    drawing = name_scatter(agreement, titles=titles, selected=study.seen.names, labels=labels)
    st.vega_lite_chart(
        drawing.rows, drawing.spec, key=SCATTER, on_select=partial(clicks.toggle_names, SCATTER), alt=words
    )
    with exports.row():
        exports.picture_buttons(partial(drawing_svg, drawing), "two-studies", key="scatter_picture")


def _short(compared: Compared, target: str) -> str:
    return f"{compared.label.partition(' · ')[0]} · {target}"


def _agreement_words(shared: SharedCells, r: stats.Correlation) -> str:
    cells = f"{len(shared.sentences):,} sentences and {len(shared.names):,} names in common"
    if r.reason:
        return f"With {cells}, no correlation can be computed: {r.reason}."
    words = f"{r.r:+.2f}".replace("-", "−")
    bounds = "" if pd.isna(r.low) else f" (95 % interval {r.low:+.2f} to {r.high:+.2f})".replace("-", "−")
    return f"With {cells}, the two studies' effects of names correlate with r = {words}{bounds}."


def _cells(shared: SharedCells, targets: tuple[str, str], *, titles: tuple[str, str]) -> None:
    found = disagreements(shared, targets, limit=SHOWN_CELLS)
    texts = perturbation_of(shared.first)
    cells = zip(found["sentence_position"], found["name_position"], strict=True)
    shown = pd.DataFrame(
        {
            "sentence": [texts.text(int(s), int(n)) for s, n in cells],
            titles[0]: found["first"],
            titles[1] + (" " if titles[0] == titles[1] else ""): found["second"],
            "apart": found["disagreement"],
        }
    )
    st.markdown("**The cells they disagree on most**, as changes from the original, in parts of each target's range")
    number = st.column_config.NumberColumn(format="%+.3f")
    config = {column: number for column in shown.columns[1:3]}
    st.dataframe(
        shown,
        hide_index=True,
        column_config={**config, "sentence": st.column_config.TextColumn(width="large")},
        alt="Cells sorted by disagreement of the two studies",
    )
    exports.csv_button(shown, "disagreements.csv", key="disagreements_csv")
