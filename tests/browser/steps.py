"""What a visitor does, in words that the tests read like a walk."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, TimeoutError, expect

CHIPS = ".st-key-chips [data-tag-index]"
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def open_address(page: Page, address: str) -> None:
    """Go there and wait until the page is drawn."""
    page.goto(address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the script has run and the page has taken it up; grey are parts whose code is still fetched."""
    page.wait_for_selector(IDLE)
    page.wait_for_timeout(400)
    page.wait_for_selector(IDLE)
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")


def go_to(page: Page, title: str) -> None:
    """Follow the navigation on top."""
    page.get_by_test_id("stHeader").get_by_role("link", name=title, exact=True).click()
    expect(page).to_have_title(re.compile(f"^{re.escape(title)} ·"))
    settle(page)


def charts_drawn(page: Page, count: int = 1) -> None:
    """Wait for that many Plotly charts at least."""
    page.wait_for_function("n => document.querySelectorAll('.js-plotly-plot .main-svg').length >= n", arg=count)


def drawings_drawn(page: Page) -> None:
    """Wait until every Vega chart that is on the page has been drawn."""
    settle(page)
    charts = "[...document.querySelectorAll('[data-testid=stVegaLiteChart]')]"
    page.wait_for_function(f"() => {charts}.every(chart => chart.querySelector('.mark-group'))")


def chips(page: Page) -> list[str]:
    """What the selection's chips say."""
    return page.locator(CHIPS).all_inner_texts()


def click_bar(page: Page, index: int) -> None:
    """Click the middle of a bar of Figure 1, and wait until the chips say so."""
    before = chips(page)
    bar = page.locator(".st-key-names_bars .bars .point path").nth(index)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    shown = f"[...document.querySelectorAll({CHIPS!r})].map(chip => chip.innerText)"
    page.wait_for_function(f"before => JSON.stringify({shown}) !== JSON.stringify(before)", arg=before)
    settle(page)


def choose(page: Page, key: str, option: str) -> None:
    """Choose in a select box; a list that closed because the page was drawn anew is opened again."""
    listed = page.get_by_role("option", name=option)
    for _ in range(5):
        page.locator(f".st-key-{key} input").click()
        try:
            listed.click(timeout=5_000)
            break
        except TimeoutError:
            page.keyboard.press("Escape")
            settle(page)
    settle(page)


def download(page: Page, key: str) -> bytes:
    """The content of what a download button gives, by its key."""
    with page.expect_download() as started:
        page.locator(f".st-key-{key} button").click()
    return Path(started.value.path()).read_bytes()
