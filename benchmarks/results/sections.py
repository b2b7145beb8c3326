"""Sections of a page that a command writes, between ``<!-- name -->`` and ``<!-- /name -->``; people write the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from psa_core.errors import OptionError


def replaced(page: str, sections: Mapping[str, str]) -> str:
    """The page with each section's text between its marks; other sections and all other words stay.

    Raises
    ------
    OptionError
        When the page lacks the marks of a section.
    """
    for name, text in sections.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, begun, rest = page.partition(begin)
        _, ended, after = rest.partition(end)
        if not (begun and ended):
            raise OptionError("page", got=f"no section {name!r}", expected=f"{begin} and {end} in it")
        page = f"{before}{begin}\n{text.strip()}\n{end}{after}"
    return page


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def signed(number: float, digits: int = 3) -> str:
    """``+0.012`` or ``−0.012``."""
    return f"{number:+.{digits}f}".replace("-", "−")


def interval(value: float, low: float, high: float, digits: int = 3) -> str:
    """``0.083 [0.081, 0.085]``."""
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]".replace("-", "−")
