"""The report without a network, and on paper: light, and nothing wider than the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

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
