"""A language model that is asked: who, what, the whole prompt about one person, what it costs, and one answer."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import streamlit as st

from pages.ui.frame import cached, markup, visitor
from psa_core import models, trust
from psa_core.asking.prices import in_dollars, price_of
from psa_core.claims.formatting import Words
from psa_core.errors import OptionError
from psa_core.study.preview import SAMPLES

ASKED, QUESTION_FILE = "?question=", "own-question.json"
THERE = "A model at an address"
WORDS, NUMBER = "One of these answers", "A number"
#: A trial keeps the page waiting, so it is not repeated as a run's requests are.
TRIAL = "&timeout=30&retries=0"
#: A model's id, and the uploaded files that it names.
Chosen = tuple[str, dict[str, bytes]]


def packaged() -> tuple[str, str] | None:
    """The packaged model that can be asked, and its title; None where it is not installed."""
    asked = (card for card in cached.model_cards() if ASKED in card.id)
    return next(((card.id.partition(ASKED)[0], card.title.partition(",")[0]) for card in asked), None)


def ask(packaged: tuple[str, str], text: str, person: str) -> Chosen | None:
    """A typed question and who is to answer it: the model's id and its question file; None while it is not complete.

    `text` is one of those that are asked about, with the name of `person`: its prompt is shown, and asked on a click.
    """
    kept: dict[str, Any] = {"persist_state": "session"}
    (judge, title), options = packaged, ""
    model = judge
    elsewhere = trust.offered_to(trust.ADDRESS, visitor.origin())
    here = f"{title}, on this machine"
    if not elsewhere:
        st.caption(f"Who is asked: {here}.")
    elif st.radio("Who is asked", (here, THERE), key="study_asked", horizontal=True, **kept) == THERE:
        model, options = _address(judge.partition(":")[0], kept)
    question = st.text_area(
        "Your question about each text",
        key="study_question",
        max_chars=2_000,
        placeholder="Would you rent this flat to this person?",
        **kept,
    ).strip()
    system = st.text_input("What the model is told first (system message, optional)", key="study_system", **kept)
    answers = _answers(kept)
    if not question or not model:
        return None
    content = _content(question, system.strip(), answers)
    chosen = f"{model}{ASKED}{QUESTION_FILE}{options}"
    files = {QUESTION_FILE: json.dumps(content).encode()}
    with questions(files, chosen) as read:
        (judging,) = models.unasked(read)
        (request,) = judging.requests(text)
        with st.expander(f"What the model reads about {markup.literal(person)}", icon=":material/chat:"):
            for message in request.messages:
                st.caption({"system": "System message", "user": "Message"}.get(message["role"], message["role"]))
                st.text(message["content"])
    if st.button("Try one answer", key="study_trial", icon=":material/play_arrow:"):
        with st.spinner("Asking", show_time=True), questions(files, chosen) as read:
            is_here = model == judge
            _show_one(_opened(read if is_here else read + TRIAL, is_here=is_here), text)
    return chosen, files


def _address(kind: str, kept: Mapping[str, Any]) -> tuple[str, str]:
    """The id of a model at an address, empty while none was typed, and its options."""
    there = st.text_input(
        "Address", key="study_address", placeholder="https://api.openai.com/v1", max_chars=300, **kept
    ).strip()
    name = st.text_input("Model", key="study_at_address", placeholder="gpt-4o-mini", max_chars=100, **kept).strip()
    samples = st.number_input(
        "Answers to each text, where it gives no probabilities",
        min_value=1,
        max_value=1_000,
        value=SAMPLES,
        key="study_samples",
        width=360,
        **kept,
    )
    st.caption("An OpenAI-compatible address. Its key is read from this app's environment (`PSA_HTTP_TOKEN`) only.")
    if not there:
        return "", ""
    chosen = f"{kind}:{there}"
    # A model of a hub is loaded, not asked: that is for the other kinds of the page, in a process of its own.
    if not {need.kind for need in models.needs(chosen)} & {trust.Kind.ADDRESS}:
        raise OptionError("address", got=repr(there[:80]), expected="an address such as https://api.openai.com/v1")
    options = f"&model={quote(name)}" if name else ""
    return visitor.check(chosen), options + (f"&samples={samples}" if samples != SAMPLES else "")


def _answers(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What counts as an answer, as a question file has it."""
    if st.radio("Its answer", (WORDS, NUMBER), key="study_answer_kind", horizontal=True, **kept) == NUMBER:
        low, high = st.columns(2)
        first = low.number_input("From", value=1, key="study_low", **kept)
        last = high.number_input("To", value=10, key="study_high", **kept)
        return {"number": {"low": first, "high": last, "step": 1}}
    typed = st.text_input(
        "Its answers, from the one that counts 1 to the one that counts 0",
        "Yes, No",
        key="study_answers",
        max_chars=300,
        **kept,
    )
    listed = list(dict.fromkeys(filter(None, map(str.strip, typed.split(",")))))
    if len(listed) < 2:
        raise OptionError("answers", got=repr(typed), expected="two answers or more, with commas between them")
    return {"answers": dict(zip(listed, np.linspace(1, 0, len(listed)).tolist(), strict=True))}


def _content(question: str, system: str, answers: dict[str, Any]) -> dict[str, Any]:
    """The question file; see docs/judges.md."""
    if question.count("{text}") > 1:
        raise OptionError("question", got="{text} more than once", expected="it once, or not at all")
    # Asked before the text as well: what all prompts begin with is computed once.
    asks = f"{question} Answer with {{answers}}."
    listed = list(answers.get("answers", ()))
    first = listed[0] if len(listed) == 2 else ""
    meaning, scale, phrase = f"chance of “{first}” to: {question[:200]}", "0 to 1", ""
    if not listed:
        meaning, scale = f"number in answer to: {question[:200]}", "{low:g} to {high:g}".format(**answers["number"])
    elif not first:
        phrase = f"answer (0 = {listed[-1]} to 1 = {listed[0]}) to “{question[:80]}”"
        meaning = f"mean answer, from 0 = {listed[-1]} to 1 = {listed[0]}, to: {question[:200]}"
    target = re.sub(r"\W+", "_", first.lower()).strip("_")[:40] or ("answer" if listed else "number")
    st.html(markup.plain(f"Returns {target}, {scale}: {meaning}", size="0.9rem"))
    return {
        "title": question[:80],
        "prompt": asks if "{text}" in question else f"{asks}\n\nText:\n{{text}}\n\n{asks}",
        **({"system": system} if system else {}),
        **answers,
        "target": target,
        "meaning": meaning,
        **({"phrase": phrase} if phrase else {}),
    }


@contextmanager
def questions(files: Mapping[str, bytes], chosen: str) -> Iterator[str]:
    """The id with its question file where this process can read it while the block lasts."""
    with tempfile.TemporaryDirectory() as folder, trust.acting(visitor.origin(), inside=Path(folder)):
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        yield chosen.replace(f"{ASKED}{QUESTION_FILE}", f"{ASKED}{quote(str(Path(folder) / QUESTION_FILE))}")


def _opened(model_id: str, *, is_here: bool) -> Any:
    """Who answers: at an address asked from here, the packaged model in a process of its own."""
    if not is_here:
        return models.load(model_id, origin=visitor.origin())
    from psa_core.scoring import subprocess_scorer

    # Packaged, and its question was written by this page: nobody's rights matter.
    return subprocess_scorer.load(model_id, trust.Origin.OWN_MACHINE)


def _show_one(scorer: Any, text: str) -> None:
    """What the model answers about one text: its words where it is asked for words, the score, and the price."""
    asker = getattr(scorer, "asker", None)
    if asker is None:
        scores = scorer.score([text])[0]
    else:
        replies = asker.ask(scorer.requests(text))
        scores = scorer.read(replies[0])
        for reply in replies:
            words = reply.error or next((one.content or one.refusal for one in reply.answers), "")
            st.text(f"Answer: {words or '(nothing)'}")
            price = price_of(scorer.of)
            paid = f", {in_dollars(price.of(reply.tokens_in, reply.tokens_out))}" if price else ""
            st.caption(f"{reply.tokens_in:,} tokens read, {reply.tokens_out:,} written{paid}")
    for target, score in zip(scorer.targets, scores, strict=True):
        words = Words.of(target)
        value = "no valid answer" if np.isnan(score) else words.levels(0.0, float(score))[1]
        st.html(markup.plain(f"{words.brief[:1].upper()}{words.brief[1:]}: {value}", size="0.9rem"))
