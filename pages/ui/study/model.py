"""Step 4 of a new study: the model, a custom question to a language model, or scores computed elsewhere."""

from __future__ import annotations

import io
import re
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.frame import cached, controls, exports, gateway, markup, uploads, visitor
from pages.ui.frame.uploads import Upload
from pages.ui.study import language_model, plans
from pages.ui.study.language_model import Chosen
from psa_core import models, trust
from psa_core.errors import ModelError, OptionError
from psa_core.inputs.limits import SEARCH, TEXTS_OUT, UPLOADS_EACH
from psa_core.models import ModelCard, ModelPlugin, Purpose
from psa_core.models.predictions import Coverage
from psa_core.plurals import counted, noun_of
from psa_core.study import Plan
from psa_core.study.preview import write
from psa_core.study.selection import READ

MAX_NAME_LENGTH = 60
OWN_QUESTION = "own question"


def ask(planned: Plan) -> Chosen | None:
    """Let the user choose a model for the texts of a plan; None while it is not complete."""
    cards = {card.id: card for card in cached.model_cards()}
    kinds = visitor.kinds()
    judge = language_model.packaged()
    titles = {item: card.title for item, card in cards.items()}
    if judge:
        titles[OWN_QUESTION] = "A language model, asked a question of your own …"
    titles |= {item: f"{kind.title} …" for item, kind in kinds.items() if item not in cards}
    key, first = "study_model", next(iter(titles))
    if noun_of(planned.selection.sentences) == "document":  # few CVs are toxic, so the first model says nothing there
        suited = (item for item in models.good_for(Purpose.DOCUMENTS) if item in titles)
        key, first = "study_model_documents", next(suited, first)
    how: dict[str, Any] = {"box": True, "words": titles.get, "label_visibility": "collapsed"}
    chosen = str(controls.choose("Model", titles, key, first, **how))
    if chosen == OWN_QUESTION and judge:
        texts = planned.perturbation
        return language_model.ask(judge, texts.text(0, 0), texts.names[0])
    if chosen in cards:
        _describe(cards[chosen])
        typed = _argument(kinds[chosen], " (optional)") if chosen in kinds else ""
        return (visitor.check(_id(kinds[chosen], typed)) if typed else chosen), {}
    if chosen not in kinds:  # what a client sends need not be one of the options
        return visitor.check(chosen), {}
    kind = kinds[chosen]
    st.caption(kind.summary)
    if kind.uploads:
        return _scored_elsewhere(kind, planned)
    typed = _argument(kind)
    return (visitor.check(_id(kind, typed)), {}) if typed else None


def _argument(kind: ModelPlugin, more: str = "") -> str:
    """The argument after the colon of a model's id, with an example as placeholder."""
    words = kind.argument
    label = (
        words.capitalize() if words[0].isalpha() and ":" not in words else f"{kind.title}, such as {kind.id}:{words}"
    )
    key = f"study_model_id_{kind.id}"
    return str(st.text_input(f"{label}{more}", key=key, max_chars=300, persist_state="session")).strip()


def _id(kind: ModelPlugin, typed: str) -> str:
    """The id of a model; a full id can be typed."""
    is_full_id = typed.startswith(tuple(f"{name}:" for name in (kind.id, *kind.aliases)))
    return typed if is_full_id else f"{kind.id}:{typed}"


def _describe(card: ModelCard) -> None:
    st.caption(card.summary, help=" · ".join(filter(None, [card.source, card.licence])) or None)
    for target in card.targets:
        scale = f"{target.low:g} to {target.high:g}, flagged at {target.default_threshold:g} and above"
        words = f"Returns {target.name}, {scale.replace('-', chr(0x2212))}: {target.meaning}."
        st.html(markup.plain(words, size="0.9rem"))


def _scored_elsewhere(plugin: ModelPlugin, planned: Plan) -> Chosen | None:
    """Offer the texts for download and accept the scored file; None until there is one.

    Raises
    ------
    PsaError
        When the texts are too many, the file is malformed, or texts of the study have no score in it.
    """
    selection = planned.selection
    if selection.looked_at < selection.account[READ]:
        got = f"{selection.account[READ]:,} sentences, of which this page looked at {selection.looked_at:,}"
        expected = f"{SEARCH.words} or fewer"
        raise OptionError("texts to score elsewhere", got=got, expected=expected, fix=SEARCH.fix_words)
    TEXTS_OUT.check(planned.perturbation.letters, field="texts to score elsewhere", error=OptionError)
    texts = planned.cells + len(selection.sentences)
    st.markdown(
        "Score every row with your model, add a column of numbers for each target, and upload the file as csv, "
        "tsv, jsonl or parquet; from Excel, save as CSV UTF-8."
    )

    def to_score() -> str:
        stream = io.StringIO()
        write(planned, stream)
        return stream.getvalue()

    exports.download(f"Download the {texts:,} texts to score", to_score, "texts.csv", key="study_texts")

    def read(scored: Upload) -> tuple[Any, Coverage, str]:
        """The scorer, how well it fits, and a unique file name of characters allowed in a model id."""
        stem, *parts = scored.name.split(".")
        endings = [part.lower() for part in parts if part.lower() in plugin.uploads]
        words = [stem, *(part for part in parts if part.lower() not in plugin.uploads)]
        plain = re.sub(r"[^\w-]+", "-", "-".join(words)).strip("-")[:MAX_NAME_LENGTH]
        name = ".".join([plain or plugin.id, *endings])
        name = plans.unique_name(name, plugin.id, planned.spec.sentences, planned.spec.names)
        scorer, fits = _matched(plugin.id, name, scored, planned)
        if fits.missing:
            first = f"first {fits.first_missing!r}{_others(fits)}"
            raise ModelError(
                "scored file",
                got=f"no score for {fits.missing:,} of {texts:,} texts, {first}",
                expected="a row for every text of this study",
                fix="Download the texts as they are now, score all of them, and upload the file again.",
            )
        return scorer, fits, name

    upload = uploads.ask_file("The scored file", plugin.uploads, key="study_scored", read=read)
    if upload is None:
        return None
    scorer, fits, name = read(upload)
    st.html(markup.plain(f"All {texts:,} texts have a score{_others(fits)}. Targets: {', '.join(scorer.ranges)}."))
    if scorer.warnings:
        st.markdown(":orange[:material/warning: **Look at the file once more.**]")
        for warning in scorer.warnings:
            st.html(markup.plain(warning))
    return f"{plugin.id}:{name}", {name: upload.content}


@st.cache_resource(
    max_entries=2,
    show_spinner="Matching the scores with the texts",
    show_time=True,
    scope="session",
    hash_funcs={Upload: Upload.key, Plan: plans.key_of},
)
def _matched(plugin_id: str, name: str, scored: Upload, planned: Plan) -> tuple[Any, Coverage]:
    """The scorer in a file, and how well it matches the texts of the study."""
    origin = visitor.origin()
    with tempfile.TemporaryDirectory() as folder, trust.acting(origin, inside=Path(folder)):
        (Path(folder) / name).write_bytes(scored.content)
        scorer: Any = models.load(f"{plugin_id}:{Path(folder) / name}", origin=origin)
    if scored.name.lower().endswith(plans.PACKED):  # it holds more than it weighs; two are kept, and leave room
        gateway.keep(scorer, min(cached.bytes_of(scorer), UPLOADS_EACH.value // 4))
    return scorer, scorer.coverage(chain(planned.perturbation.originals(), planned.perturbation))


def _others(fits: Coverage) -> str:
    """Contents of the file that are ignored."""
    parts = [
        f"{counted(fits.unscored, 'row')} with an empty score" if fits.unscored else "",
        f"{counted(fits.extra, 'text')} that this study does not have" if fits.extra else "",
    ]
    words = " and ".join(filter(None, parts))
    return f"; the file also has {words}" if words else ""
