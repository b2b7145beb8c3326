"""The parts of Compare: one metric of every study, Table 2, and two studies on the same cells."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import controls, exports, markup, shell, state, typography
from pages.ui.frame.typography import in_words
from pages.ui.results import context
from pages.ui.results.compare_studies import Compared
from pages.ui.results.context import StudyContext
from psa_core import methods, stats
from psa_core.charts.caption import Caption
from psa_core.charts.intervals import metric_intervals
from psa_core.charts.scatter import name_scatter
from psa_core.claims import comparison
from psa_core.cube import Target, is_beside
from psa_core.errors import PsaError
from psa_core.plurals import counted, verb
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.floors import BOUNDS, beyond_floor
from psa_core.tables.pairs import (
    MatchedCubes,
    disagreements,
    metric_differences,
    name_agreement,
    order_in_both,
    shared_cells,
)

#: The paper's first, then those of other files in ``methods/`` that have one value per sentence.
METRICS = {"score_dev": "ScoreDev", "score_range": "ScoreRange", "label_dist": "LabelDist"} | {
    item: method.title
    for item, method in methods.plugins().items()
    if method.axis == "sentence" and item not in ("score_dev", "score_range")
}
#: On the scale of the score: shown in per cent of its range, so that scores of other ranges can stand beside them.
ON_SCALE = ("score_dev", "score_range", "mean_abs_delta")
UNIT = ", % of the range"
ALONE = "One study alone: nothing is compared yet. Add another, or run another model on the same sentences."
SAMPLED = "Of sampled answers, the chart shows what is left without what asking again gives; 0 where that is nothing."
METRIC_HELP = (
    "ScoreDev, ScoreRange and Mean |Δ| are in per cent of the score's range, here and in the table, so that a score "
    "from 0 to 1 and one from −1 to 1 can stand side by side: 1 % is 0.01 of the first and 0.02 of the second."
)
MISSING = (
    "For this, run the same sentences and names with a second model, or add the study of a model before and after a "
    "change."
)
SHOWN_CELLS, MIN_NAMES = 100, 3
#: Of a score's range: with less between them two studies agree.
NEGLIGIBLE = 0.001
SCATTER = "compare_scatter"
Choice = tuple[Compared, Target]


def numbers(study: StudyContext, studies: list[Compared]) -> pd.DataFrame:
    """A row per study and target: each metric's ``value``, ``low`` and ``high`` without what sampling alone gives.

    ``cells`` are alike where sentences and names are; the threshold is the chosen one of the chosen target, and its own
    of any other.
    """
    rows = []
    for compared in studies:
        cube = compared.cube
        key = compared.run, cube.shape[0], tuple(sorted(compared.left_out))
        for target in cube.targets:
            is_chosen = target.name == study.target.name and target.low <= study.threshold <= target.high
            metrics = context.summary(key, cube, target, study.threshold if is_chosen else target.default_threshold)
            rows.append(
                {
                    "run": compared.run,
                    "label": compared.label,
                    "brief": compared.brief,
                    "cells": hash((tuple(cube.sentences["text"]), tuple(cube.names["name"]))),
                    "target": target.name,
                    "beside": is_beside(target.name, [other.name for other in cube.targets]),
                    "threshold": metrics["label_dist"]["threshold"],
                    "extent": float(target.high - target.low),
                    "sentences": cube.shape[0],
                    "names": cube.shape[1],
                    "samples": target.samples,
                    **{
                        f"{metric}.{part}": value
                        for metric in METRICS
                        for part, value in beyond_floor(metrics, metric, target.samples).items()
                    },
                }
            )
    return pd.DataFrame(rows)


def _in_unit(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """``value``, ``low``, ``high`` of a metric; metrics of scores are in per cent of the target's range."""
    values = table[[f"{metric}.{part}" for part in BOUNDS]].astype(float)
    values.columns = list(BOUNDS)
    return values.mul(100 / table["extent"], axis=0) if metric in ON_SCALE else values


def _title(metric: str) -> str:
    return METRICS[metric] + UNIT * (metric in ON_SCALE)


def chart(table: pd.DataFrame) -> str:
    """One chosen metric of every study and target, in words and as a chart, on a shared scale."""
    with shell.headline_slot() as slot:
        metric = str(controls.choose("Metric", METRICS, "metric", "score_dev", help=METRIC_HELP))
        rows = table.assign(label=table["brief"] + " · " + table["target"], **_in_unit(table, metric))
        # How a model answers is no score of a text, and is in the table below.
        rows, title = rows[rows["value"].notna() & ~rows["beside"]], _title(metric)
        is_alone = table["run"].nunique() == 1
        found = ALONE if is_alone else comparison.comparison_finding(rows, title + "," * (metric in ON_SCALE))
        with slot:
            typography.finding(found)
    exports.figure(
        metric_intervals(rows, title=title),
        alt=f"{title} of {len(rows)} studies with intervals",
        stem=f"comparison.{metric}",
        words=Caption(f"{title} by model and sentences", str(found), "Whiskers: 95 % intervals over sentences."),
        key="compare",
    )
    if table["samples"].any():
        typography.small_print(SAMPLED)
    return metric


def table_2(table: pd.DataFrame) -> None:
    """Table 2 of the paper: models × corpora, with intervals."""
    titles = {"label": in_words("model · sentences"), "sentences": in_words("sentences")}
    shown = table[["label", "target", "sentences", "names"]].rename(columns=titles)
    for metric in METRICS:
        digits = 1 if metric in ON_SCALE else 3
        values = _in_unit(table, metric).map(f"{{:.{digits}f}}".format).itertuples(index=False)
        shown[_title(metric)] = [row[0] if "nan" in row else f"{row[0]} ({row[1]} to {row[2]})" for row in values]
    shown["flagged at"] = table["threshold"]
    exports.table(shown, f"{', '.join(METRICS.values())} of every study and target")
    typography.small_print("LabelDist depends on the threshold; “flagged at” is each row's.")
    exports.csv_button(table.drop(columns=["run", "brief", "cells", "beside"]), "comparison.csv", key="compare_csv")


def two_studies(study: StudyContext, studies: list[Compared], table: pd.DataFrame, metric: str) -> None:
    """Two studies on the same cells: the metric tested, names against each other, the cells that differ most."""
    st.header(in_words("Two models, same sentences"), anchor=False)
    choices = {f"{c.label} · {target.name}": (c, target) for c in studies for target in c.cube.targets}
    missing = MISSING
    if len(choices) > 1:
        first, second = _ask_pair(study, choices)
        missing = _lacking(choices, first) if second is None else ""
    if missing:
        typography.second(missing)
        shell.link("study", "Run another model")
        return
    pair = choices[first], choices[str(second)]
    (left, left_target), (right, right_target) = pair
    titles = tuple(f"{compared.brief} · {target.name}" for compared, target in pair)
    targets = (left_target.name, right_target.name)
    if agreement := order_in_both(left.cube, right.cube, targets):
        typography.second(comparison.agreement_finding(agreement))
    try:
        shared = shared_cells(left.cube, right.cube)
    except PsaError as error:
        typography.second(f"These two cannot be compared. {error.full_message}")
        return
    _warn(shared, pair)
    thresholds = table.set_index(["run", "target"])["threshold"]
    at = (thresholds[left.run, targets[0]], thresholds[right.run, targets[1]])
    differences = metric_differences(shared, targets, thresholds=at).set_index("metric")
    if left_target.samples or right_target.samples:
        typography.second("The difference is not tested: with sampled answers that is about how often each was asked.")
    elif metric in differences.index:
        row = differences.loc[metric].copy()
        if metric in ON_SCALE:
            row[["first", "second", "difference", "low", "high"]] *= 100
        typography.second(comparison.difference_finding(row, _title(metric) + "," * (metric in ON_SCALE), titles))
    else:
        tested = ", ".join(METRICS[each] for each in differences.index)
        typography.second(f"A difference in {METRICS[metric]} is not tested; choose one of {tested}.")
    _names_against(study, shared, targets, titles=titles)
    _disagreements(shared, targets, titles=titles)


def _ask_pair(study: StudyContext, choices: dict[str, Choice]) -> tuple[str, str | None]:
    """The chosen target of the open study and, by default, the same target of another study; None if none has it."""

    def reset(key: str, value: str | None, when: tuple[str, ...]) -> None:
        # A choice goes back to its first value whenever what it was chosen from has changed.
        if st.session_state.get(f"{key} of") != when or key not in st.session_state:
            st.session_state[key] = value
        st.session_state[f"{key} of"] = when

    names = list(choices)
    own = next((n for n, (c, t) in choices.items() if c.run == study.run and t.name == study.target.name), names[0])
    reset("compare_first", own, (study.target.name, *names))
    columns = st.columns(2)
    first = str(columns[0].selectbox("First", names, key="compare_first"))
    reset("compare_second", _partner(choices, first), (first, *names))
    second = columns[1].selectbox("Second", names, index=None, key="compare_second", placeholder="Choose a study")
    return first, second


def _partner(choices: dict[str, Choice], first: str) -> str | None:
    """The same target of a study with shared sentences and names, preferably of another model."""

    def model(name: str) -> str:
        return str(choices[name][0].cube.asked.get("model", ""))

    own = choices[first][0].cube
    texts, names = set(own.sentences["text"]), set(own.names["name"])
    others = [
        name
        for name in _same_target(choices, first)
        if texts & set(choices[name][0].cube.sentences["text"])
        and len(names & set(choices[name][0].cube.names["name"])) >= MIN_NAMES
    ]
    return max(others, key=lambda name: model(name) != model(first), default=None)


def _same_target(choices: dict[str, Choice], first: str) -> list[str]:
    one, target = choices[first]
    return [name for name, (c, t) in choices.items() if c.run != one.run and t.name == target.name]


def _lacking(choices: dict[str, Choice], first: str) -> str:
    """Why there is no second study to compare with, and what to do."""
    few = " for enough of the same sentences and names" if _same_target(choices, first) else ""
    return (
        f"No other study here has the target {choices[first][1].name}{few}. Add one above, run the same sentences and "
        "names with another model, or choose what to compare it with."
    )


def _warn(shared: MatchedCubes, pair: tuple[Choice, Choice]) -> None:
    """Say where the two studies differ in sentences, names or scale, so that this is not mistaken for the models."""
    shapes, targets = [compared.cube.shape for compared, _ in pair], [target for _, target in pair]
    words = [
        f"only {counted(both, noun)} {verb(both, 'are', 'is')} in both ({one:,} in the first, {two:,} in the second)"
        for noun, both, one, two in zip(("sentence", "name"), shared.first.shape, *shapes, strict=False)
        if not both == one == two
    ]
    if targets[0].name != targets[1].name:
        words.append(f"{targets[0].name} and {targets[1].name} are different targets")
    elif (targets[0].low, targets[0].high) != (targets[1].low, targets[1].high):
        words.append("the two scores have different ranges")
    if words:
        st.html(markup.spoken(f"These studies differ: {'; '.join(words)}. What follows is about what they share."))


def _names_against(
    study: StudyContext, shared: MatchedCubes, targets: tuple[str, str], *, titles: tuple[str, ...]
) -> None:
    agreement = name_agreement(shared, targets)
    r = stats.pearson(agreement["first"], agreement["second"])
    words = comparison.effects_finding(r, sentences=shared.first.shape[0], names=shared.first.shape[1])
    typography.second(words)
    labels = controls.labels_of(agreement["name"].tolist())
    exports.figure(
        name_scatter(agreement, titles=titles, selected=study.seen.names, labels=labels),
        alt=words,
        stem="two-studies",
        words=Caption("Effects of the names in two studies", words, " against ".join(titles)),
        key="scatter",
        key_of_chart=SCATTER,
        on_select=partial(state.clicked_names, SCATTER),
    )


def _disagreements(shared: MatchedCubes, targets: tuple[str, str], *, titles: tuple[str, ...]) -> None:
    """The cells on which the two studies differ most, as a table."""
    found = disagreements(shared, targets, limit=SHOWN_CELLS)
    if found["disagreement"].max() < NEGLIGIBLE:
        typography.second("The two agree everywhere to within 0.1 % of the score range.")
        return
    columns = (titles[0], titles[1] + (" " if titles[0] == titles[1] else ""))
    cells = list(zip(found["sentence_position"], found["name_position"], strict=True))

    def rows(texts: Perturbation) -> pd.DataFrame:
        sentences = [texts.text(int(s), int(n)) for s, n in cells]
        values = {columns[0]: found["first"], columns[1]: found["second"], "apart": found["disagreement"]}
        return pd.DataFrame({"sentence": sentences} | {column: 100 * value for column, value in values.items()})

    texts = perturbation_of(shared.first)
    labels = controls.labels_of(texts.names)
    st.markdown("**Where they disagree most**, as changes from the original score, in % of each score's range")
    shown = rows(replace(texts, names=tuple(labels[name] for name in texts.names)))
    heads = {"apart": exports.head("apart", format="%.1f"), "sentence": exports.head("sentence", "large")}
    alt = "Cells sorted by disagreement of the two studies"
    exports.table(exports.signed(shown, dict.fromkeys(columns, 1)), alt, heads)
    exports.csv_button(rows(texts), "disagreements.csv", key="disagreements_csv")
