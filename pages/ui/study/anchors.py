"""Step 2 of a new study: the words to replace, with a review in which words and sentences can be switched off."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.frame import address, controls, form, markup
from pages.ui.frame.typography import in_words
from pages.ui.study import plans, subjects
from pages.ui.study.plans import Source
from psa_core import anchors
from psa_core.anchors import Anchor, Undecided, is_verb
from psa_core.errors import AnchorError
from psa_core.inputs import people
from psa_core.plurals import counted, verb
from psa_core.study import families
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import (
    COUNTED_AS,
    KEPT,
    NOT_BALANCED,
    NOT_SAMPLED,
    READ,
    Selection,
    SelectionOptions,
    outcome_table,
)

PAGE_ROWS = 8
#: Characters of a sentence that was searched for.
LONGEST = 400
#: Of the reasons why words are left alone, those that are counted one by one.
REASONS = 3
Switches = frozenset[tuple[str, int]]
#: Whom the text is shown with before anybody has chosen names.
PEOPLE = pd.DataFrame({"name": ["Emily Walker", "Daniel Moreno"], "gender": ["female", "male"]})
#: What a word to replace is, its colour, and how the legend calls it.
KINDS = (
    ("name", "rgba(18, 144, 138, 0.22)", "forms of the name"),
    ("pronoun", "rgba(204, 121, 167, 0.28)", "he, she, they"),
    ("verb", "rgba(230, 159, 0, 0.26)", "verbs that agree"),
)
TAGS = {"off": markup.TAGS["off"], "left": ("u", "text-decoration: underline dotted; text-underline-offset: 0.2em")} | {
    kind: ("mark", f"background: {colour}; color: inherit; border-radius: 0.3em; padding: 0.02em 0.2em")
    for kind, colour, _ in KINDS
}
LEGEND = " ".join(
    markup.written([(kind, f"\u00a0{words}\u00a0")], TAGS) for kind, _, words in (*KINDS, ("left", "", "left alone"))
)
DOCUMENT = f"{markup.SERIF}; margin: 0; line-height: 1.55; white-space: pre-line; overflow-wrap: anywhere"


def ask(source: Source) -> tuple[str, SelectionOptions]:
    """Let the user choose the kind of anchor and the sentences; shows what is found and what is left out."""
    read = plans.corpus(source)
    sentences = read.sentences
    spec = _ask_spec(anchors.suited_to(sentences["text"], are_documents=read.are_documents))
    with st.popover(in_words("Which sentences are used"), icon=":material/tune:"):
        values = form.ask(_key, SelectionOptions, ("max_words", "sample", "seed", "mentions"))
        values["families"] = ask_families(sentences, f"study_families_{source.key}")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        # What balancing costs stands beside its switch, but is known only after the switch was asked.
        coverage = st.container(width="stretch")
        balance = True
        kind = anchors.kind(spec)
        if kind.has_original and not kind.together:  # a slot has no gender, a document is whole
            with st.container(width="content"):
                balance = form.ask(_key, SelectionOptions, ("balance",))["balance"]
    whom = tuple(subjects.chosen(source, spec).items())
    balance_to = None if balance else False
    options = SelectionOptions(**values, balance=balance_to, switched=_switched(source, spec), subjects=whom)
    try:
        found = plans.selection(source, spec, options)
    except AnchorError:  # where no sentence can be taken, each says why
        _review(source, spec, options, None)
        raise
    with coverage:
        _coverage(found)
    if together := families.words(found.families, options.families):
        st.html(markup.plain(in_words(together)))
    _review(source, spec, options, found)
    return spec, options


def ask_families(sentences: pd.DataFrame, key: str) -> str | None:
    """The column in which sentences that depend on each other are equal; None where near-copies are to be found."""
    columns = [str(name) for name in sentences.columns if name not in ("sentence_id", "text")]
    if not columns:
        return None
    return st.selectbox(
        in_words("Sentences that belong together have the same"),
        columns,
        index=None,
        placeholder="near-copies are found",
        key=key,
        help="A column such as author, thread or template. Sentences of one family count as one observation.",
    )


def _key(field: str) -> str:
    return f"study_{field}"


def _ask_spec(suited: str) -> str:
    """The kind of anchor and its options; the default suits sentences that are all written for one kind."""
    kinds = anchors.plugins()
    preferred = sorted(kinds, key=lambda item: not kinds[item].is_default)
    key = "study_anchors" if kinds[suited].is_default else f"study_anchors_{suited}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = "What the names replace"
        kind = kinds[controls.choose(what, preferred, key, suited, words=lambda item: kinds[item].title, wrap=True)]
        key, label, argument = f"study_anchor_argument_{kind.id}", kind.argument.capitalize(), ""
        if kind.choices:
            link = address.linked(key, [kind.choices[0]], kind.choices)
            argument = ",".join(st.pills(label, kind.choices, selection_mode="multi", **link))
        elif kind.argument:
            link = address.linked(key, kind.example, longest=300)
            argument = st.text_input(label, max_chars=300, width=360, **link).strip()
    st.caption(" ".join(filter(None, [kind.summary, kind.caution])))
    if kind.is_default:
        st.caption("Texts in another language: write {name} where the name goes, or list the words to replace.")
    return f"{kind.id}:{argument}" if argument else kind.id


def _coverage(found: Selection) -> None:
    """How many sentences are used, and why the others are not."""
    read, kept = found.looked_at, found.account[KEPT]
    summary = [f"**{found.eligible:,} of {counted(read, 'sentence')} {verb(found.eligible, 'are', 'is')} eligible.**"]
    if kept < found.eligible:
        reasons = [
            f"{found.account[outcome]:,} {COUNTED_AS[outcome]}"
            for outcome in (NOT_BALANCED, NOT_SAMPLED)
            if outcome in found.account
        ]
        summary.append(f"{kept:,} {verb(kept, 'are', 'is')} used: {'; '.join(reasons)}.")
    if found.skipped:
        reasons = [f"{count:,} {COUNTED_AS.get(why, why)}" for why, count in found.skipped.items()]
        summary.append(f"{sum(found.skipped.values()):,} skipped: {', '.join(reasons)}.")
    if found.masked:
        masked = [f"{why} {count:,}" for why, count in found.masked.items()]
        rest = sum(list(found.masked.values())[REASONS:])
        more = [f"for other reasons {rest:,}"] if rest else []
        summary.append(f"Left alone, though they look like words to replace: {'; '.join(masked[:REASONS] + more)}.")
    if any(one.anchors for undecided in found.undecided for one in undecided):
        summary.append(
            "A pronoun that is left alone does not fit names of another gender: a click in the review replaces it."
        )
    if read < found.account[READ]:
        total = f"{found.account[READ]:,} sentences"
        summary.append(f"This page looked at {read:,} of the {total}, drawn at random; the run looks at all.")
    if found.left_behind:
        summary.append(
            f"In {found.left_behind:,} of the {kept:,} a second pronoun stays behind (“Emily lost his shoes”). To "
            "replace every mention, see *Which sentences are used*."
        )
    st.markdown(in_words(" ".join(summary)))


def _review(source: Source, spec: str, options: SelectionOptions, found: Selection | None) -> None:
    """The sentences, page by page or by search, each with its anchors or the reason why it is not used."""
    subjects.ask_unclear(source, spec, options)
    words = st.text_input(
        in_words("Look up a sentence"),
        key="study_lookup",
        placeholder="Some of its words, or its number",
        icon=":material/search:",
        persist_state="session",
    ).strip()
    if switched := options.switched:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"You switched {counted(len(switched), 'word')}", width="content")
            change = {"on_click": _switch, "args": (source, spec, switched)}
            st.button("Undo all", key="none_switched", type="tertiary", **change)
    subjects.undo_all(source, spec)
    used = {} if found is None else {sentence: row for row, sentence in enumerate(found.sentences["sentence_id"])}
    if words:
        sentences = plans.corpus(source).sentences
        is_meant = sentences["text"].str.contains(words, case=False, regex=False) | (sentences["sentence_id"] == words)
        hits = sentences[is_meant]
        taken = int(hits["sentence_id"].isin(list(used)).sum())
        more = f"; the first {PAGE_ROWS} are shown" if len(hits) > PAGE_ROWS else ""
        st.caption(in_words(f"{counted(len(hits), 'sentence')} found, {taken:,} of them in the study{more}."))
        asked = {one.sentence_id: one for one in subjects.left_out(source, spec, options)}
        for row in outcome_table(hits.head(PAGE_ROWS), plans.finder(source, spec), options, found).itertuples():
            if found is not None and row.sentence_id in used:
                _row(source, spec, found, used[row.sentence_id])
            else:
                why = markup.plain(f"Not in the study. {row.reason} {row.what_to_do}", size="0.9rem", faint=True)
                st.html(markup.sentence(str(row.text)[:LONGEST]) + why)
                if row.sentence_id in asked:
                    subjects.ask_row(source, spec, asked[row.sentence_id], "found")
    elif found is not None:
        with st.expander(in_words("Review the sentences"), on_change="rerun", key="study_review") as section:
            if section.open:
                page = st.pagination(-(-len(used) // PAGE_ROWS), key="study_review_page")
                for position in range((page - 1) * PAGE_ROWS, min(page * PAGE_ROWS, len(used))):
                    _row(source, spec, found, position)


def _row(source: Source, spec: str, found: Selection, position: int) -> None:
    """A sentence of the study, with buttons to switch its anchor off or to exclude the sentence."""
    row, off = found.sentences.iloc[position], _switched(source, spec)
    spans = [(anchor.start, anchor.end) for anchor in found.spans[position]]
    every = [(anchor.start, anchor.end) for anchor in found.candidates[position]]
    if found.subjects[position].name or (len(row["text"]) > LONGEST and len(every) > 1):
        _document(source, spec, found, position)
        return
    struck = [span for span in every if (row["sentence_id"], span[0]) in off]
    words, buttons = st.columns([8, 4], vertical_alignment="center")
    words.html(markup.sentence(row["text"], spans, off=struck))
    this_word = {(row["sentence_id"], int(row["start"]))}
    others = {(row["sentence_id"], start) for start, _ in every}
    with buttons.container(horizontal=True, gap="small"):
        for label, switches, tip in (
            ("Switch off", this_word, "Keep this word; the sentence's next one is replaced, if there is one."),
            ("Leave out", others - off, "Do not use this sentence at all."),
        ):
            key, change = f"{label} {position} {row['start']}", (source, spec, frozenset(switches))
            st.button(label, key=key, on_click=_switch, args=change, help=tip, type="tertiary")


def _switched(source: Source, spec: str) -> Switches:
    """The words that were switched off or on for these sentences and this kind of anchor."""
    found: Switches = st.session_state.get("study_switched", {}).get((source.key, spec), frozenset())
    return found


def _switch(source: Source, spec: str, anchors: Switches) -> None:
    kept = dict(st.session_state.get("study_switched", {}))
    kept[source.key, spec] = _switched(source, spec) ^ anchors
    st.session_state["study_switched"] = kept


def _document(source: Source, spec: str, found: Selection, position: int) -> None:
    """A document of the study with its words to replace, those left alone by reason, and two people side by side."""
    row, sentence_id = found.sentences.iloc[position], str(found.sentences["sentence_id"].iloc[position])
    text, undecided, subject = str(row["text"]), found.undecided[position], found.subjects[position]
    switched = {start for one, start in _switched(source, spec) if one == sentence_id}
    on = {anchor.start for one in undecided if one.start in switched for anchor in one.anchors}
    anchors = [anchor for anchor in found.candidates[position] if anchor.start not in on]
    forms = [one for one in anchors if not is_verb(one)]  # a verb changes with its pronoun
    # Nothing that a click in it changes: a section with another title is another section, and closed.
    title = f"{sentence_id}: {f'{subject.name}, ' if subject.name else ''}{counted(len(forms), 'word')} to replace"
    title += f", {len(undecided):,} left alone" if undecided else ""
    with st.expander(markup.literal(title), on_change="rerun", key=f"document {sentence_id}") as section:
        if not section.open:
            return
        if subject.name:
            subjects.ask_again(source, spec, sentence_id, text, subject)
        kinds = {(one.start, one.end): "left" for one in undecided}
        kinds |= {(one.start, one.end): _kind(one) for one in found.candidates[position]}
        kinds |= {(one.start, one.end): "off" for one in anchors if one not in found.spans[position]}
        shown = text[: max(end for _, end in kinds) + markup.MAX_LENGTH]
        legend = f'<p style="font-size: 0.85rem; margin: 0.6rem 0 0">{LEGEND}</p>'
        st.html(f'<p style="{DOCUMENT}">{markup.written(markup.cut(shown, kinds.items()), TAGS)}</p>{legend}')
        words = {one.start: markup.literal(f"{at}. {text[one.start : one.end]}") for at, one in enumerate(forms, 1)}
        replaced, key = {*words} - switched, f"{sentence_id} {subject.name}"
        changed = _ask_words("Click a word to switch it off or on", f"words {key}", words, replaced)
        changed |= _ask_left_alone(text, undecided, key, switched)
        if changed:
            _switch(source, spec, frozenset((sentence_id, start) for start in changed))
            st.rerun()
        every_one = replaced | ({one.start for one in undecided if one.anchors} & switched)
        left = frozenset((sentence_id, start) for start in every_one)
        change = {"on_click": _switch, "args": (source, spec, left)}
        st.button("Leave this document out", key=f"out {sentence_id}", type="tertiary", **change)
        with st.popover("Read it with two people", icon=":material/group:", width="content"):
            two = Perturbation((text,), (found.spans[position],), tuple(PEOPLE["name"]), people.people_of(PEOPLE))
            for column, name in zip(st.columns(2), PEOPLE["name"], strict=True):
                pieces = [("on" if anchor else "same", form) for _, anchor, form in two.pieces(0, name)]
                shown = markup.written(markup.clipped(pieces))
                column.html(f'<div style="white-space: pre-line; font-size: 0.9rem">{shown}</div>')


def _ask_left_alone(text: str, undecided: Sequence[Undecided], key: str, switched: set[int]) -> set[int]:
    """Show what is left alone by reason, and return what was clicked since; names can only be read."""
    changed = set[int]()
    for reason in dict.fromkeys(one.reason for one in undecided if one.anchors):
        words = {one.start: _in_context(text, one) for one in undecided if one.reason == reason and one.anchors}
        replaced = {*words} & switched
        label = f"Left alone: {reason}. Click one to replace it too."
        changed |= _ask_words(label, f"left {reason} {key}", words, replaced)
        rest = {*words} - replaced
        label = f"Replace all {len(rest):,}" if rest else f"Leave all {len(words):,} alone"
        if len(rest or words) > 2 and st.button(label, key=f"all {reason} {key}", type="tertiary"):
            changed |= rest or replaced
    for one in undecided:
        if not one.anchors:
            shown = f"“{text[one.start : one.end]}” is left alone: {one.reason}"
            st.html(markup.plain(shown, size="0.9rem", faint=True))
    return changed


def _ask_words(label: str, key: str, words: dict[int, str], replaced: set[int]) -> set[int]:
    """Show words in Markdown by where they begin, and return those clicked since; those `replaced` are on."""
    kept = st.pills(
        label,
        list(words),
        selection_mode="multi",
        default=[start for start in words if start in replaced],
        format_func=lambda start: words[start],
        key=f"{key} {sorted(replaced)}",
    )
    return {*kept} ^ replaced


def _in_context(text: str, one: Undecided) -> str:
    """A word in bold between the words beside it, as Markdown."""
    before, after = text[max(0, one.start - 40) : one.start], text[one.end : one.end + 40]
    left, right = re.search(r"(?:\S+\s+){0,3}\S*$", before), re.match(r"\S*(?:\s+\S+){0,3}", after)
    pieces = (left[0] if left else "", text[one.start : one.end], right[0] if right else "")
    around = "{}**{}**{}".format(*map(markup.literal, pieces))
    return f"… {' '.join(around.split())} …"


def _kind(anchor: Anchor) -> str:
    form = anchor.form.strip("{}").lower()
    return "verb" if is_verb(anchor) else "pronoun" if form in people.PRONOUNS else "name"
