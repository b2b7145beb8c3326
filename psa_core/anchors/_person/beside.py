"""Whether a name that a text has is the person's: what stands before and behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.lexicon import (
    PART,
    PLACE_LASTS,
    PLACES,
    RELATIVE_AFTER,
    RELATIVE_BEFORE,
    TITLE,
    fold,
    is_capitals,
)
from psa_core.anchors._person.naming import Named
from psa_core.anchors._person.spelling import between_names, either, halves, middle_names
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed

SHARED, OTHER_NAME, FAMILY = "a name that two people share", "part of another name", "a family's name"
PERHAPS, ANOTHER = "perhaps the same person", "another person"
A_WORD, SHORT, NEAR = "a word that may be no name", "letters that may be initials", "nearly the person's name"
#: A title that stays whoever bears the name.
_OTHER_TITLE = re.compile(rf"\b{lexicon.OTHER_TITLE}[ ]$")
_FAMILY = re.compile(r"s?[ ](?:family|household|brothers|sisters|siblings|couple|twins)\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"[ ]&[ ]|[ ]and[ ](?:sons?|daughters?|co|partners|brothers|associates)\b"
    r"|,?[ ](?:inc|ltd|llc|llp|gmbh|plc|corp|a/s)\b",
    re.IGNORECASE,
)
#: Behind a name, and no *Senior Analyst*; its full stop may end the sentence.
_GENERATION = re.compile(
    rf",?[ ](?!(?i:junior|senior)[ ][A-Z])(?i:{'|'.join(map(fold, lexicon.GENERATIONS))})\b(?:\.(?!\s+[A-Z]))?"
)
#: Before the name of a namesake: *another Jane Doe*, *his cousin, also Jane*.
_NAMESAKE = re.compile(r"\b(?:another|also|also[ ](?:named|called))[ ]$", re.IGNORECASE)
#: What may be several behind an ordinary word: *Young patients like*.
_PLURAL = re.compile(r"[ ](?!(?:is|has|was|does)\b)\w+s\b(?![ ](?:an?|the|her|his|that)\b)")
_BEFORE_NAME = re.compile(rf"(?<![\w.])({PART}\.?)[ ]$")
_LINE_START = re.compile(r"(?:^|[.!?:;\n\"“(•*|–—>-])[ \t]*$")


@dataclass(frozen=True)
class Surroundings:
    """What stands around one person's names in a text; `plain` is the text without accents, position by position."""

    text: str
    plain: str
    who: Named

    @property
    def family(self) -> str:
        """A pattern of the last name, or of half of it."""
        return rf"{either(self.who.last, *halves(self.who.last))}(?!-[^\W\d_])"

    def generation(self, end: int) -> re.Match[str] | None:
        """What tells people of one name apart, behind a name that ends there: *Jr.*, *III*."""
        return _GENERATION.match(self.plain, end)

    def _generation(self, end: int) -> str:
        behind = self.generation(end)
        return behind[0].strip(" ,.").casefold() if behind else ""

    @cached_property
    def _begins(self) -> tuple[int, str]:
        """Where the full name stands first, and the generation behind it."""
        given, last = either(*filter(None, (self.who.first, self.who.nick))), self.family
        whole = (
            rf"(?<!\w)(?:{given}{middle_names(self.who)}\s+{last}|{last},?\s+{between_names(self.who)}{given})(?!\w)"
        )
        match = re.search(whole, self.plain)
        return (match.start(), self._generation(match.end())) if match else (0, "")

    def is_anothers(self, start: int, end: int) -> bool:
        """Whether a mention is a relative's: of another generation, or *her mother, Mrs. Doe*."""
        begins, generation = self._begins
        if self._generation(end) not in ("", generation):
            return True
        before = self.plain[max(0, start - 40) : start]
        is_relative = RELATIVE_BEFORE.search(before) and not re.search(
            r"\b(?:my|our)[ ][\w-]+,?[ ]$", before, re.IGNORECASE
        )
        return start > begins and bool(is_relative or RELATIVE_AFTER.match(self.plain, end))

    def part_of(self, start: int, end: int, *, whole: bool = False) -> str:
        """Why a mention may be part of a longer name, by the words beside it; empty where it is none.

        `whole`: the mention is a title and a name, or both names.
        """
        name, before, after = self.plain[start:end], self.plain[max(0, start - 40) : start], self.plain[end : end + 60]
        after = _GENERATION.sub("", after, count=1) if _GENERATION.match(after) else after
        if _NAMESAKE.search(before) or self._generation(end) not in ("", self._begins[1]):
            return f"{ANOTHER}: {_around(self.text, start, end)}"
        if _FAMILY.match(after):
            return FAMILY
        own = {*" ".join((*self.who.key, *self.who.middle)).casefold().split()}
        begins = re.match(rf"{TITLE}\s", name)  # nothing before a title belongs to the name
        if self._goes_on(name, before, after, own, whole) or (not begins and self._began(name, before, own, whole)):
            return f"{OTHER_NAME}: {_around(self.text, start, end)}"
        return ""

    def _goes_on(self, name: str, before: str, after: str, own: set[str], whole: bool) -> bool:
        """Whether the words behind a name make it part of another: *Jane Doe-Hall*, *Doe & Co*, *Doe Street*."""
        if re.match(r"-(?!(?:san|sama|sensei|ssi|nim)\b)[^\W\d_]", after) or _COMPANY.match(after):
            return True
        is_titled = re.match(rf"{TITLE}[ ]", name) or _OTHER_TITLE.search(before)
        if self.who.key[1] in PLACE_LASTS and not is_titled and lexicon.in_address(before, after):
            return True
        if place := re.match(r"'s[ ]([A-Z]\w*)", after):  # Lan's Corner, the Hartley's Harvest line
            is_last = self.who.first and name.casefold() == self.who.key[1]
            if place[1].casefold() in PLACES or is_last or before.casefold().endswith("the "):
                return True
        following = re.match(rf"[ ]({PART})", after)
        word, capitals = following[1].casefold() if following else "", is_capitals(name)
        if word in PLACES and not (capitals and whole):
            return True
        is_listed_behind = re.search(r"[A-Z]\w+,[ ]$", before) and re.match(r"[ ]*(?:\n|$|\d)", after)
        if is_listed_behind and not whole:  # Seattle, Washington
            return True
        if not word or word in own or capitals or _is_plain(word):
            return False
        return not whole or evidence(word).last >= lexicon.WELL_KNOWN

    def _began(self, name: str, before: str, own: set[str], whole: bool) -> bool:
        """Whether the words before a name make it part of another: *Hall-Doe*, *Smith & Doe*, *Lake Doe*."""
        follows_company = before.endswith(" & ") and not re.search(r"\b[A-Z]\. & $", before)  # not Lee, E. & Doe, J.
        if follows_company or (before[-1:] == "-" and before[-2:-1].isalpha()):
            return True
        preceding = _BEFORE_NAME.search(before)
        if preceding is None:
            of = re.search(rf"({PART})[ ](?:{'|'.join(people.PARTICLES)})[ ]$", before)
            return of is not None and of[1].casefold() not in own and not _is_plain(of[1])
        written, word = preceding[1], preceding[1].casefold().rstrip(".")
        if lexicon.is_date(before[: preceding.start()], word, before[preceding.end() :]):  # on 11 May Jane left
            return False
        if word in own or word in lexicon.GENDERED or (len(word) > 1 and written[-1] == "."):
            return False
        if len(word) == 1:
            return written != "I"
        if word in PLACES:
            return True
        if _is_plain(word) or word in lexicon.language_of().kin:
            return False
        starts = _LINE_START.search(before[: preceding.start()].rstrip(" "))
        is_name = evidence(word).first >= lexicon.WELL_KNOWN
        return is_name or not (starts or whole or name.casefold() == self.who.key[0])

    def as_word(self, start: int, end: int) -> str:
        """Whether a name that is also a word may be the word here: at a sentence's start, and nothing shows a name."""
        word, before, after = self.plain[start:end].casefold(), self.plain[:start], self.plain[end:]
        if not (lexicon.is_word_and_name(word) or word in PLACE_LASTS):
            return ""
        begins = _LINE_START.search(before[-40:])
        if begins and word == self.who.key[1] and _PLURAL.match(after):
            return A_WORD
        if word == self.who.key[1] and word in PLACE_LASTS:
            possessive = re.match(r"['’]s[ ][a-z]", after) and not re.search(r"\bthe[ ]$", before, re.IGNORECASE)
            acts = begins and lexicon.PERSON_VERB.match(after) and word not in {"best", "march"}
            return "" if _OTHER_TITLE.search(before) or possessive or acts else A_WORD
        line = before.rpartition("\n")[2].strip()
        if lexicon.is_date(before, word, after) or (not line and re.match(r"(?:[ ][a-z]+){1,3}:", after)):
            return A_WORD  # Grant requested:
        if re.match(r"'s\b|,(?![ ](?:and|or)\b)|[ ]*\n|$", after) or not begins:
            return ""
        auxiliary = re.match(r"[ ](?:is|was|has|had|will|can|does|did)\b", after)
        return A_WORD if (auxiliary and word in lexicon.MASS_NOUNS) or not lexicon.PERSON_VERB.match(after) else ""


def _is_plain(word: str) -> bool:
    """Whether a word with a capital is no part of a name: of the language, a title, a heading."""
    plain = re.sub(r"['’].*$", "", word).casefold().strip(".")
    is_word = plain in lexicon.NEVER_NAMES or plain in {"i", *lexicon.language_of().titles, *lexicon.GENDERED}
    is_word = is_word or (lexicon.is_ordinary(plain) and not is_listed(plain) and plain not in lexicon.WORD_NAMES)
    return is_word and evidence(plain).first < 1


def _around(text: str, start: int, end: int) -> str:
    """A mention with the words beside it, for a reader."""
    left, right = re.search(r"\S*[ ]?$", text[:start]), re.match(r"[ -]?\S*", text[end:])
    words = f"{left[0] if left else ''}{text[start:end]}{right[0] if right else ''}"
    return " ".join(words.split()).strip(",.;:()")[:60]
