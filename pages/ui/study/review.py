"""A whole document under review: each word that changes, coloured by what it is, and switched off by a click."""

from __future__ import annotations

import html
from collections.abc import Callable
from itertools import accumulate

import pandas as pd
import streamlit as st

from pages.ui.frame import markup
from psa_core.anchors import Anchor
from psa_core.inputs import people
from psa_core.plurals import counted
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import Selection

#: Whom the text is shown with before anybody has chosen names.
PEOPLE = pd.DataFrame({"name": ["Emily Walker", "Daniel Moreno"], "gender": ["female", "male"]})
KINDS = {"name": "rgba(18, 144, 138, 0.22)", "pronoun": "rgba(204, 121, 167, 0.28)", "verb": "rgba(230, 159, 0, 0.26)"}


def document(
    found: Selection, position: int, struck: list[tuple[int, int]], switch: Callable[[frozenset[tuple[str, int]]], None]
) -> None:
    """A document of the study with its words to replace, those left alone with the reason, and two people side by side.

    `struck` are the spans that were switched off; `switch` switches anchors, by sentence id and start.
    """
    row, anchors = found.sentences.iloc[position], found.candidates[position]
    sentence_id, text = str(row["sentence_id"]), str(row["text"])
    undecided = found.undecided[position] if found.undecided else ()
    mentions = [text[anchor.start : anchor.end] for anchor in anchors if _kind(anchor) == "name"]
    who = "" if found.filler else next(filter(str.istitle, mentions), "")
    # Nothing that a click in it changes: a section with another title is another section, and closed.
    title = f"{sentence_id}: {f'{who}, ' if who else ''}{counted(len(anchors), 'word')} to replace"
    title += f", {len(undecided):,} left alone" if undecided else ""
    with st.expander(markup.literal(title), on_change="rerun", key=f"document {sentence_id}") as section:
        if not section.open:
            return
        st.html(_marked(text, anchors, struck) + _legend())
        for one in undecided:
            shown = f"“{text[one.start : one.end]}” is left alone: {one.reason}"
            st.html(markup.plain(shown, size="0.9rem", faint=True))
        labels = {anchor.start: f"{at}. {text[anchor.start : anchor.end]}" for at, anchor in enumerate(anchors, 1)}
        off = {start for start, _ in struck}
        key = f"words {sentence_id} {sorted(off)}"
        kept = st.pills(
            "Click a word to switch it off or on",
            list(labels),
            selection_mode="multi",
            default=[start for start in labels if start not in off],
            format_func=lambda start: markup.literal(labels[start]),
            key=key,
        )
        if changed := set(labels) - set(kept) ^ off:
            switch(frozenset((sentence_id, start) for start in changed))
            st.rerun()
        left = frozenset((sentence_id, start) for start in labels if start not in off)
        st.button("Leave this document out", key=f"out {sentence_id}", on_click=switch, args=(left,), type="tertiary")
        with st.popover("Read it with two people", icon=":material/group:", width="content"):
            two = Perturbation((text,), (found.spans[position],), tuple(PEOPLE["name"]), people.people_of(PEOPLE))
            for column, name in zip(st.columns(2), PEOPLE["name"], strict=True):
                parts = two.pieces(0, name)
                ends = accumulate(len(form) for *_, form in parts)
                forms = [(end - len(form), end) for (_, anchor, form), end in zip(parts, ends, strict=True) if anchor]
                words = "".join(form for *_, form in parts)[: markup.MAX_LENGTH]
                shown = markup.marked(words, [span for span in forms if span[1] <= len(words)])
                column.html(f'<div style="white-space: pre-line; font-size: 0.9rem">{shown}</div>')


def _marked(text: str, anchors: tuple[Anchor, ...], struck: list[tuple[int, int]]) -> str:
    pieces, end = [], 0
    for anchor in anchors:
        word = html.escape(text[anchor.start : anchor.end])
        is_off = (anchor.start, anchor.end) in struck
        style = f"background: {KINDS[_kind(anchor)]}; color: inherit; border-radius: 0.3em; padding: 0.02em 0.2em"
        marked = f'<del style="{markup.OFF}">{word}</del>' if is_off else f'<mark style="{style}">{word}</mark>'
        pieces += [html.escape(text[end : anchor.start]), marked]
        end = anchor.end
    pieces.append(html.escape(text[end : end + markup.MAX_LENGTH]))
    style = f"{markup.SERIF}; margin: 0; line-height: 1.55; white-space: pre-line; overflow-wrap: anywhere"
    return f'<p style="{style}">{"".join(pieces)}</p>'


def _kind(anchor: Anchor) -> str:
    form = anchor.form.strip("{}").lower()
    return "verb" if "/" in form else "pronoun" if form in people.PRONOUNS else "name"


def _legend() -> str:
    words = {"name": "forms of the name", "pronoun": "he, she, they", "verb": "verbs that agree"}
    parts = [
        f'<mark style="background: {KINDS[kind]}; color: inherit; border-radius: 0.3em">&nbsp;{label}&nbsp;</mark>'
        for kind, label in words.items()
    ]
    return f'<p style="font-size: 0.85rem; margin: 0.6rem 0 0">{" ".join(parts)}</p>'
