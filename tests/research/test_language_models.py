"""The page of results is what its command writes."""

from __future__ import annotations

from psa_core.audits.generation import AUDIT
from research import language_models


def test_the_page_is_what_the_command_writes() -> None:
    opened = AUDIT.read(language_models.EXAMPLE)
    assert language_models.PAGE.read_text("utf-8") == language_models.page(opened)
