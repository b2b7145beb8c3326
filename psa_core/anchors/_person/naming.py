"""What is somebody's name: which of its words are first, middle and last, and which words are no name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.lexicon import (
    GENDERED,
    NEVER_NAMES,
    PLACE_LASTS,
    PLACES,
    could_be_name,
    in_name_case,
    is_capitals,
    is_first,
)
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed

#: A Chinese name of one or two syllables in Latin letters.
_PINYIN = re.compile(
    r"(?:(?:[zcs]h|[b-df-hj-np-tw-z])?(?:[aeo]|[aeo]i|[ao][ou]|[aeiu]ng?|ong|iu?|ia[no]?g?|iong|ie|u[aeio]?|ua[in]g?)){1,2}",
    re.IGNORECASE,
)
#: Words between the last and the first name of a woman and of a man.
VIETNAMESE = {"thi": "female", "van": "male"}
#: A first name of two syllables, as Korean ones are written.
SYLLABLES = re.compile(r"[A-Z][a-z]+-[a-z]+")


@dataclass(frozen=True)
class Named:
    """Somebody whom a text names; first or last may be empty."""

    first: str
    last: str
    middle: tuple[str, ...] = ()
    gender: str = ""
    nick: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for names that differ in accents and capitals only."""
        return lexicon.key_of(self.first), lexicon.key_of(self.last)

    @property
    def every(self) -> list[str]:
        """First, middle and last names, word by word."""
        return [self.first, *self.middle, *self.last.split()]

    @property
    def parts(self) -> list[str]:
        """First, last and short name, those that are known."""
        return [name for name in (self.first, self.last, self.nick) if name]

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self.first, self.last)))


def named(words: Sequence[str], *, sure: bool = False) -> Named | None:
    """A person of the words of a full name, without titles and suffixes; None where they are no name.

    `sure`: that it is a name is known from elsewhere, so ordinary words are no reason against it.
    """
    kept, gender = [word for word in words if word], ""
    titles = {*lexicon.language_of().titles, *GENDERED, *lexicon.OTHER_TITLES}
    while kept and kept[0].casefold().strip(".") in titles:
        title = kept.pop(0)
        gender = gender or lexicon.gender_of_title(title)
    while kept and kept[-1].casefold().strip(".,") in lexicon.SUFFIXES and (len(kept) > 2 or not is_listed(kept[-1])):
        kept.pop()  # Neto is a last name too
    if len(kept) > 2 and re.fullmatch(r"[A-Z]\.", kept[0]) and is_first(kept[1]):
        kept.pop(0)  # M. Baptiste Roy
    nick = next((word.strip('"“”()') for word in kept[1:] if word[0] in '"“('), "")
    kept = [word for word in kept if word[0] not in '"“(']
    while len(kept) > 2 and lexicon.is_degree(kept[-1]) and not is_capitals(kept[0]):
        kept.pop()  # Jane Doe MBA
    if len(kept) > 2 and is_capitals(kept[-1]) and not (is_capitals(kept[-2]) and is_listed(in_name_case(kept[-1]))):
        known = evidence(in_name_case(kept[-2]))
        if known.last > known.first or "-" in kept[-2]:  # Jane Doe ABCD
            kept.pop()
    capitals = [word for word in kept if is_capitals(word)]
    kept = [in_name_case(word) for word in kept]
    ordinary = [word for word in kept if word[:1].isupper() and not could_be_name(word)]
    if not kept or (
        ordinary
        and not sure
        and not (ordinary == kept[1:] and word_as_last(*kept[:2]))
        and not (ordinary == kept[-1:] and place_last(kept))
    ):
        return None
    if len(kept) == 1:
        return Named(kept[0], "", (), gender)
    if kept[0].casefold() in people.PARTICLES and not is_vietnamese(kept):
        return Named("", " ".join(kept), (), gender)
    first, last = people.split(" ".join(kept))
    middle = tuple(kept[1 : len(kept) - len(last.split())])
    if capitals and capitals[0] == words[0] and not is_capitals(words[-1]) and len(capitals) < len(kept):  # DOE Jane
        first, middle, last = kept[len(capitals)], tuple(kept[len(capitals) + 1 :]), " ".join(kept[: len(capitals)])
    elif capitals and capitals[-1] == words[-1] and len(capitals) < len(kept) and not is_capitals(words[0]):  # Jane DOE
        if not sure and not is_first(kept[0]) and not is_listed(kept[-1]):  # Approve PHP
            return None
        first, middle, last = kept[0], tuple(kept[1 : -len(capitals)]), " ".join(kept[-len(capitals) :])
    elif is_vietnamese(kept) or (len(kept) < 4 and _family_first(kept)):  # Tanaka Mei
        first, middle, last = kept[-1], tuple(kept[1:-1]), kept[0]
        gender = gender or VIETNAMESE.get(lexicon.key_of(kept[1]), "")
    if not last or any(re.fullmatch(r"(?:[A-Z]\.?){1,3}", word) for word in (first, last)):
        return None  # initials and a last name belong to a full name
    return Named(first, last, middle, gender, nick)


def word_as_last(first: str, last: str) -> bool:
    """Whether an ordinary word follows a first name as its last name: *Daniel Rivers*, *Anna Lane*, *Ji-woo Park*."""
    named_so = is_first(first) or SYLLABLES.fullmatch(first)
    is_word = first.casefold() in lexicon.WORD_NAMES
    return bool(named_so) and last.casefold() not in (NEVER_NAMES | PLACES) - PLACE_LASTS and not is_word


def place_last(words: Sequence[str]) -> bool:
    """Whether a name ends in a word such as *Lane*, behind first names and initials."""
    if len(words) < 2 or words[-1].casefold() not in PLACE_LASTS:
        return False
    given = all(is_first(word) or re.fullmatch(r"[A-Z]\.?", word) for word in words[1:-1])
    return given and word_as_last(words[0], words[-1])


def _family_first(words: Sequence[str]) -> bool:
    """Whether a name begins with the last name, by what the words are known as."""
    known, end = evidence(words[0]), evidence(words[-1])
    syllables = all(_PINYIN.fullmatch(word) for word in words)
    if len(words) == 2 and syllables and known.last > max(2.4, 2 * known.first, 3 * end.last):  # Li Wei
        return True
    if not any(map(SYLLABLES.fullmatch, words[:-1])) and SYLLABLES.fullmatch(words[-1]):  # Kim Ji-woo
        return True
    if is_first(words[0]) or known.last <= 2 * known.first or not all(map(is_listed, words[1:-1])):
        return False
    return end.first > max(0.7, 2 * end.last)


def is_vietnamese(words: Sequence[str]) -> bool:
    """Whether it is a name such as *Le Thi Hoa*, and not *Jan van Dyk*."""
    return (
        len(words) in (3, 4)
        and lexicon.key_of(words[1]) in VIETNAMESE
        and not (words[1].islower() or is_first(words[0]))
    )
