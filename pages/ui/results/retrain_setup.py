"""Compare → Retrain, before it runs: which classifier, which names, how strongly, how long."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.frame import AuditPage
from pages.ui.frame import cached, exports, shell, typography, uploads, visitor
from pages.ui.results.context import StudyContext
from pages.ui.results.study_model import confirmed
from psa_core import anchors, mitigate, models, trust
from psa_core.claims.formatting import duration
from psa_core.errors import OptionError
from psa_core.inputs import names as name_lists
from psa_core.models import Purpose
from psa_core.plurals import counted, verb
from psa_core.retraining import METHODS, Retraining
from psa_core.study import perturbation_of, spec_of

AUDIT = AuditPage("retrain", "retraining")
OWN = "the study's own names"
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
FIRST_STRENGTHS = (0.3, 1.0, 3.0)
LABELLED_TYPES = ["csv", "tsv", "jsonl", "parquet"]
TITLES = {"pair": "Pair two names", "augment": "Repeat with other names"}
#: Seconds on one core of a step of the packaged encoder, and of one text that is scored.
STEP_SECONDS, TEXT_SECONDS = 0.9, 0.008


def ask_model(study: StudyContext) -> str | None:
    """The study's own model if it can be trained, or a packaged one; None until it may be loaded."""
    own = str(study.cube.asked.get("model", ""))
    ready = {card.id: card.title for card in cached.model_cards() if models.is_trainable(card.id)}
    first = [item for item in models.good_for(Purpose.CLASSES) if item in ready]
    ready = {item: ready[item] for item in [*first, *ready]}
    if models.is_trainable(own):
        ready = {own: ready.get(own, own), **ready}
    else:
        typography.small_print(
            f"The study's own model ({own[:80]}) is no neural classifier, so it cannot be trained on."
        )
    chosen = str(
        st.selectbox("Classifier", list(ready), key=AUDIT.key("model"), format_func=lambda item: ready.get(item, item))
    )
    if chosen != own or visitor.is_harmless(chosen):
        return visitor.check(chosen)
    origin = confirmed(study.run, own)
    return own if origin is not None and origin is not trust.Origin.FILE else None


def ask_names(study: StudyContext) -> pd.DataFrame:
    """The list whose names are split into training and measured names."""
    cards = {card.id: f"{card.title} ({card.count})" for card in name_lists.available()}
    chosen = st.selectbox(
        "Names", [OWN, *cards], key=AUDIT.key("names"), format_func=lambda item: cards.get(item, item.capitalize())
    )
    table = study.cube.names if chosen == OWN else cached.names(str(chosen)).table
    halves = mitigate.halves_of_names(table, field="names")
    typography.small_print(
        f"{len(halves.used)} names are trained on, {len(halves.measured)} are measured; split by group, spellings of "
        "one name together."
    )
    return table


def ask_recipe() -> tuple[Retraining, tuple[float, ...]]:
    """The method, the strengths to try, and how long to train each."""
    ways = {"default": "pair", "required": True, "format_func": TITLES.__getitem__}
    method = st.segmented_control("Method", list(TITLES), key=AUDIT.key("method"), **ways)
    typography.small_print(f"{METHODS[str(method)]}.")
    strengths = st.multiselect(
        "Strengths, each of which is trained",
        STRENGTHS,
        default=FIRST_STRENGTHS,
        key=AUDIT.key("strengths"),
        format_func=lambda strength: f"{strength:g}",
        help="A larger number draws the answers nearer together, and may cost more at the classifier's own task.",
    )
    if not strengths:
        raise OptionError("strengths", got="none", expected="at least one", fix="Choose a strength.")
    steps = int(
        st.number_input("Steps of each training", 10, 2_000, Retraining.steps, key=AUDIT.key("steps"), width=220)
    )
    return Retraining(method=str(method), steps=steps), tuple(sorted(map(float, strengths)))


def ask_labelled() -> dict[str, bytes]:
    """Optional labelled texts: with them, the curve shows the task's score."""
    chosen = uploads.ask_file(
        "Labelled texts, for the score at the classifier's own task (optional)",
        LABELLED_TYPES,
        key=AUDIT.key("labelled"),
        help="A csv, tsv, jsonl or parquet file with the columns text and label, the classifier's own labels. "
        "None of them is trained on.",
    )
    return {} if chosen is None else {f"labelled{Path(chosen.name).suffix.lower()}": chosen.content}


def show(study: StudyContext) -> None:
    """The whole form, an estimate of the time, and the start button."""
    typography.second(
        "Go on training a classifier for a few minutes so that its answers move less with the name, and see what that "
        "costs. Names and sentences are each split in two: one half is trained on, the other is only measured."
    )
    with shell.step(1, "Classifier", "What is trained on. The old one stays as it is."):
        model = ask_model(study)
        if model is None:
            st.stop()
    with shell.step(2, "Names", "Half of them are trained on."):
        names = ask_names(study)
    with shell.step(3, "Method", "How strongly the answers are drawn together."):
        recipe, strengths = ask_recipe()
        labelled = ask_labelled()
    values: dict[str, object] = {
        "model": model,
        "sentences": "sentences.csv",
        "names": "names.csv",
        "anchors": str(study.cube.asked.get("anchors", anchors.default())),
        "method": recipe.method,
        "strength": ",".join(f"{strength:g}" for strength in strengths),
        "steps": recipe.steps,
        # What selects all of the study's sentences again, with the same mentions in each.
        "max-words": int(study.cube.sentences["text"].astype(str).str.split().str.len().max()),
        "sample": study.cube.shape[0],
        "mentions": spec_of(study.cube).mentions,
    }
    if labelled:
        values["labelled"] = next(iter(labelled))
    files = labelled | {
        "sentences.csv": exports.csv(sentences_of(study), exact=True),
        "names.csv": exports.csv(names, exact=True),
    }
    # Words of the study's sentences that a reader switched off or on.
    switched = pd.DataFrame(spec_of(study.cube).switched, columns=["sentence_id", "start"])
    switched = switched[switched["sentence_id"].isin(study.cube.sentences["sentence_id"].astype(str))]
    if len(switched):
        values["switched"] = "switched.csv"
        files["switched.csv"] = exports.csv(switched, exact=True)
    subjects = pd.DataFrame(spec_of(study.cube).subjects, columns=["sentence_id", "person"])
    subjects = subjects[subjects["sentence_id"].isin(study.cube.sentences["sentence_id"].astype(str))]
    if len(subjects):
        values["subjects"] = "subjects.csv"
        files["subjects.csv"] = exports.csv(subjects)
    with shell.step(4, "Run", "You can close this page; it keeps running."):
        _plan(study, names, recipe, len(strengths))
        if st.button("Retrain", type="primary", key=AUDIT.key("start"), icon=":material/play_arrow:"):
            asked = [part for name, value in values.items() for part in (f"--{name}", str(value))]
            AUDIT.start([*asked, "--no-balance"], files)  # the study's own draw stays


def _plan(study: StudyContext, names: pd.DataFrame, recipe: Retraining, strengths: int) -> None:
    """How much is trained and measured, and how long that takes."""
    halves, of_names = mitigate.split_sentences(study.cube), mitigate.halves_of_names(names)
    texts = study.cube.sentences["text"].iloc[halves.used].tolist()
    trained = mitigate.naming_none(texts, names["name"].iloc[of_names.measured].tolist())
    measured = (1 + strengths) * len(halves.measured) * (1 + len(of_names.measured))
    seconds = strengths * recipe.steps * STEP_SECONDS + measured * TEXT_SECONDS
    sizes = {"Sentences trained on": len(trained), "Sentences measured": len(halves.measured)}
    frame.say_sizes({**sizes, "On one processor core": f"about {duration(seconds)}"})
    if len(trained) < len(texts):
        left = len(texts) - len(trained)
        typography.small_print(
            f"{counted(left, 'sentence')} with one of the measured names {verb(left, 'are', 'is')} not trained on."
        )


def sentences_of(study: StudyContext) -> pd.DataFrame:
    """The study's sentences as given: with slots in place of the filler."""
    table = study.cube.sentences[["sentence_id", "text"]].astype(str)
    if anchors.kind(str(study.cube.asked.get("anchors", anchors.default()))).has_original:
        return table
    texts = perturbation_of(study.cube)
    return table.assign(text=[texts.slots(row) for row in range(len(table))])
