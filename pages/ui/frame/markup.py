"""User text as HTML for ``st.html``: always escaped, with spans highlighted, for light and dark themes."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from psa_core.charts._theme import DOWN, UP
from psa_core.claims.formatting import level, number, score_digits
from psa_core.cube import Target
from psa_core.report import excerpt, is_long
from psa_core.stats import labels_at

SERIF = "font-family: 'Source Serif', 'Source Serif Pro', Georgia, serif"
MARK = "background: rgba(18, 144, 138, 0.20); color: inherit; border-radius: 0.3em; padding: 0.02em 0.22em"
OFF = "background: none; color: inherit; opacity: 0.75; text-decoration: line-through"
DIGITS = "font-variant-numeric: tabular-nums"
Span = tuple[int, int]
#: Characters of a sentence that are shown.
MAX_LENGTH = 5_000


def marked(text: str, spans: Sequence[Span], *, off: Sequence[Span] = ()) -> str:
    """A text with some spans marked and some struck out; spans do not overlap.

    Examples
    --------
    >>> marked("<he> ran", [])
    '&lt;he&gt; ran'
    """
    pieces, end = [], 0
    styles = sorted([(span, f'mark style="{MARK}"') for span in spans] + [(span, f'del style="{OFF}"') for span in off])
    for (start, stop), tag in styles:
        pieces += [html.escape(text[end:start]), f"<{tag}>", html.escape(text[start:stop]), f"</{tag.split()[0]}>"]
        end = stop
    return "".join([*pieces, html.escape(text[end:])])


def scored_sentence(pieces: Sequence[tuple[str, str]], score: float, target: Target) -> str:
    """A sentence in large type beside its score; words and colour both say whether it gets the label.

    Of a long text its changed passages, in smaller type.
    """
    threshold = target.default_threshold
    colour, sign = (UP, "≥") if labels_at(score, threshold) else (DOWN, "<")
    label = f"{target.name} {sign} {level(threshold)}"
    shown = number(score, digits=score_digits([score], threshold))
    size = "1rem" if is_long(pieces) else "1.4rem"
    style = f"{SERIF}; margin: 0; font-size: {size}; line-height: 1.35; overflow-wrap: anywhere"
    words = behind_click([("same", "“"), *pieces, ("same", "”")], {"come": ("mark", MARK)}, style)
    return (
        '<div style="display: flex; align-items: center; gap: 1rem; flex: 1 1 23rem">'
        f'<div style="min-width: 5.9rem"><div style="font-size: 2.1rem; font-weight: 650; line-height: 1.1; '
        f'color: {colour}; {DIGITS}">{shown}</div>'
        f'<div style="font-size: 0.8rem; opacity: 0.75">{html.escape(label)}</div></div><div>{words}</div></div>'
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


def behind_click(pieces: Sequence[tuple[str, str]], tags: Mapping[str, tuple[str, str]], style: str) -> str:
    """Pieces of a text with the tag and style of their kind; of a long text its passages, and the whole by a click."""

    def words(some: Sequence[tuple[str, str]]) -> str:
        parts = []
        for kind, text in some:
            tag, own = tags.get(kind, ("span", ""))
            parts.append(f'<{tag} style="{own}">{html.escape(text)}</{tag}>' if kind in tags else html.escape(text))
        return "".join(parts)

    if not is_long(pieces):
        return f'<p style="{style}">{words(pieces)}</p>'
    whole: list[tuple[str, str]] = []
    room = MAX_LENGTH
    for kind, text in pieces:
        if room > 0:
            whole.append((kind, text if len(text) <= room else f"{text[:room]}…"))
        room -= len(text)
    return (
        f'<p style="{style}">{words(excerpt(pieces))}</p>'
        '<details style="margin-top: 0.3rem"><summary style="font-size: 0.9rem; opacity: 0.75; cursor: pointer">'
        f'Whole text</summary><p style="{style}; white-space: pre-line">{words(whole)}</p></details>'
    )


def sentence(text: str, spans: Sequence[Span] = (), *, off: Sequence[Span] = ()) -> str:
    """A text of a corpus in the reading face with its anchors marked; a long one as in `behind_click`."""
    pieces, end = [], 0
    for (start, stop), kind in sorted([(span, "on") for span in spans] + [(span, "off") for span in off]):
        pieces += [("same", text[end:start]), (kind, text[start:stop])]
        end = stop
    pieces = [(kind, part) for kind, part in [*pieces, ("same", text[end:])] if part]
    style = f"{SERIF}; margin: 0; font-size: 1.08rem; line-height: 1.5; overflow-wrap: anywhere"
    return behind_click(pieces, {"on": ("mark", MARK), "off": ("del", OFF)}, style)
