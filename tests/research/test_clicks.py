"""A click ends with the last change that somebody can see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from research.clicks import TOOK, WATCH
from tests.browser.install import found

PAGE = "<div data-testid=stMain><p>before</p><canvas><table><tr><td>for screen readers</td></tr></table></canvas></div>"


@pytest.mark.browser
@pytest.mark.slow
def test_what_is_inside_a_canvas_is_seen_by_nobody() -> None:
    path = found()
    if path is None:
        pytest.skip("no Chromium: python -m tests.browser.install")
    with ThreadPoolExecutor(1) as apart:  # the browser tests' own Playwright holds this thread's event loop
        apart.submit(_clicked, path).result()


def _clicked(path: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_content(PAGE)
        page.evaluate(WATCH)
        page.mouse.click(5, 5)
        page.evaluate("document.querySelector('p').textContent = 'after'")
        page.wait_for_timeout(50)
        seen = page.evaluate("window.changed - window.pressed")
        page.wait_for_timeout(200)
        for hidden in ("td').textContent = 'more'", "canvas').append('more')", "canvas').width = 9"):
            page.evaluate(f"document.querySelector('{hidden}")
        page.wait_for_timeout(50)
        assert seen > 0 and page.evaluate(TOOK) == pytest.approx(seen / 1000)
        browser.close()
