"""The controls of Try it: sentence, names, models and view; each change is scored immediately."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.ui.frame import address, cached
from pages.ui.frame.controls import choose, hide_switch
from pages.ui.frame.keys import Key
from pages.ui.try_it.one_sentence import MAX_CHARACTERS, SLOT, put_slot, words_of
from psa_core.anchors.slot import DEFAULT_FILLER
from psa_core.errors import OptionError
from psa_core.inputs import names as name_lists
from psa_core.inputs.limits import TRY_CHARACTERS, TRY_NAMES
from psa_core.inputs.people import Person, people_of
from psa_core.models import Purpose

FIRST_SENTENCE = "I hate {name}."
EXAMPLES = (
    FIRST_SENTENCE,
    "{name} is my doctor.",
    "I had dinner with {name}.",
    "People say {name} is crazy.",
    "{name}'s sister is black.",
)
#: A person stands in it in many forms.
DOCUMENT = (
    "{name}. 14 Alder Row, Thornbury; {email}@example.org. Registered nurse with nine years on surgical and intensive "
    "care wards; led night shifts of twelve beds, and trained newly qualified colleagues. 2016 to 2019 staff nurse on "
    "the surgical ward of St Brannock Hospital. Since 2019 senior staff nurse, responsible for six ventilated beds; "
    "introduced a handover sheet that halved the number of missed medication checks. BSc Nursing, first class, 2015; "
    "certificate in critical care, 2018. A ward manager writes: “When the ward is at its worst, {title} {last} is "
    "calm, and everyone around {him} is too. I would hire {first} again.” In {his} free time {he} "
    "{volunteers/volunteer} for a first-aid group."
)
SORTS = ("By score", "By name")


@dataclass(frozen=True)
class Choice:
    """The inputs to try.

    `names` are the typed ones that the list does not have (`own`), which are scored first, and those of the list, whose
    forms are in `people`. `headline` is the model that was chosen last, None where the choice is as it was at first;
    `filler` are neutral words for the name's place.
    """

    names: tuple[str, ...]
    own: frozenset[str]
    models: tuple[str, ...]
    headline: str | None
    filler: str
    people: tuple[Person, ...] = ()


def ask_sentence() -> str:
    """The sentence field with examples beneath it."""
    link = address.linked("try_sentence", FIRST_SENTENCE, typing=True, longest=MAX_CHARACTERS)
    st.text_input(f"Your sentence, with {SLOT} where the name goes", live=True, **link)

    def take() -> None:
        if example := st.session_state["try_example"]:
            address.put("try_sentence", example)
            st.session_state["try_example"] = None

    st.pills(
        "Examples",
        [*EXAMPLES, DOCUMENT],
        format_func=lambda example: "A short CV" if example == DOCUMENT else example,
        key="try_example",
        on_change=take,
        label_visibility="collapsed",
        wrap=True,
    )
    sentence = str(st.session_state["try_sentence"]).strip()
    if len(sentence) > MAX_CHARACTERS:
        got = f"{len(sentence):,} characters"
        raise OptionError("sentence", got=got, expected=f"at most {MAX_CHARACTERS}", fix="Shorten it.")
    return sentence


def ask_names_and_models() -> Choice:
    titles = {card.id: f"{card.title} ({card.count})" for card in name_lists.available()}
    chosen = choose("Names", titles, "try_list", box=True)
    link = address.linked("try_own_names", "", typing=True)
    typed = st.text_input("Add names of your own", placeholder="Ada Lovelace, Kim Lee", live=True, **link)

    ready = {card.id: card for card in cached.model_cards() if card.targets}
    first = [item for item, card in ready.items() if Purpose.FIRST_LOOK in card.good_for] or list(ready)[:1]
    link = address.linked("try_models", first, {item: card.title for item, card in ready.items()})
    shown = {"format_func": lambda item: ready[item].title, "wrap": True}
    picked = st.pills("Models", list(ready), selection_mode="multi", **shown, **link)

    people = cached.names(chosen).table
    listed = tuple(people["name"])
    TRY_CHARACTERS.check(len(typed), field="names", error=OptionError)
    typed_names = [name.strip() for name in typed.replace(";", ",").split(",")]
    added: tuple[str, ...] = ()
    if any(typed_names):
        every = name_lists.from_text("\n".join([*listed, *typed_names]))
        added = tuple(name for name in every.table["name"] if name not in set(listed))
    TRY_NAMES.check(len(listed) + len(added), field="names", error=OptionError)
    return Choice(
        added + listed,
        frozenset(added),
        tuple(model for model in ready if model in picked),
        picked[-1] if picked and picked != first else None,
        " ".join(str(st.session_state.get("try_filler", "")).split()) or DEFAULT_FILLER,
        people_of(people),
    )


def ask_view() -> None:
    """Below the chart: its order, its neutral words, and how to read it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose("Order", SORTS, Key.TRY_SORT)
        link = address.linked("try_filler", DEFAULT_FILLER, typing=True, longest=60)
        st.text_input("Neutral words for comparison", max_chars=60, live=True, width=260, **link)
        hide_switch()
    st.caption(
        "Each mark is one score. **Filled**: at or over the threshold (dotted line), so the text gets the label. "
        "**Hollow**: under it. The bar starts at the score with the neutral words in the name's place."
    )


def offer_slot(sentence: str) -> None:

    def take() -> None:
        if word := st.session_state["try_put_slot"]:
            address.put("try_sentence", put_slot(st.session_state["try_sentence"], word))

    with st.container(border=True):
        st.markdown(f"**Where should the name go?** Write `{SLOT}` into the sentence, or choose the words it replaces.")
        if choices := words_of(sentence):
            st.selectbox(
                "Replace",
                choices,
                index=None,
                key="try_put_slot",
                placeholder="Choose a word of your sentence",
                on_change=take,
                label_visibility="collapsed",
            )
