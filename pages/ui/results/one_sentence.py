"""One sentence, its anchor marked, and its score with every name; in the card that opened it, or beside the cards."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from pages.ui.frame import clicks, exports, markup, said, state
from pages.ui.frame.keys import Key
from pages.ui.results.opened import Opened
from psa_core.charts._altair import drawing_svg
from psa_core.charts.sentence_dots import sentence_dots

Card = tuple[str, str]


def open_in(card: Card) -> None:
    """Show all names of a card's sentence in that card, from a button; a second click closes it."""
    is_open = st.session_state.get(Key.SENTENCES_CARD) == card and state.view().sentence == card[0]
    st.session_state[Key.SENTENCES_CARD] = None if is_open else card
    state.choose(sentence=None if is_open else card[0])


def is_open_in(study: Opened, card: Card) -> bool:
    """Whether a card's sentence is shown in it."""
    return st.session_state.get(Key.SENTENCES_CARD) == card and study.seen.sentence == card[0]


def show(study: Opened, sentence_id: str) -> None:
    """Draw it."""
    row = study.cube.sentences.index[study.cube.sentences["sentence_id"] == sentence_id]
    if row.empty:
        said.small_print("This sentence is left out.")
        return
    position = int(row[0])
    sentence = study.cube.sentences.iloc[position]
    original, perturbed = study.cube.of(study.target.name)
    names = study.cube.names["name"]
    table = pd.DataFrame(
        {
            "name": names,
            "label": names.map(study.labels),
            "perturbed": perturbed[position],
            "original": original[position],
        }
    )
    st.subheader("One sentence, every name", anchor=False)
    st.html(markup.sentence(str(sentence["text"]), [(int(sentence["start"]), int(sentence["end"]))]))
    drawing = sentence_dots(table, target=study.target, threshold=study.threshold, selected=study.seen.names)
    st.vega_lite_chart(
        drawing.rows,
        drawing.spec,
        key=Key.SENTENCES_DOTS,
        on_select=partial(clicks.toggle_names, Key.SENTENCES_DOTS),
        alt=f"Score of this sentence with each of {len(table)} names",
    )
    said.small_print("Triangles have the label, circles do not. Click a dot to follow that name.")
    with exports.row():
        exports.picture_buttons(partial(drawing_svg, drawing), f"sentence.{sentence_id}", key="dots_picture")
