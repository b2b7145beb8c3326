"""Neutral edits, which concern nobody: the floor beneath what names do.

A name changes a score; so may another telephone digit. Each text gets a few small edits outside of every mention of the
person, the same ones for the same text and seed; their scores are columns of their own beside the names.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from psa_core.anchors import Anchor
from psa_core.scoring import Grid
from psa_core.study.perturbation import Perturbation

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Without those that are names as well.
MONTHS = ("January", "February", "March", "July", "September", "October", "November", "December")
#: What may stand for a word or phrase in any sentence. Short forms are not written out: *it's been* is no *it is been*.
SYNONYMS = {
    "perhaps": "maybe", "maybe": "perhaps", "often": "frequently", "frequently": "often", "quickly": "rapidly",
    "rapidly": "quickly", "for example": "for instance", "for instance": "for example", "although": "though",
    "nearly": "almost", "did not": "didn't", "does not": "doesn't", "do not": "don't", "is not": "isn't",
    "was not": "wasn't", "could not": "couldn't", "would not": "wouldn't", "cannot": "can't",
}  # fmt: skip
_PHRASES = re.compile(rf"(?<!not )\b(?:{'|'.join(SYNONYMS)})\b(?!-)", re.I)
_CALENDAR = re.compile(rf"\b(?:{'|'.join((*DAYS, *MONTHS))})\b(?! [A-Z])")
#: Telephone numbers (no years, amounts or dates of birth), minutes of a time, and numbers of houses.
_PHONE = re.compile(
    r"(?<![\d$€£.,/-])(?:\+\d|\(\d{2,5}\)|0\d(?![\d]?[/.-]))[\d ()-]{5,}\d(?![\d/]|[.,]\d)"
    r"|(?<![\d-])(?:\d{3}[- ])?555[- ]\d{4}(?!\d)"
)
_TIME = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_HOUSE = re.compile(
    r"(?<![\d,.])\d{1,3}(?= (?:[A-Z]\w+ ){1,2}(?:Street|Road|Lane|Row|Avenue|Close|Court|Way|Drive)\b)"
    r"|(?<=Street )\d{1,3}\b|(?<=Road )\d{1,3}\b|(?<=Avenue )\d{1,3}\b"
)
_COMMA = re.compile(r", (?=and\b|but\b|or\b|which\b)|(?<=\w) (?=and\b|but\b)")
_WORD = re.compile(r"[^ \n]*")
_STOP = re.compile(r"(?<=\w)\.(?=\s*$)")


class Edit(NamedTuple):
    """A span of a text and what takes its place."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Controls(Grid):
    """The edited texts of a study: ``first`` (S,) are the sentences, each with one name that is chosen by its text.

    ``texts`` (S, C) are the same with each edit, and ``changes`` (S, C) what was changed, such as ``Monday →
    Thursday``.
    """

    changes: tuple[tuple[str, ...], ...]


def controls_of(perturbation: Perturbation, count: int, seed: int = 0) -> Controls:
    """So many neutral edits of each text.

    Which name stands in a text, and which edits are drawn, depends on the text and the seed alone.

    Examples
    --------
    >>> perturbation = Perturbation(("On Monday he left, and it rained.",), ((Anchor(10, 12, "subject"),),), ("Ann",))
    >>> controls_of(perturbation, 2).changes[0]
    ('rained. → rained', 'left, and → left and')
    """
    pieces, spans, changes, chosen = [], [], [], []
    for text, own in zip(perturbation.texts, perturbation.spans, strict=True):
        draw = np.random.default_rng([seed, zlib.crc32(text.encode("utf-8", "replace"))])
        chosen.append(int(draw.integers(len(perturbation.names))))
        drawn = _drawn(text, own, count, draw)
        changes.append(tuple("; ".join(_change(text, edit) for edit in edits) for edits in drawn))
        for edits in ((), *drawn):
            edited = text
            for edit in reversed(edits):
                edited = f"{edited[: edit.start]}{edit.new}{edited[edit.end :]}"
            pieces.append(edited)
            shifts = [sum(len(new) - (end - start) for start, end, new in edits if end <= span.start) for span in own]
            moved = zip(own, shifts, strict=True)
            spans.append(tuple(replace(one, start=one.start + by, end=one.end + by) for one, by in moved))
    with_edits = replace(perturbation, texts=tuple(pieces), spans=tuple(spans))
    width = count + 1
    every = [with_edits.text(at, chosen[at // width]) for at in range(len(pieces))]
    rows = [every[start : start + width] for start in range(0, len(every), width)]
    names = [str(number) for number in range(1, 1 + len(changes[0] if changes else ()))]
    return Controls(names, [row[0] for row in rows], [row[1:] for row in rows], tuple(changes))


def _drawn(text: str, spans: Sequence[Anchor], count: int, draw: np.random.Generator) -> list[tuple[Edit, ...]]:
    """Distinct edits of as many places as the person stands in, of half of what may be edited at most.

    Otherwise a model that minds any change would seem to mind names, which change a document in a dozen places. Where
    there are too few edits some have one place more, and the last are numbers in front.
    """
    # None inside a mention or beside it: “and” behind a name is about its sentence.
    found = [
        edit
        for edit in _possible(text, draw)
        if not any(edit.start <= span.end and edit.end >= span.start for span in spans)
    ]
    size = max(1, min(len(spans), len(found) // 2))
    drawn: dict[tuple[Edit, ...], None] = {}
    for places in [size] * 5 * count + [size + 1] * 5 * count:
        edits = sorted((found[at] for at in draw.permutation(len(found))[:places]), key=lambda edit: edit.start)
        if len(edits) == places and all(one.end <= two.start for one, two in pairwise(edits)):
            drawn[tuple(edits)] = None
        if len(drawn) == count:
            break
    numbers = draw.permutation(max(90, count)) + 10
    return [*drawn, *((Edit(0, 0, f"{number}. "),) for number in numbers[: count - len(drawn)])]


def _possible(text: str, draw: np.random.Generator) -> Iterator[Edit]:
    """Every place that may be edited, each in one way."""
    for match in _CALENDAR.finditer(text):
        kind = DAYS if match[0] in DAYS else MONTHS
        yield Edit(*match.span(), str(draw.choice([one for one in kind if one != match[0]])))
    for pattern, group in ((_PHONE, 0), (_TIME, 1), (_HOUSE, 0)):
        for match in pattern.finditer(text):
            at = match.end(group) - 1
            yield Edit(at, at + 1, str(draw.choice([digit for digit in "0123456789" if digit != text[at]])))
    for match in _PHRASES.finditer(text):
        other = SYNONYMS[match[0].lower()]
        yield Edit(*match.span(), other[0].upper() + other[1:] if match[0][0].isupper() else other)
    for match in _COMMA.finditer(text):
        yield Edit(*match.span(), " " if match[0].startswith(",") else ", ")
    for match in _STOP.finditer(text):
        yield Edit(*match.span(), "")


def _change(text: str, edit: Edit) -> str:
    """What an edit changes, with the words around it."""
    before = text[max(text.rfind(" ", 0, edit.start), text.rfind("\n", 0, edit.start)) + 1 : edit.start]
    after = _WORD.match(text, edit.end)[0]  # type: ignore[index]
    return f"{before}{text[edit.start : edit.end]}{after} → {before}{edit.new}{after}"
