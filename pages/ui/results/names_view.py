"""The parts of Names: controls, Figure 1 with its table, groups, and names without a meaningful effect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import address, clicks, exports, markup, shown_names, typography
from pages.ui.frame.columns import signed
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from pages.ui.results import context, figure
from pages.ui.results.context import StudyContext
from psa_core import methods, tables
from psa_core.charts._theme import group_colours
from psa_core.charts.intervals import group_differences
from psa_core.charts.score_sens import BarOptions, highlight, name_figure, order, score_sens_bars
from psa_core.claims import findings
from psa_core.claims.findings import band_words, floor_finding
from psa_core.claims.formatting import Finding
from psa_core.claims.groups import crossed, group_finding, interaction_finding
from psa_core.inputs.groups import CROSS, grouping, labels_of
from psa_core.stats import CORRECTIONS
from psa_core.tables.floors import edit_span, edit_table
from psa_core.tables.groups import CELLS, INTERACTION

BASELINES = {"original": "The original sentence", "names": "The typical name"}
LIMITS = {0: "All", 10: "10 highest and lowest", 20: "20 highest and lowest"}
COLUMNS = ["name", "score_sens", "ci_low", "ci_high", "p_adjusted", "effect_size", "label_dist"]
NONE = "none"
#: Short, for a phone: the finding above says which score.
AXIS = "Mean change of the score"
LONG_LIST = 60
ROW_PIXELS, TABLE_PIXELS = 35, 1020
MAX_EDITS = 200
MAX_SECTIONS, MAX_GROUP_COLUMNS = 4, 20
LABEL_DIST = f"At the chosen threshold: {findings.METRIC_MEANS['LabelDist']}"


@dataclass(frozen=True)
class Choice:
    """What Names shows."""

    baseline: str
    correction: str
    colour: str
    section: str
    limit: int
    search: str


def group_columns(study: StudyContext, *, most: int = 1000) -> list[str]:
    """Columns of the name list that sort names into at least two and at most so many groups: fewer than names."""
    return grouping(study.cube.names, most=most)


def ask(study: StudyContext) -> Choice:
    """The controls on one line: the main ones, with the rest behind a button."""
    columns = group_columns(study)
    few = [c for c in columns if study.cube.names[c].astype(str).nunique() <= MAX_SECTIONS]
    section_first = few[0] if few else NONE
    colour_first = next((c for c in columns if c != section_first), section_first)

    def choose(label: str, options: Any, first: Any, key: Key, words: str | None = None) -> Any:
        shown = options.get if isinstance(options, dict) else str
        return st.selectbox(label, list(options), format_func=shown, help=words, **address.linked(key, first, options))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        baseline = st.segmented_control(
            "Change from",
            BASELINES,
            format_func=lambda item: in_words(BASELINES[item]),
            required=True,
            help="A pronoun is not a name, so against the original sentence all names move together. "
            "Against the typical name (the median over names of their mean scores) names are compared with names.",
            **address.linked(Key.NAMES_BASELINE, tables.default_baseline(study.cube), BASELINES),
        )
        search = st.text_input(
            "Find a name",
            type="search",
            width=200,
            live=True,
            placeholder="Part of a name",
            **address.linked(Key.NAMES_SEARCH, "", typing=True),
        )
        with st.popover("View", icon=":material/tune:"):
            colour = choose("Colour by", [NONE, *columns], colour_first, Key.NAMES_COLOUR)
            section = choose("Group by", [NONE, *columns], section_first, Key.NAMES_SECTION)
            correction = choose(
                "Correction of p-values over names",
                CORRECTIONS,
                "holm",
                Key.NAMES_CORRECTION,
                "With many names some look significant by chance. Holm keeps the chance of any false mark below 5 %; "
                "Benjamini–Hochberg keeps the share of false marks below 5 %.",
            )
            limit = choose("Bars", LIMITS, 0 if len(study.cube.names) <= LONG_LIST else 10, Key.NAMES_LIMIT)
            shown_names.hide_switch()
    colour, section = ("" if column == NONE else column for column in (colour, section))
    return Choice(str(baseline), correction, colour, section, limit, search or "")


def finding(study: StudyContext, table: pd.DataFrame, choice: Choice) -> Finding:
    """What the bars show, in words."""
    shown, name = study.shown(table), study.target.name
    return findings.name_finding(shown, name, baseline=choice.baseline, correction=choice.correction)


def searched(table: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """The rows whose name contains the search text."""
    return table[table["name"].str.contains(choice.search, case=False, regex=False)] if choice.search else table


def bars(table: pd.DataFrame, study: StudyContext, choice: Choice) -> None:
    """Figure 1; a click toggles the selection of a name."""
    found = searched(table, choice)
    if found.empty:
        st.info("No name of this list has these letters.")
        return
    options = BarOptions(
        colour_by=choice.colour,
        section_by=choice.section,
        limit=choice.limit,
        axis_title=AXIS,
        labels=study.labels,
        colours=group_colours(table[choice.colour]) if choice.colour else None,
        score_range=study.target.high - study.target.low,
        band=study.compute(edit_span),
    )
    in_words = finding(study, table, choice)
    # A selected name has its bar even where only the ends of a long list have one.
    ends = _order(study.target_key, found, options, choice=choice, kept=())
    options = replace(options, kept=tuple(name for name in study.seen.names if name not in ends))
    drawn = _order(study.target_key, found, options, choice=choice, kept=options.kept)
    st.plotly_chart(
        _bars(study.target_key, found, options, choice=choice, shown=tuple(study.labels.values()), kept=options.kept),
        key=Key.NAMES_BARS,
        on_select=partial(clicks.toggle_bar, Key.NAMES_BARS),
        selection_mode="points",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage", "select2d", "lasso2d"]},
        alt=str(in_words),
    )
    st.html(f"<style>.st-key-{Key.NAMES_BARS} {{{highlight(drawn, study.seen.names)}}}</style>")
    typography.small_print(
        "Whiskers: 95 % interval over sentences. * and full colour: significant at 5 % after the chosen correction. "
        f"Click a bar to follow that name on every page. {band_words(study.cube, options.band)}"
    )
    with exports.row():
        exports.csv_button(table, f"names.{study.target.name}.csv", key="names_csv")
        picture = partial(name_figure, study.shown(found), options)
        words = study.caption(
            f"Mean change of {study.phrase}, by name (from {BASELINES[choice.baseline].lower()})", in_words
        )
        exports.picture_buttons(picture, f"names.{study.target.name}", words, key="names_picture")


@st.cache_resource(max_entries=32, show_spinner=False)
def _bars(
    key: context.TargetKey,
    _table: pd.DataFrame,
    _options: BarOptions,
    *,
    choice: Choice,
    shown: tuple[str, ...],
    kept: tuple[str, ...],
) -> Any:
    """The figure without the selection, so that all sessions share it."""
    return score_sens_bars(_table, _options)


@st.cache_data(max_entries=64, show_spinner=False)
def _order(
    key: context.TargetKey, _table: pd.DataFrame, _options: BarOptions, *, choice: Choice, kept: tuple[str, ...]
) -> tuple[str, ...]:
    return order(_table, _options)


def side_table(table: pd.DataFrame, study: StudyContext, choice: Choice) -> None:
    """Every number behind the bars; a click on a row selects its name."""
    by_effect = searched(table, choice).sort_values("score_sens", ascending=False)
    if by_effect.empty:
        return
    names = tuple(by_effect["name"])
    clicks.tick(Key.NAMES_TABLE, names, study.seen.names)
    ordered = study.shown(by_effect).assign(p_adjusted=by_effect["p_adjusted"].map(p_text))
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    more = {m.id: m for m in methods.plugins().values() if m.axis == "name" and m.id not in COLUMNS}
    bound = {"width": 82, "help": "95 % interval over sentences"}
    st.dataframe(
        signed(ordered[[*COLUMNS, *more]], {"score_sens": 3, "ci_low": 3, "ci_high": 3, "effect_size": 2}),
        hide_index=True,
        height=min(ROW_PIXELS * (len(ordered) + 1) + 3, TABLE_PIXELS),
        key=Key.NAMES_TABLE,
        on_select=partial(clicks.take_rows, Key.NAMES_TABLE, names),
        placeholder="–",
        alt="ScoreSens, interval, adjusted p-value, effect size and LabelDist of every name",
        column_config={
            "name": text("Name", width=140),
            "score_sens": number("Change", width=66, help="ScoreSens: mean change of the score with this name"),
            "ci_low": number("95 % low", **bound),
            "ci_high": number("95 % high", **bound),
            "p_adjusted": text("p", width=66, help="Corrected as chosen"),
            "effect_size": number("Effect", width=62, help="Cohen's d_z: the mean change in its standard deviations"),
            "label_dist": number("LabelDist", format="%.3f", width=80, help=LABEL_DIST),
            **{item: number(m.title, format="%.3f", width=78, help=m.summary) for item, m in more.items()},
        },
    )


def p_text(p_value: float) -> str:
    """A p-value formatted for reading."""
    if pd.isna(p_value):
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def floor(study: StudyContext) -> None:
    """Whether names do more than neutral edits, where the study has those."""
    if (found := study.compute(floor_finding)) is not None:
        st.header("Do names do more than neutral edits?", anchor=False)
        typography.second(found)
        with st.expander("The edits, largest change first", icon=":material/edit_note:"):
            table = study.compute(edit_table)
            st.dataframe(
                signed(table.head(MAX_EDITS), {"change": 3}),
                hide_index=True,
                alt="Neutral edits with the change of the score",
                column_config={
                    "sentence_id": in_words("Sentence"),
                    "edit": st.column_config.TextColumn("Edit", width="large"),
                    "change": st.column_config.NumberColumn("Change"),
                },
            )
            exports.csv_button(table, f"edits.{study.target.name}.csv", key="edits_csv")


def groups(study: StudyContext, choice: Choice) -> str:
    """Differences between groups, of one column or of two crossed, with their noise floor; returns which are chosen."""
    columns = group_columns(study, most=MAX_GROUP_COLUMNS)
    if not columns:
        typography.small_print("This name list has no column that sorts names into groups.")
        return ""
    st.header("Do groups of names differ?", anchor=False)
    pairs = tables.crossings(columns, study.cube.names)
    asked = study.cube.provenance.get("study", {})
    preferred = next((c for c in (asked.get("groups"), choice.section, choice.colour) if c in [*columns, *pairs]), None)
    link = address.linked(Key.NAMES_GROUP, preferred or columns[0], [*columns, *pairs])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        column = str(
            st.segmented_control(
                "Groups",
                [*columns, *pairs],
                required=True,
                format_func=lambda one: markup.literal(crossed(one)),
                **link,
            )
        )
        reference = _ask_reference(study, column)
    options = {"baseline": choice.baseline, "correction": choice.correction, "reference": reference}
    target, against = study.target.name, f"“{crossed(reference)}”" if reference else "the other names"
    words = f"Groups by {crossed(column)}: difference in {study.phrase} from {against}"
    if column in columns:
        table = study.compute(tables.group_table, column=column, **options)
        found = group_finding(table, target, column=column)
        typography.second(found)
        group_chart(study, table, stem=f"groups.{column}", words=study.caption(words, found), key="groups", table=table)
        return column
    table = study.compute_slowly(tables.crossing_table, columns=column, **options)
    cells, added = (table[table["part"] == part] for part in (CELLS, INTERACTION))
    found = group_finding(cells, target, column=column)
    typography.second(found)
    typography.second(interaction_finding(table, target, columns=column))
    stem = f"groups.{column.replace(CROSS, '-by-')}"
    group_chart(study, cells, stem=stem, words=study.caption(words, found), key="groups", table=table)
    with st.expander("Each column alone, and what the crossing adds", icon=":material/grid_on:"):
        typography.small_print(
            "Groups of each column among these names. Then, for each crossed group, how far it differs from what its "
            "two groups alone add up to; with two groups in a column, a line stands for both. All are corrected "
            "together."
        )
        rows = [table[table["part"] == part] for part in column.split(CROSS)]
        for part in [*rows, added]:
            if len(part):
                figure.show(
                    group_differences(part, target="the score"), alt="Group differences with their noise floors"
                )
    return column


def _ask_reference(study: StudyContext, column: str) -> str:
    """The group that the others are compared with; empty for all other names."""
    present = list(dict.fromkeys(label for label in labels_of(study.cube.names, column) if label))
    asked = study.cube.provenance.get("study", {}).get("reference")
    first = asked if asked in present else ""
    link = address.linked(f"{Key.NAMES_REFERENCE}", first, ["", *present])
    return str(
        st.selectbox(
            "Compared with",
            ["", *present],
            format_func=lambda group: crossed(group) if group else "All other names",
            width=220,
            help="Each group against all other names, or against one group.",
            **link,
        )
    )


def group_chart(study: StudyContext, of_groups: pd.DataFrame, **files: Any) -> None:
    """The differences of a column's groups over their noise floors, and how to read them."""
    against = of_groups.attrs.get("reference")
    others = f"those of {crossed(against)}" if against else "that of the other names"
    figure.show(
        group_differences(of_groups, target="the score"),
        alt="Group differences with their noise floors",
        note=f"Dots: a group's mean minus {others}. Grey bands: with names assigned to groups at random, "
        "all groups stay within their bands in 95 % of cases. Whiskers: 95 % interval over sentences. Groups with a "
        "single name are not shown.",
        **files,
    )


def equivalence(study: StudyContext, choice: Choice) -> None:
    """Which names have no meaningful effect; computed only when the section is opened."""
    title = "Which names have no meaningful effect?"
    with st.expander(title, icon=":material/balance:", on_change="rerun", key=Key.NAMES_EQUIVALENCE) as section:
        if not section.open:
            return
        typography.small_print(
            "Not significant does not mean no effect. Enter the largest mean change that would not matter to you; the "
            "equivalence test counts names whose effect is shown to be smaller, allowing for rare large changes."
        )
        score_range = float(study.target.high - study.target.low)
        link = address.linked(Key.NAMES_MARGIN, score_range / 50)
        st.session_state[Key.NAMES_MARGIN] = max(st.session_state[Key.NAMES_MARGIN], score_range / 1000)
        margin = float(
            st.number_input(
                f"A mean change of {markup.literal(study.phrase)} below this does not matter",
                min_value=score_range / 1000,
                step=score_range / 200,
                format="%.3f",
                width=360,
                **link,
            )
        )
        options = {"baseline": choice.baseline, "correction": choice.correction, "margin": margin}
        table = study.compute(tables.name_test_table, **options)
        typography.second(findings.equivalence_finding(table, study.target.name, margin=margin))
        in_words = {True: f"moves the score by less than ±{margin:g}", False: "may move it by more"}
        rows = pd.DataFrame(
            {
                "name": study.shown(table)["name"],
                "found": table["equivalent"].astype(bool).map(in_words),
                "p_equivalence": table["p_equivalence_adjusted"].map(p_text),
                "p_rank": table["p_rank_adjusted"].map(p_text),
            }
        )
        text = st.column_config.TextColumn
        st.dataframe(
            rows,
            hide_index=True,
            alt="Equivalence and rank tests per name",
            column_config={
                "name": text("Name", width=160),
                "found": text("On average", width=280),
                "p_equivalence": text("p of that", help="Equivalence test, corrected as chosen"),
                "p_rank": text("p of any effect, by ranks", help="A second opinion, corrected as chosen"),
            },
        )
