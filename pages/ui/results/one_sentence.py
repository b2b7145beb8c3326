"""One sentence, its anchor marked, and its score with every name: beside the cards, or, from a card, before them."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import clicks, exports, markup, state, typography
from pages.ui.frame.keys import Key
from pages.ui.results.context import StudyContext
from psa_core.charts._altair import drawing_svg
from psa_core.charts.sentence_dots import sentence_dots

Card = tuple[str, str]
# A card may be anywhere on the page, and what it opens has to be on the screen, also on a small one.
ON_SCREEN = f"""<style>.st-key-{Key.SENTENCES_DRAWER} {{
  position: fixed; right: 1rem; bottom: 1rem; z-index: 90; overflow: auto; box-sizing: border-box;
  width: min(40rem, calc(100vw - 2rem)) !important; max-height: min(48rem, calc(100vh - 6rem)); padding: 1rem 1.25rem;
  background: light-dark(#FCFBF8, #12171A); border: 1px solid rgba(128, 128, 128, 0.5); border-radius: 0.6rem;
  box-shadow: 0 0.5rem 2rem rgba(0, 0, 0, 0.3) }}
@media (max-width: 640px) {{ .st-key-{Key.SENTENCES_DRAWER} {{ max-height: 62vh }} }}</style>"""


def open_in(card: Card) -> None:
    """Show all names of a card's sentence, from a button; a second click closes it."""
    is_open = st.session_state.get(Key.SENTENCES_CARD) == card and state.view().sentence == card[0]
    st.session_state[Key.SENTENCES_CARD] = None if is_open else card
    state.choose(sentence=None if is_open else card[0])


def is_open_in(study: StudyContext, card: Card) -> bool:
    """Whether a card's sentence is shown because of it."""
    return st.session_state.get(Key.SENTENCES_CARD) == card and study.seen.sentence == card[0]


def is_open(study: StudyContext) -> bool:
    """Whether some card's sentence is."""
    card = st.session_state.get(Key.SENTENCES_CARD)
    return card is not None and is_open_in(study, card)


def drawer() -> DeltaGenerator:
    """A place on the screen, wherever the page is scrolled to; it can be closed."""
    st.html(ON_SCREEN)
    place = st.container(key=Key.SENTENCES_DRAWER)
    card = st.session_state[Key.SENTENCES_CARD]
    place.button("Close", key="close_drawer", type="tertiary", icon=":material/close:", on_click=open_in, args=(card,))
    return place


def show(study: StudyContext, sentence_id: str) -> None:
    """Draw it."""
    row = study.cube.sentences.index[study.cube.sentences["sentence_id"] == sentence_id]
    if row.empty:
        typography.small_print("This sentence is left out.")
        return
    position = int(row[0])
    sentence = study.cube.sentences.iloc[position]
    original, perturbed = study.cube.scores(study.target.name)
    names = study.cube.names["name"]
    table = pd.DataFrame(
        {
            "name": names,
            "label": names.map(study.labels),
            "perturbed": perturbed[position],
            "original": original[position],
        }
    )
    st.header("One sentence, every name", anchor=False)
    st.html(markup.sentence(str(sentence["text"]), [(int(sentence["start"]), int(sentence["end"]))]))
    drawing = sentence_dots(table, target=study.target, threshold=study.threshold, selected=study.seen.names)
    st.vega_lite_chart(
        drawing.rows,
        drawing.spec,
        key=Key.SENTENCES_DOTS,
        on_select=partial(clicks.toggle_names, Key.SENTENCES_DOTS),
        alt=f"Score of this sentence with each of {len(table)} names",
    )
    typography.small_print("Triangles have the label, circles do not. Click a dot to follow that name.")
    with exports.row():
        words = study.words(f"One sentence, every name: {study.target.name}", f"“{sentence['text']}”")
        exports.picture_buttons(partial(drawing_svg, drawing), f"sentence.{sentence_id}", words, key="dots_picture")
