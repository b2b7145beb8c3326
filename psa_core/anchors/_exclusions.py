"""Pronouns that no name can replace: *he/she*, *(s)he*, *Her Majesty*, *Mr. He*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from psa_core.anchors._masks import Mask, Reason, masked

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
#: Titles that hold a pronoun, and names that are spelt like one: the surname He, the film Her.
_TITLES = re.compile(
    r"""
      \b(?i:(?:his|her)\s(?:(?:royal|imperial|serene)\s)?
        (?:majesty|highness|holiness|excellency|eminence|lordship|ladyship))\b
    | \b(?:His|Her)\s(?:Grace|Honou?r|Reverence|Worship)\b
    | (?<!\bthe\s)(?<!\b[Mm]y\s)(?<!\byour\s)\b(?:(?:Mr|Mrs|Ms|Mx|Dr|Prof)\.?|Miss|Professor)\sHe\b
    | \b(?:He|She|Him|Her|His|Hers)\s\((?:18|19|20)\d\d[a-z]?\)   # a work or a reference with its year
    | \bHe(?=\set\sal\b)
    | \b(?i:movie|film|album|song|novel|sitcom)\s["“'‘]?(?:He|She|Him|Her|His|Hers)\b
    | \b(?i:saw|seen|watch(?:ed|ing)?)\s["“](?:He|She|Him|Her|His|Hers)["”]
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


def barred(text: str, hidden: Iterable[Mask] | None = None) -> list[Mask]:
    """Spans of a text in which no pronoun is an anchor; `hidden` is what `masked` found in it.

    Examples
    --------
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
