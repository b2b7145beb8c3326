"""Set up an Equity Evaluation Corpus audit: systems, sentences, run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from pages.ui.audits import form
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, exports, permissions, uploads
from psa_core import models
from psa_core.audits import eec
from psa_core.audits.eec import corpus, own_files
from psa_core.audits.eec.run import EquitySpec
from psa_core.models import ModelPlugin, Purpose

AUDIT = AuditPage.of(eec.AUDIT)
PART_WORDS = {
    "templates": "Templates: {person}, {object}, {reflexive}, {a}, {word}",
    "people": "People: their forms, gender, race and pair",
    "words": "Words: kind, emotion, word",
}
TASK_SCORES = "task-scores.csv"


@dataclass(frozen=True)
class Systems:
    """Model ids, the files that some of them read, and further options of the audit."""

    ids: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Sentences:
    """The design, and the options of the audit that make it."""

    design: corpus.Design
    options: dict[str, str]
    files: dict[str, bytes]


def ask_systems() -> Systems:
    """Packaged models, others by id, and systems that are known only by a file of predictions."""
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
        upload = _ask_scores(elsewhere)
        ranked = uploads.ask_file(
            "Task scores: a csv file with system and score; the systems are then sorted by how well they do their task",
            ("csv",),
            key=AUDIT.key("task_scores"),
        )
    others = [part.strip() for part in typed.split(",") if part.strip()]
    for item in others:
        permissions.check(item)
    files = {} if upload is None else {_plain_name(upload.name): upload.content}
    ids = [item for item in cards if item in chosen] + others + [f"{elsewhere.id}:{name}" for name in files]
    if ranked is None:
        return Systems(tuple(dict.fromkeys(ids)), files)
    own_files.parse_task_scores(ranked.content)  # a wrong file is told here
    files[TASK_SCORES] = ranked.content
    return Systems(tuple(dict.fromkeys(ids)), files, {"task_scores": TASK_SCORES})


def _ask_scores(kind: ModelPlugin) -> uploads.Upload | None:
    st.caption(
        "A system that only you can run: download the sentences, score them, and bring back a csv file with the column "
        "`text` and one column a score."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        table = corpus.every_sentence(corpus.published_design())[["sentence"]].rename(columns={"sentence": "text"})
        exports.csv_button(table, "eec_texts.csv", key=AUDIT.key("texts"))
        st.markdown("The 8,640 sentences", width="content")
    return uploads.ask_file("Predictions", kind.uploads, key=AUDIT.key("scores"))


def ask_sentences() -> Sentences:
    """Spelling, and lists of one's own in the place of the paper's."""
    spelling = str(form.ask(AUDIT, EquitySpec)["spelling"])
    design, files = corpus.published_design(spelling), {}
    with st.expander("Your own templates, people or words"):
        st.caption(
            "Download the paper's lists, change what you like, and bring them back as csv. "
            "Lists that you do not bring stay the paper's."
        )
        for part in own_files.PARTS:
            given = _ask_part(part, getattr(corpus.published_design(spelling), part))
            if given is not None:
                files[f"{part}.csv"] = given.content
                design = replace(design, **{part: own_files.parse_part(part, given.content)})
    return Sentences(design, {"spelling": spelling, **{Path(name).stem: name for name in files}}, files)


def _ask_part(part: str, published: object) -> uploads.Upload | None:
    left, right = st.columns([5, 2], vertical_alignment="bottom")
    with left:
        given = uploads.ask_file(PART_WORDS[part], ("csv",), key=AUDIT.key(part))
    with right:
        exports.csv_button(published, f"{part}.csv", key=AUDIT.key(f"{part}_csv"))  # type: ignore[arg-type]
    return given


def start(systems: Systems, sentences: Sentences) -> None:
    """What it will take, and the button."""
    rows, people = len(sentences.design.rows), len(sentences.design.people)
    if not systems.ids:
        st.info("Choose at least one system in step 1.")
        return
    with st.container(horizontal=True):
        st.metric("Systems", f"{len(systems.ids)}", border=True)
        st.metric("Template and word", f"{rows:,}", border=True)
        st.metric("People", f"{people:,}", border=True)
        st.metric("Sentences", f"{rows * people:,}", border=True)
    st.caption("Seconds for a lexicon or a linear model, well under a minute for each packaged transformer.")
    if st.button("Run the audit", type="primary", key=AUDIT.key("start"), icon=":material/play_arrow:"):
        asked = {"model": systems.ids, **systems.options, **sentences.options}
        AUDIT.run(asked, systems.files | sentences.files)


def _plain_name(name: str) -> str:
    """A file name that can stand in a list of model ids, whose options follow a question mark."""
    plain = name.replace(",", "_").replace("?", "_")
    return f"scores-{plain}" if plain.removesuffix(".csv") in (*own_files.PARTS, "task-scores") else plain
