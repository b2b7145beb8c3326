"""In which sentences do names move the score: words, places, lengths, each a click away from its sentences."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import exports, shell, state, typography
from pages.ui.frame.keys import Key
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from pages.ui.results.names_view import p_text
from psa_core import stats
from psa_core.tables.word_associations import place_table, sentence_words, where_finding, word_table

SHOWN_SENTENCES, EACH_SIDE = 20, 12
CHANGE = "How far the names move the score in these sentences, up or down, on average"
ODDS = "Above 1: rather in sentences in which names move the score more"


def where(study: StudyContext) -> None:
    """Words whose presence goes with more sensitivity, and where the anchor stands."""
    st.header("In which sentences?", anchor=False)
    words, places = _tables(study.target_key, study.cube)
    typography.second(where_finding(words, study.target.name))
    left, right = st.columns([7, 5], gap="large")
    with left:
        word = _words(words)
    with right:
        _places(places)
    if word:
        _sentences(study, word)
    with exports.row():
        exports.csv_button(words, f"words.{study.target.name}.csv", key="words_csv")


@st.cache_resource(max_entries=16, show_spinner="Reading the sentences", show_time=True)
def _tables(key: context.TargetKey, _cube: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    return word_table(_cube, key[1]), place_table(_cube, key[1])


def _words(table: pd.DataFrame) -> str | None:
    """The words at both ends; the one that was clicked."""
    if table.empty:
        typography.small_print("No word is in five sentences or more.")
        return None
    ends = table if len(table) <= 2 * EACH_SIDE else pd.concat([table.head(EACH_SIDE), table.tail(EACH_SIDE)])
    numbers = st.column_config.NumberColumn
    ratios = {column: np.exp(ends[column]) for column in ("log_odds", "low", "high")}
    event = st.dataframe(
        ends.assign(p_adjusted=[p_text(p) for p in ends["p_adjusted"]], **ratios),
        hide_index=True,
        key=Key.WHY_WORDS,
        on_select="rerun",
        selection_mode="single-row",
        alt="Words associated with more or less sensitivity",
        column_config={
            "word": st.column_config.TextColumn("Word", width=96),
            "sentences": numbers("Sentences", width=82),
            "log_odds": numbers("Odds", format="× %.2f", width=70, help=ODDS),
            "low": numbers("95 % low", format="× %.2f", width=82),
            "high": numbers("95 % high", format="× %.2f", width=82),
            "p_adjusted": st.column_config.TextColumn("p", width=60),
            "sensitivity": numbers("Change", format="%.3f", width=66, help=CHANGE),
        },
    )
    rows = [row for row in event["selection"]["rows"] if row < len(ends)]
    typography.small_print(
        "× 2: the word is twice as likely in the half of the sentences that names change most as in "
        "the other half; × 0.5: half as high. Click a row to read the sentences with that word."
    )
    return str(ends["word"].iloc[rows[0]]) if rows else None


def _places(table: pd.DataFrame) -> None:
    numbers = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        alt="How far names move the score by the anchor's role and place and the sentence's length",
        column_config={
            "what": st.column_config.TextColumn("By", width=56),
            "value": st.column_config.TextColumn("", width=140),
            "sentences": numbers("Sentences", width=82),
            "mean": numbers("Change", format="%.3f", width=66, help=CHANGE),
            "low": numbers("95 % low", format="%.3f", width=82),
            "high": numbers("95 % high", format="%.3f", width=82),
        },
    )


def _sentences(study: StudyContext, word: str) -> None:
    """The sentences with a word, the most sensitive first; a click selects one on every page."""
    moved = stats.sensitivities(*study.cube.scores(study.target.name))
    rows = np.flatnonzero([word in own for own in sentence_words(study.cube)])
    rows = rows[np.argsort(-moved[rows], kind="stable")][:SHOWN_SENTENCES]
    table = study.cube.sentences.iloc[rows][["sentence_id", "text"]].assign(change=moved[rows])
    key = f"{Key.WHY_FOUND} {word}"
    st.dataframe(
        table[["change", "text"]],
        hide_index=True,
        key=key,
        on_select=partial(_take, key, tuple(table["sentence_id"].astype(str))),
        selection_mode="single-row",
        alt="Sentences with the word",
        column_config={
            "change": st.column_config.NumberColumn("Mean change", format="%.3f", width=110),
            "text": st.column_config.TextColumn("Sentence", width="large"),
        },
    )
    shell.link("sentences", "Read the selected sentence on Sentences")


def _take(key: str, ids: tuple[str, ...]) -> None:
    rows = [row for row in st.session_state[key]["selection"]["rows"] if row < len(ids)]
    state.choose(sentence=ids[rows[0]] if rows else None)
