"""The left side of Try it: sentence, names and models; each change is scored immediately."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.ui.frame import address, cached, markup, shown_names
from pages.ui.frame.keys import Key
from pages.ui.try_it.one_sentence import MAX_CHARACTERS, SLOT, put_slot, words_of
from psa_core.anchors.slot import DEFAULT_FILLER
from psa_core.errors import OptionError
from psa_core.inputs import names as name_lists
from psa_core.inputs.limits import TRY_CHARACTERS, TRY_NAMES
from psa_core.models import Purpose

FIRST_SENTENCE = "I hate {name}."
EXAMPLES = (
    FIRST_SENTENCE,
    "{name} is my doctor.",
    "I had dinner with {name}.",
    "People say {name} is crazy.",
    "{name}'s sister is black.",
)
SORTS = ("By score", "By name")


@dataclass(frozen=True)
class Choice:
    """What is to be tried.

    Attributes
    ----------
    sentence : str
    names : tuple of str
        The typed ones that the list does not have, which are scored first, and those of the list.
    own : frozenset of str
        The typed ones.
    models : tuple of str
    filler : str
        Neutral words for the name's place.
    """

    sentence: str
    names: tuple[str, ...]
    own: frozenset[str]
    models: tuple[str, ...]
    filler: str


def ask_sentence() -> str:
    """The sentence field with examples beneath it."""
    st.text_input(
        f"Your sentence, with {SLOT} where the name goes",
        live=True,
        **address.linked(Key.TRY_SENTENCE, FIRST_SENTENCE, typing=True),
    )
    st.pills(
        "Examples", EXAMPLES, key=Key.TRY_EXAMPLE, on_change=_take_example, label_visibility="collapsed", wrap=True
    )
    sentence = str(st.session_state[Key.TRY_SENTENCE]).strip()
    if len(sentence) > MAX_CHARACTERS:
        got = f"{len(sentence):,} characters"
        raise OptionError("sentence", got=got, expected=f"at most {MAX_CHARACTERS}", fix="Shorten it.")
    return sentence


def ask_names_and_models(sentence: str) -> Choice:
    """List, own names, models."""
    titles = {card.id: f"{card.title} ({card.count})" for card in name_lists.available()}
    chosen = st.selectbox(
        "Names",
        list(titles),
        format_func=titles.__getitem__,
        **address.linked(Key.TRY_LIST, next(iter(titles)), titles),
    )
    typed = st.text_input(
        "Add names of your own",
        placeholder="Ada Lovelace, Kim Lee",
        live=True,
        **address.linked(Key.TRY_OWN, "", typing=True),
    )
    models = _ask_models()
    return _choice(sentence, chosen, typed, models)


def _ask_models() -> tuple[str, ...]:
    ready = [card for card in cached.model_cards() if card.targets]
    titles = {card.id: card.title for card in ready}
    first = [card.id for card in ready if Purpose.FIRST_LOOK in card.good_for] or list(titles)[:1]
    chosen = st.pills(
        "Models",
        list(titles),
        selection_mode="multi",
        format_func=titles.__getitem__,
        wrap=True,
        **address.linked(Key.TRY_MODELS, first, titles),
    )
    return tuple(model for model in titles if model in chosen)


def ask_view() -> None:
    """Beneath the picture: its order, its neutral words, and how to read it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Order",
            SORTS,
            required=True,
            **address.linked(Key.TRY_SORT, SORTS[0], SORTS),
        )
        st.text_input(
            "Neutral words for comparison",
            max_chars=60,
            live=True,
            width=260,
            **address.linked(Key.TRY_FILLER, DEFAULT_FILLER, typing=True, longest=60),
        )
        shown_names.hide_switch()
    st.caption(
        "Each mark is one score. **Filled**: at or over the threshold (dotted line), so the text gets the label. "
        "**Hollow**: under it. The bar starts at the score with the neutral words in the name's place."
    )


def _choice(sentence: str, list_id: str, typed: str, models: tuple[str, ...]) -> Choice:
    listed = tuple(cached.names(list_id).table["name"])
    TRY_CHARACTERS.check(len(typed), field="names", error=OptionError)
    wanted = [name.strip() for name in typed.replace(";", ",").split(",")]
    if any(wanted):
        every = name_lists.from_text("\n".join([*listed, *wanted]))
        added = tuple(name for name in every.table["name"] if name not in set(listed))
    else:
        added = ()
    filler = " ".join(str(st.session_state.get(Key.TRY_FILLER, "")).split())
    TRY_NAMES.check(len(listed) + len(added), field="names", error=OptionError)
    return Choice(sentence, added + listed, frozenset(added), models, filler or DEFAULT_FILLER)


def offer_slot(sentence: str) -> None:
    """What to do about a sentence without a place for a name."""
    with st.container(border=True):
        st.markdown(f"**Where should the name go?** Write `{SLOT}` into the sentence, or choose the words it replaces.")
        choices = words_of(sentence)
        if choices:
            st.selectbox(
                "Replace",
                choices,
                index=None,
                key=Key.TRY_SLOT,
                placeholder="Choose a word of your sentence",
                on_change=_take_slot,
                label_visibility="collapsed",
            )


def say_last(sentence: str) -> None:
    """Say that the picture is of the sentence before."""
    st.html(markup.plain(f"Meanwhile, this is still “{sentence}”.", faint=True))


def say_pronoun(neutral: str) -> None:
    """Say which word was taken for the slot."""
    st.html(markup.plain(f"No {SLOT} in the sentence, so each name stands where it says “{neutral}”.", faint=True))


def _take_example() -> None:
    example = st.session_state[Key.TRY_EXAMPLE]
    if example:
        address.put(Key.TRY_SENTENCE, example)
        st.session_state[Key.TRY_EXAMPLE] = None


def _take_slot() -> None:
    word = st.session_state[Key.TRY_SLOT]
    if word:
        address.put(Key.TRY_SENTENCE, put_slot(st.session_state[Key.TRY_SENTENCE], word))
