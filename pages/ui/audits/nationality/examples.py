"""The sentences behind one square of the heat map: country and class are chosen here or clicked in the heat map."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.nationality.setup import AUDIT
from pages.ui.frame import address, markup, typography
from pages.ui.results import flip_card
from psa_core.audits.nationality import examples, findings
from psa_core.audits.nationality.result import NationalityResult
from psa_core.charts._theme import DOWN, UP

COUNTRY, TARGET = AUDIT.key("country"), AUDIT.key("target")
SHOWN = 10
WORDS = {"enters": "▲ enters", "leaves": "▼ leaves", "": ""}


def ask(opened: NationalityResult) -> tuple[str, str]:
    """The chosen square; by default the one that changes most."""
    names, targets = opened.countries["country"].drop_duplicates().tolist(), opened.columns
    first = findings.largest(opened.countries)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        country = st.selectbox("Country", names, width=240, **address.linked(COUNTRY, first["country"], names))
        target = st.selectbox("Class or score", targets, width=240, **address.linked(TARGET, first["target"], targets))
    return (country if country in names else names[0]), (target if target in targets else targets[0])


def take_click(heat: str) -> None:
    """Choose the clicked square of a heat map."""
    points = st.session_state[heat]["selection"]["points"]
    if points:
        country, target, *_ = points[0]["customdata"]
        address.put_all({COUNTRY: country, TARGET: target})


def show(opened: NationalityResult, country: str, target: str) -> None:
    """The draws in which a sentence changes, as cards and in a table."""
    table = examples.changed_draws(opened.cube, country, target)
    texts = [opened.texts[s][n] for s, n in zip(table["sentence_position"], table["name_position"], strict=True)]
    table = table.assign(text=texts)
    st.header("The sentences behind it", anchor=False)
    typography.second(f"{country}, “{target}”")
    if table.empty:
        st.info("No sentence enters or leaves this class with names of this country.")
        return
    counts = table["change"].value_counts()
    if set(counts.index) - {""}:
        draws = len(opened.cube.sentences) * int((opened.cube.names["country"] == country).sum())
        entering, leaving = counts.get("enters", 0), counts.get("leaves", 0)
        st.caption(f"{entering:,} of {draws:,} draws enter the class, {leaving:,} leave it. Largest change first.")
    else:
        st.caption("The draws that move this score most.")
    distinct = table.drop_duplicates("sentence_position").head(SHOWN)
    st.html("".join(_card(opened, row) for _, row in distinct.iterrows()))
    with st.expander(f"All {len(table):,} as a table"):
        shown = table.drop(columns=["sentence_position", "name_position"])
        frame.table(AUDIT, shown, "Every draw behind this number that changes", csv="draws.csv")


def _card(opened: NationalityResult, row: pd.Series) -> str:
    """One draw: what changes, the scores, the sentence with its people struck out and the drawn names marked."""
    sentence = opened.cube.sentences.iloc[int(row["sentence_position"])]
    pieces = examples.pieces(sentence["text"], sentence["entities"], row["text"])
    colour = UP if row["delta"] > 0 else DOWN
    scores = f"{row['original']:.2f} → {row['perturbed']:.2f}".replace("-", "−")
    return (
        '<div style="padding: 0.35rem 0"><div style="display: flex; gap: 0.9rem; align-items: baseline">'
        f'<span style="font-weight: 650; color: {colour}; {markup.DIGITS}">{scores}</span>'
        f'<span style="font-size: 0.88rem; opacity: 0.8">{html.escape(WORDS[row["change"]])}</span></div>'
        f"{flip_card.sentence(pieces)}</div>"
    )
