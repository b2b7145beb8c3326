"""Set up a nationality audit: sentences, countries, model, run."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.audits import frame, model_choice
from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, form, permissions, typography
from pages.ui.study import anchors, plans, sentences
from pages.ui.study.plans import Source
from psa_core import models
from psa_core.audits.nationality import AUDIT as NATIONALITY
from psa_core.audits.nationality import findings
from psa_core.audits.nationality.result import NationalitySpec
from psa_core.errors import OptionError
from psa_core.inputs.gazetteers import KINDS, PAPER_COUNTRIES, countries
from psa_core.models import Purpose

AUDIT = AuditPage.of(NATIONALITY)
OURS, OWN = "people", "Your own file"
FILE_KINDS = ("csv", "tsv", "txt", "jsonl", "parquet", "gz")


def ask_sentences() -> Source | None:
    """The packaged sentences about people, or an uploaded file; None until there is one."""
    choice = st.segmented_control(
        "Sentences",
        (OURS, OWN),
        default=OURS,
        required=True,
        key=AUDIT.key("source"),
        format_func=lambda item: "60 sentences about invented people" if item == OURS else item,
        label_visibility="collapsed",
        persist_state="session",
        wrap=True,
    )
    source: Source | None = Source(OURS)
    if choice != OURS:
        st.caption(
            "One text a row, in any language that the entity recogniser reads. csv, tsv, txt, jsonl or parquet, "
            "gzipped or not; from Excel, save as CSV UTF-8. It stays on this machine."
        )
        source = sentences.ask_file("Sentences file", FILE_KINDS, AUDIT.key("file"), AUDIT.key("column"))
    if source is not None:
        sentences.preview(source)
    return source


def ask_countries(source: Source) -> dict[str, Any]:
    """Countries, draws, sample, seed, families of the sentences, and whether names in other scripts are drawn."""
    values = form.ask(AUDIT.key, NationalitySpec)
    values["families"] = anchors.ask_families(plans.corpus(source).sentences, AUDIT.key(f"families_{source.key}"))
    known = countries(latin_only=not values["all_scripts"])
    usable = [name for name, country in known.items() if all(getattr(country, kind) for kind in KINDS)]
    chosen = st.multiselect(
        "Countries",
        sorted(usable),
        default=list(PAPER_COUNTRIES),
        key=AUDIT.key("countries"),
        persist_state="session",
        wrap=True,
        help="The paper's seventeen, unless you choose others. Names come from Wikidata through CheckList.",
    )
    if not chosen:
        raise OptionError("countries", got="none", expected="at least one country", fix="Choose countries.")
    words = [findings.left_out({name: known[name].left_out for name in chosen if known[name].left_out})]
    if few := [name for name in chosen if min(len(getattr(known[name], kind)) for kind in KINDS) < 5]:
        words.append(f"Fewer than five names of some kind: {', '.join(few)}.")
    if any(words):
        typography.small_print(" ".join(filter(None, words)))
    return {**values, "countries": chosen}


def ask_models() -> dict[str, str] | None:
    """One classifier and, if wanted, one language model for perplexity."""
    cards = {card.id: card for card in cached.model_cards() if card.targets and not models.measures_perplexity(card.id)}
    first = next((item for item in models.good_for(Purpose.CLASSES) if item in cards), None)
    unfit = [item for item, plugin in models.plugins().items() if plugin.perplexity or plugin.known_texts_only]
    kinds = {item: plugin for item, plugin in permissions.kinds().items() if item not in unfit}
    ready = {card.id: card.title for card in cached.model_cards() if models.measures_perplexity(card.id)}
    readers = {item: plugin for item, plugin in permissions.kinds().items() if plugin.perplexity}
    left, right = st.columns(2)
    with left:
        titles = {item: card.title for item, card in cards.items()}
        index = [*cards].index(first) if first else 0
        model = model_choice.ask(AUDIT, "Classifier", "model", titles, kinds, index=index)
    lm = ""
    if ready or readers:  # where this installation has language models
        with right:
            lm = model_choice.ask(
                AUDIT,
                "Perplexity by",
                "lm",
                {"": "No language model", **ready},
                readers,
                help="Adds the paper's Tables 2 to 5: are texts that a language model finds unexpected scored "
                "differently? Takes several times as long as the classifier.",
            )
    return {"model": model, "lm": lm} if model else None


def start(source: Source, drawing: dict[str, Any], chosen: dict[str, str]) -> None:
    """The estimated cost and the start button."""
    most = min(drawing["sample"], len(plans.corpus(source).sentences))
    countries, draws = len(drawing["countries"]), drawing["draws"]
    texts = most * countries * draws
    drawn = f"{countries} × {draws}"
    frame.say_sizes({"Sentences, at most": most, "Countries × draws": drawn, "Texts, at most": texts})
    if frame.is_started(AUDIT):
        name = source.upload.name if source.upload else source.spec
        files = {name: source.upload.content} if source.upload else {}
        AUDIT.run({**drawing, **chosen, "sentences": name, "text_column": source.column}, files)
