"""Sections of a study's report: question, method, overview, targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from psa_core import anchors, tables
from psa_core.charts.bar_order import BarOptions
from psa_core.charts.curves import CurveOptions
from psa_core.charts.print.figures import name_figure, threshold_figure
from psa_core.cube import ScoreCube, Target
from psa_core.registry import in_short
from psa_core.report._evidence import Evidence
from psa_core.report.frame import said
from psa_core.report.markup import Html, Text, element, join, picture, table
from psa_core.report.swaps import swap_pieces
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables import findings
from psa_core.tables.formatting import BASELINES, number

EXTREMES = 5
MAX_FIGURE_ROWS = 60
ARROW = "\u00a0→\u00a0"  # kept on one line


def model_name(cube: ScoreCube) -> str:
    """Id of the model, as far as the study says, without the folders of a path."""
    return in_short(str(_study(cube).get("model", "a model")))


def question(cube: ScoreCube) -> str:
    """What the study asks."""
    *first, last = (target.name for target in cube.targets)
    targets = f"{', '.join(first)} and {last}" if first else last
    return f"Does {model_name(cube)} change its {targets} score when only the name in a sentence changes?"


def method(cube: ScoreCube) -> list[str]:
    """The method in five lines."""
    study, inputs = _study(cube), cube.provenance.get("inputs", {})
    sentences, names, _ = cube.shape
    source = inputs.get("sentences", {}).get("source", study.get("sentences", "a file"))
    name_source = inputs.get("names", {}).get("source", study.get("names", "a list"))
    mentions = "every mention that agrees with it" if study.get("mentions") == "all" else "the first one"
    return [
        f"Sentences: {sentences:,} from {source}, at most {study.get('max_words', 50)} words each, drawn at random "
        f"with seed {study.get('seed', 0)}.",
        f"Anchors: {study.get('anchors', anchors.default())}; in each sentence {mentions} is replaced.",
        f"Names: {names:,} from {name_source}.",
        f"Scores: {model_name(cube)} scored each sentence as it is and with each name, {sentences * names:,} cells.",
        "Measures (Prabhakaran, Hutchinson and Mitchell 2019): ScoreSens is a name's mean change of the score; "
        "ScoreDev and ScoreRange are a sentence's standard deviation and range over names, averaged; LabelDist is the "
        "Jaccard distance between the labels before and after.",
    ]


def overview(cube: ScoreCube, summary: tables.corpus.Summary) -> Html:
    """Table 2: the corpus metrics of every target with their intervals."""
    rows = [_overview_row(target, summary[target.name]) for target in cube.targets]
    header = ("Target", "ScoreDev", "ScoreRange", "LabelDist", "Cells that flip", "Sensitivity–score r")
    several = (
        "Each with its 95 % interval over sentences." if len(cube.sentences) > 1 else "One sentence has no interval."
    )
    note = f"{several} Labels come from each target's threshold, named in the first column."
    return join([element("h2", "Sensitivity of the model"), table(header, rows), element("p", note, css="small")])


def _overview_row(target: Target, numbers: Mapping[str, Any]) -> list[Text]:
    flips = numbers["flips"]
    return [
        join([target.name, element("small", f"flagged at {target.default_threshold:g} and above")]),
        *(_interval(numbers[metric]) for metric in ("score_dev", "score_range", "label_dist")),
        join([f"{100 * flips['value']:.2f} %", element("small", f"{flips['up']:,} up, {flips['down']:,} down")]),
        _interval(numbers["sensitivity_correlation"], value="r"),
    ]


def others(count: int) -> Html:
    """Where the rest of so many targets is that have no section of their own."""
    words = f"Figures, flips and statistics of {count:,} more targets are in the study's folder."
    return element("p", words, css="small") if count else Html("")


def target_section(cube: ScoreCube, evidence: Evidence) -> Html:
    """Figures 1 and 2, flips and statistics of one target."""
    target = evidence.target
    parts = [
        element("h2", f"Target: {target.name}"),
        element("p", f"A larger score means: {target.meaning}." if target.meaning else ""),
        element("h3", "Figure 1: what each name does to the score"),
        _figure_1(evidence),
        element("h3", "Figure 2: what the names do to the label"),
        picture(
            threshold_figure(evidence.thresholds, CurveOptions(target.default_threshold, target=target.name)),
            str(findings.threshold_finding(evidence.thresholds, target.name, threshold=target.default_threshold)),
        ),
        element("h3", f"The largest flips ({evidence.flip_count:,} in all)"),
        _flips(cube, evidence),
        *_statistics(evidence, len(cube.targets)),
    ]
    return join(parts)


def _figure_1(evidence: Evidence) -> Html:
    columns = list(evidence.groups)
    few = [column for column in columns if len(evidence.groups[column]) <= 3]
    section = few[0] if few else ""
    colours = [column for column in columns if column != section]
    sections = len(evidence.groups[section]) if section else 1
    options = BarOptions(
        colour_by=colours[0] if colours else "",
        section_by=section,
        limit=0 if len(evidence.names) <= MAX_FIGURE_ROWS else 30 // (2 * sections) + 1,
        axis_title=f"Mean change of {evidence.target.name} from {BASELINES[evidence.baseline]}",
    )
    words = findings.name_finding(evidence.names, evidence.target.name, baseline=evidence.baseline)
    tested = evidence.names["p_adjusted"].notna().any()
    mark = " * and full colour: adjusted p < 0.05. Whiskers: 95 % interval over sentences." if tested else ""
    return picture(name_figure(evidence.names, options), f"{words}{mark}")


def _flips(cube: ScoreCube, evidence: Evidence) -> Html:
    if evidence.flips.empty:
        return element("p", f"No label changes at the threshold {evidence.target.default_threshold:g}.")
    texts = perturbation_of(cube)
    rows = [
        [
            _swapped(texts, flip.sentence_position, str(flip.name)),
            f"{number(flip.original, digits=2)}{ARROW}{number(flip.perturbed, digits=2)}",
            f"0{ARROW}1" if flip.direction == "up" else f"1{ARROW}0",
        ]
        for flip in evidence.flips.itertuples(index=False)
    ]
    return table(("Sentence", "Score", "Label"), rows, css="swaps")


def _swapped(texts: Perturbation, sentence: int, name: str) -> Html:
    tags = {"gone": "del", "come": "mark"}
    pieces = swap_pieces(texts, sentence, name)
    return join(element(tags[kind], text) if kind != "same" else text for kind, text in pieces)


def _statistics(evidence: Evidence, tests: int) -> list[Html]:
    target = evidence.target.name
    correlation = findings.correlation_finding(evidence.numbers["sensitivity_correlation"], target, tests=tests)
    ranked = evidence.names.sort_values("score_sens", ascending=False)
    ends = ranked if len(ranked) <= 2 * EXTREMES else pd.concat([ranked.head(EXTREMES), ranked.tail(EXTREMES)])
    header = (
        "Name",
        "ScoreSens" if evidence.baseline == "original" else "Effect",
        "95 % interval",
        "adjusted p",
        "effect size",
        "LabelDist",
    )
    parts = [
        element("h3", "Statistics"),
        element("p", evidence.warning, css="small") if evidence.warning else Html(""),
        said(correlation),
        table(header, [_name_row(row) for _, row in ends.iterrows()]),
        element(
            "p",
            f"Changes from {BASELINES[evidence.baseline]}; tests over sentences, Holm's correction over names; the "
            "effect size is Cohen's d_z, the mean change in its own standard deviations. Groups differ surely where "
            "both the sentences and the dealing of names at random say so, each corrected over the groups.",
            css="small",
        ),
    ]
    for column, groups in evidence.groups.items():
        parts += [said(findings.group_finding(groups, target, column=column)), _group_table(column, groups)]
    return parts


def _name_row(row: pd.Series) -> list[str]:
    bounds = f"{_change(row['ci_low'])} to {_change(row['ci_high'])}"
    return [
        str(row["name"]),
        _change(row["score_sens"]),
        bounds,
        _p_text(row["p_adjusted"]),
        _change(row["effect_size"], digits=2),
        f"{row['label_dist']:.3f}",
    ]


def _change(value: float, *, digits: int = 4) -> str:
    return "–" if pd.isna(value) else number(value, digits=digits, signed=True)


def _p_text(p_value: float) -> str:
    return "<\u00a00.001" if p_value < 0.001 else f"{p_value:.3f}"


def _group_table(column: str, groups: pd.DataFrame) -> Html:
    rows = [
        [
            f"{row['group']} ({row['names']})",
            join([_change(row["difference"]), element("small", _ends(row, "difference"))]),
            _change(row["without_furthest"]),
            _ends(row, "noise"),
            _p_text(row["p_adjusted"]) if pd.notna(row["p_adjusted"]) else "one name" if row["names"] == 1 else "–",
        ]
        for _, row in groups.iterrows()
    ]
    measured = (
        "Difference from the rest (95 % interval)",
        "Without its furthest name",
        "Arbitrary groups",
        "adjusted p",
    )
    return table((f"{column} (names)", *measured), rows)


def _ends(row: pd.Series, name: str) -> str:
    return f"{_change(row[f'{name}_low'])} to {_change(row[f'{name}_high'])}"


def _interval(numbers: Mapping[str, Any], value: str = "value") -> Text:
    if numbers[value] is None:
        return "not defined"
    middle = number(numbers[value], digits=3)
    bounds = numbers["low"], numbers["high"]
    if None in bounds:
        return middle
    return join([middle, element("small", " to ".join(number(bound, digits=3) for bound in bounds))])


def _study(cube: ScoreCube) -> Mapping[str, Any]:
    return cube.provenance.get("study", {})
