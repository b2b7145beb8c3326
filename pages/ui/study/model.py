"""Step 4 of a study: the model and its targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from pages.ui.frame import cached, markup, permissions
from pages.ui.frame.keys import Key
from pages.ui.study import scored_elsewhere
from psa_core.cube import Target
from psa_core.models import ModelCard, ModelPlugin
from psa_core.study import Plan


@dataclass(frozen=True, eq=False)
class Chosen:
    """A model id, and the uploaded files that it names."""

    model: str
    files: Mapping[str, bytes] = field(default_factory=dict)


def ask(planned: Plan) -> Chosen | None:
    """Let the user choose a model for the texts of a plan; None while it is not complete."""
    cards = {card.id: card for card in cached.model_cards()}
    kinds = permissions.kinds()
    chosen = st.selectbox(
        "Model",
        [*cards, *kinds],
        key=Key.STUDY_MODEL,
        format_func=lambda item: cards[item].title if item in cards else f"{kinds[item].title} …",
        label_visibility="collapsed",
        persist_state="session",
    )
    if chosen in cards:
        _describe(cards[chosen])
        return Chosen(str(chosen))
    if chosen not in kinds:  # what a client sends need not be one of the options
        return Chosen(permissions.check(str(chosen)))
    st.caption(kinds[chosen].summary)
    if kinds[chosen].uploads:
        return _chosen(scored_elsewhere.ask(kinds[chosen], planned))
    argument = st.text_input(
        _label(kinds[chosen]), key=f"{Key.STUDY_MODEL_ID}_{chosen}", max_chars=300, persist_state="session"
    ).strip()
    return Chosen(permissions.check(_id(kinds[chosen], argument))) if argument else None


def _label(kind: ModelPlugin) -> str:
    """What to write; an example where that is no word."""
    words = kind.argument
    return words.capitalize() if words[0].isalpha() else f"{kind.title}, such as {kind.id}:{words}"


def _id(kind: ModelPlugin, argument: str) -> str:
    """The id of a model; somebody may write the whole of it."""
    is_full_id = argument.startswith(tuple(f"{name}:" for name in (kind.id, *kind.aliases)))
    return argument if is_full_id else f"{kind.id}:{argument}"


def _chosen(brought: tuple[str, dict[str, bytes]] | None) -> Chosen | None:
    return None if brought is None else Chosen(*brought)


def _describe(card: ModelCard) -> None:
    st.caption(" · ".join(filter(None, [card.summary, card.source, card.licence])))
    for target in card.targets:
        st.html(markup.plain(_returns(target), size="0.9rem"))


def _returns(target: Target) -> str:
    scale = f"{target.low:g} to {target.high:g}, flagged at {target.default_threshold:g} and above".replace(
        "-", "\u2212"
    )
    return f"Returns {target.name}, {scale}: {target.meaning}."
