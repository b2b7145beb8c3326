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
from typing import Any

from psa_core.anchors import _case, _spacy
from psa_core.anchors._base import Anchor, Found, Role
from psa_core.anchors._exclusions import Reason, another_language, barred, masked, reason_at, whole_word
from psa_core.registry import ASSETS

#: Part of every fingerprint; raise it when a rule in this folder changes what is found.
RULES = 9
#: Its verbs agree in the plural, which a name would not.
PLURAL_GROUP = "they"
_POSSESSIVE_ENDING = re.compile(r"['’‘ʼ]s\b", re.IGNORECASE)
#: A letter with the accents that stand behind it.
_LETTER = re.compile("(?s:.)[\u0300-\u036f]*")
_QUOTE_OPENS = re.compile(r"(?<!\w)['‘]")
_SENTENCE_START = re.compile(r"(?:^|[.!?…\n])[\s\W]*$")


@dataclass(frozen=True)
class Form:
    """A word with what it implies about its referent; an empty role is decided by its place in the sentence."""

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


Occurrence = tuple[int, int, int, tuple[Form, ...]]


@dataclass(frozen=True)
class FormFinder:
    """Finds words and phrases as whole words, in any case.

    A pronoun whose forms have several roles (*her*) is an object or a possessive by a small model over the tagger's
    output. Reflexives, alternations such as *he/she*, and pronouns inside addresses, handles, code, titles and other
    languages are no anchors; any other word may be a handle or an address itself (*@bob*). The possessive ending of a
    word stays in the text. The pronouns of one gender in a text share their referent.

    References
    ----------
    Prabhakaran, Hutchinson, Mitchell 2019, section 3, "Corpora".
    """

    kind: str
    spec: str
    forms: tuple[Form, ...]
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the words and rules, with the tagger's version where a tag decides."""
        tagged = any(len(same) > 1 or same[0].group == PLURAL_GROUP for same in _by_word(self.forms).values())
        decider = (_spacy.pipeline_version(), _case.weights_digest()) if tagged else ()
        return hashlib.sha256(repr((self.kind, RULES, decider, self.forms)).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Anchors of each text, by position; the longest wins where several begin."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Anchors of each text, and how many words look like one but are none, by reason."""
        by_word = _by_word(self.forms)
        longest_first = sorted(by_word, key=len, reverse=True)
        choices = "|".join(r"\s+".join(map(re.escape, word.split())) for word in longest_first)
        pattern = re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W_])")
        masked = defaultdict[int, Counter[str]](Counter)
        hits: list[Occurrence] = []
        for number, text in enumerate(texts):
            for start, end, same, reason in _classified(text, pattern, by_word):
                if reason:
                    masked[number][reason.value] += 1
                else:
                    hits.append((number, start, end, same))
        they = [hit for hit in hits if hit[3][0].role == "subject" and hit[3][0].group == PLURAL_GROUP]
        plural = _case.plural_subjects([(texts[number], start, end) for number, start, end, _ in they])
        plurals = {hit[:2] for hit, drop in zip(they, plural, strict=True) if drop}
        for number, _ in plurals:
            masked[number][Reason.PLURAL.value] += 1
        anchors = _anchors(texts, [hit for hit in hits if hit[:2] not in plurals])
        return [Found(tuple(anchors.get(number, ())), dict(masked.get(number, {}))) for number in range(len(texts))]


@cache
def pronoun_tables() -> dict[str, tuple[Form, ...]]:
    """Every pronoun table by its id, the middle part of ``pronouns.<id>.csv``."""
    tables = {}
    for path in sorted((ASSETS / "anchors").glob("pronouns.*.csv"), key=lambda path: path.stem):
        rows: Any = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        forms = (Form(row["form"], row["role"], row["gender"], row.get("set", "")) for row in rows)
        tables[path.stem.partition(".")[2]] = tuple(forms)
    return tables


def place_role(text: str, start: int) -> Role:
    """Role of an expression that has none of its own: subject at the start of a sentence, else object."""
    return "subject" if _SENTENCE_START.search(text[max(0, start - 40) : start]) else "object"


def possessive_end(text: str, start: int, end: int) -> int:
    """Where a name ends: an apostrophe alone makes a possessive of one in -s (*James' wife*), unless it closes a quote.

    Equal to `end` where there is no such apostrophe.
    """
    bare = text[end - 1 : end] in "sSß" and text[end : end + 2] in ("' ", "’ ") and text[end + 2 : end + 3].isalpha()
    return end + 1 if bare and not _QUOTE_OPENS.search(text[max(0, start - 200) : start]) else end


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


def _by_word(forms: Iterable[Form]) -> dict[str, tuple[Form, ...]]:
    by_word: dict[str, tuple[Form, ...]] = {}
    for form in forms:
        word = _folded(form.word)
        by_word[word] = (*by_word.get(word, ()), form)
    return by_word


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


def _classified(
    text: str, pattern: re.Pattern[str], by_word: dict[str, tuple[Form, ...]]
) -> Iterator[tuple[int, int, tuple[Form, ...], Reason | None]]:
    """Occurrences in one text, each with the reason why it stands for nobody (None where it does)."""
    hits = [(start, end, by_word.get(word, ())) for start, end, word in _matches(text, pattern)]
    hits = [(start, end, same) for start, end, same in hits if same and whole_word(text, start, end)]
    if not hits:
        return
    hidden = masked(text)
    bars = barred(text, hidden) if any(same[0].pronoun for _, _, same in hits) else []
    for start, end, same in hits:
        if same[0].pronoun:
            reason = reason_at(bars, start, end) or (Reason.LANGUAGE if another_language(text, start, end) else None)
        else:
            # A mask inside of the hit is the reader's own doing: the term is a handle or an address itself.
            reason = reason_at([mask for mask in hidden if mask.start < start or end < mask.end], start, end)
        yield start, end, same, reason
