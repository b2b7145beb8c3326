"""One text with one name: the flip as a card, what a reader makes of it, and what a model was asked and answered."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.frame import markup, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.frame.markup import DIGITS, MARK, SERIF, behind_click
from pages.ui.frame.typography import in_words
from pages.ui.results import context
from pages.ui.results.context import StudyContext
from psa_core import jobs, stats, trust
from psa_core.asking import journal
from psa_core.charts._theme import DOWN, UP
from psa_core.claims.formatting import Words, score_digits
from psa_core.folders import judgements
from psa_core.folders.judgements import VERDICTS, Judgement
from psa_core.report import Piece, swap_pieces, transcripts
from psa_core.trust import Origin

DELETED = "color: inherit; opacity: 0.72; text-decoration: line-through; text-decoration-thickness: 2px"
ASKED = "white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 0.7rem; font-size: 0.95rem; line-height: 1.5"
LEAVES_OUT = "meaning"
SHORT = {"defect": "Defect", "fine": "Not a defect", "meaning": "Meaning changes"}
#: In the session: the judgements that were made in it, for undo.
TAKEN = "sentences_taken"


@dataclass(frozen=True)
class Reading:
    """The reader and their judgements so far, by sentence, name and target; without a run there is no judging."""

    run: str | None
    reader: str
    verdicts: Mapping[tuple[str, str, str], str]

    def cells(self, target: str) -> list[tuple[str, str]]:
        """The cells of a target that the reader has judged, by sentence id and name."""
        return [(sentence_id, name) for sentence_id, name, of in self.verdicts if of == target]


@dataclass(frozen=True)
class Step:
    """A reader's last judgement of a flip and the one before, for undo."""

    run: str
    word: Judgement
    before: str | None


def reading_of(study: StudyContext, reader: str) -> Reading:
    """A reader's judgements of a study."""
    judged = context.judged(study.run)
    if judged is None:
        return Reading(None, "", {})
    mine = judged[judged["reader"] == reader]
    flips = zip(mine["sentence_id"], mine["name"], mine["target"], strict=True)
    return Reading(study.run, reader, dict(zip(flips, mine["verdict"], strict=True)))


def show(study: StudyContext, flip: pd.Series, reading: Reading) -> None:
    """One flip with its buttons."""
    sentence_id, name = card = str(flip["sentence_id"]), str(flip["name"])
    with st.container(border=True, gap="small", key=f"flip {sentence_id} {name}"):
        _flip(study, flip)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            _judge(reading, Judgement(sentence_id, name, study.target.name, "", reading.reader))
            is_open = is_open_in(study, card)
            st.button(
                "Close" if is_open else in_words("All names in this sentence"),
                key=f"open {sentence_id} {name}",
                type="tertiary",
                icon=":material/close:" if is_open else ":material/scatter_plot:",
                on_click=open_in,
                args=(card,),
            )
        transcript(study, int(flip["sentence_position"]), name)


def examples(study: StudyContext, count: int = 3) -> None:
    """So many different flips, read-only."""
    for _, flip in study.flips().different(count).frame().iterrows():
        with st.container(border=True, gap="small"):
            _flip(study, flip)


def _flip(study: StudyContext, flip: pd.Series) -> None:
    """Score → score and label → label, with the direction as an arrow and a word; the sentence with both its words."""
    label(study, str(flip["sentence_id"]))
    colour, way = (UP, "▲ now flagged") if flip["direction"] == "up" else (DOWN, "▼ no longer flagged")
    ends = float(flip["original"]), float(flip["perturbed"])
    numbers = " → ".join(study.words.level(score, score_digits(ends, study.threshold)) for score in ends)
    scores = (
        f'<div style="display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; align-items: baseline">'
        f'<span style="font-size: 1.35rem; font-weight: 650; {DIGITS}">{numbers}</span>'
        f'<span style="font-size: 0.95rem; opacity: 0.8">{html.escape(study.words.brief)}</span>'
        f'<span style="font-size: 0.95rem"><span style="color: {colour}">{way[0]}</span>{way[1:]}</span></div>'
    )
    pieces = swap_pieces(study.perturbation, int(flip["sentence_position"]), study.labels[str(flip["name"])])
    st.html(scores + sentence(pieces))


def open_in(card: tuple[str, str]) -> None:
    """Show all names of a card's sentence, from a button; a second click closes it."""
    is_open = st.session_state.get(Key.SENTENCES_CARD) == card and state.view().sentence == card[0]
    st.session_state[Key.SENTENCES_CARD] = None if is_open else card
    state.choose(sentence=None if is_open else card[0])


def is_open_in(study: StudyContext, card: tuple[str, str] | None) -> bool:
    """Whether this card opened the sentence that is shown."""
    return card is not None and st.session_state.get(Key.SENTENCES_CARD) == card and study.seen.sentence == card[0]


def label(study: StudyContext, sentence_id: str) -> None:
    """The name of a document, which is that of its file; a sentence speaks for itself."""
    if study.cube.noun != "sentence":
        st.html(markup.plain(sentence_id, size="0.95rem", faint=True))


def sentence(pieces: Sequence[Piece]) -> str:
    """The sentence with the anchor struck out and the name marked, escaped."""
    tags = {"gone": ("del", DELETED), "come": ("mark", f"{MARK}; font-weight: 600; margin-left: 0.15em")}
    style = f"{SERIF}; margin: 0.35rem 0 0; font-size: 1.18rem; line-height: 1.5; overflow-wrap: anywhere"
    return behind_click(pieces, tags, style)


def _judge(reading: Reading, word: Judgement) -> None:
    if reading.run is None:
        return
    key = f"judge {word.reader} {word.target} {word.sentence_id} {word.name}"
    st.session_state[key] = reading.verdicts.get((word.sentence_id, word.name, word.target))
    st.pills(
        "What do you make of this flip?",
        list(VERDICTS),
        format_func=SHORT.get,
        key=key,
        on_change=_take,
        args=(reading.run, word, st.session_state[key], key),
        label_visibility="collapsed",
        wrap=True,
    )


def _take(run: str, word: Judgement, before: str | None, key: str) -> None:
    """Store a judgement; for a shared study, in a copy that belongs to this visitor from now on."""
    verdict = st.session_state[key]
    with shell.report_errors("This judgement was not saved"):
        own = jobs.own_copy(run, visitor=visitor.key())
        _write(own, word, verdict)
        if own != run:
            state.follow(own)
        step = Step(own, replace(word, verdict=verdict or ""), before)
        st.session_state.setdefault(TAKEN, []).append(step)


def _write(run: str, word: Judgement, verdict: str | None) -> None:
    if verdict is None:
        judgements.withdraw(jobs.result_folder(run), word)
    else:
        judgements.save(jobs.result_folder(run), replace(word, verdict=verdict))


def _steps(study: StudyContext) -> list[Step]:
    return [step for step in st.session_state.get(TAKEN, []) if step.run == study.run]


def progress(study: StudyContext, judged: int, total: int) -> None:
    """How many of the listed flips have been judged, and an undo button."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        st.text(f"{judged:,} of {total:,} judged", width="content")
        steps = _steps(study)
        if steps and steps[-1].word.sentence_id not in study.left_out:
            _undo_button("Undo the last", "undo_last", steps[-1], type="tertiary")


def offer_undo(study: StudyContext) -> None:
    """Say which sentence was just removed, and offer to restore it; the latest first."""
    taken = [step for step in _steps(study) if step.word.verdict == LEAVES_OUT]
    mine = [step for step in taken if step.word.sentence_id in study.left_out and step.word.name in study.labels]
    if not mine:
        return
    word = mine[-1].word
    text = study.full_cube.sentences.set_index("sentence_id")["text"][word.sentence_id]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="sentences_undo"):
        st.html(markup.plain(f"Left out, since {study.labels[word.name]} changes its meaning: “{text}”"))
        _undo_button("Undo", "undo", mine[-1])


def _undo_button(label: str, key: str, step: Step, **how: str) -> None:
    def undo() -> None:
        with shell.report_errors("This judgement cannot be undone"):
            _write(step.run, step.word, step.before)
            st.session_state[TAKEN].remove(step)

    st.button(label, icon=":material/undo:", key=key, on_click=undo, **how)


def transcript(study: StudyContext, sentence: int, name: str) -> None:
    """What a language model was asked and answered, in a section that opens on a click; nothing for other models."""
    answers = (context.result_folder(study.run) or Path()) / journal.FILE
    if not study.is_asked and not answers.is_file():
        return
    place = study.cube.names["name"].tolist().index(name)
    key = f"transcript {study.target.name} {sentence} {name}"
    with st.expander("What the model was asked", icon=":material/chat:", on_change="rerun", key=key) as section:
        if not section.open:
            return
        inputs = jobs.run_path(study.run) / jobs.INPUTS
        with trust.acting(Origin.FILE, inside=inputs):
            (found,) = transcripts.of_cells(study.cube, study.target.name, [(sentence, place)], answers, inputs)
        pieces = swap_pieces(study.perturbation, sentence, study.labels[name])
        for one in found:
            for heading, words in one.parts(pieces):
                marked = "".join(
                    f'<mark style="{MARK}">{html.escape(text)}</mark>' if kind == "come" else html.escape(text)
                    for kind, text in words
                )
                st.html(f'<b>{html.escape(heading)}</b><div style="{ASKED}">{_without_name(marked, study, name)}</div>')
        if not found:
            st.caption("Nothing is kept of what was asked here.")
        scores = study.cube.perturbed[sentence, place]
        values = (
            f"{target.name} {'no valid answer' if np.isnan(score) else Words.of(target).level(score, 3)}"
            for target, score in zip(study.cube.targets, scores.tolist(), strict=True)
        )
        st.html(markup.plain(f"Scores: {', '.join(values)}", size="0.9rem"))


def transcript_of_chosen(study: StudyContext) -> None:
    """That of the text in which the name that was clicked last is furthest from the others."""
    if study.seen.names:
        name = study.seen.names[-1]
        effects = stats.effect_differences(*study.cube.scores(study.target.name), baseline="names")
        furthest = np.abs(effects[:, study.cube.names["name"].tolist().index(name)])
        if not np.isnan(furthest).all():
            transcript(study, int(np.nanargmax(furthest)), name)


def _without_name(words: str, study: StudyContext, name: str) -> str:
    """The words without the name where names are hidden: a model may repeat it in its answer."""
    if study.labels[name] == name:
        return words
    for part in sorted({name, *name.split()}, key=len, reverse=True):
        words = words.replace(html.escape(part), html.escape(study.labels[name]))
    return words
