"""Whom each document is about: a reader chooses where nobody can say, or where another one was found."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.ui.frame import markup
from pages.ui.frame.typography import in_words
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core import anchors
from psa_core.plurals import counted, verb
from psa_core.study.selection import SelectionOptions, Unclear
from psa_core.study.subjects import Subject

PAGE_ROWS = 8
#: Characters of a document that are shown where its person is chosen, and of a name.
BEGINNING, LONGEST_NAME = 1_200, 200
STORE, REFUSED = "study_subjects", "study_subject_refused"
READING = f"{markup.SERIF}; margin: 0; line-height: 1.5; white-space: pre-line; overflow-wrap: anywhere"


def chosen(source: Source, spec: str) -> dict[str, str]:
    """Whom the reader chose, by sentence_id, for these texts and this kind of anchor."""
    found: dict[str, str] = st.session_state.get(STORE, {}).get((source.key, spec), {})
    return found if anchors.kind(spec).together else {}


def ask_unclear(source: Source, spec: str, options: SelectionOptions) -> None:
    """The documents that are left out until the reader says whom they are about, a row each."""
    texts = left_out(source, spec, options)
    if not texts:
        return
    # Nothing that a choice changes: a section with another title is another section, and closed.
    these = f"are these {counted(len(texts), 'sentence')}" if texts[1:] else "is this sentence"
    title, is_open = in_words(f"Whom {these} about?"), any(one.people[1:] for one in texts)
    with st.expander(title, expanded=is_open, on_change="rerun", key="study_unclear") as section:
        if not section.open:
            return
        done = sum(one.sentence_id in chosen(source, spec) for one in texts)
        it_is = "They are" if texts[1:] else "It is"
        st.caption(f"{it_is} left out until you choose a person. {done:,} of {len(texts):,} chosen.")
        pages = -(-len(texts) // PAGE_ROWS)
        page = st.pagination(pages, key="study_unclear_page") if pages > 1 else 1
        for one in texts[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]:
            ask_row(source, spec, one, "unclear")


def left_out(source: Source, spec: str, options: SelectionOptions) -> list[Unclear]:
    """The documents of `ask_unclear`."""
    if not anchors.kind(spec).together:
        return []
    return plans.left_out(source, spec, replace(options, subjects=(), switched=frozenset()))


def ask_row(source: Source, spec: str, one: Unclear, where: str) -> None:
    """A document that is left out as found: its name, whom it is about, and its beginning behind a click."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        label = markup.literal(one.sentence_id)
        hint = "Choose a person, or type a name" if one.people else "Type a name"
        _select(source, spec, one.sentence_id, one.text, one.people, label=label, hint=hint, where=where)
        with st.popover("Read it", icon=":material/article:", width="content"):
            more = "…" if len(one.text) > BEGINNING else ""
            st.html(f'<p style="{READING}">{html.escape(one.text[:BEGINNING])}{more}</p>')
    _tell_refused(one.sentence_id)
    if one.reason != anchors.UNCLEAR and one.sentence_id not in chosen(source, spec):
        st.html(markup.plain(anchors.REASONS[one.reason][0], size="0.9rem", faint=True))


def ask_again(source: Source, spec: str, sentence_id: str, text: str, subject: Subject) -> None:
    """Whom a document of the study is about: as found, or another one."""
    people = [name for name in (subject.as_found, *subject.people) if name]
    _select(source, spec, sentence_id, text, people, label="Who is it about?", found=subject.as_found, where="review")
    _tell_refused(sentence_id)


def undo_all(source: Source, spec: str) -> None:
    """How many the reader chose, with a button that forgets them."""
    if not (own := chosen(source, spec)):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"You chose whom {counted(len(own), 'sentence')} {verb(len(own), 'are', 'is')} about"
        st.markdown(in_words(words), width="content")
        st.button("Undo all", key="all_as_found", type="tertiary", on_click=_forget, args=(source, spec))


def _select(
    source: Source,
    spec: str,
    sentence_id: str,
    text: str,
    people: Sequence[str],
    *,
    label: str,
    where: str,
    found: str = "",
    hint: str = "",
) -> None:
    """A box with the people of a text, and room for another name; the empty choice is as `found`."""
    key, name = f"about {where} {sentence_id}", chosen(source, spec).get(sentence_id)
    others = [one for one in dict.fromkeys(filter(None, (*people, name))) if one != found]
    as_found = f"{found} (as found)" if found else "Nobody: leave it out"
    empty = None if hint else ""
    st.session_state[key] = name or empty
    st.selectbox(
        label,
        others if hint else ["", *others],
        format_func=lambda one: one or as_found,
        key=key,
        index=None if hint else 0,
        placeholder=hint or None,
        accept_new_options=True,
        on_change=_choose,
        args=(source, spec, sentence_id, text, found, key),
        width=420,
    )


def _tell_refused(sentence_id: str) -> None:
    """Say why the name that was entered last was not taken."""
    refused, words = st.session_state.get(REFUSED, ("", ""))
    if refused == sentence_id:
        st.html(markup.plain(words, size="0.9rem"))


def _choose(source: Source, spec: str, sentence_id: str, text: str, found: str, key: str) -> None:
    """Keep a choice, unless the text has no such person; what was switched was said of another one."""
    name = " ".join((st.session_state[key] or "").split())[:LONGEST_NAME]
    st.session_state.pop(REFUSED, None)
    name = "" if name.casefold() == found.casefold() else name
    if reason := name and plans.finder(source, spec).about(name).search([text])[0].reason:
        st.session_state[REFUSED] = sentence_id, f"“{name}”: {anchors.REASONS[reason][0]}"
        return
    own = {one: whom for one, whom in chosen(source, spec).items() if one != sentence_id}
    if name:
        own[sentence_id] = name
    _keep(source, spec, own)
    if f"document {sentence_id}" in st.session_state:  # whose title changes, and which would be closed
        st.session_state[f"document {sentence_id}"] = st.session_state[f"document {sentence_id}"]
    switched = dict(st.session_state.get("study_switched", {}))
    switched[source.key, spec] = frozenset(one for one in switched.get((source.key, spec), ()) if one[0] != sentence_id)
    st.session_state["study_switched"] = switched


def _forget(source: Source, spec: str) -> None:
    _keep(source, spec, {})


def _keep(source: Source, spec: str, own: dict[str, str]) -> None:
    st.session_state[STORE] = {**st.session_state.get(STORE, {}), (source.key, spec): own}
