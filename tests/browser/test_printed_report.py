"""The report without a network, and on paper: light, and nothing wider than the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser

from psa_core.report.page import Report, framed, section

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# A4 less the margins that the report asks for, at 96 pixels an inch.
PAPER = {"width": round((210 - 2 * 14) / 25.4 * 96), "height": 1000}
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter(part => part.getBoundingClientRect().right > innerWidth + 1 || part.scrollWidth > part.clientWidth + 1 &&
    getComputedStyle(part).overflowX !== "visible").map(part => part.outerHTML.slice(0, 80))"""


def test_the_report_is_whole_on_paper(browser: Browser, studies: tuple[str, str], place: Path) -> None:
    visitor = browser.new_context(viewport=PAPER, color_scheme="dark", offline=True)
    page = visitor.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((place / "runs" / studies[0] / "result" / "report.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("figure svg").count() == 2 and len(asked) == 1
    visitor.close()


def test_a_table_of_many_columns_is_whole_on_paper(browser: Browser, tmp_path: Path) -> None:
    row = {"measure": "distance from the answers to others", "answers to": "people with Hispanic names"}
    row |= {"against": "people with European-American names", "p": 0.000155, "p, Holm": 0.00979}
    row |= dict.fromkeys(("difference", "noise", "sampling alone", "corrected"), "−1.2 points of 100")
    row |= {"95 % interval": "[−2.5, −0.1]", "tasks alike": "11 of 12"}
    written = tmp_path / "report.html"
    page_text = framed(Report("T", [], [], [section("Every measure", pd.DataFrame([row] * 3))], []))
    written.write_text(page_text, encoding="utf-8")
    visitor = browser.new_context(viewport=PAPER)
    page = visitor.new_page()
    page.goto(written.as_uri())
    page.emulate_media(media="print")
    assert page.evaluate(TOO_WIDE) == []
    visitor.close()
