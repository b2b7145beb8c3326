"""Study: which sentences, names and model, and what will it cost?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.ui.frame import open_study, shell, state
from pages.ui.frame.step import step
from pages.ui.study import anchors as study_anchors
from pages.ui.study import job_panel, plans, reopen, run
from pages.ui.study import model as study_model
from pages.ui.study import names as study_names
from pages.ui.study import sentences as study_sentences
from psa_core.study import StudySpec

shell.guard()
shell.heading("Study", "Score many sentences with every name and see how much the name changes the result.")

run_id = state.view().run
if run_id is not None:
    with shell.show_errors("This study cannot be opened", then=job_panel.ask_another):
        job_panel.show(run_id)
    st.stop()

open_study.say_broken_link()
with st.expander("Open an earlier study", icon=":material/folder_open:"):
    reopen.ask_zip()
    reopen.ask_history()
    reopen.ask_example()

with step(1, "Sentences", "The texts to study, as people write them."), shell.show_errors():
    source = study_sentences.ask()
    if source is None:
        shell.wait_for("Choose a file or paste your sentences to continue.")

with step(2, "Anchors", "The words the names will replace."), shell.show_errors():
    anchors, options, found = study_anchors.ask(source)

with step(3, "Names", "The names to put in their place, and the groups to compare."), shell.show_errors():
    chosen = study_names.ask(source.spec)
    if chosen is None:
        shell.wait_for("Choose at least two names to continue.")

with step(4, "Model", "The model that scores the sentences."), shell.show_errors():
    spec = StudySpec(
        sentences=source.spec,
        names=chosen.spec,
        name_column=chosen.column,
        model="none",  # not chosen yet
        anchors=anchors,
        text_column=source.column,
        max_words=options.max_words,
        sample=options.sample,
        balance=options.balance,
        seed=options.seed,
        mentions=options.mentions,
        families=options.families,
        exclude=tuple(sorted(options.exclude)),
    )
    planned = plans.plan(spec, source, chosen.names)
    judge = study_model.ask(planned)
    if judge is None:
        shell.wait_for("Choose a model to continue.")

with step(5, "Run", "Every sentence with every name. You can close this page; it keeps running."), shell.show_errors():
    planned = replace(planned, spec=replace(spec, model=judge.model))
    seconds = run.price(planned, source, is_upload=bool(judge.files))
    files = {source.spec: source.upload.content} if source.upload else {}
    run.start(planned, files | chosen.files | dict(judge.files), seconds)
