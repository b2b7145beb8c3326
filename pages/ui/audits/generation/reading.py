"""Two values compared: their score distributions, and continuations drawn with the same random numbers."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from pages.ui.audits.generation.setup import AUDIT
from pages.ui.frame import address, markup, typography
from psa_core.audits.generation import views
from psa_core.audits.generation.cube import GenerationCube
from psa_core.charts.generation import FIRST, SECOND, two_distributions
from psa_core.plurals import counted

EVERY = "All templates"
PAGE, PAGE_KEY = 5, AUDIT.key("page")


def show(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> None:
    """The gap between the two, then their texts."""
    st.header("Two values, side by side", anchor=False)
    if pair[0] == pair[1]:
        st.info("Choose two different values above to compare what was written about them.")
        return
    templates = [EVERY, *cube.templates["template"].astype(str)]
    template = st.selectbox(
        "Template",
        templates,
        **address.linked(AUDIT.key("template"), EVERY, templates, clears=(PAGE_KEY,)),
    )
    template = str(template) if template in set(cube.templates["template"]) else ""
    curves = views.curves(cube, scorer, pair, template)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.plotly_chart(
            two_distributions(curves.scores, curves.first, curves.second, names=pair, score=scorer),
            key=AUDIT.key("curves"),
            config={"displayModeBar": False},
            alt=f"Share of continuations up to each {scorer}, for {pair[0]} and {pair[1]}; the gap's area is W1.",
        )
        typography.small_print(
            f"The shaded area is the distance between the two (W1): {curves.area:.3f}, chance included."
        )
        _words(views.differing_words(cube, pair, template), pair)
    with right:
        _texts(views.side_by_side(cube, scorer, pair, template), pair, together=cube.common_noise)


def _words(tables: tuple[pd.DataFrame, pd.DataFrame], pair: tuple[str, str]) -> None:
    """Words of each value that the other's texts hardly have, with both counts."""
    if tables[0].empty and tables[1].empty:
        return
    st.html(markup.side_by_side([
        _word_list(value, table, colour) for value, table, colour in zip(pair, tables, (FIRST, SECOND), strict=True)
    ]))  # fmt: skip
    typography.small_print(
        "Words that distinguish the two values, with counts in the one and the other. Some differ by chance."
    )


def _word_list(value: str, table: pd.DataFrame, colour: str) -> str:
    counted = "".join(
        f'<span style="display: inline-block; margin-right: 0.8rem">{html.escape(row.word)} '
        f'<span style="{markup.DIGITS}; opacity: 0.75; font-size: 0.85rem">{row.count_here} : {row.other_count}'
        "</span></span> "
        for row in table.rename(columns={"count": "count_here"}).itertuples()
    )
    return (
        f'<div style="flex: 1 1 12rem; border-left: 4px solid {colour}; padding-left: 0.7rem; '
        f'overflow-wrap: anywhere"><b>{html.escape(value)}</b><br>{counted or "none"}</div>'
    )


def _texts(table: pd.DataFrame, pair: tuple[str, str], *, together: bool) -> None:
    if table.empty:
        st.info("No continuation of both values was kept on this template.")
        return
    pages = -(-len(table) // PAGE)
    same = " that met the same random numbers" if together else ""
    typography.small_print(f"{counted(len(table), 'pair')}{same}, largest difference first.")
    number = st.pagination(pages, **address.linked(PAGE_KEY, 1, range(1, pages + 1))) if pages > 1 else 1
    for row in table.iloc[(int(number) - 1) * PAGE : int(number) * PAGE].itertuples():
        with st.container(border=True):
            st.html(markup.plain(str(row.template), size="0.85rem", faint=True))
            first = _column(pair[0], row.first, row.first_score, FIRST)
            second = _column(pair[1], row.second, row.second_score, SECOND)
            st.html(markup.side_by_side([first, second]))


def _column(value: str, text: str, score: float, colour: str) -> str:
    return (
        f'<div style="flex: 1 1 14rem; border-left: 4px solid {colour}; padding-left: 0.7rem">'
        f'<div style="font-size: 0.85rem"><b>{html.escape(value)}</b> '
        f'<span style="{markup.DIGITS}">{score:.2f}</span></div>'
        f'<div style="{markup.SERIF}; font-size: 1.02rem; line-height: 1.45; overflow-wrap: anywhere">'
        f"… {html.escape(text)}</div></div>"
    )
