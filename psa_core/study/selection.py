"""Select the sentences of a study: length, anchors, random sample, balance; and count the others by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from psa_core.anchors import Anchor, AnchorFinder, Found, fill_slots, search
from psa_core.cube import FAMILY
from psa_core.errors import AnchorError, CorpusError, OptionError
from psa_core.inputs.checks import whole_number
from psa_core.stats.families import Families
from psa_core.study.families import column_families, named_column, near_copies

MENTIONS = ("first", "all")
GENDERS = ("female", "male")
# What becomes of a sentence; these stand in the manifest.
READ, EMPTY, NO_ANCHOR, SWITCHED_OFF = "read", "empty", "no anchor", "anchors switched off"
NOT_LOOKED_AT = "not looked at"
NOT_BALANCED, NOT_SAMPLED, KEPT = "not drawn: balancing", "not drawn: sample", "kept"
ELIGIBLE = (NOT_BALANCED, NOT_SAMPLED, KEPT)
Spans = tuple[Anchor, ...]


@dataclass(frozen=True)
class SelectionOptions:
    """How sentences are chosen (Prabhakaran et al. 2019, section 3, "Corpora").

    Attributes
    ----------
    max_words : int
        Longest sentence taken, in words between spaces.
    sample : int
        Most sentences taken.
    balance : bool or None
        Take as many sentences with a female as with a male anchor; None does so where every anchor has a gender and
        both occur.
    seed : int
        Of the draw. The same corpus, options and seed give the same sentences, whatever their order; a smaller sample
        is part of a larger one, and a sentence switched off is replaced by the next without moving the others.
    mentions : {"first", "all"}
        Replace the first eligible anchor, or each that shares its referent. All slots of a sentence are always filled.
    exclude : frozenset of (sentence_id, start)
        Anchors that a reader switched off; the next eligible one takes over.
    families : str or None
        Column whose equal values are one family of sentences; None looks for near-copies.

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    max_words: int = 50
    sample: int = 1000
    balance: bool | None = False
    seed: int = 0
    mentions: str = "first"
    exclude: frozenset[tuple[str, int]] = frozenset()
    families: str | None = None

    def __post_init__(self) -> None:
        for name in ("max_words", "sample", "seed"):
            object.__setattr__(self, name, whole_number(f"--{name.replace('_', '-')}", getattr(self, name)))
        smallest = 2 if self.balance else 1
        if self.max_words < 1:
            raise OptionError("--max-words", got=str(self.max_words), expected="a number of words, at least 1")
        if self.sample < smallest:
            unit = "two sentences or more, one of each gender" if self.balance else "at least 1 sentence"
            raise OptionError("--sample", got=str(self.sample), expected=unit)
        if self.seed < 0:
            raise OptionError("--seed", got=str(self.seed), expected="a whole number, 0 or more")
        if self.mentions not in MENTIONS:
            raise OptionError("--mentions", got=repr(self.mentions), expected=f"one of {', '.join(MENTIONS)}")


@dataclass(frozen=True, eq=False)
class Selection:
    """The sentences of a study, in the corpus' order.

    Attributes
    ----------
    sentences : DataFrame, S rows
        ``sentence_id, text, anchor, start, end, role, anchor_gender`` of the (first) anchor, and the corpus' other
        columns; ``text[start:end] == anchor``. In a slot sentence the text has the filler in the slot. Where sentences
        come in families, ``family`` numbers them.
    spans : tuple of tuple of Anchor, length S
        What a name replaces in each text.
    candidates : tuple of tuple of Anchor, length S
        Every anchor found in each text, those switched off too.
    account : dict of str to int
        ``read``, then why sentences were left out, then ``kept``; what follows ``read`` adds up to it.
    filler : str
        What stands in the slots; empty for other anchors.
    left_behind : int
        Sentences in which another mention of the same referent stays as it is, and may clash with the new name.
    masked : dict of str to int
        Expressions (not sentences) in the texts searched that look like an anchor and are none, by reason.
    families : Families
        Which sentences depend on each other: near-copies, or those that a column says.
    """

    sentences: pd.DataFrame
    spans: tuple[Spans, ...]
    candidates: tuple[Spans, ...]
    account: dict[str, int] = field(default_factory=dict)
    filler: str = ""
    left_behind: int = 0
    masked: dict[str, int] = field(default_factory=dict)
    families: Families = field(default_factory=lambda: Families.none(0))

    @property
    def eligible(self) -> int:
        """Number of sentences that could have been drawn."""
        return sum(self.account.get(fate, 0) for fate in ELIGIBLE)

    @property
    def skipped(self) -> dict[str, int]:
        """Why the other sentences were left out, with counts."""
        return {fate: count for fate, count in self.account.items() if fate not in (READ, NOT_LOOKED_AT, *ELIGIBLE)}

    @property
    def looked_at(self) -> int:
        """Number of sentences in which anchors were looked for, or which were found to be too long or empty."""
        return self.account.get(READ, 0) - self.account.get(NOT_LOOKED_AT, 0)


DEFAULTS = SelectionOptions()


def select(
    sentences: pd.DataFrame,
    finder: AnchorFinder,
    options: SelectionOptions = DEFAULTS,
    *,
    characters: int | None = None,
) -> Selection:
    """Choose the sentences of a study and the spans that a name replaces in them.

    Parameters
    ----------
    sentences : DataFrame
        ``sentence_id`` (distinct), ``text`` and any other columns. Equal texts under different ids are all kept.
    finder : AnchorFinder
    options : SelectionOptions
    characters : int, optional
        Look at the first sentences of the draw that have so many characters together, and at least one; at all by
        default. What is drawn without balance is then part of what is drawn from all.

    Raises
    ------
    AnchorError
        When no sentence is eligible, or none can be drawn with balanced anchors; the message counts the reasons.
    OptionError
        When there is no column to take families from.

    Examples
    --------
    >>> from psa_core.anchors import finder
    >>> corpus = pd.DataFrame({"sentence_id": ["a", "b"], "text": ["I like him.", "Nobody came."]})
    >>> select(corpus, finder("pronouns")).account
    {'read': 2, 'no anchor': 1, 'kept': 1}
    """
    family_column = None if options.families is None else named_column(options.families, sentences)
    draw = _draw(sentences, options.seed)
    looked_at = np.arange(len(draw)) if characters is None else _first(sentences, draw, characters)
    part = sentences.iloc[looked_at]
    rows = _drawn(_anchored(_read(part, options.max_words), finder, options), finder, options, draw[looked_at])
    account = _account(rows, options.max_words, len(sentences))
    kept = [row for row in rows if row.reason == KEPT]
    if not kept:
        raise _nothing_left(finder, account, options)
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
        _masked(rows),
        families,
    )


def fates(
    sentences: pd.DataFrame, finder: AnchorFinder, options: SelectionOptions = DEFAULTS
) -> list[tuple[str, tuple[str, ...]]]:
    """What becomes of each sentence in `select`, and why expressions in it are no anchors though they look like one."""
    draw = _draw(sentences, options.seed)
    rows = _drawn(_anchored(_read(sentences, options.max_words), finder, options), finder, options, draw)
    return [(row.reason, tuple(row.masked)) for row in rows]


@dataclass(frozen=True)
class _Row:
    """One sentence on its way; an empty reason means that it may still be drawn."""

    position: int
    sentence_id: str
    text: str
    reason: str = ""
    found: Spans = ()
    spans: Spans = ()
    left: int = 0
    masked: Mapping[str, int] = field(default_factory=dict)


def _draw(sentences: pd.DataFrame, seed: int) -> np.ndarray:
    """A random number for each sentence, by its id, so that the draw depends on neither order nor eligibility."""
    for column in ("sentence_id", "text"):
        if column not in sentences.columns:
            raise CorpusError("sentences", got=f"no column {column}", expected="sentence_id and text")
    ids = [str(value) for value in sentences["sentence_id"]]
    if len(set(ids)) < len(ids):
        raise CorpusError("sentences", got="a sentence_id twice", expected="a distinct id in each row")
    numbers = np.empty(len(ids))
    numbers[sorted(range(len(ids)), key=ids.__getitem__)] = np.random.default_rng(seed).random(len(ids))
    return numbers


def _first(sentences: pd.DataFrame, draw: np.ndarray, characters: int) -> np.ndarray:
    """Positions, ascending, of the first sentences of a draw that have so many characters together; at least one."""
    order = np.argsort(draw)
    lengths = sentences["text"].fillna("").astype(str).str.len().to_numpy()[order]
    return np.sort(order[: max(1, int(np.searchsorted(np.cumsum(lengths), characters, side="right")))])


def _read(sentences: pd.DataFrame, max_words: int) -> list[_Row]:
    ids = [str(value) for value in sentences["sentence_id"]]
    texts = sentences["text"].fillna("").astype(str)
    triples = zip(range(len(ids)), ids, texts, strict=True)
    return [_Row(position, name, text, _unfit(text, max_words)) for position, name, text in triples]


def _unfit(text: str, max_words: int) -> str:
    words = len(text.split(maxsplit=min(max_words, len(text))))
    return EMPTY if not words else _too_long(max_words) if words > max_words else ""


def _anchored(rows: list[_Row], finder: AnchorFinder, options: SelectionOptions) -> list[_Row]:
    found = iter(search(finder, [row.text for row in rows if not row.reason]))
    return [row if row.reason else _with_spans(row, next(found), finder.filler, options) for row in rows]


def _with_spans(row: _Row, found: Found, filler: str, options: SelectionOptions) -> _Row:
    row = replace(row, masked=found.masked)
    text, anchors = fill_slots(row.text, found.anchors, filler) if filler else (row.text, found.anchors)
    allowed = tuple(anchor for anchor in anchors if (row.sentence_id, anchor.start) not in options.exclude)
    if not allowed:
        return replace(row, reason=SWITCHED_OFF if anchors else NO_ANCHOR)
    every = tuple(anchor for anchor in allowed if anchor.referent == allowed[0].referent)
    spans = every if filler or options.mentions == "all" else allowed[:1]
    return replace(row, text=text, found=anchors, spans=spans, left=len(every) - len(spans))


def _drawn(rows: list[_Row], finder: AnchorFinder, options: SelectionOptions, draw: np.ndarray) -> list[_Row]:
    """Mark each row that may be drawn as kept or as not drawn; those with the least numbers in `draw` come first."""
    open_rows = sorted((row for row in rows if not row.reason), key=lambda row: float(draw[row.position]))
    genders = {row.spans[0].gender for row in open_rows}
    if not (genders == set(GENDERS) if options.balance is None else options.balance):
        kept, reason = open_rows[: options.sample], NOT_SAMPLED
    else:
        by_gender = [[row for row in open_rows if row.spans[0].gender == gender] for gender in GENDERS]
        if open_rows and not any(by_gender):
            fix = "Leave --balance out."
            raise AnchorError("--balance", got=f"anchors without gender ({finder.spec})", expected="some with", fix=fix)
        half = options.sample // 2
        size = min(half, *map(len, by_gender))
        kept, reason = (
            [row for group in by_gender for row in group[:size]],
            NOT_SAMPLED if size == half else NOT_BALANCED,
        )
    chosen = {row.position for row in kept}
    return [row if row.reason else replace(row, reason=KEPT if row.position in chosen else reason) for row in rows]


def _too_long(max_words: int) -> str:
    return f"longer than {max_words} words"


def _account(rows: list[_Row], max_words: int, read: int) -> dict[str, int]:
    """How many sentences were read, then how many met each fate, in the order of the checks."""
    counts = Counter(row.reason for row in rows)
    counts[NOT_LOOKED_AT] = read - len(rows)
    order = [EMPTY, _too_long(max_words), NO_ANCHOR, SWITCHED_OFF, NOT_LOOKED_AT, *ELIGIBLE]
    return {READ: read} | {reason: counts[reason] for reason in order if counts[reason]}


def _masked(rows: list[_Row]) -> dict[str, int]:
    """What looks like an anchor and is none, by reason, the most frequent first."""
    return dict(sum((Counter(row.masked) for row in rows if row.masked), Counter[str]()).most_common())


def _nothing_left(finder: AnchorFinder, account: dict[str, int], options: SelectionOptions) -> AnchorError:
    reasons = ", ".join(f"{count} {reason}" for reason, count in account.items())
    balanced = options.balance and NOT_BALANCED in account
    expected = "sentences with female and with male anchors" if balanced else "a sentence with an anchor"
    fix = (
        "Take them without balance (--no-balance), or add sentences."
        if balanced
        else "Choose other anchors, more words, or other sentences."
    )
    return AnchorError(f"anchors {finder.spec}", got=f"no sentence to study ({reasons})", expected=expected, fix=fix)


def _table(sentences: pd.DataFrame, kept: list[_Row], families: Families) -> pd.DataFrame:
    first = [row.spans[0] for row in kept]
    table = pd.DataFrame(
        {
            "sentence_id": [row.sentence_id for row in kept],
            "text": [row.text for row in kept],
            "anchor": [row.text[anchor.start : anchor.end] for row, anchor in zip(kept, first, strict=True)],
            "start": [anchor.start for anchor in first],
            "end": [anchor.end for anchor in first],
            "role": [anchor.role for anchor in first],
            "anchor_gender": [anchor.gender for anchor in first],
        }
    )
    others = sentences.drop(columns=["sentence_id", "text"]).iloc[[row.position for row in kept]]
    # A column of the corpus that is called so says nothing of families by itself.
    own, prefix = [*table, "mentions", FAMILY], "corpus_"
    if families.any:
        table[FAMILY] = families.labels
    while any(f"{prefix}{name}" in others for name in own):
        prefix += "corpus_"
    others = others.rename(columns={name: f"{prefix}{name}" for name in own})
    return pd.concat([table, others.reset_index(drop=True)], axis=1)
