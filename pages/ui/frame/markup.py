"""User text as HTML for ``st.html``: always escaped, with spans highlighted, for light and dark themes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence

from psa_core.charts._theme import DOWN, UP
from psa_core.claims.formatting import Words, score_digits
from psa_core.cube import Target
from psa_core.report import excerpt, is_long
from psa_core.stats import labels_at

SERIF = "font-family: 'Source Serif', 'Source Serif Pro', Georgia, serif"
MARK = "background: rgba(18, 144, 138, 0.20); color: inherit; border-radius: 0.3em; padding: 0.02em 0.22em"
OFF = "background: none; color: inherit; opacity: 0.75; text-decoration: line-through"
DIGITS = "font-variant-numeric: tabular-nums"
Span = tuple[int, int]
#: Pieces of a text with what each one is, and the tag and style of what is not written as it is.
Pieces = Sequence[tuple[str, str]]
Tags = Mapping[str, tuple[str, str]]
TAGS: Tags = {"on": ("mark", MARK), "off": ("del", OFF)}
#: Characters of a sentence that are shown.
MAX_LENGTH = 5_000


def cut(text: str, spans: Iterable[tuple[Span, str]]) -> list[tuple[str, str]]:
    """A text in pieces: spans, which do not overlap, with their kinds, and what is the ``same`` between them."""
    pieces, end = [], 0
    for (start, stop), kind in sorted(spans):
        pieces += [("same", text[end:start]), (kind, text[start:stop])]
        end = stop
    return [(kind, part) for kind, part in [*pieces, ("same", text[end:])] if part]


def clipped(pieces: Pieces) -> list[tuple[str, str]]:
    """The first `MAX_LENGTH` characters of a text in pieces."""
    kept, room = [], MAX_LENGTH
    for kind, text in pieces:
        if room > 0:
            kept.append((kind, text if len(text) <= room else f"{text[:room]}…"))
        room -= len(text)
    return kept


def written(pieces: Pieces, tags: Tags = TAGS) -> str:
    """Pieces of a text, each in the tag of its kind.

    Examples
    --------
    >>> written([("same", "<he> ran")])
    '&lt;he&gt; ran'
    """
    parts = []
    for kind, text in pieces:
        tag, style = tags.get(kind, ("", ""))
        parts.append(f'<{tag} style="{style}">{html.escape(text)}</{tag}>' if tag else html.escape(text))
    return "".join(parts)


def marked(text: str, spans: Sequence[Span]) -> str:
    """A text with some spans marked."""
    return written(cut(text, [(span, "on") for span in spans]))


def scored_sentence(pieces: Pieces, score: float, target: Target) -> str:
    """A sentence in large type beside its score; words and colour both say whether it gets the label.

    Of a long text its changed passages, in smaller type.
    """
    threshold = target.default_threshold
    colour, sign = (UP, "≥") if labels_at(score, threshold) else (DOWN, "<")
    words = Words.of(target)
    label = f"{target.name} {sign} {words.at(threshold)}"
    shown = words.level(score, score_digits([score], threshold))
    size = "1rem" if is_long(pieces) else "1.4rem"
    style = f"{SERIF}; margin: 0; font-size: {size}; line-height: 1.35; overflow-wrap: anywhere"
    sentence = behind_click([("same", "“"), *pieces, ("same", "”")], {"come": ("mark", MARK)}, style)
    return (
        '<div style="display: flex; align-items: center; gap: 1rem; flex: 1 1 23rem">'
        f'<div style="min-width: 5.9rem"><div style="font-size: 2.1rem; font-weight: 650; line-height: 1.1; '
        f'color: {colour}; {DIGITS}">{shown}</div>'
        f'<div style="font-size: 0.8rem; opacity: 0.75">{html.escape(label)}</div></div><div>{sentence}</div></div>'
    )


def side_by_side(parts: Sequence[str]) -> str:
    """Blocks in a row, stacked where there is no room."""
    return f'<div style="display: flex; flex-wrap: wrap; gap: 0.5rem 2rem">{"".join(parts)}</div>'


def literal(text: str) -> str:
    r"""User text for the label of a widget, which reads markdown: every sign that could be one is said to be none.

    A backslash does not help before ``:``, so an invisible joiner after it takes ``:material/home:`` apart.

    Examples
    --------
    >>> print(literal("![x](y)"))
    \!\[x\]\(y\)
    """
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>~$&=^])", r"\\\1", text).replace(":", ":\u2060")


def plain(text: str, *, size: str = "1rem", faint: bool = False) -> str:
    """A paragraph of user text."""
    opacity = "; opacity: 0.75" if faint else ""
    return f'<p style="margin: 0; font-size: {size}; overflow-wrap: anywhere{opacity}">{html.escape(text)}</p>'


def spoken(text: str) -> str:
    """A finding, in the reading face and larger than the text around it."""
    return f'<p style="{SERIF}; margin: 0; font-size: 1.3rem; line-height: 1.45">{html.escape(text)}</p>'


def behind_click(pieces: Pieces, tags: Tags, style: str) -> str:
    """Pieces of a text with the tag and style of their kind; of a long text its passages, and the whole by a click."""
    if not is_long(pieces):
        return f'<p style="{style}">{written(pieces, tags)}</p>'
    return (
        f'<p style="{style}">{written(excerpt(pieces), tags)}</p>'
        '<details style="margin-top: 0.3rem"><summary style="font-size: 0.9rem; opacity: 0.75; cursor: pointer">Whole '
        f'text</summary><p style="{style}; white-space: pre-line">{written(clipped(pieces), tags)}</p></details>'
    )


def sentence(text: str, spans: Sequence[Span] = (), *, off: Sequence[Span] = ()) -> str:
    """A text of a corpus in the reading face with its anchors marked; a long one as in `behind_click`."""
    style = f"{SERIF}; margin: 0; font-size: 1.08rem; line-height: 1.5; overflow-wrap: anywhere"
    return behind_click(cut(text, [(span, "on") for span in spans] + [(span, "off") for span in off]), TAGS, style)
