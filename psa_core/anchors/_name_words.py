"""What is known of words: whether they may be names, and which of them are one name in two spellings."""

from __future__ import annotations

import re
from functools import cache

from psa_core.anchors._persons import language_of
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed
from psa_core.registry import ASSETS

#: Titles that say a gender change with the person; others, such as Dr., stay in the text.
GENDERED = {"mr": "male", "mrs": "female", "ms": "female", "miss": "female", "mx": ""}
PART = r"(?:[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*)"
#: How a name with these letters is written where they cannot be.
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
#: What stands behind a name that begins a sentence, and not behind a word that does.
PERSON_VERB = re.compile(
    r",[ ]who\b|[ ](?:(?:is|was|has|had|will|can|did|does|would|could|should)\b(?![ ](?:he|she|it|they|we|you|I)\b)"
    r"|\w+ed\b|(?!this|his|its|us)\w+s\b|led|ran|wrote|made|took|came|went|left|got|rang|knew|told|said|gave|saw|thought|brought|kept|held|built|spoke|stood"
    r"|sat|began|grew|won|lost|met|paid|sent|spent|taught|became|understood|felt|drew|fell|found|chose|drove|forgot|put"
    r"|broke|bought|caught|heard|sang|slept|woke|wore|also|then|never|always|often|later|and)\b"
)
_MONTHS = frozenset({"jan", "may", "april", "june", "august", "march"})
_PLACE_BEFORE = re.compile(
    r"(?:(?<!\w)\d+[a-z]?,?|\b(?:in|on|at|near|along|through|across|around|off|down|up|past|into|onto|opposite|behind"
    r"|beside|between|outside|via|the))[ ]$",
    re.IGNORECASE,
)
_DATE_BEFORE = re.compile(
    r"(?:\b(?:in|since|until|by|of|from|to|during|early|late|mid|last|next|this)[ -]|\d(?:st|nd|rd|th)?[ ])$",
    re.IGNORECASE,
)


def _words(name: str) -> frozenset[str]:
    return frozenset((ASSETS / "people" / f"{name}.txt").read_text(encoding="utf-8").split())


#: Words that begin or end a run of capitals and are no part of a name.
NEVER_NAMES = _words("never-names")
#: Names that begin sentences as words, and months.
WORD_NAMES = _words("word-names")
#: Names that a sentence may have for its subject as words: *Patience is needed*.
MASS_NOUNS = _words("mass-nouns")
#: Those of them that are last names too, where the text shows a person: *Ms. Lane*, *Anna Lane applied*.
PLACE_LASTS = _words("place-last-names")
#: Words after a name that make it a place's or a company's, though they are no names.
PLACES = _words("place-words")


@cache
def nicknames() -> dict[str, frozenset[str]]:
    """Short forms of a first name, all in small letters."""
    lines = (ASSETS / "people" / "nicknames.txt").read_text(encoding="utf-8").splitlines()
    return {first: frozenset(short.split()) for first, _, short in (line.partition(":") for line in lines)}


@cache
def _short_names() -> frozenset[str]:
    return frozenset().union(*nicknames().values())


@cache
def _plain_letter(letter: str) -> str:
    if letter in "’‘ʼ`´":
        return "'"
    if letter in "‐‑":
        return "-"
    return people.handle(letter)[:1] if letter.isalpha() else letter


def fold(text: str) -> str:
    """The text without accents, as long as it was: what stands at a position stays there."""
    return text if text.isascii() else "".join(map(_plain_letter, text))


def is_ordinary(word: str) -> bool:
    """Whether it is a word of the language, or one that carries sentiment."""
    return word.casefold() in language_of().ordinary


def is_capitals(words: str) -> bool:
    """Whether a word of three letters or more is all capitals."""
    letters = [letter for letter in words if letter.isalpha()]
    return len(letters) > 2 and all(map(str.isupper, letters))


def in_name_case(word: str) -> str:
    """A word in capitals as a name is written."""
    return re.sub(r"[^\W\d_]+", lambda m: m[0].capitalize(), word.lower()) if is_capitals(word) else word


def as_written(form: str, written: str) -> str:
    """A form in capitals, or with a capital, where the text has it so."""
    if written.isupper() and len(written) > 1:
        return form.upper()
    return form.capitalize() if written[:1].isupper() else form


def is_first(word: str) -> bool:
    """Whether it is well known as a first name, or short for one."""
    if word.casefold() in _short_names() and word.casefold() not in WORD_NAMES and not is_ordinary(word):
        return True
    return evidence(in_name_case(word)).first >= 0.3 or evidence(in_name_case(word).split("-")[0]).first >= 0.3


def could_be_name(word: str) -> bool:
    """Whether a word with a capital is no ordinary word, or a name as well."""
    plain = word.casefold().strip(".")
    if re.match(r"[A-Z]{2,}-\w*[a-z]", word):  # IT-Consulting
        return False
    return plain not in NEVER_NAMES and (not is_ordinary(plain) or is_listed(plain) or plain in WORD_NAMES)


def is_date(before: str, word: str, after: str) -> bool:
    """Whether *May* is a month here."""
    return word.casefold() in _MONTHS and bool(_DATE_BEFORE.search(before[-12:]) or re.match(r"[ ]\d", after))


def in_address(before: str, after: str) -> bool:
    """Whether a name such as *Anna Lane* is a street's or a park's here, by what stands beside it."""
    place = _PLACE_BEFORE.search(before[-12:]) and not re.match(r"['’]s?\b", after)
    following = re.match(rf"[ ](?:({PART})|\d)|,[ ](?:{PART}[, ]+)?[A-Z]{{0,2}}\d", after)
    return bool(place or (following and (not following[1] or following[1].casefold() in PLACES)))


def is_slip(word: str, name: str) -> bool:
    """Whether two words of four letters or more differ by one letter, or by two that changed places."""
    if min(len(word), len(name)) < 4 or abs(len(word) - len(name)) > 1 or word == name:
        return False
    long, short = sorted((word, name), key=len, reverse=True)
    if len(long) > len(short):
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    differ = [at for at, (a, b) in enumerate(zip(word, name, strict=True)) if a != b]
    return len(differ) == 1 or (
        len(differ) == 2 and sorted(word[at] for at in differ) == sorted(name[at] for at in differ)
    )
