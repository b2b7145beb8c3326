"""Words that look like an anchor and are none: in addresses, code, titles and other languages; *he/she*, *Mr. He*."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from psa_core.anchors._code import code_spans
from psa_core.registry import ASSETS


class Reason(StrEnum):
    """Why a word that looks like an anchor is none."""

    ADDRESS = "web address, handle or tag"
    CODE = "code"
    MARKUP = "markup or placeholder"
    NOBODY = "no one person (he/she)"
    NAME = "a name or a title (Mr. He, Her Majesty)"
    LANGUAGE = "another language"
    PLURAL = "plural verb (they are)"


class Mask(NamedTuple):
    """A span of a text in which nothing is an anchor."""

    start: int
    end: int
    reason: Reason


# Quantifiers are bounded so that a hostile line costs linear time.
_ADDRESS = re.compile(
    r"""
      (?:https?://|www\.)\S+                                   # web address
    | \b[\w-]{1,63}\.(?:com|org|net|edu|gov|io)\b(?:/\S*)?     # … without its scheme
    | \b[\w-]{1,63}\.(?:py|js|txt|png|jpe?g|gif|html?|css|json|csv|pdf)\b
    | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+              # e-mail
    | (?<!\w)[@\#][\w-]+                                       # handle, hashtag
    | (?<![\w/])/?[ru]/[\w-]+                                  # community or user of Reddit
    | (?<=\])\([^()\s]{0,500}\)                                # target of a Markdown link
    """,
    re.VERBOSE,
)
_MARKUP = re.compile(
    r"""
      </?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,500}=[^<>]{0,500})?\s?/?>  # tag; of more words only with an attribute
    | <!--.{0,5000}?-->
    | \{\{?\s?[\w.]{1,60}\s?\}?\}  | \[[A-Z_]{2,30}\]  | &\#?\w{2,20};  # template field, placeholder, character entity
    """,
    re.VERBOSE | re.DOTALL,
)
_JOINERS = "\u200c\u200d\u00ad"
_HYPHENS = "-\u2010\u2011"
#: A letter to Unicode, but also what some keyboards write in *heʼs*.
_APOSTROPHE = "ʼ"
_EMOJI_MARKS = "\ufe0e\ufe0f\u20e3"

_SUBJECT, _OBJECT, _POSSESSIVE, _REFLEXIVE = "subject", "object", "possessive", "reflexive"
#: Gender and cases of each pronoun: an alternation is of two genders in one case.
_SINGULAR = {
    "male": {"he": _SUBJECT, "him": _OBJECT, "his": _POSSESSIVE, "himself": _REFLEXIVE},
    "female": {"she": _SUBJECT, "her": f"{_OBJECT} {_POSSESSIVE}", "hers": _POSSESSIVE, "herself": _REFLEXIVE},
    "": {
        **dict.fromkeys(("they", "ze", "xe"), _SUBJECT),
        **dict.fromkeys(("them", "xem"), _OBJECT),
        **dict.fromkeys(("zir", "hir"), f"{_OBJECT} {_POSSESSIVE}"),
        **dict.fromkeys(("their", "theirs", "xyr", "its"), _POSSESSIVE),
        **dict.fromkeys(("themself", "themselves"), _REFLEXIVE),
        "it": f"{_SUBJECT} {_OBJECT}",
    },
}
_KIND = {form: kind for kind, forms in _SINGULAR.items() for form in forms}
_CASES = {form: frozenset(cases.split()) for forms in _SINGULAR.values() for form, cases in forms.items()}
_PRONOUN = rf"(?:{'|'.join(sorted(_KIND, key=len, reverse=True))})"
_ENDING = r"(?:['’‘](?:s|d|ll))?"
_SLASHED = re.compile(rf"\b{_PRONOUN}{_ENDING}(?:[/\\|]{_PRONOUN}{_ENDING})+\b", re.IGNORECASE)
_SPACED = re.compile(rf"\b({_PRONOUN}){_ENDING}\s?[/\\|]\s?({_PRONOUN}){_ENDING}\b", re.IGNORECASE)
_OR = re.compile(rf"\b({_PRONOUN}){_ENDING}(?:, {_PRONOUN})*,? (?:and/)?or ({_PRONOUN}){_ENDING}\b", re.IGNORECASE)
_BRACKETED = re.compile(rf"\b({_PRONOUN}){_ENDING}\s?\((?:or |/)?({_PRONOUN}){_ENDING}\)", re.IGNORECASE)
_FIXED = re.compile(
    r"""
      \bs/he\b | \(s\)\s?he\b | \bs\(he\)           # either of both, in one word
    | \b(?:his\s(?:and|&|n|'n')\shers?)\b
    | \bhe(?:[\s-]he)+\b                            # laughter
    | \b(?:a|the)\s(?:he|she|him|her|hers)\b         # a pronoun used as a noun
    | \b(?:pronouns?|words?|letter)\s["“'‘](?:he|she|him|her|his|hers)["”'’]  # spoken of
    | \bpronoun\s(?:he|she|him|hers?|his)\b
    | \bpronouns(?::|\sare)\s(?:he|she|him|hers?|his)(?:(?:,|\sand|,\sand)\s(?:he|she|him|hers?|his))*\b
    | \bhe[\s-]said,?\s(?:and\s)?she[\s-]said\b(?!\s+(?:that|so|it|yes|no|he|she|i|the|to)\b)
    | (?<=\w\s)\((?-i:He|HE|HIS|HER|SHE)\)           # the short form of what stands before: Helium (He)
    | \b(?:him\sself|(?:his|her)\sself(?!\s?-|\s\w))\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: Titles that hold a pronoun, and names that are spelt like one: the surname He, the film Her, helium.
_TITLES = re.compile(
    r"""
      \b(?i:(?:his|her|their)\s
        (?:(?:late|former|most|royal|imperial|serene|gracious|britannic|apostolic|reverend)\s){0,3}
        (?:majest(?:y|ies)|highness(?:es)?|holiness|excellenc(?:y|ies)|lordships?|ladyships?|nibs
        |eminence(?!\s(?:as|in|among|at|over|within|and)\b)))\b
    | \b(?:His|Her)\s(?:[Ll]ate\s)?(?:Grace|Honou?r|Reverence|Worship)\b
    | \b(?<!\bcall\s)(?<!\bcalled\s)(?<!\bname\s)(?<!\bnamed\s)(?:his|her)\s(?:late\s)?(?:Honou?r|Reverence|Worship)\b
    | (?<!\bthe\s)(?<!\b[Mm]y\s)(?<!\byour\s)\b(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof)\.?|Miss|Professor)\sHe\b
    | \bHE\s(?=(?:Mr|Mrs|Ms|Dr|Sir|(?:the\s)?(?:Ambassador|High\sCommissioner|President|Minister))\b)
    | \b(?:He|She|Him|Her|His|Hers)\s\((?:18|19|20)\d\d[a-z]?\)   # a work or a reference with its year
    | \bHe(?=\set\sal\b)
    | \b(?:of|with|by|from|into)\sHe\b(?!\s(?i:who|that)\b)         # no pronoun has this case there
    | \bHe(?=\s(?:gas|atoms?|ions?|nucle(?:us|i)|isotopes?|plasma)\b)
    | \b(?i:liquid|gaseous|solid|superfluid|ionized|ionised)\sHe\b
    | \bHe(?=(?:\s?[-/+]\s?|\s(?:and|or)\s)(?:H2|N2|O2|Ne|Ar|Kr|Xe)\b)
    | \b(?:H2|N2|O2|Ne|Ar|Kr|Xe)(?:\s?[-/+]\s?|\s(?:and|or)\s)He\b
    | \b(?i:movie|film|album|song|novel|sitcom|musical|band)\s["“'‘]?(?:He|She|Him|HIM|Her|His|Hers)\b
    | (?<!\w)["“](?:Him|Her|Hers)["”](?=\s?(?:[.,!?;()]|$|(?i:is|was|has|by|with)\b))   # a work, in quotation marks
    | \b(?i:saw|seen|watch(?:ed|ing)?)\s["“](?:He|She|His)["”]
    | \b(?:saw|seen|watch(?:ed|ing)?)\s(?:She|Her)\b(?=\s?(?:[.,!?;]|$))
    """,
    re.VERBOSE,
)
#: A capitalised word beside *He*: a name of its bearer if English hardly knows it (*He Jiankui*, *Kaiming He*).
_BESIDE_HE = re.compile(r"\bHe\s(?P<given>[A-Z][a-z]{2,})\b|(?<![.!?…:]\s)(?<![@#\w])(?P<first>[A-Z][a-z]{2,})\sHe\b")
#: Words rarer than this (Zipf scale: 3 is once in a million words) are taken for names.
_KNOWN_WORD = 2.0
_SPELT_OUT = re.compile(r"\b(He|HE|HIS|HER|SHE)\s\(([A-Za-z][\w,\s&-]{2,80})\)")
#: *Is it his or hers?* asks about two people; *his or her* is about anybody.
_OF_TWO_PEOPLE = re.compile(r"(?<=\w\s)(?:his\sor\shers|hers\sor\shis)(?=\W*(?:$|[.!?,;]))", re.IGNORECASE)
#: Number agreement that a singular name would break: *they are*, *they've*, *do they*.
_PLURAL_AFTER = re.compile(r"['’](?:re|ve)\b|\s+(?:are|were|have|do|aren|weren|haven|don)\b", re.IGNORECASE)
_PLURAL_BEFORE = re.compile(r"\b(?:are|were|have|do|(?:are|were|have|do)n['’]?t)\s+$", re.IGNORECASE)

_WORD = re.compile(r"[^\W\d_]+")
#: English pronouns that are words of other languages too; *him*, *his* and *she* are English wherever they stand.
_SHARED = frozenset({"he", "her", "ze", "hir"})
#: How many words of either side are looked at.
_AROUND = 6
_NEAR = 60
#: *he* in Spanish, Catalan and Galician: "I have", before a participle.
_SPANISH_PERFECT = re.compile(
    r"\s+(?:\w{2,20}(?:ado|ido|ído)(?:s|las?|los?)?|hecho|dicho|visto|puesto|muerto|escrito|vuelto|abierto|roto|cubierto|"
    r"resuelto|fet|dit|vist|estat|anat|tingut|vingut|de\s\w{2,20}[aei]r(?:l[aeo]s?|me|te|se)?)\b",
    re.IGNORECASE,
)


def masked(text: str) -> list[Mask]:
    """Spans of a text in which nothing is an anchor."""
    found = [Mask(*match.span(), Reason.ADDRESS) for match in _ADDRESS.finditer(text)]
    found += [Mask(*match.span(), Reason.MARKUP) for match in _MARKUP.finditer(text)]
    return found + [Mask(start, end, Reason.CODE) for start, end in code_spans(text)]


def reason_at(masks: Iterable[Mask], start: int, end: int) -> Reason | None:
    """Why ``start:end`` is masked, by the first span that shares a character with it; None where it is not."""
    return next((mask.reason for mask in masks if mask.start < end and start < mask.end), None)


def whole_word(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is a complete word, not part of a longer or a hyphenated one.

    Underscores and asterisks around it are emphasis; a combining mark continues a letter but not an emoji.

    >>> whole_word("_he_ left", 1, 3), whole_word("he_man", 0, 2), whole_word("he-man", 0, 2)
    (True, False, False)
    """
    before, after = text[max(0, start - 8) : start][::-1], text[end : end + 8]
    return not (_continues(before, following=False) or _continues(after, following=True))


def _continues(neighbours: str, *, following: bool) -> bool:
    """Whether a word goes on into its neighbours, nearest first."""
    outer = neighbours.lstrip("_")
    if not outer:
        return False
    first, rest = outer[0], outer[1:]
    if first == _APOSTROPHE:
        return False
    if first.isalnum():
        return True
    if first in _HYPHENS or first in _JOINERS:
        return len(outer) == len(neighbours) and rest[:1].isalnum()
    if unicodedata.category(first).startswith("M") and first not in _EMOJI_MARKS:
        base = next((c for c in rest if not unicodedata.category(c).startswith("M")), "")
        return following or base.isalnum()
    return False


def barred(text: str, hidden: Iterable[Mask] | None = None) -> list[Mask]:
    """Spans of a text in which no pronoun is an anchor; `hidden` is what `masked` found in it.

    >>> [(mask.start, mask.end) for mask in barred("Whoever he or she is, he left.")]
    [(8, 17)]
    """
    either = [
        match.span()
        for pattern in (_OR, _BRACKETED, _SPACED)
        for match in pattern.finditer(text)
        if _alternatives(match[1].lower(), match[2].lower()) and not _OF_TWO_PEOPLE.match(text, match.start())
    ]
    others = [match.span() for pattern in (_SLASHED, _FIXED) for match in pattern.finditer(text)]
    return sorted(
        [
            *(masked(text) if hidden is None else hidden),
            *(Mask(*span, Reason.NOBODY) for span in either + others),
            *(Mask(*span, Reason.NAME) for span in _names(text)),
        ]
    )


def _names(text: str) -> Iterator[tuple[int, int]]:
    """Spans of titles, names and abbreviations that are spelt like a pronoun."""
    yield from (match.span() for match in _TITLES.finditer(text))
    from wordfreq import zipf_frequency  # reads its list of words on first use

    for match in _BESIDE_HE.finditer(text):
        if zipf_frequency((match["given"] or match["first"]).lower(), "en") < _KNOWN_WORD:
            yield match.span()
    for match in _SPELT_OUT.finditer(text):
        short, words = match[1].lower(), re.findall(r"\w+", match[2].lower())
        initials = "".join(word[0] for word in words if word not in ("and", "of", "the"))
        if initials == short or (len(words) == 1 and words[0].startswith(short)):
            yield match.span()


def _alternatives(one: str, other: str) -> bool:
    """Whether two pronouns can stand for one person of either gender: *he* and *she*, but not *him* and *she*."""
    return _KIND[one] != _KIND[other] and bool(_CASES[one] & _CASES[other])


def plural(text: str, start: int, end: int) -> bool:
    """Whether the verb beside ``text[start:end]`` (*they*) is plural by its form."""
    return bool(_PLURAL_AFTER.match(text, end) or _PLURAL_BEFORE.search(text[max(0, start - 20) : start]))


@cache
def _words() -> dict[str, frozenset[str]]:
    """Frequent words of English, and those of other languages that are none of English, of names or of chats."""
    table = (ASSETS / "anchors" / "other-languages.csv").read_text(encoding="utf-8")
    words = {row["language"]: frozenset(row["words"].split()) for row in csv.DictReader(table.splitlines())}
    others = frozenset[str]().union(*words.values()) - words["English"] - words["Names and chats"]
    return {"English": words["English"], "others": others}


def another_language(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` stands among words of another language than English.

    >>> another_language("Hoy no he comido nada.", 7, 9), another_language("He said que no.", 0, 2)
    (True, False)
    """
    word = text[start:end].lower()
    if word not in _SHARED:
        return False
    if word == "he" and _SPANISH_PERFECT.match(text, end):
        return True
    english = _words()["English"]
    before = [match[0].lower() for match in _WORD.finditer(text[max(0, start - _NEAR) : start])][-_AROUND:]
    after = [match[0].lower() for match in _WORD.finditer(text[end : end + _NEAR])][:_AROUND]
    if any(beside in english for beside in before[-1:] + after[:1]):
        return False
    around = before + after
    others = sum(word in _words()["others"] for word in around)
    return others > 0 and others > sum(word in english for word in around) and 3 * others >= len(around)
