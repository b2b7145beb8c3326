"""Step 2 of a study: what the names replace, with a review where single anchors can be switched off."""

from __future__ import annotations

import streamlit as st

from pages.ui.frame import markup
from pages.ui.frame.keys import Key
from pages.ui.study import plans
from pages.ui.study.plans import Source
from psa_core import anchors
from psa_core.anchors import AnchorPlugin
from psa_core.errors import AnchorError
from psa_core.plurals import counted, verb
from psa_core.study import families
from psa_core.study.selection import KEPT, NO_ANCHOR, READ, SWITCHED_OFF, Selection, SelectionOptions

SKIPPED_WORDS = {NO_ANCHOR: "without an anchor", SWITCHED_OFF: "switched off"}
PAGE_ROWS = 8
#: Letters of a sentence that is looked up.
LONGEST = 400
MENTIONS = {"first": "The first in each sentence", "all": "Every mention of the same person"}
Switch = tuple[str, int]


def ask(source: Source) -> tuple[str, SelectionOptions, Selection]:
    """Let the user choose; shows coverage and the anchors found."""
    suited = anchors.suited_to(plans.corpus(source).sentences["text"])
    spec = _ask_spec(suited)
    options = _ask_options(source, _off(source, spec))
    try:
        found = plans.selection(source, spec, options)
    except AnchorError:  # where no sentence can be taken, each says why
        look_up(source, spec, options, None)
        raise
    _coverage(found)
    if together := families.words(found.families, options.families):
        st.html(markup.plain(together))
    look_up(source, spec, options, found)
    review(source, spec, found)
    return spec, options, found


def _ask_spec(suited: str) -> str:
    """The kind of anchor and what follows it; sentences that are all written for one kind begin with that one."""
    kinds = anchors.plugins()
    preferred = sorted(kinds, key=lambda item: not kinds[item].is_default)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = str(
            st.segmented_control(
                "What the names replace",
                preferred,
                default=suited,
                required=True,
                key=Key.STUDY_ANCHORS if kinds[suited].is_default else f"{Key.STUDY_ANCHORS}_{suited}",
                format_func=lambda item: kinds[item].title,
                persist_state="session",
                wrap=True,
            )
        )
        argument = _ask_argument(kinds[kind])
    st.caption(kinds[kind].summary)
    if kinds[kind].caution:
        st.caption(kinds[kind].caution)
    return f"{kind}:{argument}" if argument else kind


def _ask_argument(kind: AnchorPlugin) -> str:
    """What follows the colon of the specification: pills where there are choices, else a text field."""
    key, label = f"{Key.STUDY_ARGUMENT}_{kind.id}", kind.argument.capitalize()
    if kind.choices:
        chosen = st.pills(
            label, kind.choices, selection_mode="multi", default=kind.choices[0], key=key, persist_state="session"
        )
        return ",".join(chosen)
    if not kind.argument:
        return ""
    return st.text_input(label, kind.example, key=key, max_chars=300, persist_state="session", width=360).strip()


def _ask_options(source: Source, off: frozenset[Switch]) -> SelectionOptions:
    columns = [str(name) for name in plans.corpus(source).sentences.columns if name not in ("sentence_id", "text")]
    with st.popover("Which sentences are taken", icon=":material/tune:"):
        words = st.number_input("At most this many words", 1, 10_000, 50, key=Key.STUDY_WORDS, persist_state="session")
        sample = st.number_input(
            "A random sample of at most", 2, 1_000_000, 1000, step=100, key=Key.STUDY_SAMPLE, persist_state="session"
        )
        seed = st.number_input("Seed of the draw", 0, 2**31 - 1, 0, key=Key.STUDY_SEED, persist_state="session")
        mentions = st.radio(
            "Replace", list(MENTIONS), format_func=MENTIONS.__getitem__, key=Key.STUDY_MENTIONS, persist_state="session"
        )
        balance = st.toggle(
            "As many female as male anchors",
            value=True,
            key=Key.STUDY_BALANCE,
            persist_state="session",
            help="As in the paper. Where every anchor has a gender and both occur.",
        )
        together = None
        if columns:
            together = st.selectbox(
                "Sentences that belong together have the same",
                columns,
                index=None,
                placeholder="near-copies are found",
                key=f"{Key.STUDY_FAMILIES}_{source.key}",
                help="A column such as author, thread or template. Sentences of one family count as one observation.",
            )
    balanced = None if balance else False
    return SelectionOptions(int(words), int(sample), balanced, int(seed), str(mentions), off, together)


def _coverage(found: Selection) -> None:
    read, kept = found.looked_at, found.account[KEPT]
    total = sum(found.skipped.values())
    reasons = ", ".join(f"{count:,} {SKIPPED_WORDS.get(why, why)}" for why, count in found.skipped.items())
    drawn = "" if kept == found.eligible else f" {kept:,} {verb(kept, 'are', 'is')} used."
    why_not = f" {total:,} skipped: {reasons}." if total else ""
    masked = "; ".join(f"{why} {count:,}" for why, count in found.masked.items())
    left_alone = f" Left alone, though they look like anchors: {masked}." if masked else ""
    eligible = f"{found.eligible:,} of {counted(read, 'sentence')} {verb(found.eligible, 'are', 'is')} eligible."
    st.markdown(f"**{eligible}**{drawn}{why_not}{left_alone}")
    if read < found.account[READ]:
        total = f"{found.account[READ]:,} sentences"
        st.markdown(f"This page looked at {read:,} of the {total}, drawn at random; the run looks at all.")
    if found.left_behind:
        st.markdown(
            f"In {found.left_behind:,} of the {kept:,} a second pronoun stays behind (“Emily lost his shoes”). To "
            "replace every mention, see *Which sentences are taken*."
        )


def look_up(source: Source, spec: str, options: SelectionOptions, found: Selection | None) -> None:
    """Any sentence of the upload: whether it is taken, why not, and what to do."""
    words = st.text_input(
        "Look up a sentence",
        key=Key.STUDY_LOOKUP,
        placeholder="Some of its words, or its number",
        icon=":material/search:",
        persist_state="session",
    ).strip()
    if not words:
        return
    sentences = plans.corpus(source).sentences
    is_meant = sentences["text"].str.contains(words, case=False, regex=False) | (sentences["sentence_id"] == words)
    hits = sentences[is_meant]
    taken = 0 if found is None else int(hits["sentence_id"].isin(found.sentences["sentence_id"]).sum())
    more = f"; the first {PAGE_ROWS} are shown" if len(hits) > PAGE_ROWS else ""
    st.caption(f"{counted(len(hits), 'sentence')} found, {taken:,} of them in the study{more}.")
    for row in plans.fates(hits.head(PAGE_ROWS), source, spec, options, found).itertuples():
        said = "In the study." if row.taken else f"Not in the study. {row.reason} {row.what_to_do}"
        st.html(markup.sentence(str(row.text)[:LONGEST]) + markup.plain(said, size="0.9rem", faint=True))


def review(source: Source, spec: str, found: Selection) -> None:
    """Show the sentences page by page with their anchors; each can be switched off and on again."""
    with st.expander("Review the anchors", on_change="rerun", key="study_review") as section:
        if not section.open:
            return
        off = _off(source, spec)
        _switched_off(source, spec, off)
        pages = -(-len(found.sentences) // PAGE_ROWS)
        page = st.pagination(pages, key=Key.STUDY_REVIEW_PAGE)
        for position in range((page - 1) * PAGE_ROWS, min(page * PAGE_ROWS, len(found.sentences))):
            _review_row(source, spec, found, position)


def _review_row(source: Source, spec: str, found: Selection, position: int) -> None:
    row = found.sentences.iloc[position]
    spans = [(anchor.start, anchor.end) for anchor in found.spans[position]]
    off = [
        (anchor.start, anchor.end)
        for anchor in found.candidates[position]
        if (row["sentence_id"], anchor.start) in _off(source, spec)
    ]
    words, button = st.columns([9, 2], vertical_alignment="center")
    words.html(markup.sentence(row["text"], spans, off=off))
    button.button(
        "Switch off",
        key=f"off_{position}_{row['start']}",
        on_click=_switch,
        args=(source, spec, (row["sentence_id"], int(row["start"]))),
        help="Leave this anchor out; the sentence's next one takes over, if there is one.",
    )


def _switched_off(source: Source, spec: str, off: frozenset[Switch]) -> None:
    if off:
        count = f"{counted(len(off), 'anchor')} switched off"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(count, width="content")
            st.button("Switch all on again", key="all_on", type="tertiary", on_click=_all_on, args=(source, spec))


def _off(source: Source, spec: str) -> frozenset[Switch]:
    """The anchors that were switched off for these sentences and this kind of anchor."""
    return st.session_state.get(Key.STUDY_EXCLUDE, {}).get((source.key, spec), frozenset())


def _switch(source: Source, spec: str, anchor: Switch) -> None:
    every = dict(st.session_state.get(Key.STUDY_EXCLUDE, {}))
    every[source.key, spec] = _off(source, spec) ^ {anchor}
    st.session_state[Key.STUDY_EXCLUDE] = every


def _all_on(source: Source, spec: str) -> None:
    every = dict(st.session_state.get(Key.STUDY_EXCLUDE, {}))
    every.pop((source.key, spec), None)
    st.session_state[Key.STUDY_EXCLUDE] = every
