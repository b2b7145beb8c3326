"""What is known of words: whether they may be names, and which of them are one name in two spellings."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from psa_core.anchors import _spacy
from psa_core.inputs import people
from psa_core.inputs.gazetteers import Gender, evidence, is_listed
from psa_core.registry import ASSETS

#: Languages whose titles, pronouns and articles are known; names in a text of another one are told by the lists alone.
ENGLISH = "en"
ANY_LANGUAGE = "xx"
#: How sure the gazetteers are of a name that is well known.
WELL_KNOWN = 0.3
LONGEST_ADDRESS = 500
#: Who of two people of one name it is: a part of no name, but it tells them apart.
GENERATIONS = frozenset({"jr", "sr", "junior", "senior", "ii", "iii", "iv", "filho", "neto", "júnior", "fils", "père"})
#: A word that begins with a capital, and a particle before a last name.
PART = r"(?:[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*)"
PARTICLE = (
    r"(?:(?i:van|von|de|der|den|del|dela|della|delos|di|da|das|do|dos|du|la|le|el|al|ap|bin|bint|ibn|ten|ter|ní|nic|mac)"
    r"[ ]"
    r"|y[ ]|(?:al|el)-)"
)
#: How a name with these letters is written where they cannot be.
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
#: What stands behind a name that begins a sentence, and not behind a word that does.
PERSON_VERB = re.compile(
    r",[ ]who\b|[ ](?:(?:is|was|has|had|will|can|did|does|would|could|should)(?:n['’]t)?\b"
    r"(?![ ](?:he|she|it|they|we|you|I)\b)"
    r"|(?!need)\w+ed\b|(?!this|his|its|us)\w+s\b|led|ran|wrote|made|took|came|went|left|got|rang|knew|told|said|gave|saw|thought|brought|kept|held|built|spoke|stood"
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


def _listed(name: str) -> dict[str, tuple[str, ...]]:
    """Lines of a word, a colon and other words."""
    lines = (ASSETS / "people" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {first: tuple(others.split()) for first, _, others in (line.partition(":") for line in lines)}


_TITLES = _listed("titles")
#: Titles that say a gender change with the person; others, such as Dr., stay in the text.
_GENDERS: Mapping[str, Gender] = {"female": "female", "male": "male", "either": ""}
GENDERED: Mapping[str, Gender] = {word: gender for key, gender in _GENDERS.items() for word in _TITLES[key]}
OTHER_TITLES = _TITLES["other"]
#: Letters behind a name.
DEGREES = frozenset(_TITLES["degrees"])
SUFFIXES = GENERATIONS | {"phd", "md", "esq"}
TITLE, OTHER_TITLE = (
    rf"(?:(?:{'|'.join(cased for word in words for cased in (word.capitalize(), word.upper()))})\b\.?)"
    for words in (GENDERED, OTHER_TITLES)
)
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


#: People without a name whom a pronoun may stand for, with their gender, and those of them who are nobody's relatives.
_KIN = _listed("kin")
KIN = {word: gender for gender in ("female", "male") for word in _KIN[gender]}
ANYBODY = frozenset(_KIN["anybody"])
#: What people are to each other or at work, and those of these words that documents have for their subject.
_ROLES = _listed("roles")
SUBJECT_ROLES = frozenset(_ROLES["subjects"])
ROLES = SUBJECT_ROLES.union(_ROLES["others"])
#: Words in a form behind which the person stands whom it is about.
LABELS = _ROLES["labels"]


_RELATIVES = "|".join(["parents?", *(word for word in KIN if word not in ANYBODY)])
RELATIVE_BEFORE = re.compile(
    rf"\b(?:{_RELATIVES})(?:-in-law)?(?:[,:]|[ ](?:named|called|is|was))?[ ]\(?$", re.IGNORECASE
)
RELATIVE_AFTER = re.compile(
    rf"(?:,|[ ]\()[ ]?(?:who[ ](?:is|was)[ ](?:also[ ])?)?"
    rf"(?:(?:(?:her|his|their|the)[ ])?(?:{_RELATIVES})\b(?![ ]of\b|[ ]\()|no[ ]relati|not[ ]related|unrelated)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Language:
    """What of a language tells who a name is.

    Titles and pronouns have the gender that they tell, or none. `kin` are people, but not their names. A name behind
    one of the `articles` is no person's (*an Obama speech*). `ordinary` words are no names when they stand alone.
    """

    titles: Mapping[str, Gender]
    pronouns: Mapping[str, Gender]
    kin: frozenset[str]
    articles: frozenset[str]
    ordinary: frozenset[str]


@cache
def language_of(code: str = ENGLISH) -> Language:
    """The words of a language by its code, from ``assets/people/words.csv``; empty for one that is not there."""
    code = ENGLISH if code == ANY_LANGUAGE else code
    kinds: dict[str, dict[str, Gender]] = {"title": {}, "pronoun": {}, "kin": {}, "article": {}}
    with (ASSETS / "people" / "words.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["language"] == code:
                kinds[row["kind"]][row["form"]] = row["gender"]  # type: ignore[assignment]
    ordinary = list[str]()
    if code == ENGLISH:  # ordinary words, and those that carry sentiment by VADER's lexicon
        ordinary += (ASSETS / "names" / "ordinary-words.txt").read_text(encoding="utf-8").split()
        package = find_spec("vaderSentiment")
        if package and package.origin:
            lexicon = (Path(package.origin).parent / "vader_lexicon.txt").read_text(encoding="utf-8")
            ordinary += [line.partition("\t")[0] for line in lexicon.splitlines()]
    titles, pronouns, kin, articles = kinds.values()
    return Language(titles, pronouns, frozenset(kin), frozenset(articles), frozenset(ordinary))


@cache
def nicknames() -> dict[str, frozenset[str]]:
    """Short forms of a first name, all in small letters."""
    return {first: frozenset(shorts) for first, shorts in _listed("nicknames").items()}


def shorts_of(first: str) -> frozenset[str]:
    """What a first name is called for short."""
    return nicknames().get(first.casefold(), frozenset())


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


def tokens_in(text: str) -> Iterator[re.Match[str]]:
    """What stands between spaces, and may be an address: of any length, a hostile one would take hours to search."""
    return (token for token in re.finditer(r"\S+", text) if len(token[0]) <= LONGEST_ADDRESS)


def key_of(name: str) -> str:
    """Equal for names that differ in accents and capitals only."""
    return fold(name).casefold()


def bare(word: str) -> str:
    """A word without its possessive ending."""
    return re.sub(r"['’]s$", "", word)


def gender_of_title(title: str) -> Gender:
    """What *Mr.* or *Ms* tells; empty for a title that tells no gender."""
    return GENDERED.get(title.casefold().strip("."), "")


def is_degree(word: str) -> bool:
    """Whether it is letters behind a name: *MBA*, *PhD*."""
    return word.casefold().replace(".", "") in DEGREES and not word.istitle()


def is_ordinary(word: str) -> bool:
    """Whether it is a word of the language, or one that carries sentiment."""
    return word.casefold() in language_of().ordinary


@cache
def is_only_word(word: str) -> bool:
    """Whether the dictionary has it, in some form, and no list has it as a name."""
    plain = word.casefold()
    known = evidence(plain)
    if is_listed(plain) or max(known.first, known.last) >= WELL_KNOWN or plain in PLACE_LASTS:
        return False
    ends = (("", ""), ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"))
    return any(plain.endswith(end) and plain.removesuffix(end) + base in _spacy.dictionary() for end, base in ends)


def is_word_and_name(word: str) -> bool:
    """Whether it may be either, so that its place in the text has to tell."""
    return word.casefold() in WORD_NAMES or is_ordinary(word)


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
    if word.casefold() in _short_names() and not is_word_and_name(word):
        return True
    name = in_name_case(word)
    return any(evidence(part).first >= WELL_KNOWN for part in (name, name.split("-")[0]))


def could_be_name(word: str) -> bool:
    """Whether a word with a capital is no ordinary word, or a name as well."""
    plain = word.casefold().strip(".")
    if re.match(r"[A-Z]{2,}-\w*[a-z]|I['’]", word):  # IT-Consulting, I'm
        return False
    is_never = plain in NEVER_NAMES or (plain in KIN and not is_listed(plain))
    return not is_never and (not is_ordinary(plain) or is_listed(plain) or plain in WORD_NAMES)


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
    swapped = sorted(word[at] for at in differ) == sorted(name[at] for at in differ)
    return len(differ) == 1 or (len(differ) == 2 and swapped)
