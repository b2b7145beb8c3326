"""Language models: what does a generator write about one value and another?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import frame, generation, generation_compared, parts
from pages.ui.audits.generation import AUDIT
from pages.ui.frame import controls, shell
from psa_core.registry import ASSETS

EXAMPLE, NEW, SEVERAL = "A finished example", "Your own audit", "Models side by side"

shell.guard()
frame.begin(AUDIT, generation.show, generation.show_so_far)
VIEWS = (EXAMPLE, NEW, SEVERAL)
view = controls.choose("View", VIEWS, AUDIT.key("view"), label_visibility="collapsed")
if view == EXAMPLE:
    generation.show("example", ASSETS / "examples" / "occupations", own=False)
    st.stop()
if view == SEVERAL:
    generation_compared.show()
    st.stop()

frame.ask_earlier(AUDIT)

with shell.step(1, "Language model", "The language model that continues the prompts."):
    generator = parts.ask_generator(AUDIT)
    if not generator:
        st.stop()

with shell.step(2, "Prompts", "Sentences with a slot, and the words that fill it."):
    chosen = generation.ask_prompts()

with shell.step(3, "Scores", "What each continuation is scored for."):
    scorers = generation.ask_scorers()

with shell.step(4, "Run", "You can close this page; it keeps running."):
    generation.start(generator, chosen, scorers)
