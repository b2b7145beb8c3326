"""Anchor words as data: the pronoun tables of ``assets/anchors`` and the user's own terms."""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from psa_core.anchors import _case, _spacy
from psa_core.anchors._base import Anchor, Found, Role
from psa_core.anchors._exclusions import barred
from psa_core.anchors._languages import another_language
from psa_core.anchors._masks import Mask, Reason, masked, reason_at, whole_word
from psa_core.registry import ASSETS

#: Part of every fingerprint; raise it when a rule in this folder changes what is found.
RULES = 8
#: Its verbs agree in the plural, which a name would not.
PLURAL_GROUP = "they"
_POSSESSIVE_ENDING = re.compile(r"['’‘ʼ]s\b", re.IGNORECASE)
#: A letter with the accents that stand behind it.
_LETTER = re.compile("(?s:.)[\u0300-\u036f]*")
_SENTENCE_START = re.compile(r"(?:^|[.!?…\n])[\s\W]*$")


@dataclass(frozen=True)
class Form:
    """One word and what it says of its referent; an empty role means that its place in the sentence tells it."""

    word: str
    role: Role | None = None
    gender: str = ""
    group: str = ""

    @property
    def pronoun(self) -> bool:
        """Whether it comes from a pronoun table."""
        return self.role is not None

    @property
    def referent(self) -> str:
        """Equal for forms of one person, as far as words alone can tell."""
        return self.gender or self.group or self.word


Hit = tuple[int, int, tuple[Form, ...]]
Occurrence = tuple[int, int, int, tuple[Form, ...]]


@cache
def pronoun_tables() -> dict[str, tuple[Form, ...]]:
    """Every pronoun table by its id, the middle part of ``pronouns.<id>.csv``."""
    files = sorted((ASSETS / "anchors").glob("pronouns.*.csv"), key=lambda path: path.stem)
    return {path.stem.partition(".")[2]: _read(path.read_text(encoding="utf-8")) for path in files}


def _read(table: str) -> tuple[Form, ...]:
    rows = csv.DictReader(table.splitlines())
    return tuple(Form(row["form"], row["role"], row["gender"], row.get("set", "")) for row in rows)  # type: ignore[arg-type]


def fingerprint(kind: str, forms: Sequence[Form]) -> str:
    """Hash of the words and rules, with the tagger's version where a tag decides."""
    tagged = any(len(same) > 1 or same[0].group == PLURAL_GROUP for same in _by_word(forms).values())
    decider = (_spacy.pipeline_version(), _case.weights_digest()) if tagged else ()
    return hashlib.sha256(repr((kind, RULES, decider, tuple(forms))).encode()).hexdigest()[:16]


def place_role(text: str, start: int) -> Role:
    """Role of an expression that says nothing of its own: subject at the start of a sentence, else object."""
    return "subject" if _SENTENCE_START.search(text[max(0, start - 40) : start]) else "object"


def search_forms(texts: Sequence[str], forms: Sequence[Form]) -> list[Found]:
    """Anchors of each text that are one of the forms, in any case, as whole words; the others are counted by reason.

    Parameters
    ----------
    texts : sequence of str
    forms : sequence of Form
        Forms of one word with different roles (*her*) are told apart by the tagger.

    Returns
    -------
    list of Found
        Anchors by position, not overlapping.
    """
    by_word = _by_word(forms)
    pattern = _pattern(by_word)
    judged = [(n, *hit, reason) for n, text in enumerate(texts) for hit, reason in _judged(text, pattern, by_word)]
    masked = defaultdict[int, Counter[str]](Counter)
    for number, _, _, _, reason in judged:
        if reason:
            masked[number][reason.value] += 1
    hits = [hit[:4] for hit in judged if hit[4] is None]
    plurals = _plurals(texts, hits)
    for number, _ in plurals:
        masked[number][Reason.PLURAL.value] += 1
    anchors = _anchors(texts, [hit for hit in hits if hit[:2] not in plurals])
    return [Found(tuple(anchors.get(number, ())), dict(masked.get(number, {}))) for number in range(len(texts))]


def _anchors(texts: Sequence[str], hits: list[Occurrence]) -> dict[int, list[Anchor]]:
    """The anchors of each text that has one, with their roles."""
    unclear = [(texts[number], start, end) for number, start, end, same in hits if len(same) > 1]
    roles = iter(_case.roles(unclear))
    found: dict[int, list[Anchor]] = defaultdict(list)
    for number, start, end, same in hits:
        role = next(roles) if len(same) > 1 else same[0].role or place_role(texts[number], start)
        if _POSSESSIVE_ENDING.match(texts[number], end) and role == "possessive":
            role = "object"  # her's: the ending is in the text already
        found[number].append(Anchor(start, end, role, same[0].gender, same[0].referent))
    return found


def _plurals(texts: Sequence[str], hits: list[Occurrence]) -> set[tuple[int, int]]:
    """Text and position of each *they* whose verb is in the plural."""
    they = [hit for hit in hits if hit[3][0].role == "subject" and hit[3][0].group == PLURAL_GROUP]
    plural = _case.plural_subjects([(texts[number], start, end) for number, start, end, _ in they])
    return {hit[:2] for hit, drop in zip(they, plural, strict=True) if drop}


def _by_word(forms: Iterable[Form]) -> dict[str, tuple[Form, ...]]:
    by_word: dict[str, tuple[Form, ...]] = {}
    for form in forms:
        by_word[_folded(form.word)] = (*by_word.get(_folded(form.word), ()), form)
    return by_word


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    choices = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest_first)
    return re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W_])")


def _folded(word: str) -> str:
    return " ".join(_caseless(word).split())


def _caseless(text: str) -> str:
    """Without case, with accents on their letters, and with one kind of apostrophe: *O’Neil* is *O'Neil*."""
    return unicodedata.normalize("NFC", text.casefold()).replace("’", "'").replace("ʼ", "'")


def _matches(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Start, end and folded words of what matches, whatever its case and apostrophe: *STRASSE* is *Straße* too."""
    folded = _caseless(text)
    if len(folded) == len(text) and unicodedata.is_normalized("NFC", text):
        yield from ((*match.span(), _folded(match[0])) for match in pattern.finditer(folded))
        return
    letters = [(*part.span(), letter) for part in _LETTER.finditer(text) for letter in _caseless(part[0])]
    for match in pattern.finditer("".join(letter for _, _, letter in letters)):
        yield letters[match.start()][0], letters[match.end() - 1][1], _folded(match[0])


def _judged(
    text: str, pattern: re.Pattern[str], by_word: dict[str, tuple[Form, ...]]
) -> list[tuple[Hit, Reason | None]]:
    """Occurrences in one text, each with the reason why it stands for nobody (None where it does)."""
    hits = [(start, end, by_word.get(word, ())) for start, end, word in _matches(text, pattern)]
    hits = [hit for hit in hits if hit[2] and whole_word(text, hit[0], hit[1])]
    if not hits:
        return []
    hidden = masked(text)
    bars = barred(text, hidden) if any(hit[2][0].pronoun for hit in hits) else []
    return [(hit, _pronoun_reason(text, hit, bars) if hit[2][0].pronoun else _term_reason(hit, hidden)) for hit in hits]


def _pronoun_reason(text: str, hit: Hit, bars: list[Mask]) -> Reason | None:
    start, end, _ = hit
    return reason_at(bars, start, end) or (Reason.LANGUAGE if another_language(text, start, end) else None)


def _term_reason(hit: Hit, hidden: list[Mask]) -> Reason | None:
    """What lies inside of the hit is the reader's own doing: the term is a handle or an address itself."""
    start, end, _ = hit
    return reason_at([mask for mask in hidden if mask.start < start or end < mask.end], start, end)
