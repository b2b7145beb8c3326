from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import __main__ as speed
from benchmarks import clicks, documents
from benchmarks.sessions import __main__ as sessions
from benchmarks.sessions import memory


@pytest.mark.parametrize(
    ("document", "marks"),
    [
        ("performance.md", speed.MARKS),
        ("performance.md", sessions.MARKS),
        ("performance.md", clicks.MARKS),
        ("serving.md", memory.MARKS),
    ],
)
def test_a_table_takes_its_place_in_the_docs(tmp_path: Path, document: str, marks: tuple[str, str]) -> None:
    content = (documents.DOCS / document).read_text(encoding="utf-8")
    before, after = content.split(marks[0])[0], content.split(marks[1])[1]
    (tmp_path / document).write_text(content, encoding="utf-8")
    documents.write("a new table", tmp_path / document, marks)
    written = (tmp_path / document).read_text(encoding="utf-8")
    assert written == f"{before}{marks[0]}a new table\n{marks[1]}{after}"
