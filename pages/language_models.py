"""Language models: what does a generator write about one value and another?"""

from __future__ import annotations

import streamlit as st

from pages.ui.audits import audit_job
from pages.ui.audits.generation import comparing, results, setup
from pages.ui.audits.generation.setup import AUDIT
from pages.ui.frame import address, shell
from pages.ui.frame.step import step
from psa_core.registry import ASSETS

EXAMPLE, NEW, SEVERAL = "A finished example", "Your own audit", "Models side by side"

shell.guard()
shell.heading("Language models", "What does a language model write, when one word of the prompt is exchanged?")
folder = audit_job.result(AUDIT, results.show_so_far)
if folder is not None:
    with shell.mending("This audit cannot be opened", then=lambda: audit_job.ask_another(AUDIT)):
        results.show(str(AUDIT.run_id), folder)
        comparing.remember(str(AUDIT.run_id))
    st.stop()

setup.introduce()
VIEWS = (EXAMPLE, NEW, SEVERAL)
view = st.segmented_control(
    "View", VIEWS, required=True, label_visibility="collapsed", **address.linked(AUDIT.key("view"), EXAMPLE, VIEWS)
)
if view == EXAMPLE:
    results.show("example", ASSETS / "examples" / "occupations", own=False)
    st.stop()
if view == SEVERAL:
    comparing.show()
    st.stop()

with st.expander("Open an earlier audit", icon=":material/folder_open:"):
    audit_job.ask_zip(AUDIT)

with step(1, "Language model", "The language model that continues the prompts."), shell.mending():
    generator = setup.ask_generator()
    if generator is None:
        st.stop()

with step(2, "Prompts", "Sentences with a slot, and the words that fill it."), shell.mending():
    chosen = setup.ask_prompts()

with step(3, "Scores", "What each continuation is scored for."), shell.mending():
    scorers = setup.ask_scorers()

with step(4, "Run", "You may leave this page meanwhile."), shell.mending():
    setup.start(generator, chosen, scorers)
