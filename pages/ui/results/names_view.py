"""The parts of Names: controls, and Figure 1 with its table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.frame import address, clicks, exports, shown_names, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import methods, tables
from psa_core.charts._figure import group_colours
from psa_core.charts.bar_order import BarOptions, order
from psa_core.charts.print.figures import name_figure
from psa_core.charts.score_sens import highlight, score_sens_bars
from psa_core.inputs.names import grouping
from psa_core.stats import CORRECTIONS
from psa_core.tables import findings

BASELINES = {"original": "The original sentence", "names": "The typical name"}
LIMITS = {0: "All", 10: "10 highest and lowest", 20: "20 highest and lowest"}
COLUMNS = ["name", "score_sens", "ci_low", "ci_high", "p_adjusted", "effect_size", "label_dist"]
NONE = "none"
LONG_LIST = 60
ROW_PIXELS, TABLE_PIXELS = 35, 1020
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


def group_columns(study: StudyContext, *, most: int = 1000) -> list[str]:
    """Columns of the name list that sort names into at least two and at most so many groups: fewer than names."""
    return grouping(study.cube.names, most=most)


def ask(study: StudyContext) -> Choice:
    """The controls, on one line: what matters first, the rest behind a button."""
    columns = group_columns(study)
    few = [c for c in columns if study.cube.names[c].astype(str).nunique() <= MAX_SECTIONS]
    section_first = few[0] if few else NONE
    colour_first = next((c for c in columns if c != section_first), section_first)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        baseline = st.segmented_control(
            "Change from",
            BASELINES,
            format_func=BASELINES.get,
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
            colour = _column("Colour by", columns, first=colour_first, key=Key.NAMES_COLOUR)
            section = _column("Group by", columns, first=section_first, key=Key.NAMES_SECTION)
            correction = _correction()
            limit = _limit(study)
            shown_names.hide_switch()
    return Choice(str(baseline), correction, _chosen(colour), _chosen(section), limit, search or "")


def _column(label: str, columns: list[str], *, first: str, key: Key) -> str:
    options = [NONE, *columns]
    return st.selectbox(label, options, **address.linked(key, first, options))


def _chosen(column: str) -> str:
    return "" if column == NONE else column


def _correction() -> str:
    return st.selectbox(
        "Correction of p-values over names",
        list(CORRECTIONS),
        format_func=lambda correction: CORRECTIONS[correction],
        help="With many names some look significant by chance. Holm keeps the chance of any false mark below 5 %; "
        "Benjamini–Hochberg keeps the share of false marks below 5 %.",
        **address.linked(Key.NAMES_CORRECTION, "holm", CORRECTIONS),
    )


def _limit(study: StudyContext) -> int:
    first = 0 if len(study.cube.names) <= LONG_LIST else 10
    return st.selectbox(
        "Bars",
        list(LIMITS),
        format_func=lambda limit: LIMITS[limit],
        **address.linked(Key.NAMES_LIMIT, first, LIMITS),
    )


def shown(table: pd.DataFrame, study: StudyContext) -> pd.DataFrame:
    """The table with names as they are shown, for words and tables; ids stay in `name` elsewhere."""
    return table.assign(name=table["name"].map(study.labels))


def searched(table: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """The rows whose name has the letters that are looked for."""
    return table[table["name"].str.contains(choice.search, case=False, regex=False)] if choice.search else table


def bars(table: pd.DataFrame, study: StudyContext, choice: Choice) -> None:
    """Figure 1; a click takes a name into the selection or out of it."""
    found = searched(table, choice)
    if found.empty:
        st.info("No name of this list has these letters.")
        return
    options = BarOptions(
        colour_by=choice.colour,
        section_by=choice.section,
        limit=choice.limit,
        axis_title=f"Mean change of {study.target.name}",
        labels=study.labels,
        colours=group_colours(table[choice.colour]) if choice.colour else None,
    )
    said_of_it = findings.name_finding(
        shown(table, study), study.target.name, baseline=choice.baseline, correction=choice.correction
    )
    ends = _order(study.target_key, found, options, choice=choice, kept=())
    options = replace(options, kept=tuple(name for name in study.seen.names if name not in ends))
    drawn = _order(study.target_key, found, options, choice=choice, kept=options.kept)
    st.plotly_chart(
        _bars(study.target_key, found, options, choice=choice, shown=tuple(study.labels.values()), kept=options.kept),
        key=Key.NAMES_BARS,
        on_select=partial(clicks.toggle_bar, Key.NAMES_BARS),
        selection_mode="points",
        config={"displaylogo": False, "modeBarButtonsToRemove": ["toImage", "select2d", "lasso2d"]},
        alt=str(said_of_it),
    )
    st.html(f"<style>.st-key-{Key.NAMES_BARS} {{{highlight(drawn, study.seen.names)}}}</style>")
    typography.small_print(
        "Whiskers: 95 % interval over sentences. * and full colour: significant at 5 % after the chosen correction. "
        "Click a bar to follow that name on every page."
    )
    with exports.row():
        exports.csv_button(table, f"names.{study.target.name}.csv", key="names_csv")
        picture = partial(name_figure, shown(found, study), options)
        words = study.words(f"{options.axis_title}, by name (from {BASELINES[choice.baseline].lower()})", said_of_it)
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
    """The picture that everybody sees who looks at the same; what is selected is not in it."""
    return score_sens_bars(_table, _options)


@st.cache_data(max_entries=64, show_spinner=False)
def _order(
    key: context.TargetKey, _table: pd.DataFrame, _options: BarOptions, *, choice: Choice, kept: tuple[str, ...]
) -> tuple[str, ...]:
    return order(_table, _options)


def side_table(table: pd.DataFrame, study: StudyContext, choice: Choice) -> None:
    """Every number behind the bars; a click on a row follows its name."""
    by_effect = searched(table, choice).sort_values("score_sens", ascending=False)
    if by_effect.empty:
        return
    ordered = shown(by_effect, study)
    names = tuple(by_effect["name"])
    clicks.tick(Key.NAMES_TABLE, names, study.seen.names)
    ordered["p_adjusted"] = ordered["p_adjusted"].map(p_text)
    config = st.column_config
    more = {m.id: m for m in methods.plugins().values() if m.axis == "name" and m.id not in COLUMNS}
    st.dataframe(
        ordered[[*COLUMNS, *more]],
        hide_index=True,
        height=min(ROW_PIXELS * (len(ordered) + 1) + 3, TABLE_PIXELS),
        key=Key.NAMES_TABLE,
        on_select=partial(clicks.take_rows, Key.NAMES_TABLE, names),
        placeholder="–",
        alt="ScoreSens, interval, adjusted p-value, effect size and LabelDist of every name",
        column_config={
            "name": config.TextColumn("Name", width=140),
            "score_sens": config.NumberColumn(
                "Change", format="%+.3f", width=66, help="ScoreSens: mean change of the score with this name"
            ),
            "ci_low": config.NumberColumn("From", format="%+.3f", width=60, help="95 % interval over sentences"),
            "ci_high": config.NumberColumn("To", format="%+.3f", width=60, help="95 % interval over sentences"),
            "p_adjusted": config.TextColumn("p", width=66, help="Corrected as chosen"),
            "effect_size": config.NumberColumn(
                "Effect", format="%+.2f", width=62, help="Cohen's d_z: the mean change in its own standard deviations"
            ),
            "label_dist": config.NumberColumn("LabelDist", format="%.3f", width=80, help=LABEL_DIST),
            **{item: config.NumberColumn(m.title, format="%.3f", width=78, help=m.summary) for item, m in more.items()},
        },
    )


def p_text(p_value: float) -> str:
    """A p-value as people read it."""
    if pd.isna(p_value):
        return "–"
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
