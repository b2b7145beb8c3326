"""The walk of a first-time visitor in a real browser: Try it → Study → Report; the rest is in the journey."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import drawings_drawn, go_to, open_address, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FILES = {"manifest.json", "sentences.csv", "names.csv", "label_dist.csv", "summary.json", "flips.csv", "report.html"}


def test_the_first_visitor_of_a_deep_link_gets_the_frame(page: Page) -> None:
    open_address(page, "/study")
    links = page.get_by_test_id("stHeader").get_by_role("link")
    expect(links.filter(has_text=re.compile("Try it|Your study|Other audits|New study"))).to_have_count(4)
    expect(links).to_have_count(4)
    expect(page.get_by_role("heading", name="Your study", exact=True)).to_be_visible()


def test_the_parts_of_a_study_are_in_the_navigation_while_it_is_open(page: Page, studies: tuple[str, str]) -> None:
    open_address(page, f"/names?run={studies[0]}")
    header = page.get_by_test_id("stHeader")
    for title in ("Try it", "Overview", "Names", "Thresholds", "Sentences", "Compare", "Report", "Other audits"):
        expect(header.get_by_role("link", name=title, exact=True)).to_be_visible()
    go_to(page, "Other audits")
    page.get_by_test_id("stMain").get_by_role("link", name="Equity").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Equity"))
    go_to(page, "Overview")
    assert studies[0] in page.url


def test_try_it_answers_while_typing(page: Page) -> None:
    open_address(page, "/")
    drawings_drawn(page)
    expect(page.get_by_text("Nothing but the name changed.")).to_contain_text(
        "the toxicity score is 0.99 with Dick Cheney"
    )
    field = page.locator(".st-key-try_sentence input")
    field.fill("")
    field.press_sequentially("{name} is my doctor.", delay=20)
    expect(page.get_by_text("Nothing but the name changed.")).to_contain_text(
        "the toxicity score is 0.81 with Dick Cheney"
    )
    expect(page).to_have_url(re.compile("try_sentence="))
    page.locator(".st-key-try_own_names input").fill("Ada Lovelace")
    expect(page.get_by_test_id("stVegaLiteChart").first).to_contain_text("Ada Lovelace")


def test_the_whole_walk(page: Page) -> None:
    open_address(page, "/")
    go_to(page, "New study")
    page.locator(".st-key-study_run button").click()
    expect(page.get_by_text("280 sentences × 160 names")).to_be_visible()
    run = re.search(r"run=([\w-]+)", page.url)
    assert run is not None

    page.reload()
    settle(page)
    expect(page.get_by_text("280 sentences × 160 names")).to_be_visible()

    go_to(page, "Report")
    content = downloaded(page)
    with zipfile.ZipFile(io.BytesIO(content)) as folder:
        assert {Path(name).name for name in folder.namelist()} >= FILES


def downloaded(page: Page) -> bytes:
    """The zip of the result folder, as the Report page gives it."""
    with page.expect_download() as download:
        page.locator("[class*=st-key-report_zip] button").click()
    return Path(download.value.path()).read_bytes()


def test_a_choice_that_was_away_comes_back_as_it_is_used(page: Page) -> None:
    open_address(page, "/new_study")
    page.get_by_text("Your own file", exact=True).first.click()
    expect(page.get_by_text("Packaged list")).to_have_count(0)
    page.get_by_text("Sample", exact=True).first.click()
    expect(page.get_by_text("160 names, grouped by")).to_be_visible()
    settle(page)
    shown = page.locator("[data-testid=stSelectbox] input").first
    assert "(160)" in (shown.input_value() or page.locator("[data-testid=stSelectbox]").first.inner_text())
