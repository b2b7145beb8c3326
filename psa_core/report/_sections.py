"""Sections of a study's report: question, method, overview, targets, limits, and how to run it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import anchors, models, options, stats, tables
from psa_core.charts.caption import study_source
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg
from psa_core.charts.score_sens import BarOptions, name_figure
from psa_core.claims import findings, selection
from psa_core.claims.floor import band_words, floor_finding
from psa_core.claims.formatting import BASELINES, Words, level, number, with_interval
from psa_core.claims.selection import selection_finding
from psa_core.cube import ScoreCube, Target
from psa_core.errors import PsaError
from psa_core.inputs.groups import columns_of, references
from psa_core.inputs.names import grouping
from psa_core.plurals import counted
from psa_core.registry import in_short
from psa_core.report import transcripts
from psa_core.report.frame import finding_html
from psa_core.report.markup import Html, Text, element, join, picture, table
from psa_core.report.swaps import excerpt, is_long, swap_pieces
from psa_core.report.transcripts import Transcript
from psa_core.study import StudySpec, perturbation_of, spec_of
from psa_core.study.perturbation import Perturbation
from psa_core.tables.edits import edit_span, edit_table
from psa_core.tables.groups import CELLS

MAX_GROUPS = 12
SHOWN_FLIPS, SHOWN_EDITS = 10, 20
EXTREMES = 5
MAX_FIGURE_ROWS = 60
ARROW = "\u00a0→\u00a0"  # kept on one line
LIMITS = (
    "This is perturbation sensitivity: what the score does when a name changes. Whether a difference is a defect, "
    "a person has to judge, sentence by sentence.",
    "The measure assumes that a name should not matter. In some sentences it does: “he is like …” means something else "
    "with every name.",
    "An anchor such as a pronoun is not a name, so part of the difference from the original is the change from any "
    "pronoun to any name; differences between names are free of it.",
    "The numbers hold for these sentences and these names. Intervals are about other sentences of the same kind, not "
    "other kinds of text; noise floors are about other names.",
    "A threshold decides which differences become another label; at another threshold other sentences flip.",
)


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Tables and numbers of one target, as the functions of `tables` make them; `groups` by column."""

    target: Target
    baseline: str
    names: pd.DataFrame
    thresholds: pd.DataFrame
    groups: dict[str, pd.DataFrame]
    crossing: tuple[str, pd.DataFrame] | None
    selection: dict[str, pd.DataFrame]
    flips: pd.DataFrame
    flip_count: int
    numbers: Mapping[str, Any]
    warning: str


def _evidence_of(cube: ScoreCube, target: Target, numbers: Mapping[str, Any]) -> _Evidence:
    flips = tables.find_flips(cube, target.name)
    baseline = tables.default_baseline(cube)
    differences = stats.effect_differences(*cube.units(target.name), baseline=baseline)
    spread = float(stats.nan_mean(stats.sentence_moments(differences)[2])) if len(differences) > 1 else float("nan")
    columns = grouping(cube.names, most=MAX_GROUPS)
    asked, reference = str(_study(cube).get("groups") or ""), str(_study(cube).get("reference") or "")
    against = references(cube.names, columns, reference) if columns else {}
    select, crossing = _study(cube).get("select"), None
    if len(columns_of(cube.names, asked) if asked else ()) > 1:
        crossing = asked, tables.crossing_table(cube, target.name, asked, baseline=baseline, reference=reference)
    score_range = float(target.high - target.low)
    if not score_range < float("inf"):
        scores = np.concatenate([array.ravel() for array in cube.scores(target.name)])
        score_range = max(float(np.ptp(scores)), 1e-6)
    return _Evidence(
        target=target,
        baseline=baseline,
        names=tables.name_table(cube, target.name, baseline=baseline),
        thresholds=tables.label_dist_table(cube, target.name),
        groups={
            column: tables.group_table(cube, target.name, column, baseline=baseline, reference=against.get(column, ""))
            for column in columns
        },
        crossing=crossing,
        selection={
            column: tables.selection_table(cube, target.name, column, select=str(select))
            for column in [*columns, *([asked] if crossing else [])]
            if select
        },
        flips=flips.one_each("sentence").frame(limit=SHOWN_FLIPS),
        flip_count=len(flips),
        numbers=numbers,
        warning=stats.small_sample_warning(len(differences), spread, half_width=0.01 * score_range),
    )


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
    spec = str(study.get("anchors", anchors.default()))
    kind = anchors.plugins().get(spec.partition(":")[0])
    mentions = "every mention that agrees with it" if study.get("mentions") == "all" else "the first one"
    if kind is not None and (kind.together or kind.marks):
        mentions = "every one"
    most = study.get("max_words") or anchors.max_words(spec)
    limit = f", at most {most} words each" if most else ""
    return [
        f"Sentences: {sentences:,} from {source}{limit}, drawn at random with seed {study.get('seed', 0)}.",
        f"Anchors: {spec}; in each sentence {mentions} is replaced.",
        f"Names: {names:,} from {name_source}.",
        f"Scores: {model_name(cube)} scored each sentence as it is and with each name, {sentences * names:,} scores.",
        "Measures (Prabhakaran, Hutchinson and Mitchell 2019): ScoreSens is a name's mean change of the score; "
        "ScoreDev and ScoreRange are a sentence's standard deviation and range over names, averaged; LabelDist is the "
        "Jaccard distance between the labels before and after.",
    ]


def overview(cube: ScoreCube, summary: tables.corpus.Summary) -> Html:
    """Table 2: the corpus metrics of every target with their intervals."""
    rows = [
        [
            join([target.name, element("small", f"flagged at {level(target.default_threshold)} and above")]),
            *(_interval(summary[target.name][metric]) for metric in ("score_dev", "score_range", "label_dist")),
            join([f"{100 * flips['value']:.2f} %", element("small", f"{flips['up']:,} up, {flips['down']:,} down")]),
            _interval(summary[target.name]["sensitivity_correlation"], value="r"),
        ]
        for target in cube.targets
        for flips in [summary[target.name]["flips"]]
    ]
    header = ("Target", "ScoreDev", "ScoreRange", "LabelDist", "Labels that change", "Sensitivity–score r")
    several = (
        "Each with its 95 % interval over sentences." if len(cube.sentences) > 1 else "One sentence has no interval."
    )
    note = f"{several} Labels come from each target's threshold, named in the first column."
    return join([element("h2", "Sensitivity of the model"), table(header, rows), element("p", note, css="small")])


def target_section(cube: ScoreCube, target: Target, numbers: Mapping[str, Any], answers: Path | None = None) -> Html:
    """Figures 1 and 2, flips and statistics of one target, of which `tables.summary` has the numbers.

    With `answers`, a language model's file of them, each flip has what was asked and answered.
    """
    evidence = _evidence_of(cube, target, numbers)
    curves = CurveOptions(target.default_threshold, target=target.name)
    source = study_source(cube, target, target.default_threshold)
    changes = findings.threshold_finding(evidence.thresholds, target.name, threshold=target.default_threshold)
    floor = floor_finding(cube, target.name)
    parts = [
        element("h2", f"Target: {target.name}"),
        element("p", f"A larger score means: {target.meaning}." if target.meaning else ""),
        element("h3", "Figure 1: what each name does to the score"),
        _figure_1(evidence, source, cube),
        *([finding_html(floor), _edits(cube, target)] if floor else []),
        element("h3", "Figure 2: what the names do to the label"),
        picture(figure_svg(label_dist_figure(evidence.thresholds, curves)), f"{changes} {source}."),
        element("h3", f"The largest changes of a label ({evidence.flip_count:,} in all)"),
        _flips(cube, evidence, answers),
        *_statistics(evidence, len(cube.targets)),
    ]
    return join(parts)


def _edits(cube: ScoreCube, target: Target) -> Html:
    """The neutral edits that moved the score most, behind a click."""
    table_of_edits = edit_table(cube, target.name)
    if table_of_edits.empty:
        return Html("")
    title = f"The {counted(min(len(table_of_edits), SHOWN_EDITS), 'edit')} with the largest change"
    rows = [
        [row.edit, str(row.sentence_id), _change(row.change)] for row in table_of_edits.head(SHOWN_EDITS).itertuples()
    ]
    shown = table(("Edit", cube.noun.capitalize(), "Change"), rows, css="swaps")
    return element("details", join([element("summary", title), shown]))


def _figure_1(evidence: _Evidence, source: str, cube: ScoreCube) -> Html:
    columns = list(evidence.groups)
    few = [column for column in columns if len(evidence.groups[column]) <= 3]
    section = few[0] if few else ""
    colours = [column for column in columns if column != section]
    sections = len(evidence.groups[section]) if section else 1
    options = BarOptions(
        colour_by=colours[0] if colours else "",
        section_by=section,
        limit=0 if len(evidence.names) <= MAX_FIGURE_ROWS else 30 // (2 * sections) + 1,
        axis_title=f"Mean change of {Words.of(evidence.target).phrase} from {BASELINES[evidence.baseline]}",
        score_range=evidence.target.high - evidence.target.low,
        band=edit_span(cube, evidence.target.name),
    )
    words = findings.name_finding(evidence.names, evidence.target.name, baseline=evidence.baseline)
    tested = evidence.names["p_adjusted"].notna().any()
    mark = " * and full colour: adjusted p < 0.05. Whiskers: 95 % interval over sentences." if tested else ""
    return picture(name_figure(evidence.names, options), f"{words}{mark} {band_words(cube, options.band)} {source}.")


def _flips(cube: ScoreCube, evidence: _Evidence, answers: Path | None) -> Html:
    if evidence.flips.empty:
        return element("p", f"No label changes at the threshold {level(evidence.target.default_threshold)}.")
    texts = perturbation_of(cube, evidence.target.name)
    cells = list(
        zip(evidence.flips["sentence_position"].tolist(), evidence.flips["name_position"].tolist(), strict=True)
    )
    asked = transcripts.of_cells(cube, evidence.target.name, cells, answers) if answers else [[] for _ in cells]
    rows = [
        [
            join(
                [
                    element("small", str(flip.sentence_id)) if cube.noun != "sentence" else "",
                    _swapped(texts, flip.sentence_position, str(flip.name)),
                    *_transcripts(of_flip, texts, flip),
                ]
            ),
            f"{number(flip.original, digits=2)}{ARROW}{number(flip.perturbed, digits=2)}",
            f"0{ARROW}1" if flip.direction == "up" else f"1{ARROW}0",
        ]
        for flip, of_flip in zip(evidence.flips.itertuples(index=False), asked, strict=True)
    ]
    return table((cube.noun.capitalize(), "Score", "Label"), rows, css="swaps")


def _transcripts(found: Sequence[Transcript], texts: Perturbation, flip: Any) -> list[Html]:
    """What a language model was asked about a flip's text and what it answered, each behind a click."""
    pieces = swap_pieces(texts, flip.sentence_position, str(flip.name))
    shown = []
    for transcript in found:
        parts = [element("summary", "What the model was asked")]
        for heading, words in transcript.parts(pieces):
            marked = (element("mark", text) if kind == "come" else text for kind, text in words)
            parts += [element("b", heading), element("pre", *marked)]
        shown.append(element("details", *parts, css="small"))
    return shown


def _swapped(texts: Perturbation, sentence: int, name: str) -> Html:
    tags = {"gone": "del", "come": "mark"}
    pieces = swap_pieces(texts, sentence, name)

    def words(some: Sequence[tuple[str, str]]) -> Html:
        return join(element(tags[kind], text) if kind != "same" else text for kind, text in some)

    if not is_long(pieces):
        return words(pieces)
    whole = element("details", join([element("summary", "Whole text"), words(pieces)]))
    return join([words(excerpt(pieces)), whole])


def _statistics(evidence: _Evidence, tests: int) -> list[Html]:
    target = evidence.target.name
    correlation = findings.correlation_finding(evidence.numbers, evidence.target, tests=tests)
    ranked = evidence.names.sort_values("score_sens", ascending=False)
    ends = ranked if len(ranked) <= 2 * EXTREMES else pd.concat([ranked.head(EXTREMES), ranked.tail(EXTREMES)])
    measured = "ScoreSens" if evidence.baseline == "original" else "Effect"
    header = ("Name", measured, "95 % interval", "adjusted p", "effect size", "LabelDist")
    names = [
        [
            str(row["name"]),
            _change(row["score_sens"]),
            _ends(row, "ci"),
            _p_text(row["p_adjusted"]),
            _change(row["effect_size"], digits=2),
            f"{row['label_dist']:.3f}",
        ]
        for _, row in ends.iterrows()
    ]
    parts = [
        element("h3", "Statistics"),
        element("p", evidence.warning, css="small") if evidence.warning else Html(""),
        finding_html(correlation),
        table(header, names),
        element(
            "p",
            f"Changes from {BASELINES[evidence.baseline]}; tests over sentences, Holm's correction over names; the "
            "effect size is Cohen's d_z, the mean change in its own standard deviations. Groups differ "
            "beyond chance where both a test over sentences and a permutation of names say so, corrected over groups.",
            css="small",
        ),
    ]
    for column, groups in evidence.groups.items():
        parts += [finding_html(findings.group_finding(groups, target, column=column)), _group_table(column, groups)]
    if evidence.crossing:
        columns, crossing = evidence.crossing
        cells = crossing[crossing["part"] == CELLS]
        parts += [
            finding_html(findings.group_finding(cells, target, column=columns)),
            finding_html(findings.interaction_finding(crossing, target, columns=columns)),
            _group_table(findings.crossed(columns), cells.assign(group=cells["group"].map(findings.crossed))),
        ]
    if evidence.selection:
        parts.append(element("h3", "Selection rates"))
    for column, rates in evidence.selection.items():
        parts += [finding_html(selection_finding(rates, target, column=column)), _selection_table(column, rates)]
    if evidence.selection:
        parts.append(element("p", selection.ABOUT, css="small"))
    return parts


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
    reference = findings.crossed(groups.attrs.get("reference", "")) or "the rest"
    measured = f"Difference from {reference} (95 % interval)"
    return table((f"{column} (names)", measured, "Without its furthest name", "Random groups", "adjusted p"), rows)


def _selection_table(column: str, rates: pd.DataFrame) -> Html:
    rows = [
        [
            f"{findings.crossed(row['group'])} ({row['names']})",
            f"{row['selected']:,.6g} of {row['texts']:,}",
            f"{row['rate']:.3f}",
            "one name" if row["names"] == 1 else with_interval(row, "impact_ratio"),
            "yes" if row["is_lower"] else "–",
        ]
        for _, row in rates.iterrows()
    ]
    return table((f"{findings.crossed(column)} (names)", "Selected", "Rate", "Impact ratio", "Clearly lower"), rows)


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


def limits(cube: ScoreCube) -> list[str]:
    """What the numbers do not say."""
    caution = anchors.caution(cube.provenance.get("anchors", {}).get("spec", ""))
    return [*LIMITS, *filter(None, [caution])]


def commands(cube: ScoreCube) -> list[str]:
    """What runs the study again, with comments between."""
    rerun = "psa run --from-manifest manifest.json --out again"
    try:
        spec = spec_of(cube)
    except (KeyError, TypeError, PsaError):  # a cube that no study made
        return [rerun]
    if needs := _needs(spec.model):
        return [rerun, f"\n\n# The model, {needs}, has to be named by you: add --model and its id, if you know it."]
    return [rerun] if spec.exclude else [command_line(spec), "\n\n# or, from this study's own folder\n", rerun]


def _needs(model_id: str) -> str:
    """What loading a model does beyond computing, with its id, which may be a stranger's: no command to be copied."""
    try:
        needs = models.needs(model_id)
    except PsaError:  # a plug-in that is not here
        return f"{model_id!r}"
    return f"{model_id!r}, which {' and '.join(need.kind.value for need in needs)}" if needs else ""


def command_line(spec: StudySpec) -> str:
    """The command that runs a study; anchors that were switched off have no option and need the manifest."""
    words = options.as_arguments(StudySpec, vars(spec))
    return f"psa run {shlex.join(words)} --out again"
