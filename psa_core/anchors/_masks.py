"""Spans that are not ordinary words, with the reason: web addresses, handles, tags, code, placeholders."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from psa_core.anchors._code import code_spans


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


def masked(text: str) -> list[Mask]:
    """Spans of a text in which nothing is an anchor."""
    found = [Mask(*match.span(), Reason.ADDRESS) for match in _ADDRESS.finditer(text)]
    found += [Mask(*match.span(), Reason.MARKUP) for match in _MARKUP.finditer(text)]
    return found + [Mask(start, end, Reason.CODE) for start, end in code_spans(text)]


def reason_at(masks: Iterable[Mask], start: int, end: int) -> Reason | None:
    """Why ``start:end`` is masked, by the first span that shares a character with it; None where it is not."""
    return next((mask.reason for mask in masks if mask.start < end and start < mask.end), None)


def whole_word(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is a word by itself, not part of a longer or a hyphenated one.

    Underscores and asterisks around it are emphasis; a combining mark continues a letter but not an emoji.

    Examples
    --------
    >>> whole_word("_he_ left", 1, 3), whole_word("he_man", 0, 2), whole_word("he-man", 0, 2)
    (True, False, False)
    """
    before, after = text[max(0, start - 8) : start][::-1], text[end : end + 8]
    return not (_continues(before, following=False) or _continues(after, following=True))


def _continues(neighbours: str, *, following: bool) -> bool:
    """Whether a word goes on into its neighbours, nearest first."""
    beyond = neighbours.lstrip("_")
    if not beyond:
        return False
    first, rest = beyond[0], beyond[1:]
    if first == _APOSTROPHE:
        return False
    if first.isalnum():
        return True
    if first in _HYPHENS or first in _JOINERS:
        return len(beyond) == len(neighbours) and rest[:1].isalnum()
    if unicodedata.category(first).startswith("M") and first not in _EMOJI_MARKS:
        base = next((c for c in rest if not unicodedata.category(c).startswith("M")), "")
        return following or base.isalnum()
    return False
