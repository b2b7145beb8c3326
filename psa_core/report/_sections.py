"""Sections of a study's report: question, method, overview, targets, limits, and how to run it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import anchors, models, options, stats, tables
from psa_core.charts.caption import study_source
from psa_core.charts.label_dist import CurveOptions, label_dist_figure
from psa_core.charts.plotly_svg import figure_svg
from psa_core.charts.score_sens import BarOptions, name_figure
from psa_core.claims import findings
from psa_core.claims.findings import band_words, floor_finding
from psa_core.claims.formatting import BASELINES, Words, bare, number, p_text, score_digits, with_interval
from psa_core.claims.groups import ABOUT_SELECTION, crossed, group_finding, interaction_finding, selection_finding
from psa_core.cube import ScoreCube, Target
from psa_core.errors import PsaError
from psa_core.inputs.groups import columns_of, grouping, references
from psa_core.plurals import counted, verb
from psa_core.report import transcripts
from psa_core.report.page import Html, Text, element, finding_html, join, picture, table
from psa_core.report.swaps import Piece, excerpt, is_long, swap_pieces
from psa_core.report.transcripts import Transcript
from psa_core.study import StudySpec, perturbation_of, spec_of
from psa_core.study.selection import DRAWN_OTHERS
from psa_core.tables.floors import edit_span, edit_table
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


def model_name(cube: ScoreCube) -> str:
    """What the model is called, as far as the study says."""
    return models.titled(str(cube.asked.get("model", "a model")))


def question(cube: ScoreCube) -> str:
    """What the study asks."""
    *first, last = (target.name for target in cube.targets)
    targets = f"{', '.join(first)} and {last}" if first else last
    return f"Does {model_name(cube)} change its {targets} score when only the name in a sentence changes?"


def method(cube: ScoreCube) -> list[str]:
    """The method in five lines."""
    study, inputs = cube.asked, cube.provenance.get("inputs", {})
    sentences, names, _ = cube.shape
    source = inputs.get("sentences", {}).get("source", study.get("sentences", "a file"))
    name_source = inputs.get("names", {}).get("source", study.get("names", "a list"))
    spec = str(study.get("anchors", anchors.default()))
    kind = anchors.kind(spec)
    mentions = "every mention that agrees with it" if study.get("mentions") == "all" else "the first one"
    if kind.together or kind.marks:
        mentions = "every one"
    switched = len(study.get("switched", study.get("exclude")) or ())
    off = f"; a reader switched {counted(switched, 'word')} off or on" if switched else ""
    chosen = cube.provenance.get("subjects_chosen")
    if chosen:
        off += f"; a reader chose whom {counted(chosen, 'document')} {verb(chosen, 'are', 'is')} about"
    most = study.get("max_words") or kind.max_words
    limit = f", at most {most} words each" if most else ""
    account = cube.provenance.get("account", {})
    are_all = account and account.keys().isdisjoint(DRAWN_OTHERS)
    drawn = "all that could be used" if are_all else f"drawn at random with seed {study.get('seed', 0)}"
    return [
        f"Sentences: {sentences:,} from {source}{limit}, {drawn}.",
        f"Anchors: {spec}; in each sentence {mentions} is replaced{off}.",
        f"Names: {names:,} from {name_source}.",
        f"Scores: {model_name(cube)} scored each sentence as it is and with each name: "
        f"{sentences * (1 + names):,} scores.",
        "Measures (Prabhakaran, Hutchinson and Mitchell 2019): ScoreSens is a name's mean change of the score; "
        "ScoreDev and ScoreRange are a sentence's standard deviation and range over names, averaged; LabelDist is the "
        "Jaccard distance between the labels before and after.",
    ]


def overview(cube: ScoreCube, summary: tables.corpus.Summary) -> Html:
    """Table 2: the corpus metrics of every target with their intervals."""
    rows = [
        [
            join([target.name, element("small", f"flagged at {words.at(target.default_threshold)} and above")]),
            *(_interval(summary[target.name][metric], words=words) for metric in ("score_dev", "score_range")),
            _interval(summary[target.name]["label_dist"]),
            join([f"{100 * flips['value']:.2f} %", element("small", f"{flips['up']:,} up, {flips['down']:,} down")]),
            _interval(summary[target.name]["sensitivity_correlation"], value="r"),
        ]
        for target in cube.targets
        for flips, words in [(summary[target.name]["flips"], Words.of(target))]
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
    baseline = tables.default_baseline(cube)
    names = tables.name_table(cube, target.name, baseline=baseline)
    thresholds = tables.label_dist_table(cube, target.name)
    columns = grouping(cube.names, most=MAX_GROUPS)
    against = references(cube.names, columns, str(cube.asked.get("reference") or "")) if columns else {}
    groups = {
        column: tables.group_table(cube, target.name, column, baseline=baseline, reference=against.get(column, ""))
        for column in columns
    }
    curves = CurveOptions(target.default_threshold, target=target.name)
    source = study_source(cube, target, target.default_threshold)
    changes = findings.threshold_finding(thresholds, target.name, threshold=target.default_threshold)
    floor = floor_finding(cube, target.name)
    flips = tables.find_flips(cube, target.name)
    parts = [
        element("h2", f"Target: {target.name}"),
        element("p", f"A larger score means: {target.meaning}." if target.meaning else ""),
        element("h3", "Figure 1: what each name does to the score"),
        _figure_1(cube, target, names, groups, baseline, source),
        *([finding_html(floor), _edits(cube, target)] if floor else []),
        element("h3", "Figure 2: what the names do to the label"),
        picture(figure_svg(label_dist_figure(thresholds, curves)), f"{changes} {source}."),
        element("h3", f"The largest changes of a label ({len(flips):,} in all)"),
        _flips(cube, target, flips.one_each("sentence").frame(limit=SHOWN_FLIPS), answers),
        *_statistics(cube, target, names, numbers, baseline),
        *_groups(cube, target, groups, baseline),
    ]
    return join(parts)


def _edits(cube: ScoreCube, target: Target) -> Html:
    """The neutral edits that moved the score most, behind a click."""
    edits = edit_table(cube, target.name).head(SHOWN_EDITS)
    if edits.empty:
        return Html("")
    words = Words.of(target)
    rows = [[row.edit, str(row.sentence_id), _change(row.change, words)] for row in edits.itertuples()]
    title = f"The {counted(len(edits), 'edit')} with the largest change"
    return _behind_a_click(title, table(("Edit", cube.noun.capitalize(), "Change"), rows, css="swaps"))


def _figure_1(
    cube: ScoreCube,
    target: Target,
    names: pd.DataFrame,
    groups: Mapping[str, pd.DataFrame],
    baseline: stats.Baseline,
    source: str,
) -> Html:
    section = next((column for column in groups if len(groups[column]) <= 3), "")
    sections = len(groups[section]) if section else 1
    options = BarOptions(
        colour_by=next((column for column in groups if column != section), ""),
        section_by=section,
        limit=0 if len(names) <= MAX_FIGURE_ROWS else 30 // (2 * sections) + 1,
        axis_title=f"Mean change of {Words.of(target).phrase} from {BASELINES[baseline]}",
        score_range=target.high - target.low,
        band=edit_span(cube, target.name),
    )
    found = findings.name_finding(names, target.name, baseline=baseline)
    tested = names["p_adjusted"].notna().any()
    mark = " * and full colour: adjusted p < 0.05. Whiskers: 95 % interval over sentences." if tested else ""
    return picture(
        name_figure(names, options), f"{found}{mark} {band_words(cube, target.name, options.band)} {source}."
    )


def _flips(cube: ScoreCube, target: Target, flips: pd.DataFrame, answers: Path | None) -> Html:
    words = Words.of(target)
    if flips.empty:
        return element("p", f"No label changes at the threshold {words.at(target.default_threshold)}.")
    texts = perturbation_of(cube, target.name)
    cells = list(zip(flips["sentence_position"].tolist(), flips["name_position"].tolist(), strict=True))
    asked = transcripts.of_cells(cube, target.name, cells, answers) if answers else [[] for _ in cells]
    rows = []
    for flip, of_flip in zip(flips.itertuples(index=False), asked, strict=True):
        pieces = swap_pieces(texts, flip.sentence_position, str(flip.name))
        marked = _marked(pieces, {"gone": "del", "come": "mark"})
        if is_long(pieces):
            brief = _marked(excerpt(pieces), {"gone": "del", "come": "mark"})
            marked = join([brief, _behind_a_click("Whole text", marked)])
        number_of_text = element("small", str(flip.sentence_id)) if cube.noun != "sentence" else ""
        ends = float(flip.original), float(flip.perturbed)
        digits = score_digits(ends, target.default_threshold)
        scores = ARROW.join(words.level(score, digits) for score in ends)
        label = f"0{ARROW}1" if flip.direction == "up" else f"1{ARROW}0"
        rows.append([join([number_of_text, marked, *(_transcript(one, pieces) for one in of_flip)]), scores, label])
    return table((cube.noun.capitalize(), "Score", "Label"), rows, css="swaps")


def _transcript(transcript: Transcript, pieces: Sequence[Piece]) -> Html:
    """What a language model was asked about a flip's text and what it answered, behind a click."""
    parts: list[Html] = []
    for heading, words in transcript.parts(pieces):
        parts += [element("b", heading), element("pre", _marked(words, {"come": "mark"}))]
    return _behind_a_click("What the model was asked", *parts, css="small")


def _marked(pieces: Sequence[tuple[str, str]], tags: Mapping[str, str]) -> Html:
    return join(element(tags[kind], text) if kind in tags else text for kind, text in pieces)


def _behind_a_click(title: str, *content: Html, css: str = "") -> Html:
    return element("details", element("summary", title), *content, css=css)


def _statistics(
    cube: ScoreCube, target: Target, names: pd.DataFrame, numbers: Mapping[str, Any], baseline: stats.Baseline
) -> list[Html]:
    """The names at both ends of the ranking with their tests."""
    differences = stats.effect_differences(*cube.units(target.name), baseline=baseline)
    spread = float(stats.nan_mean(stats.sentence_moments(differences)[2])) if len(differences) > 1 else float("nan")
    score_range = float(target.high - target.low)
    if not score_range < float("inf"):
        scores = np.concatenate([array.ravel() for array in cube.scores(target.name)])
        score_range = max(float(np.ptp(scores)), 1e-6)
    words, half_width = Words.of(target), 0.01 * score_range
    warning = stats.small_sample_warning(len(differences), spread, half_width=half_width, shown=words.exact(half_width))
    ranked = names.sort_values("score_sens", ascending=False)
    ends = ranked if len(ranked) <= 2 * EXTREMES else pd.concat([ranked.head(EXTREMES), ranked.tail(EXTREMES)])
    measured = "ScoreSens" if baseline == "original" else "Effect"
    header = ("Name", measured, "95 % interval", "adjusted p", "effect size", "LabelDist")
    rows = [
        [
            str(row["name"]),
            _change(row["score_sens"], words),
            _ends(row, "ci", words),
            p_text(row["p_adjusted"]),
            "–" if pd.isna(row["effect_size"]) else number(row["effect_size"], digits=2, signed=True),
            f"{row['label_dist']:.3f}",
        ]
        for _, row in ends.iterrows()
    ]
    note = (
        f"Changes from {BASELINES[baseline]}; tests over sentences, Holm's correction over names; the "
        "effect size is Cohen's d_z, the mean change in its own standard deviations. Groups differ "
        "beyond chance where both a test over sentences and a permutation of names say so, corrected over groups."
    )
    return [
        element("h3", "Statistics"),
        element("p", warning, css="small") if warning else Html(""),
        finding_html(findings.correlation_finding(numbers, target, tests=len(cube.targets))),
        table(header, rows),
        element("p", note, css="small"),
    ]


def _groups(
    cube: ScoreCube, target: Target, groups: Mapping[str, pd.DataFrame], baseline: stats.Baseline
) -> list[Html]:
    """Differences between groups, those of crossed groups, and how often each group is selected."""
    parts: list[Html] = []
    for column, rows in groups.items():
        found = group_finding(rows, target.name, column=column)
        parts += [finding_html(found), _group_table(column, rows)]
    asked, reference = (str(cube.asked.get(key) or "") for key in ("groups", "reference"))
    is_crossed = bool(asked) and len(columns_of(cube.names, asked)) > 1
    if is_crossed:
        crossing = tables.crossing_table(cube, target.name, asked, baseline=baseline, reference=reference)
        cells = crossing[crossing["part"] == CELLS]
        parts += [
            finding_html(group_finding(cells, target.name, column=asked)),
            finding_html(interaction_finding(crossing, target.name, columns=asked)),
            _group_table(crossed(asked), cells.assign(group=cells["group"].map(crossed))),
        ]
    select, columns = cube.asked.get("select"), [*groups, *([asked] if is_crossed else [])]
    if not select or not columns:
        return parts
    parts.append(element("h3", "Selection rates"))
    for column in columns:
        rates = tables.selection_table(cube, target.name, column, select=str(select))
        found = selection_finding(rates, target.name, column=column)
        parts += [finding_html(found), _selection_table(column, rates)]
    return [*parts, element("p", ABOUT_SELECTION, css="small")]


def _change(value: float, words: Words) -> str:
    return "–" if pd.isna(value) else words.change(value, digits=4)


def _ends(row: pd.Series, name: str, words: Words) -> str:
    return " to ".join(bare(_change(row[f"{name}_{end}"], words)) for end in ("low", "high"))


def _group_table(column: str, groups: pd.DataFrame) -> Html:
    words = Words("", str(groups.attrs.get("unit") or ""))
    rows = [
        [
            f"{row['group']} ({row['names']})",
            join([_change(row["difference"], words), element("small", _ends(row, "difference", words))]),
            _change(row["without_furthest"], words),
            _ends(row, "noise", words),
            p_text(row["p_adjusted"]) if pd.notna(row["p_adjusted"]) else "one name" if row["names"] == 1 else "–",
        ]
        for _, row in groups.iterrows()
    ]
    reference = crossed(groups.attrs.get("reference", "")) or "the rest"
    measured = f"Difference from {reference} (95 % interval)"
    return table((f"{column} (names)", measured, "Without its furthest name", "Random groups", "adjusted p"), rows)


def _selection_table(column: str, rates: pd.DataFrame) -> Html:
    rows = [
        [
            f"{crossed(row['group'])} ({row['names']})",
            f"{row['selected']:,.6g} of {row['texts']:,}",
            f"{row['rate']:.3f}",
            "one name" if row["names"] == 1 else with_interval(row, "impact_ratio"),
            "yes" if row["is_lower"] else "–",
        ]
        for _, row in rates.iterrows()
    ]
    return table((f"{crossed(column)} (names)", "Selected", "Rate", "Impact ratio", "Clearly lower"), rows)


def _interval(numbers: Mapping[str, Any], value: str = "value", *, words: Words | None = None) -> Text:
    """A number over its interval, where it has one; with `words`, in the unit of a target."""
    if numbers[value] is None:
        return "not defined"
    words = words or Words("")
    ends = (numbers[key] for key in (value, "low", "high") if numbers[key] is not None)
    texts = [words.change(end, digits=3, signed=False) for end in ends]
    return texts[0] if len(texts) < 3 else join([texts[0], element("small", " to ".join(map(bare, texts[1:])))])


def limits(cube: ScoreCube) -> list[str]:
    """What the numbers do not say."""
    caution = anchors.kind(cube.provenance.get("anchors", {}).get("spec", "")).caution
    return [*LIMITS, *filter(None, [caution])]


def commands(cube: ScoreCube) -> list[str]:
    """What runs the study again, with comments between."""
    rerun = "psa run --from-manifest manifest.json --out again"
    try:
        spec = spec_of(cube)
    except (KeyError, TypeError, PsaError):  # a cube that no study made
        return [rerun]
    # What loading a model does beyond computing may be a stranger's wish: no command to be copied.
    try:
        needs = " and ".join(need.kind.value for need in models.needs(spec.model))
        stranger = f"{spec.model!r}, which {needs}" if needs else ""
    except PsaError:  # a plug-in that is not here
        stranger = f"{spec.model!r}"
    if stranger:
        return [rerun, f"\n\n# The model, {stranger}, has to be named by you: add --model and its id, if you know it."]
    return (
        [rerun]
        if spec.switched or spec.subjects
        else [command_line(spec), "\n\n# or, from this study's own folder\n", rerun]
    )


def command_line(spec: StudySpec) -> str:
    """The command that runs a study; what a reader chose in single texts has no option and needs the manifest."""
    words = options.as_arguments(StudySpec, vars(spec))
    return f"psa run {shlex.join(words)} --out again"
