"""Try it: what does a model say of one sentence, name by name?"""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import markup, shell
from pages.ui.frame.controls import labels_of
from pages.ui.frame.keys import Key
from pages.ui.try_it import controls, one_sentence, panels, waiting

shell.guard()
shell.heading(
    "Same sentence, different name",
    "A text classifier scores each sentence below. Only the name changes. Watch the score.",
)
# Two columns of two parts each; on a phone the parts have another order, see `shell.css`.
sides = st.columns([5, 12], gap="large")
(asked, left), (answer, right) = (
    (side.container(key=f"try_{n}_1"), side.container(key=f"try_{n}_2")) for n, side in enumerate(sides)
)
with asked, shell.show_errors():
    sentence = controls.ask_sentence()
with left, shell.show_errors():
    choice = controls.ask_names_and_models()

# Each has its place, whatever comes before it: what moves while the page is drawn is on it twice until it is done.
with answer:
    notes, headlines = st.container(), st.container()
with notes, shell.show_errors():
    found = one_sentence.slotted(sentence, choice.names, choice.filler, choice.people)
    if found is None:
        controls.offer_slot(sentence)
        last = st.session_state.get(Key.TRY_LAST, controls.FIRST_SENTENCE)
        found = one_sentence.slotted(last, choice.names, choice.filler, choice.people)
        st.html(markup.plain(f"Meanwhile, this is still “{last}”.", faint=True))
    else:
        st.session_state[Key.TRY_LAST] = sentence
    if found.guessed:
        words = f"No {one_sentence.SLOT} in the sentence, so each name stands where it says “{found.neutral}”."
        st.html(markup.plain(words, faint=True))
with headlines, shell.show_errors():
    if not choice.models:
        st.info("Choose at least one model.")
        st.stop()
    ready = waiting.answered(choice.models, found.texts)
    with st.spinner("Scoring", show_time=True):
        shown = one_sentence.that_answered(found, ready)
        table = one_sentence.table_one(found, shown, choice.headline)
    asked, found = found, found.first(len(table.names))
    labels = labels_of(table.names)
    table = table.shown_as(labels, found)
    panels.finding(table, found)

with right, shell.show_errors():
    panels.chart(table, frozenset(labels[name] for name in choice.own & set(labels)))
    waiting.offer_rest(asked, ready, choice.filler)
    unanswered = [model for model in choice.models if model not in ready]
    place = st.container()
    controls.ask_view()
    panels.scores(table)
    panels.parts(found, table, shown, labels)
    with shell.show_errors():
        panels.ask(found)
    st.markdown(
        "**One sentence is an anecdote, and famous people are not typical.** Models have read about them, so their "
        "names show the effect at its largest. A study asks the same of hundreds of sentences, with names of unknown "
        "people that are alike in length and frequency, and says how sure the answer is."
    )
    shell.link("new_study", "Set up a study")
    if unanswered:
        with place:
            waiting.wait_for(unanswered[0], asked.texts)
