"""The sentence pairs with the largest differences, and each person's mean score."""

from __future__ import annotations

import html
from difflib import SequenceMatcher
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits.equity.seen import Seen
from pages.ui.audits.equity.setup import AUDIT
from pages.ui.frame import address, columns, exports, markup
from psa_core.audits.eec import findings, tables
from psa_core.charts._theme import DOWN, UP
from psa_core.cube import ScoreCube

SHOWN = 8
SIGNS = ("Both", "Δ > 0", "Δ < 0")


def show(seen: Seen) -> None:
    """Choose a system and a score, then read its pairs; at first those of the largest difference that was found."""
    st.header("The pairs that differ most", anchor=False)
    systems = seen.systems
    choices = {
        f"{name} · {target.name}": (name, target.name) for name, cube in systems.items() for target in cube.targets
    }
    most = findings.largest(seen.table)
    first = f"{most['system']} · {most['target']}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "System and score",
            list(choices),
            width=340,
            **address.linked(AUDIT.key("pair_system"), first, list(choices)),
        )
        sign = st.segmented_control(
            "Direction", SIGNS, required=True, **address.linked(AUDIT.key("sign"), SIGNS[0], SIGNS)
        )
    system, target = choices.get(chosen, choices[first])  # what a client sends need not be one of them
    table = _pairs(seen, system, target, seen.run, seen.kind, seen.part, seen.spelling)
    table = table[{"Both": table["delta"] == table["delta"], "Δ > 0": table["delta"] > 0}.get(sign, table["delta"] < 0)]
    shown = table[table["delta"] != 0].head(SHOWN)
    if shown.empty:
        st.info("No pair differs in this way: the score does not see who the person is.")
    else:
        st.html("".join(_pair(row) for row in shown.itertuples(index=False)))
    if shown["pair"].str.contains("average").any():
        st.caption(
            "Of first names the averages are compared; shown are the two sentences that do most for the difference."
        )
    _everything(table, systems[system], target, seen.part)


@st.cache_data(max_entries=24, show_spinner=False)
def _pairs(_seen: Seen, system: str, target: str, *looked_at: str) -> pd.DataFrame:
    return tables.pair_table(_seen.design, _seen.systems[system], target, _seen.kind, _seen.part)


def _everything(table: pd.DataFrame, cube: ScoreCube, target: str, part: str) -> None:
    with st.expander(f"All {len(table):,} pairs as a table"):
        st.dataframe(table, hide_index=True, column_config=columns.config(table), alt="Every pair with its scores")
        exports.csv_button(table, "eec_pairs.csv", key=AUDIT.key("pairs_csv"))
    with st.expander("Each person's mean score"):
        people = tables.person_table(cube, target, part)
        in_words = columns.config(people)
        st.dataframe(people, hide_index=True, column_config=in_words, alt="Mean score by person, highest first")


def _pair(row: Any) -> str:
    """One pair: Δ, then both sentences with the words that differ marked."""
    first, second = str(row.first_text), str(row.second_text)
    left, right = differing(first, second)
    delta = float(row.delta)
    colour = UP if delta > 0 else DOWN
    lines = [
        _line(markup.marked(first, left), float(row.first)),
        _line(markup.marked(second, right), float(row.second)),
    ]
    about = f"{row.pair} · {row.emotion}"
    return (
        '<div style="display: flex; gap: 1.1rem; align-items: center; padding: 0.4rem 0">'
        f'<div style="min-width: 5.4rem; font-size: 1.5rem; font-weight: 650; color: {colour}; {markup.DIGITS}">'
        f"{'▲' if delta > 0 else '▼'} {_number(delta, '+.2f')}</div>"
        f'<div style="flex: 1; min-width: 0">{"".join(lines)}'
        f'<div style="font-size: 0.82rem; opacity: 0.75">{html.escape(about)}</div></div></div>'
    )


def _line(text: str, score: float) -> str:
    return (
        f'<div style="{markup.SERIF}; font-size: 1.1rem; line-height: 1.45; overflow-wrap: anywhere">'
        f'<span style="font-family: Inter, sans-serif; font-size: 0.95rem; {markup.DIGITS}; display: inline-block; '
        f'min-width: 4rem; opacity: 0.85">{_number(score, ".3f")}</span>{text}</div>'
    )


def differing(first: str, second: str) -> tuple[list[markup.Span], list[markup.Span]]:
    """Where two sentences have different words.

    Examples
    --------
    >>> differing("She ran.", "He ran.")
    ([(0, 3)], [(0, 2)])
    """
    words = [text.split(" ") for text in (first, second)]
    spans: tuple[list[markup.Span], list[markup.Span]] = ([], [])
    for tag, *bounds in SequenceMatcher(None, *words, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for side, (start, stop) in enumerate((bounds[:2], bounds[2:])):
            if stop > start:
                begin = len(" ".join([*words[side][:start], ""])) if start else 0
                end = begin + len(" ".join(words[side][start:stop]).rstrip(".,;:!?"))
                spans[side].append((begin, end))
    return spans


def _number(value: float, form: str) -> str:
    return f"{value:{form}}".replace("-", "−")
