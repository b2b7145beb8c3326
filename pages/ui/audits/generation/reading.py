"""Two values compared: their score distributions, and their continuations side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.ui.audits import compared, frame
from pages.ui.audits.generation.setup import AUDIT
from pages.ui.frame import address, markup, typography
from psa_core.audits.generation import tables
from psa_core.audits.generation.cube import GenerationCube
from psa_core.charts.generation import FIRST, SECOND, two_distributions
from psa_core.plurals import counted

EVERY = "All templates"
PAGE, PAGE_KEY = 5, AUDIT.key("page")


def show(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> None:
    """The difference between the two, then their texts."""
    st.header("Two values, side by side", anchor=False)
    if pair[0] == pair[1]:
        st.info("Choose two different values above to compare what was written about them.")
        return
    templates = [EVERY, *cube.templates["template"].astype(str)]
    template = st.selectbox(
        "Template", templates, **address.linked(AUDIT.key("template"), EVERY, templates, clears=(PAGE_KEY,))
    )
    template = str(template) if template in set(cube.templates["template"]) else ""
    curves = tables.curves(cube, scorer, pair, template)
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
        frame.words_apart(AUDIT, tables.differing_words(cube, pair, template), pair)
    with right:
        _texts(tables.side_by_side(cube, scorer, pair, template), pair, together=cube.common_noise)


def _texts(table: pd.DataFrame, pair: tuple[str, str], *, together: bool) -> None:
    if table.empty:
        st.info("No continuation of both values was kept on this template.")
        return
    pages = -(-len(table) // PAGE)
    same = " generated with the same random seed" if together else ""
    typography.small_print(f"{counted(len(table), 'pair')}{same}, largest difference first.")
    number = st.pagination(pages, **address.linked(PAGE_KEY, 1, range(1, pages + 1))) if pages > 1 else 1
    for row in table.iloc[(int(number) - 1) * PAGE : int(number) * PAGE].itertuples():
        with st.container(border=True):
            st.html(markup.plain(str(row.template), size="0.85rem", faint=True))
            first = compared.column(pair[0], row.first_score, f"… {row.first}", FIRST)
            second = compared.column(pair[1], row.second_score, f"… {row.second}", SECOND)
            st.html(markup.side_by_side([first, second]))
