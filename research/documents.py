"""Sections of a page that a command writes, between ``<!-- name -->`` and ``<!-- /name -->``; people write the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from psa_core.errors import OptionError

DOCS = Path(__file__).resolve().parent.parent / "docs"
PERFORMANCE = DOCS / "performance.md"


def write(document: Path, sections: Mapping[str, str]) -> None:
    """Put sections into a document as it is by now: it is read again, for others may have written to it since.

    Raises `OptionError` when it is not there or lacks the marks of a section; nothing is written then.
    """
    document.write_text(replaced(_read(document), sections), encoding="utf-8")


def require(document: Path, names: Iterable[str]) -> None:
    """Raise `OptionError` where a document is not there or lacks marks, before anything is measured for it."""
    replaced(_read(document), dict.fromkeys(names, ""))


def replaced(page: str, sections: Mapping[str, str]) -> str:
    """The page with each section's text between its marks, else `OptionError`; all other words stay."""
    for name, text in sections.items():
        before, _, after = _parts(page, name)
        page = f"{before}\n{text.strip()}\n{after}"
    return page


def section(page: str, name: str) -> str:
    """What stands between the marks of a section, else `OptionError`."""
    return _parts(page, name)[1]


def _parts(page: str, name: str) -> tuple[str, str, str]:
    """Up to and with the opening mark, between the marks, from the closing mark on."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begun, rest = page.partition(begin)
    inside, ended, after = rest.partition(end)
    if not (begun and ended):
        raise OptionError("page", got=f"no section {name!r}", expected=f"the marks {begin} and {end} in it")
    return before + begun, inside, ended + after


def _read(document: Path) -> str:
    try:
        return document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(
            "page", got=f"{document} ({type(error).__name__})", expected="a page to write into"
        ) from error


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
