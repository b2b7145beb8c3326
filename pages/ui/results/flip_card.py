"""One flip as a card: the changed sentence, scores, labels, and the reader's judgement."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from pages.ui.frame import markup, shell, state, visitor
from pages.ui.frame.keys import Key
from pages.ui.frame.markup import DIGITS, MARK, SERIF, behind_click
from pages.ui.frame.typography import in_words
from pages.ui.results import context, transcript_view
from pages.ui.results.context import StudyContext
from psa_core import jobs, tables
from psa_core.charts._theme import DOWN, UP
from psa_core.folders import judgements
from psa_core.folders.judgements import VERDICTS, Judgement
from psa_core.report import Piece, swap_pieces

DELETED = "color: inherit; opacity: 0.72; text-decoration: line-through; text-decoration-thickness: 2px"
LEAVES_OUT = "meaning"
SHORT = {"defect": "Defect", "fine": "Not a defect", "meaning": "Meaning changes"}


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


NOBODY = Reading(None, "", {})


def reading_of(study: StudyContext, reader: str) -> Reading:
    """A reader's judgements of a study."""
    judged = context.judged(study.run)
    if judged is None:
        return NOBODY
    mine = judged[judged["reader"] == reader]
    flips = zip(mine["sentence_id"], mine["name"], mine["target"], strict=True)
    return Reading(study.run, reader, dict(zip(flips, mine["verdict"], strict=True)))


def show(study: StudyContext, flip: pd.Series, reading: Reading) -> None:
    """Draw one flip."""
    sentence_id, name = str(flip["sentence_id"]), str(flip["name"])
    pieces = swap_pieces(study.perturbation, int(flip["sentence_position"]), study.labels[name])
    with st.container(border=True, gap="small", key=f"flip {sentence_id} {name}"):
        label(study, sentence_id)
        st.html(scores(flip, study.brief) + sentence(pieces))
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            _judge(reading, Judgement(sentence_id, name, study.target.name, "", reading.reader))
            is_open = is_open_in(study, (sentence_id, name))
            st.button(
                "Close" if is_open else in_words("All names in this sentence"),
                key=f"open {sentence_id} {name}",
                type="tertiary",
                icon=":material/close:" if is_open else ":material/scatter_plot:",
                on_click=open_in,
                args=((sentence_id, name),),
            )
        transcript_view.show(study, int(flip["sentence_position"]), name)


def open_in(card: tuple[str, str]) -> None:
    """Show all names of a card's sentence, from a button; a second click closes it."""
    is_open = st.session_state.get(Key.SENTENCES_CARD) == card and state.view().sentence == card[0]
    st.session_state[Key.SENTENCES_CARD] = None if is_open else card
    state.choose(sentence=None if is_open else card[0])


def is_open_in(study: StudyContext, card: tuple[str, str] | None) -> bool:
    """Whether this card opened the sentence that is shown."""
    return card is not None and st.session_state.get(Key.SENTENCES_CARD) == card and study.seen.sentence == card[0]


def three(study: StudyContext) -> None:
    """Three different flips, read-only."""
    flips = tables.find_flips(study.cube, study.target.name, threshold=study.threshold)
    for _, flip in flips.different(3).frame().iterrows():
        pieces = swap_pieces(study.perturbation, int(flip["sentence_position"]), study.labels[flip["name"]])
        with st.container(border=True, gap="small"):
            label(study, str(flip["sentence_id"]))
            st.html(scores(flip, study.brief) + sentence(pieces))


def label(study: StudyContext, sentence_id: str) -> None:
    """The name of a document, which is that of its file; a sentence speaks for itself."""
    if study.cube.noun != "sentence":
        st.html(markup.plain(sentence_id, size="0.95rem", faint=True))


def sentence(pieces: Sequence[Piece]) -> str:
    """The sentence with the anchor struck out and the name marked, escaped."""
    tags = {"gone": ("del", DELETED), "come": ("mark", f"{MARK}; font-weight: 600; margin-left: 0.15em")}
    style = f"{SERIF}; margin: 0.35rem 0 0; font-size: 1.18rem; line-height: 1.5; overflow-wrap: anywhere"
    return behind_click(pieces, tags, style)


def scores(flip: pd.Series, target: str) -> str:
    """Score → score and label → label, with the direction as an arrow and a word."""
    up = flip["direction"] == "up"
    colour, words = (UP, "▲ now flagged") if up else (DOWN, "▼ no longer flagged")
    numbers = f"{flip['original']:.2f} → {flip['perturbed']:.2f}".replace("-", "−")
    return (
        f'<div style="display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; align-items: baseline">'
        f'<span style="font-size: 1.35rem; font-weight: 650; {DIGITS}">{numbers}</span>'
        f'<span style="font-size: 0.95rem; opacity: 0.8">{html.escape(target)}</span>'
        f'<span style="font-size: 0.95rem"><span style="color: {colour}">{words[0]}</span>{words[1:]}</span></div>'
    )


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
        st.session_state.setdefault(Key.SENTENCES_TAKEN, []).append(step)


def _write(run: str, word: Judgement, verdict: str | None) -> None:
    if verdict is None:
        judgements.withdraw(jobs.result_folder(run), word)
    else:
        judgements.save(jobs.result_folder(run), replace(word, verdict=verdict))


def _steps(study: StudyContext) -> list[Step]:
    """The judgements made in this session, for undo."""
    return [step for step in st.session_state.get(Key.SENTENCES_TAKEN, []) if step.run == study.run]


def progress(study: StudyContext, judged: int, total: int) -> None:
    """How many of the listed flips have been judged, and an undo button."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        st.text(f"{judged:,} of {total:,} judged", width="content")
        steps = _steps(study)
        if steps and steps[-1].word.sentence_id not in study.left_out:
            st.button(
                "Undo the last",
                icon=":material/undo:",
                key="undo_last",
                type="tertiary",
                on_click=_undo,
                args=(steps[-1],),
            )


def offer_undo(study: StudyContext) -> None:
    """Say which sentence was just removed, and offer to restore it; the latest first."""
    taken = [step for step in _steps(study) if step.word.verdict == LEAVES_OUT]
    mine = [step for step in taken if step.word.sentence_id in study.left_out and step.word.name in study.labels]
    if not mine:
        return
    word = mine[-1].word
    text = study.full_cube.sentences.set_index("sentence_id")["text"][word.sentence_id]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=Key.SENTENCES_UNDO):
        st.html(markup.plain(f"Left out, since {study.labels[word.name]} changes its meaning: “{text}”"))
        st.button("Undo", icon=":material/undo:", key="undo", on_click=_undo, args=(mine[-1],))


def _undo(step: Step) -> None:
    with shell.report_errors("This judgement cannot be undone"):
        _write(step.run, step.word, step.before)
        st.session_state[Key.SENTENCES_TAKEN].remove(step)
