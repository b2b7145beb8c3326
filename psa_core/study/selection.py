"""Which sentences a study uses (length, anchors, random sample, balance), and why not the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core import anchors as finders
from psa_core.anchors import Anchor, AnchorFinder, Undecided, fill_slots, is_verb
from psa_core.cube import FAMILY
from psa_core.errors import AnchorError, CorpusError, OptionError
from psa_core.inputs import corpus
from psa_core.stats.families import Families
from psa_core.study import subjects as whom
from psa_core.study.families import column_families, named_column, near_copies
from psa_core.study.spec import SelectionOptions
from psa_core.study.subjects import Subject

GENDERS = ("female", "male")
# What becomes of a sentence; these stand in the manifest.
READ, EMPTY, NO_ANCHOR, SWITCHED_OFF = "read", "empty", "no anchor", "anchors switched off"
NOT_LOOKED_AT = "not looked at"
NOT_BALANCED, NOT_SAMPLED, KEPT = "not drawn: balancing", "not drawn: sample", "kept"
ELIGIBLE = (NOT_BALANCED, NOT_SAMPLED, KEPT)
#: How a count of an outcome is read, where the manifest's word does not say it: "12 without a word to replace".
COUNTED_AS: Mapping[str, str] = {
    NO_ANCHOR: "without a word to replace",
    SWITCHED_OFF: "switched off",
    NOT_BALANCED: "left out so that “he” and “she” are equally common",
    NOT_SAMPLED: "not in the random sample",
    KEPT: "used",
}
#: For each outcome: the reason, and what to do.
WORDS: Mapping[str, tuple[str, str]] = {
    KEPT: ("", ""),
    EMPTY: ("The text is empty.", "Fill it in, or leave it."),
    NO_ANCHOR: (
        "It has no word that a name could replace.",
        "Choose other words to replace, or write {name} where the name should stand, in every sentence.",
    ),
    **finders.REASONS,
    SWITCHED_OFF: ("Each word that a name could replace is switched off.", "Switch one on again."),
    NOT_BALANCED: (
        "It could be used, but is left out so that female and male words are equally common.",
        "Do not balance them.",
    ),
    NOT_SAMPLED: ("It could be used, but is not in the random sample.", "Take a larger sample."),
    NOT_LOOKED_AT: ("It could be used, but only the first of the sample are checked here.", "Run the study."),
}
#: Why a sentence that could be taken is not.
DRAWN_OTHERS = (NOT_BALANCED, NOT_SAMPLED, NOT_LOOKED_AT)
TOO_LONG = "Allow longer sentences."
Spans = tuple[Anchor, ...]


@dataclass(frozen=True, eq=False)
class Selection:
    """The sentences of a study, in the corpus' order.

    ``sentences`` has ``sentence_id, text, anchor, start, end, role, anchor_gender`` of the (first) anchor, and the
    corpus' other columns; ``text[start:end] == anchor``. In a slot sentence the text has the `filler` in the slot, and
    where sentences come in `families` (near-copies, or those that a column says), ``family`` numbers them. For each
    text ``spans`` are what a name replaces, ``candidates`` every anchor found, those switched off too, ``undecided``
    what may belong to the one who is replaced but stays unless it is switched on, and ``subjects`` whom it is about,
    for anchors that replace one person.

    ``account`` counts what was ``read``, then why sentences were left out, then ``kept``; what follows ``read`` adds up
    to it. ``left_behind`` counts sentences in which another mention of the same referent stays as it is and may clash
    with the new name, ``masked`` expressions (not sentences) that look like an anchor and are none, by reason.
    """

    sentences: pd.DataFrame
    spans: tuple[Spans, ...]
    candidates: tuple[Spans, ...]
    account: dict[str, int] = field(default_factory=dict)
    filler: str = ""
    left_behind: int = 0
    masked: dict[str, int] = field(default_factory=dict)
    families: Families = field(default_factory=lambda: Families.none(0))
    undecided: tuple[tuple[Undecided, ...], ...] = ()
    subjects: tuple[Subject, ...] = ()

    @property
    def eligible(self) -> int:
        """Number of sentences that could have been drawn."""
        return sum(self.account.get(outcome, 0) for outcome in ELIGIBLE)

    @property
    def skipped(self) -> dict[str, int]:
        """Why the other sentences were left out, with counts."""
        return {
            outcome: count for outcome, count in self.account.items() if outcome not in (READ, NOT_LOOKED_AT, *ELIGIBLE)
        }

    @property
    def looked_at(self) -> int:
        """Number of sentences in which anchors were looked for, or which were found to be too long or empty."""
        return self.account[READ] - self.account.get(NOT_LOOKED_AT, 0)


def select(
    sentences: pd.DataFrame,
    finder: AnchorFinder,
    options: SelectionOptions = SelectionOptions(),  # noqa: B008 - it is frozen
    *,
    characters: int | None = None,
) -> Selection:
    """Choose the sentences of a study and the spans that a name replaces in them.

    `sentences` have a distinct ``sentence_id``, a ``text`` and any other columns; equal texts under different ids are
    all kept. With `characters`, only the first sentences of the draw that have so many together are looked at, and at
    least one; what is drawn without balance is then part of what is drawn from all. Raises `AnchorError` when no
    sentence is eligible, or none can be drawn with balanced anchors (the message counts the reasons), `OptionError`
    when there is no column to take families from, or nobody to choose or no such text for one of `options.subjects`.

    Examples
    --------
    >>> from psa_core.anchors import finder
    >>> corpus = pd.DataFrame({"sentence_id": ["a", "b"], "text": ["I like him.", "Nobody came."]})
    >>> select(corpus, finder("pronouns")).account
    {'read': 2, 'no anchor': 1, 'kept': 1}
    """
    options = _with_limit(options, finder)
    family_column = None if options.families is None else named_column(options.families, sentences)
    draw = _draw(sentences, options.seed)
    whom.check(options.subjects, finder, sentences["sentence_id"])
    looked_at = _looked_at(sentences, draw, characters)
    part = sentences.iloc[looked_at]
    rows = _drawn(_anchored(part, finder, options), finder, options, draw[looked_at])
    counts = Counter(row.outcome for row in rows)
    counts[NOT_LOOKED_AT] = len(sentences) - len(rows)
    checks = [EMPTY, *([_too_long(options.max_words)] if options.max_words else []), NO_ANCHOR]
    own = sorted(outcome for outcome in counts if outcome not in {*checks, SWITCHED_OFF, NOT_LOOKED_AT, *ELIGIBLE})
    in_order = [*checks, *own, SWITCHED_OFF, NOT_LOOKED_AT, *ELIGIBLE]
    account = {READ: len(sentences)} | {outcome: counts[outcome] for outcome in in_order if counts[outcome]}
    kept = [row for row in rows if row.outcome == KEPT]
    if not kept:
        reasons = ", ".join(f"{count:,} {COUNTED_AS.get(outcome, outcome)}" for outcome, count in account.items())
        expected = "a sentence with a word to replace"
        fix = " ".join(finders.REASONS[outcome][1] for outcome in account if outcome in finders.REASONS)
        if NOT_BALANCED in account:
            expected = "sentences with female and with male words to replace"
            fix = "Do not balance them, or add sentences."
        fix = fix or "Choose other words to replace, allow longer sentences, or take others."
        raise AnchorError(f"anchors {finder.spec}", got=f"no sentence to study ({reasons})", expected=expected, fix=fix)
    if family_column is None:
        families = near_copies([row.text for row in kept], [row.found for row in kept])
    else:
        families = column_families(part[family_column].iloc[[row.position for row in kept]])
    return Selection(
        _table(part, kept, families),
        tuple(row.spans for row in kept),
        tuple(row.found for row in kept),
        account,
        finder.filler,
        sum(row.left > 0 for row in kept),
        dict(sum((Counter(row.masked) for row in rows if row.masked), Counter[str]()).most_common()),
        families,
        tuple(row.undecided for row in kept),
        tuple(row.subject for row in kept),
    )


def outcomes(
    sentences: pd.DataFrame, finder: AnchorFinder, options: SelectionOptions
) -> list[tuple[str, tuple[str, ...], Subject]]:
    """Of each sentence its outcome in `select`, why what looks like an anchor is none, and whom it is about."""
    options = _with_limit(options, finder)
    rows = _drawn(_anchored(sentences, finder, options), finder, options, _draw(sentences, options.seed))
    return [(row.outcome, tuple(row.masked), row.subject) for row in rows]


@dataclass(frozen=True)
class Unclear:
    """A text that is left out until a reader says whom it is about: why, and whom it may be about, likeliest first."""

    sentence_id: str
    text: str
    reason: str
    people: tuple[str, ...]


def unclear(
    sentences: pd.DataFrame, finder: AnchorFinder, options: SelectionOptions, *, characters: int | None = None
) -> list[Unclear]:
    """The texts that are left out unless a reader says whom they are about; those with two people or more come first.

    Those that a reader has said it of are among them. `characters` is as for `select`.
    """
    options = replace(_with_limit(options, finder), subjects=())
    part = sentences.iloc[_looked_at(sentences, _draw(sentences, options.seed), characters)]
    rows = [row for row in _anchored(part, finder, options) if row.outcome in finders.CHOOSABLE]
    found = [Unclear(row.sentence_id, row.text, row.outcome, row.subject.people) for row in rows]
    return sorted(found, key=lambda one: len(one.people) < 2)


def _looked_at(sentences: pd.DataFrame, draw: np.ndarray, characters: int | None) -> np.ndarray:
    """The rows that are searched: all, or the first of the draw that have so many characters together."""
    if characters is None:
        return np.arange(len(draw))
    order = np.argsort(draw)
    lengths = sentences["text"].fillna("").astype(str).str.len().to_numpy()[order]
    return np.sort(order[: max(1, int(np.searchsorted(np.cumsum(lengths), characters, side="right")))])


def _with_limit(options: SelectionOptions, finder: AnchorFinder) -> SelectionOptions:
    return options if options.max_words else replace(options, max_words=finders.kind(finder.spec).max_words)


@dataclass
class _Row:
    """One sentence and what becomes of it; without an outcome it may still be drawn."""

    position: int
    sentence_id: str
    text: str
    outcome: str = ""
    found: Spans = ()
    spans: Spans = ()
    left: int = 0
    masked: Mapping[str, int] = field(default_factory=dict)
    undecided: tuple[Undecided, ...] = ()
    subject: Subject = field(default_factory=Subject)


def _draw(sentences: pd.DataFrame, seed: int) -> np.ndarray:
    """A random number for each sentence, by its id, so that the draw depends on neither order nor eligibility."""
    for column in ("sentence_id", "text"):
        if column not in sentences.columns:
            raise CorpusError("sentences", got=f"no column {column}", expected="sentence_id and text")
    ids = sentences["sentence_id"].astype("str")  # never as objects: an upload may have millions
    if not ids.is_unique:
        raise CorpusError("sentences", got="a sentence_id twice", expected="a distinct id in each row")
    numbers = np.empty(len(ids))
    numbers[ids.argsort().to_numpy()] = np.random.default_rng(seed).random(len(ids))
    return numbers


def _anchored(sentences: pd.DataFrame, finder: AnchorFinder, options: SelectionOptions) -> list[_Row]:
    """Every sentence with its anchors, or with the reason why it has none."""
    rows, texts = [], sentences["text"].fillna("").astype(str)
    for position, (sentence_id, text) in enumerate(zip(sentences["sentence_id"].astype(str), texts, strict=True)):
        most = options.max_words or len(text)
        words = len(text.split(maxsplit=min(most, len(text))))
        rows.append(_Row(position, sentence_id, text, EMPTY if not words else _too_long(most) if words > most else ""))
    every = bool(finder.filler) or finders.kind(finder.spec).together or options.mentions == "all"
    possible = [row for row in rows if not row.outcome]
    ids = [row.sentence_id for row in possible]
    switched = defaultdict[str, set[int]](set)
    for sentence_id, start in options.switched:
        switched[sentence_id].add(start)
    searched = whom.find(finder, ids, [row.text for row in possible], options.subjects)
    for row, (found, subject) in zip(possible, searched, strict=True):
        row.subject = subject
        row.masked, row.undecided, row.outcome = found.masked, found.undecided, found.reason
        if row.outcome:
            continue
        text, anchors = row.text, found.anchors
        if finder.filler:
            text, anchors = fill_slots(text, anchors, finder.filler)
        allowed = anchors
        if here := switched.get(row.sentence_id):
            on = [one for one in found.undecided if one.anchors and one.start in here]
            row.masked = Counter(found.masked) - Counter(one.reason for one in on)
            anchors, allowed = _switched(anchors, on, here)
        if not allowed:
            row.outcome = SWITCHED_OFF if anchors else NO_ANCHOR
            continue
        same = tuple(anchor for anchor in allowed if anchor.referent == allowed[0].referent)
        row.text, row.found, row.spans = text, anchors, same if every else allowed[:1]
        row.left = len(same) - len(row.spans)
    return rows


def _switched(anchors: Spans, on: Sequence[Undecided], switched: Collection[int]) -> tuple[Spans, Spans]:
    """Every anchor, those that a reader switched on among them; and what is left of them without those switched off.

    A verb changes with the *he* or *she* before it only.
    """
    more = {anchor.start: anchor for one in on for anchor in one.anchors}
    every = sorted((more | {anchor.start: anchor for anchor in anchors}).values())
    is_on = {anchor: anchor.start in more or anchor.start not in switched for anchor in every}
    subjects = [anchor for anchor in every if anchor.form.strip("{}").casefold() == "he"]
    for verb in filter(is_verb, every):  # of one before all of them, as in *Is she …*, the first
        before = [anchor for anchor in subjects if anchor.start < verb.start] or subjects[:1]
        is_on[verb] = is_on[verb] and all(is_on[anchor] for anchor in before[-1:])
    allowed = tuple(anchor for anchor in every if is_on[anchor])
    return tuple(every), () if all(map(is_verb, allowed)) else allowed


def _drawn(rows: list[_Row], finder: AnchorFinder, options: SelectionOptions, draw: np.ndarray) -> list[_Row]:
    """Mark each row that may be drawn as kept or as not drawn; those with the least numbers in `draw` come first."""
    possible = sorted((row for row in rows if not row.outcome), key=lambda row: float(draw[row.position]))
    balance = options.balance
    if balance is None:  # one sentence cannot be half female and half male; documents are somebody's own collection
        balance = options.sample > 1 and not finders.kind(finder.spec).together
        balance = balance and {row.spans[0].gender for row in possible} == set(GENDERS)
    kept, others = possible[: options.sample], NOT_SAMPLED
    if balance:
        by_gender = [[row for row in possible if row.spans[0].gender == gender] for gender in GENDERS]
        if possible and not any(by_gender):
            fix = "Do not balance them."
            raise AnchorError("--balance", got=f"anchors without gender ({finder.spec})", expected="some with", fix=fix)
        size = min(options.sample // 2, *map(len, by_gender))
        kept = [row for group in by_gender for row in group[:size]]
        others = NOT_SAMPLED if size == options.sample // 2 else NOT_BALANCED
    for row in possible:
        row.outcome = others
    for row in kept:
        row.outcome = KEPT
    return rows


def _too_long(max_words: int) -> str:
    return f"longer than {max_words} words"


def _table(sentences: pd.DataFrame, kept: list[_Row], families: Families) -> pd.DataFrame:
    columns = ["sentence_id", "text", "anchor", "start", "end", "role", "anchor_gender"]
    rows = [
        (row.sentence_id, row.text, row.text[one.start : one.end], one.start, one.end, one.role, one.gender)
        for row in kept
        for one in row.spans[:1]
    ]
    table = pd.DataFrame(rows, columns=columns)
    others = sentences.drop(columns=["sentence_id", "text"]).iloc[[row.position for row in kept]]
    # A column that happens to have this name does not make families: `families` chooses one.
    others, _ = corpus.prefixed(others, [*columns, "mentions", FAMILY])
    if families.any:
        table[FAMILY] = families.labels
    return pd.concat([table, others.reset_index(drop=True)], axis=1)


def outcome_table(
    sentences: pd.DataFrame,
    finder: AnchorFinder,
    options: SelectionOptions,
    selection: Selection | None = None,
) -> pd.DataFrame:
    """Whether each sentence of a corpus is used and why not; or of some sentences, given the `selection` from all.

    With one, by the same options, only the sentences given are searched for anchors. One row a sentence, in their
    order: ``sentence_id``, ``taken`` (bool), ``reason`` and ``what_to_do`` (empty for one that is taken), for anchors
    that replace one person ``person`` (whom the text is about) and ``others`` (whom it may be about), ``text``.
    """
    if selection is None:
        found = outcomes(sentences, finder, options)
    else:
        chosen = set(selection.sentences["sentence_id"])
        left_out = next((outcome for outcome in DRAWN_OTHERS if outcome in selection.account), NOT_SAMPLED)
        possible = outcomes(sentences, finder, replace(options, sample=max(1, len(sentences)), balance=False))
        found = [
            (left_out if outcome == KEPT and sentence_id not in chosen else outcome, misses, subject)
            for sentence_id, (outcome, misses, subject) in zip(sentences["sentence_id"], possible, strict=True)
        ]
    words = [WORDS.get(outcome, (f"It is {outcome}.", TOO_LONG)) for outcome, *_ in found]
    table = pd.DataFrame(
        {
            "sentence_id": sentences["sentence_id"].to_numpy(),
            "taken": [outcome == KEPT for outcome, *_ in found],
            "reason": [
                f"{reason} Left alone: {'; '.join(misses)}." if outcome == NO_ANCHOR and misses else reason
                for (reason, _), (outcome, misses, _) in zip(words, found, strict=True)
            ],
            "what_to_do": [advice for _, advice in words],
        }
    )
    if finders.kind(finder.spec).together:
        table["person"] = [subject.name for *_, subject in found]
        table["others"] = ["; ".join(subject.others) for *_, subject in found]
    return table.assign(text=sentences["text"].to_numpy())


def review(
    sentences: Any, *, anchors: str | None = None, text_column: str | None = None, **options: Any
) -> pd.DataFrame:
    """Which sentences a study would take, and why not the others; loads no model.

    Sentences, anchors and text column are as for `psa_core.run`, `options` fields of `SelectionOptions`: ``max_words``,
    ``sample``, ``balance``, ``seed``, ``mentions``, ``switched``, ``subjects``. The table is that of `outcome_table`.
    Raises `PsaError` when the sentences cannot be read or an option is unknown.

    Examples
    --------
    >>> review(["He left.", "Nobody came."])["reason"].tolist()
    ['', 'It has no word that a name could replace.']
    """
    unknown = sorted(set(options) - set(SelectionOptions.__dataclass_fields__))
    if unknown:
        listed = ", ".join(SelectionOptions.__dataclass_fields__)
        raise OptionError("review", got=f"an unknown option {unknown[0]!r}", expected=listed)
    in_file = isinstance(sentences, str) or hasattr(sentences, "__fspath__")
    read = (corpus.load if in_file else corpus.from_memory)(str(sentences) if in_file else sentences, text_column)
    finder = finders.finder(anchors or finders.suited_to(read.sentences["text"], are_documents=read.are_documents))
    chosen = SelectionOptions(**{"balance": None, **options})
    whom.check(chosen.subjects, finder, read.sentences["sentence_id"])
    return outcome_table(read.sentences, finder, chosen)
