from __future__ import annotations

from pathlib import Path

import pytest

from psa_core.errors import OptionError
from research import __main__ as speed
from research import clicks, documents
from research.judges import __main__ as judges
from research.kills import __main__ as kills
from research.mitigation import __main__ as mitigation
from research.sessions import __main__ as sessions
from research.sessions import memory
from research.statistics import generation, page


@pytest.mark.parametrize(
    ("document", "section"),
    [
        *(("performance.md", section) for section in speed.SECTIONS.values()),
        ("performance.md", sessions.SECTION),
        ("performance.md", clicks.SECTION),
        ("serving.md", memory.SECTION),
        ("kills.md", kills.SECTION),
        ("results-language-models.md", judges.SECTION),
        ("statistics.md", page.SECTION),
        ("statistics.md", generation.SECTION),
        *(("results-mitigation.md", section) for section in mitigation.SECTIONS),
    ],
)
def test_a_table_takes_its_place_in_the_docs(tmp_path: Path, document: str, section: str) -> None:
    content = (documents.DOCS / document).read_text(encoding="utf-8")
    (tmp_path / document).write_text(content, encoding="utf-8")
    documents.write(tmp_path / document, {section: "a new table\n"})
    written = (tmp_path / document).read_text(encoding="utf-8")
    assert documents.section(written, section) == "\na new table\n"
    assert documents.replaced(written, {section: documents.section(content, section)}) == content


@pytest.mark.parametrize("text", ["", "<!-- here -->", "<!-- /here -->"])
def test_a_page_without_marks_is_refused(tmp_path: Path, text: str) -> None:
    place = tmp_path / "page.md"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match="marks"):
        documents.require(place, ["here"])
    with pytest.raises(OptionError, match="marks"):
        documents.write(place, {"here": "new"})
    assert place.read_text(encoding="utf-8") == text


def test_a_page_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="a page to write into"):
        documents.require(tmp_path / "absent.md", ["here"])
