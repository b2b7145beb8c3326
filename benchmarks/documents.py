"""Tables in the documents that the commands which measured them write."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PERFORMANCE = DOCS / "performance.md"


def write(text: str, document: Path, marks: tuple[str, str]) -> None:
    """Put a table in its place in a document: between its two marks, each on a line of its own."""
    before = document.read_text(encoding="utf-8")
    after = re.sub(f"(?<={marks[0]}).*?(?={marks[1]})", lambda _: text + "\n", before, flags=re.DOTALL)
    document.write_text(after, encoding="utf-8")
