"""Two texts beside each other, with the words marked in which they differ."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from pages.ui.frame import markup

#: Texts longer than this have no words marked: comparing them would take long.
MAX_COMPARED = 6000


def column(title: str, score: float, text: str, colour: str, spans: Sequence[markup.Span] = ()) -> str:
    """A text under its title and score, a block of `markup.side_by_side`."""
    reading = f"{markup.SERIF}; font-size: 1.02rem; line-height: 1.45; overflow-wrap: anywhere; white-space: pre-wrap"
    return (
        f'<div style="flex: 1 1 14rem; min-width: 0; border-left: 4px solid {colour}; padding-left: 0.7rem">'
        f'<div style="font-size: 0.85rem"><b>{html.escape(title)}</b> '
        f'<span style="{markup.DIGITS}">{score:.3g}</span></div>'
        f'<div style="{reading}">{markup.marked(text, spans)}</div></div>'
    )


def differing(first: str, second: str) -> tuple[list[markup.Span], list[markup.Span]]:
    """Spans of the words in which two texts differ; none where one of them is long.

    Examples
    --------
    >>> differing("She ran.", "He ran.")
    ([(0, 3)], [(0, 2)])
    """
    spans: tuple[list[markup.Span], list[markup.Span]] = ([], [])
    if max(len(first), len(second)) > MAX_COMPARED:
        return spans
    words = [list(re.finditer(r"\S+", text)) for text in (first, second)]
    compared = SequenceMatcher(None, *([word[0] for word in part] for part in words), autojunk=False)
    for tag, *bounds in compared.get_opcodes():
        for part, side, (start, stop) in zip(words, spans, (bounds[:2], bounds[2:]), strict=True):
            if tag != "equal" and stop > start:
                last = part[stop - 1]
                side.append((part[start].start(), last.start() + len(last[0].rstrip(".,;:!?")) or last.end()))
    return spans
