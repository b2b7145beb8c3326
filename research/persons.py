"""How many changed spans of written documents are right: ``python -m research.persons FILE…``.

A document begins with ``=== id | kind | the person's name``. In its text ``[[Jane]]`` is a mention of the person,
``[[her|him]]`` one with its form, and ``<<Bob>>`` a mention of somebody else, with a form or not.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from psa_core import anchors
from psa_core.anchors._base import Found
from research import documents

MARKED = Path(__file__).resolve().parent.parent / "tests" / "anchors" / "marked"
PAGE = documents.DOCS / "my-documents.md"
_MARK = re.compile(r"\[\[([^\]|\n]+)(?:\|(\w+))?\]\]|<<([^>|\n]+)(?:\|\w+)?>>")


@dataclass(frozen=True)
class Document:
    """A text, and where its person (with the form that a mark states) and others stand."""

    id: str
    person: str
    text: str
    mine: dict[tuple[int, int], str]
    others: tuple[tuple[int, int], ...]


@dataclass
class Count:
    """What became of the mentions of some documents."""

    documents: int = 0
    words: int = 0
    asked: int = 0
    changed: int = 0
    right: int = 0
    mixed: int = 0
    mentions: int = 0
    stayed: int = 0
    silent: int = 0


def read(path: Path) -> Iterator[Document]:
    """The documents of a file."""
    for part in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, marked = part.partition("\n")
        one, _, person = (cell.strip() for cell in head.split("|"))
        text, end, mine, others = "", 0, dict[tuple[int, int], str](), list[tuple[int, int]]()
        for mark in _MARK.finditer(marked):
            text += marked[end : mark.start()]
            words = mark[1] or mark[3]
            place = len(text), len(text) + len(words)
            if mark[1]:
                mine[place] = (mark[2] or "").casefold()
            else:
                others.append(place)
            text, end = text + words, mark.end()
        yield Document(one, person, (text + marked[end:]).rstrip("\n"), mine, tuple(others))


def judged(document: Document, found: Found) -> tuple[list[tuple[str, str]], list[str]]:
    """Each wrong span's kind and words, and the mentions that are neither changed nor listed.

    A span is wrong where it is none of the person's mentions (or a part of one), or its form is not the mark's.
    """
    text, wrong, told = document.text, list[tuple[str, str]](), [(one.start, one.end) for one in found.undecided]
    for span in _names_and_pronouns(found):
        around = " ".join(text[max(0, span.start - 40) : span.end + 25].split())
        words, form = text[span.start : span.end], span.form.casefold()
        own = [place for place in document.mine if place[0] < span.end and span.start < place[1]]
        if any(start < span.end and span.start < end for start, end in document.others):
            wrong.append(("another person", f"{words!r}: {around}"))
        elif not own:
            wrong.append(("nobody", f"{words!r}: {around}"))
        elif any(document.mine[place] not in ("", form) for place in own):
            wrong.append(("form", f"{words!r} as {form}: {around}"))
        told.append((span.start, span.end))
    silent = [
        f"{text[start:end]!r}: {' '.join(text[max(0, start - 40) : end + 25].split())}"
        for start, end in document.mine
        if not any(a < end and start < b for a, b in told)
    ]
    return wrong, silent


def _names_and_pronouns(found: Found) -> list[anchors.Anchor]:
    """The changed spans without the verbs that agree with them, whose form is a pair such as *is/are*."""
    return [span for span in found.anchors if not anchors.is_verb(span)]


def counted(path: Path, said: Callable[[str], None] | None = print) -> Count:
    """The counts of a file; `said` is told of each wrong span and each mention that nobody was told of."""
    finder, count = anchors.finder("person"), Count()
    for document in read(path):
        found = anchors.search(finder, [document.text])[0]
        if found.reason == anchors.UNCLEAR:  # a reader says whom it is about
            count.asked += 1
            own = {*document.person.split()}
            name = next((one for one in found.people if own.issuperset(one.split())), document.person)
            found = anchors.search(anchors.finder(f"person:{name}"), [document.text])[0]
        wrong, silent = judged(document, found)
        spans = _names_and_pronouns(found)
        stayed = [(a, b) for a, b in document.mine if not any(one.start < b and a < one.end for one in spans)]
        count.documents += 1
        count.words += len(document.text.split())
        count.changed += len(spans)
        count.right += len(spans) - len(wrong)
        count.mixed += any(kind == "another person" for kind, _ in wrong)
        count.mentions += len(document.mine)
        count.stayed += len(stayed)
        count.silent += len(silent)
        if said:
            for kind, words in wrong:
                said(f"{document.id} wrong ({kind}): {words}")
            for words in silent:
                said(f"{document.id} not listed: {words}")
    return count


def table(counts: Mapping[str, Count]) -> str:
    """A Markdown table with a row for each file and one for all."""
    every = Count(*(sum(values) for values in zip(*map(astuple, counts.values()), strict=True)))
    headings = ("documents", "number", "words on average", "a reader is asked about", "changed spans", "right")
    headings += ("documents that mix two people", "mentions that stay", "of them not listed")
    rows = [
        (
            name,
            one.documents,
            one.words // one.documents,
            one.asked,
            one.changed,
            f"{one.right} ({one.right / one.changed:.1%})",
            one.mixed,
            f"{one.stayed} of {one.mentions}",
            one.silent,
        )
        for name, one in {**counts, "all": every}.items()
    ]
    return documents.table(headings, rows)


def main() -> int:
    """Print each wrong span, each mention that is not listed, and the table; `--write` puts it into the page."""
    parser = argparse.ArgumentParser(prog="python -m research.persons", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(MARKED.glob("*.txt")))
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    options = parser.parse_args()
    found = table({path.stem: counted(path) for path in options.files})
    print(found)
    if options.write:
        documents.write(PAGE, {"persons": found})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
