"""Pronouns that no name can replace: *he/she*, *(s)he*, *Her Majesty*."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    | \b(?:his|her)\s(?:(?:royal|imperial|serene)\s)?
        (?:majesty|highness|holiness|excellency|eminence|lordship|ladyship)\b
    | \b(?-i:(?:His|Her)\s(?:Grace|Honou?r|Reverence|Worship))\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
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
        if _alternatives(match[1].lower(), match[2].lower())
    ]
    others = [match.span() for pattern in (_SLASHED, _FIXED) for match in pattern.finditer(text)]
    return sorted(
        [*(masked(text) if hidden is None else hidden), *(Mask(*span, Reason.NOBODY) for span in either + others)]
    )


def _alternatives(one: str, other: str) -> bool:
    """Whether two pronouns can stand for one person of either gender: *he* and *she*, but not *him* and *she*."""
    return _KIND[one] != _KIND[other] and bool(_CASES[one] & _CASES[other])


def plural(text: str, start: int, end: int) -> bool:
    """Whether the verb beside ``text[start:end]`` (*they*) is plural by its form."""
    return bool(_PLURAL_AFTER.match(text, end) or _PLURAL_BEFORE.search(text[max(0, start - 20) : start]))
