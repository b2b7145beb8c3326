"""Choose a model: a ready one, or a kind of model with its argument; a generator, and what scores its texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.ui.audits.audit_job import AuditPage
from pages.ui.frame import cached, permissions
from psa_core import generators, trust
from psa_core.audits.generation.planning import default_scorers


def ask(
    page: AuditPage,
    label: str,
    name: str,
    ready: Mapping[str, str],
    kinds: Mapping[str, Any],
    *,
    check: Callable[[str], str] = permissions.check,
    **arguments: Any,
) -> str:
    """The id of the chosen model, checked by `check`; empty while the argument of a kind is not typed.

    `label` is the widget's text and `name` its key; `ready` maps ids to titles (an empty id stands for no model) and
    `kinds` ids to plug-ins whose ids have an argument. Further arguments go to the select box.
    """
    titles = {**ready, **{f"{item}:": f"{plugin.title} …" for item, plugin in kinds.items()}}
    chosen = str(
        st.selectbox(
            label,
            list(titles),
            key=page.key(name),
            format_func=lambda item: titles.get(item, item),
            persist_state="session",
            **arguments,
        )
    )
    if chosen.endswith(":") and chosen in titles:
        argument = kinds[chosen[:-1]].argument.capitalize()
        typed = st.text_input(argument, key=page.key(f"{name}_{chosen}"), max_chars=permissions.MAX_ID_LENGTH).strip()
        return check(f"{chosen}{typed}") if typed else ""
    return check(chosen) if chosen else ""  # what a client sends need not be one of the options


def ask_generator(page: AuditPage) -> str:
    """A packaged language model, or one by id; empty while nothing is typed."""
    who = permissions.origin()
    ready = {card.id: card.title for card in generators.cards()}
    kinds = {item: plugin for item, plugin in generators.plugins().items() if trust.offered_to(plugin.takes, who)}
    return ask(page, "Language model", "lm", ready, kinds, check=lambda generator: generators.check(generator, who))


def ask_scorers(page: AuditPage, help: str) -> list[str]:
    """What scores the texts that are written, any number of models."""
    cards = {card.id: card for card in cached.model_cards() if card.targets}
    chosen = st.multiselect(
        "Scores",
        list(cards),
        default=[item for item in default_scorers() if item in cards],
        key=page.key("scorers"),
        format_func=lambda item: cards[item].title if item in cards else item,
        persist_state="session",
        wrap=True,
        help=help,
    )
    return [permissions.check(item) for item in chosen]
