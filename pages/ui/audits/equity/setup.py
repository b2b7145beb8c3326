"""Set up an Equity Evaluation Corpus audit: systems, sentences, run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from pages.ui.audits import frame
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, exports, form, permissions, uploads
from psa_core import models
from psa_core.audits import eec
from psa_core.audits.eec import corpus
from psa_core.audits.eec.result import EquitySpec
from psa_core.models import Purpose

AUDIT = AuditPage.of(eec.AUDIT)
PART_WORDS = {
    "templates": "Templates: {person}, {object}, {reflexive}, {a}, {word}",
    "people": "People: their forms, gender, race and pair",
    "words": "Words: kind, emotion, word",
}
TASK_SCORES = "task-scores.csv"


#: Options of the audit, and the files that they name.
Asked = tuple[dict[str, Any], dict[str, bytes]]


def ask_systems() -> Asked:
    """Packaged models, models by id, and systems given only as a file of predictions."""
    cards = {card.id: card for card in cached.model_cards() if card.targets and not models.measures_perplexity(card.id)}
    kinds = {item: kind for item, kind in permissions.kinds().items() if not kind.perplexity}
    chosen = st.pills(
        "Packaged models",
        list(cards),
        selection_mode="multi",
        default=[item for item in cards if Purpose.FIRST_LOOK in cards[item].good_for],
        key=AUDIT.key("models"),
        format_func=lambda item: cards[item].title,
        persist_state="session",
        wrap=True,
    )
    with st.expander("Another model, or a file of predictions"):
        typed = st.text_input(
            "Further models by their ids, separated by commas",
            key=AUDIT.key("others"),
            placeholder=", ".join(f"{item}:<{kind.argument}>" for item, kind in kinds.items() if not kind.uploads)[:80],
            max_chars=permissions.MAX_ID_LENGTH,
            persist_state="session",
        )
        elsewhere = next(kind for kind in kinds.values() if kind.known_texts_only)
        st.caption(
            "A system that only you can run: download the sentences, score them, and upload a csv file with the "
            "column `text` and one column a score."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            every = corpus.every_sentence(corpus.published_design())[["sentence"]]
            texts = every.rename(columns={"sentence": "text"})
            exports.csv_button(texts, "eec_texts.csv", key=AUDIT.key("texts"))
            st.markdown("The 8,640 sentences", width="content")
        upload = uploads.ask_file("Predictions", elsewhere.uploads, key=AUDIT.key("scores"))
        ranked = uploads.ask_file(
            "Task scores: a csv file with system and score; the systems are then sorted by how well they do their task",
            ("csv",),
            key=AUDIT.key("task_scores"),
        )
    others = [part.strip() for part in typed.split(",") if part.strip()]
    for item in others:
        permissions.check(item)
    files, options = dict[str, bytes](), dict[str, Any]()
    if upload is not None:  # its name stands in a list of model ids, whose options follow a question mark
        name = upload.name.replace(",", "_").replace("?", "_")
        taken = name.removesuffix(".csv") in (*corpus.PARTS, "task-scores")
        files[f"scores-{name}" if taken else name] = upload.content
    ids = [item for item in cards if item in chosen] + others + [f"{elsewhere.id}:{name}" for name in files]
    if ranked is not None:
        corpus.read_task_scores(ranked.content)  # a wrong file is told here
        files[TASK_SCORES], options["task_scores"] = ranked.content, TASK_SCORES
    return {"model": tuple(dict.fromkeys(ids)), **options}, files


def ask_sentences() -> tuple[corpus.Design, Asked]:
    """Spelling, and custom lists in place of the paper's."""
    spelling = str(form.ask(AUDIT.key, EquitySpec)["spelling"])
    design, files = corpus.published_design(spelling), {}
    with st.expander("Your own templates, people or words"):
        st.caption(
            "Download the paper's lists, change what you like, and upload them as csv. "
            "Lists that you do not upload stay the paper's."
        )
        for part in corpus.PARTS:
            left, right = st.columns([5, 2], vertical_alignment="bottom")
            with left:
                given = uploads.ask_file(PART_WORDS[part], ("csv",), key=AUDIT.key(part))
            with right:
                published: pd.DataFrame = getattr(corpus.published_design(spelling), part)
                exports.csv_button(published, f"{part}.csv", key=AUDIT.key(f"{part}_csv"))
            if given is not None:
                files[f"{part}.csv"] = given.content
                design = replace(design, **{part: corpus.read_part(part, given.content)})
    return design, ({"spelling": spelling, **{Path(name).stem: name for name in files}}, files)


def start(systems: Asked, design: corpus.Design, sentences: Asked) -> None:
    """The estimated cost and the start button."""
    rows, people, ids = len(design.rows), len(design.people), systems[0]["model"]
    if not ids:
        st.info("Choose at least one system in step 1.")
        return
    frame.say_sizes(
        {"Systems": len(ids), "Templates × words": rows, "People": people, "Sentences": rows * people},
        "Seconds for a lexicon or a linear model, well under a minute for each packaged transformer.",
    )
    if frame.is_started(AUDIT):
        AUDIT.run(systems[0] | sentences[0], systems[1] | sentences[1])
