"""New study: which sentences, names and model, and what will it cost?"""

from __future__ import annotations

from dataclasses import replace

from pages.ui.frame import shell, typography
from pages.ui.frame.typography import in_words
from pages.ui.study import anchors as study_anchors
from pages.ui.study import model as study_model
from pages.ui.study import names as study_names
from pages.ui.study import plans, run
from pages.ui.study import sentences as study_sentences
from psa_core.study import StudySpec

shell.guard()
shell.heading("New study", "Score many texts with every name and see how much the name changes the result.")

with shell.step(1, "Texts", "The sentences or documents to study, as people write them."):
    source = study_sentences.ask()
    if source is None:
        shell.wait_for("Choose a file or paste your sentences to continue.")

    typography.texts_are(plans.corpus(source).noun)

with shell.step(2, "Words to replace", "A name takes the place of these words."):
    anchors, options = study_anchors.ask(source)

with shell.step(3, "Names", "The names to put in their place, and the groups to compare."):
    chosen = study_names.ask(source.spec)
    if chosen is None:
        shell.wait_for("Choose at least two names to continue.")

with shell.step(4, "Model", in_words("The model that scores the sentences.")):
    spec = StudySpec(
        sentences=source.spec,
        names=chosen.spec,
        name_column=chosen.column,
        evidence=chosen.evidence,
        model="none",  # not chosen yet
        anchors=anchors,
        text_column=source.column,
        **(vars(options) | {"switched": tuple(sorted(options.switched))}),
    )
    planned = plans.plan(spec, source, chosen.names)
    judge = study_model.ask(planned)
    if judge is None:
        shell.wait_for("Complete this step to continue.")
    model, model_files = judge

running = in_words("Every sentence with every name. You can close this page; it keeps running.")
with shell.step(5, "Run", running):
    told = run.ask_conditions(source.spec, chosen.spec, *model_files)
    spec = replace(spec, model=model, controls=run.ask_controls(), conditions=told.spec)
    planned = replace(planned, spec=spec, conditions=told.conditions)
    planned.parts()  # a model that cannot be told what they say is refused here
    seconds = run.price(planned, source, is_upload=bool(model_files))
    files = {source.spec: source.upload.content} if source.upload else {}
    most = run.ask_most(planned, model_files)
    started = run.start(planned, files | chosen.files | model_files | dict(told.files), seconds, most)
if started:
    shell.go_to("study")
