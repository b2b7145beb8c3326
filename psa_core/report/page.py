"""``report.html``, whatever kind of result it shows: plain text is escaped, only `Html` is inserted as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup as Html
from markupsafe import escape

from psa_core.claims.formatting import Finding
from psa_core.plurals import called
from psa_core.registry import ASSETS
from psa_core.study.selection import COUNTED_AS

__all__ = ["Html"]

Text = str | Html
_NAMESPACE = re.compile(r' xmlns(:\w+)?="[^"]*"')
_PROSE = re.compile(r"<(p|h\d|li|figcaption|th)\b.*?</\1>", re.DOTALL)
MASKED = "These look like words to replace but are not, and stay as they are."
#: How a number begins, an interval, and what stands where there is none.
_NUMBER = re.compile(r"[+−-]?[\d.]|\[|[–-]?$")
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
    """A table; its first column, and any other of whose cells most do not begin as numbers do, is set as text."""
    cells = [list(row) for row in rows]
    looks = ["text" if place and _is_text(column) else "" for place, column in enumerate(zip(*cells, strict=True))]
    looks = looks or [""] * len(header)
    heads = (
        Html('<th scope="col"{}>{}</th>').format(Html(' class="text"') if css_of else "", join([title]))
        for title, css_of in zip(header, looks, strict=True)
    )
    written = ((element("td", cell, css=css_of) for cell, css_of in zip(row, looks, strict=True)) for row in cells)
    body = element("tbody", *(element("tr", *row) for row in written))
    return element("div", element("table", element("thead", element("tr", *heads)), body, css=css), css="wide")


def _is_text(column: Sequence[Text]) -> bool:
    written = [cell for cell in column if cell]
    return 2 * sum(not isinstance(cell, Html) and not _NUMBER.match(cell) for cell in written) > len(written)


def section(title: str, frame: Any, *, heading: str = "h2") -> Html:
    """A data frame under its title, numbers to three digits and missing cells empty; nothing where it has no row."""
    if not len(frame):
        return Html("")

    def words(cell: Any) -> str:
        if not isinstance(cell, float):
            return str(cell)
        text = "" if cell != cell else f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
        return f"−{text[1:]}" if text.startswith("-") else text

    rows = [[words(cell) for cell in row] for row in frame.itertuples(index=False)]
    return join([element(heading, title), table([str(column) for column in frame.columns], rows)])


def picture(svg: str, description: str) -> Html:
    """An SVG picture with its description for those who do not see it, and beneath it for all."""
    return _PICTURE.format(drawing=Html(_NAMESPACE.sub("", svg)), words=_printable(description))


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


@dataclass(frozen=True)
class Report:
    """The contents of a report on one kind of result, in their order on the page.

    A ``caution`` stands before the findings where they rest on too little. ``limits`` say what the numbers do not; the
    notes of the ``provenance`` (the manifest) follow. ``commands`` run it again, with comments between. Question,
    caution and commands may be empty.
    """

    title: str
    findings: Sequence[Finding]
    method: Sequence[str]
    body: Sequence[Html]
    limits: Sequence[str]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    caution: str = ""
    commands: Sequence[str] = ()


def framed(report: Report) -> str:
    """The text of ``report.html``: a whole document without script or reference to another file or address."""
    parts = [
        element("h1", report.title),
        element("p", report.question, css="question") if report.question else Html(""),
        element("p", element("strong", report.caution)) if report.caution else Html(""),
        *(finding_html(finding, css="finding") for finding in report.findings),
        element("h2", "Method"),
        listing(report.method, ordered=True),
        *report.body,
        element("h2", "Limits"),
        listing([*report.limits, *map(str, report.provenance.get("notes", ()))]),
        _account(report.provenance),
        _reproduction(report.commands, report.provenance),
    ]
    style = Html((ASSETS / "report.css").read_text(encoding="utf-8"))
    title, body = _printable(report.title), join(parts)
    return str(_PAGE.format(policy=Html(_POLICY), style=style, title=title, body=body))


def finding_html(finding: Finding, css: str = "") -> Html:
    """A finding in plain words, and beneath it how sure it is."""
    evidence = element("p", finding.evidence, css="small") if finding.evidence else Html("")
    return join([element("p", finding.headline, css=css), evidence])


def _account(provenance: Mapping[str, Any]) -> Html:
    """What became of every sentence that was read, and which words only look like words to replace."""
    parts = []
    if counts := provenance.get("account", {}):
        parts = [element("h2", "What became of the sentences"), _counts(counts)]
    if masked := provenance.get("masked", {}):
        parts += [element("p", MASKED), _counts(masked)]
    return join(parts)


def _counts(counts: Mapping[str, int]) -> Html:
    return table(
        ("What", "Count"), [[COUNTED_AS.get(reason, str(reason)), f"{count:,}"] for reason, count in counts.items()]
    )


def _reproduction(commands: Sequence[str], provenance: Mapping[str, Any]) -> Html:
    """The command that runs it again, and what it ran on."""
    hashes = {f"{what} (sha256)": source.get("sha256") for what, source in provenance.get("inputs", {}).items()}
    facts = {"scorer": provenance.get("fingerprint"), **hashes, **provenance.get("versions", {})}
    rows = [[key, str(value)] for key, value in facts.items() if value]
    parts = []
    if commands:
        same = "The same inputs, model, seed and versions give the same numbers."
        parts = [element("pre", *commands), element("p", same, css="small")]
    parts += [table(("What", "Version or hash"), rows, css="words")] if rows else []
    return join([element("h2", "How to run it again"), *parts]) if parts else Html("")
