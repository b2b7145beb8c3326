"""The parts of Names: controls, Figure 1 with its table, neutral edits, and names without a meaningful effect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import address, controls, exports, markup, state, typography
from pages.ui.frame.keys import Key
from pages.ui.frame.typography import in_words
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import methods, tables
from psa_core.charts._theme import group_colours
from psa_core.charts.score_sens import BarOptions, highlight, name_figure, order, score_sens_bars
from psa_core.claims import findings
from psa_core.claims.findings import band_words, floor_finding
from psa_core.claims.formatting import p_text
from psa_core.inputs.groups import grouping
from psa_core.stats import CORRECTIONS
from psa_core.tables.floors import edit_span, edit_table

BASELINES = {"original": "The original sentence", "names": "The typical name"}
BASELINE_HELP = (
    "A pronoun is not a name, so against the original sentence all names move together. "
    "Against the typical name (the median over names of their mean scores) names are compared with names."
)
CORRECTION_HELP = (
    "With many names some look significant by chance. Holm keeps the chance of any false mark below 5 %; "
    "Benjamini–Hochberg keeps the share of false marks below 5 %."
)
LIMITS = {0: "All", 10: "10 highest and lowest", 20: "20 highest and lowest"}
COLUMNS = ["name", "score_sens", "ci_low", "ci_high", "p_adjusted", "effect_size", "label_dist"]
NONE = "none"
LONG_LIST = 60
ROW_PIXELS, TABLE_PIXELS = 35, 1020
MAX_EDITS = 200
MAX_SECTIONS = 4
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


def ask(study: StudyContext) -> Choice:
    """The controls on one line: the main ones, with the rest behind a button."""
    columns = grouping(study.cube.names, most=1000)
    few = [c for c in columns if study.cube.names[c].astype(str).nunique() <= MAX_SECTIONS]
    section_first = few[0] if few else NONE
    colour_first = next((c for c in columns if c != section_first), section_first)
    box = partial(controls.choose, box=True)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        baseline = ask_baseline(study, help=BASELINE_HELP)
        search = st.text_input(
            "Find a name",
            type="search",
            width=200,
            live=True,
            placeholder="Part of a name",
            **address.linked("names_search", "", typing=True),
        )
        with st.popover("View", icon=":material/tune:"):
            colour = box("Colour by", [NONE, *columns], "colour", colour_first)
            section = box("Group by", [NONE, *columns], "section", section_first)
            words = "Correction of p-values over names"
            correction = box(words, CORRECTIONS, "correction", "holm", help=CORRECTION_HELP)
            first = 0 if len(study.cube.names) <= LONG_LIST else 10
            limit = box("Bars", LIMITS, "show", first)
            controls.hide_switch()
    colour, section = ("" if column == NONE else column for column in (colour, section))
    return Choice(baseline, correction, colour, section, limit, search or "")


def ask_baseline(study: StudyContext, **how: Any) -> str:
    """What effects are against, on Names and in the matrix."""
    return str(controls.choose("Change from", BASELINES, Key.NAMES_BASELINE, study.baseline, **how))


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
        labels=study.labels,
        colours=group_colours(table[choice.colour]) if choice.colour else None,
        score_range=study.score_range,
        band=study.compute(edit_span),
    )
    finding = study.name_finding(table, choice.baseline, choice.correction)
    # A selected name has its bar even where only the ends of a long list have one.
    ends = _order(study.target_key, found, options, choice=choice, kept=())
    options = replace(options, kept=tuple(name for name in study.seen.names if name not in ends))
    drawn = _order(study.target_key, found, options, choice=choice, kept=options.kept)
    st.plotly_chart(
        _bars(study.target_key, found, options, choice=choice, shown=tuple(study.labels.values()), kept=options.kept),
        key="names_bars",
        on_select=partial(state.clicked_bar, "names_bars"),
        selection_mode="points",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage", "select2d", "lasso2d"]},
        alt=str(finding),
    )
    st.html(f"<style>.st-key-names_bars {{{highlight(drawn, study.seen.names)}}}</style>")
    typography.small_print(
        "Whiskers: 95 % interval over sentences. * and full colour: significant at 5 % after the chosen correction. "
        f"Click a bar to follow that name on every page. {band_words(study.cube, study.target.name, options.band)}"
    )
    stem = f"names.{study.target.name}"
    title = f"Mean change of {study.words.phrase}, by name (from {BASELINES[choice.baseline].lower()})"
    with exports.row():
        exports.csv_button(table, f"{stem}.csv", key="names_csv")
        picture = partial(name_figure, study.shown(found), options)
        exports.picture_buttons(picture, stem, study.caption(title, finding), key="names_picture")


def few_bars(study: StudyContext, table: pd.DataFrame, ends: int) -> Any:
    """Figure 1 with the names at both ends only, for Overview and Present; nobody may change it."""
    options = BarOptions(limit=ends, labels=study.labels, score_range=study.score_range)
    return _bars(study.target_key, table, options, choice=ends, shown=tuple(study.labels.values()), kept=())


@st.cache_resource(max_entries=32, show_spinner=False)
def _bars(
    key: context.TargetKey,
    _table: pd.DataFrame,
    _options: BarOptions,
    *,
    choice: Choice | int,
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
    shown = study.in_unit(by_effect, "score_sens", "ci_low", "ci_high")
    shown = shown.assign(p_adjusted=by_effect["p_adjusted"].map(p_text))
    more = {m.id: m for m in methods.plugins().values() if m.axis == "name" and m.id not in COLUMNS}
    head, bound, three = exports.head, "95 % interval over sentences", study.digits(3)
    name_table(
        study,
        shown[[*COLUMNS, *more]],
        "names_table",
        alt="ScoreSens, interval, adjusted p-value, effect size and LabelDist of every name",
        digits={"score_sens": three, "ci_low": three, "ci_high": three, "effect_size": 2},
        heads={
            "name": head("Name", 140),
            "score_sens": head(
                "Change", 66, help=f"ScoreSens: mean change of the score with this name{study.of_points}"
            ),
            "ci_low": head("95 % low", 82, help=bound),
            "ci_high": head("95 % high", 82, help=bound),
            "p_adjusted": head("p", 66, help="Corrected as chosen"),
            "effect_size": head("Effect", 62, help="Cohen's d_z: the mean change in its standard deviations"),
            "label_dist": head("LabelDist", 80, "%.3f", help=LABEL_DIST),
            **{item: head(m.title, 78, "%.3f", help=m.summary) for item, m in more.items()},
        },
        height=min(ROW_PIXELS * (len(shown) + 1) + 3, TABLE_PIXELS),
    )


def name_table(
    study: StudyContext,
    table: pd.DataFrame,
    key: str,
    *,
    alt: str,
    digits: dict[str, int],
    heads: dict[str, Any],
    **how: Any,
) -> None:
    """A table with one row per name; a click on a row selects its name."""
    names = tuple(table["name"])
    state.tick(key, names, study.seen.names)
    exports.table(
        exports.signed(study.shown(table), digits),
        alt,
        heads,
        key=key,
        on_select=partial(state.clicked_rows, key, names),
        **how,
    )


def floor(study: StudyContext) -> None:
    """Whether names do more than neutral edits, where the study has those."""
    if (found := study.compute(floor_finding)) is not None:
        st.header("Do names do more than neutral edits?", anchor=False)
        typography.second(found)
        with st.expander("The edits, largest change first", icon=":material/edit_note:"):
            table, head = study.compute(edit_table), exports.head
            heads = {
                "sentence_id": in_words("Sentence"),
                "edit": head("Edit", "large"),
                "change": head("Change"),
            }
            shown = exports.signed(study.in_unit(table.head(MAX_EDITS), "change"), {"change": study.digits(3)})
            exports.table(shown, "Neutral edits with the change of the score", heads)
            exports.csv_button(table, f"edits.{study.target.name}.csv", key="edits_csv")


def equivalence(study: StudyContext, choice: Choice) -> None:
    """Which names have no meaningful effect; computed only when the section is opened."""
    title, icon = "Which names have no meaningful effect?", ":material/balance:"
    with st.expander(title, icon=icon, on_change="rerun", key="names_equivalence") as section:
        if not section.open:
            return
        typography.small_print(
            "Not significant does not mean no effect. Enter the largest mean change that would not matter to you; the "
            "equivalence test counts names whose effect is shown to be smaller, allowing for rare large changes."
        )
        least = study.score_range / 1000
        link = address.linked("names_margin", study.score_range / 50)
        st.session_state["names_margin"] = max(st.session_state["names_margin"], least)
        label = f"A mean change of {markup.literal(study.words.phrase)} below this does not matter"
        label += " (0.01 is one point of 100)" * study.target.is_in_points
        margin = st.number_input(label, min_value=least, step=study.score_range / 200, format="%.3f", width=360, **link)
        options = {"baseline": choice.baseline, "correction": choice.correction, "margin": float(margin)}
        table = study.compute(tables.name_test_table, **options)
        typography.second(findings.equivalence_finding(table, study.target.name, margin=float(margin)))
        less = f"moves the score by less than ±{study.words.exact(margin)}"
        told = {True: less, False: "may move it by more"}
        rows = pd.DataFrame(
            {
                "name": study.shown(table)["name"],
                "found": table["equivalent"].astype(bool).map(told),
                "p_equivalence": table["p_equivalence_adjusted"].map(p_text),
                "p_rank": table["p_rank_adjusted"].map(p_text),
            }
        )
        heads = {
            "name": exports.head("Name", 160),
            "found": exports.head("On average", 280),
            "p_equivalence": exports.head("p of that", help="Equivalence test, corrected as chosen"),
            "p_rank": exports.head("p of any effect, by ranks", help="A second opinion, corrected as chosen"),
        }
        exports.table(rows, "Equivalence and rank tests per name", heads)
