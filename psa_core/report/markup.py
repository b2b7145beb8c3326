"""Build HTML: plain text is escaped, only `Html` is inserted as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup as Html
from markupsafe import escape

from psa_core.plurals import called
from psa_core.report._style import STYLE

__all__ = ["Html", "Text", "element", "join", "listing", "page", "picture", "prose_called", "section", "table"]

Text = str | Html
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')
_PROSE = re.compile(r"<(p|h\d|li|figcaption|th)\b.*?</\1>", re.DOTALL)
#: Nothing may be fetched or run, whatever got into the page.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_PAGE = Html(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="{policy}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<title>{title}</title><style>{style}</style></head><body><main>{body}</main></body></html>\n"
)
_PICTURE = Html('<figure><div role="img" aria-label="{words}">{drawing}</div><figcaption>{words}</figcaption></figure>')


def element(tag: str, *content: Text, css: str = "") -> Html:
    """An element with its content; `css` is its class.

    Examples
    --------
    >>> element("p", "1 < 2", Html("<br>"), css="small")
    Markup('<p class="small">1 &lt; 2<br></p>')
    """
    attribute = Html(' class="{}"').format(css) if css else ""
    return Html("<{tag}{attribute}>{content}</{tag}>").format(tag=tag, attribute=attribute, content=join(content))


def join(parts: Iterable[Text]) -> Html:
    """Parts one after the other."""
    return Html("").join(map(_printable, parts))


def listing(items: Iterable[Text], *, ordered: bool = False) -> Html:
    """A list."""
    return element("ol" if ordered else "ul", *(element("li", item) for item in items))


def table(header: Sequence[Text], rows: Iterable[Sequence[Text]], *, css: str = "") -> Html:
    """A table; the first column is text, the others are set as numbers."""
    heads = (Html('<th scope="col">{}</th>').format(join([title])) for title in header)
    body = element("tbody", *(element("tr", *(element("td", text) for text in row)) for row in rows))
    return element("div", element("table", element("thead", element("tr", *heads)), body, css=css), css="wide")


def section(title: str, frame: Any, *, heading: str = "h2") -> Html:
    """A data frame under its title, numbers to three digits and missing cells empty; nothing where it has no row."""
    if not len(frame):
        return Html("")

    def words(cell: Any) -> str:
        if not isinstance(cell, float):
            return str(cell)
        return "" if cell != cell else f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"

    rows = [[words(cell) for cell in row] for row in frame.itertuples(index=False)]
    return join([element(heading, title), table([str(column) for column in frame.columns], rows)])


def picture(svg: str, description: str) -> Html:
    """An SVG picture with its description for those who do not see it, and beneath it for all."""
    return _PICTURE.format(drawing=Html(_NAMESPACE.sub("", svg)), words=_printable(description))


def page(title: str, body: Html) -> str:
    """A whole document."""
    return str(_PAGE.format(policy=Html(_POLICY), style=Html(STYLE), title=_printable(title), body=body))


def prose_called(html: str, noun: str) -> str:
    """A page whose paragraphs, headings, lists and captions call texts by this noun; its readers' texts are in cells.

    Examples
    --------
    >>> prose_called("<p>1 sentence</p><td>1 sentence</td>", "document")
    '<p>1 document</p><td>1 sentence</td>'
    """
    return _PROSE.sub(lambda found: called(found[0], noun), html)


def _printable(text: Text) -> Html:
    """The text as markup, with control characters, which no reader wants, as the replacement sign."""
    if isinstance(text, Html):
        return text
    return escape("".join(letter if letter >= " " or letter in "\n\t" else "�" for letter in text))
