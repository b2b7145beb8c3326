"""User text as HTML for ``st.html``: always escaped, with spans highlighted, for light and dark themes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from psa_core.charts._theme import DOWN, UP
from psa_core.cube import Target
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


def scored_sentence(text: str, span: Span, score: float, target: Target) -> str:
    """A sentence in large letters beside its score; the words say whether it gets the label, so does the colour."""
    threshold = target.default_threshold
    colour, sign = (UP, "≥") if labels_at(score, threshold) else (DOWN, "<")
    words = f"{target.name} {sign} {threshold:g}"
    number = f"{score:.2f}".replace("-", "−")
    return (
        '<div style="display: flex; align-items: center; gap: 1rem; flex: 1 1 23rem">'
        f'<div style="min-width: 5.9rem"><div style="font-size: 2.1rem; font-weight: 650; line-height: 1.1; '
        f'color: {colour}; {DIGITS}">{number}</div>'
        f'<div style="font-size: 0.8rem; opacity: 0.75">{html.escape(words)}</div></div>'
        f'<div style="{SERIF}; font-size: 1.4rem; line-height: 1.35; overflow-wrap: anywhere">“'
        f"{marked(text, [span])}”</div></div>"
    )


def side_by_side(parts: Sequence[str]) -> str:
    """Blocks in a row, beneath each other where there is no room."""
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


def sentence(text: str, spans: Sequence[Span] = (), *, off: Sequence[Span] = ()) -> str:
    """A sentence of a corpus in the reading face, with its anchors marked; of a long one what is around the first."""
    start = (
        max(0, min((span[0] for span in (*spans, *off)), default=0) - MAX_LENGTH // 2) if len(text) > MAX_LENGTH else 0
    )
    text, cut = text[start : start + MAX_LENGTH], len(text)
    kept, struck = ([(a - start, b - start) for a, b in some if b - start <= MAX_LENGTH] for some in (spans, off))
    body = f"{'…' * (start > 0)}{marked(text, kept, off=struck)}{'…' * (start + MAX_LENGTH < cut)}"
    return f'<p style="{SERIF}; margin: 0; font-size: 1.08rem; line-height: 1.5; overflow-wrap: anywhere">{body}</p>'
