"""Equity and Nationality in a real browser that may ask nobody else: run, stop, resume, read, download, open again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import download, drawings_drawn, open_address, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
DONE = 180_000
FILE = '[data-testid="stFileUploader"] input[type=file]'


def run_it(page: Page) -> None:
    page.get_by_role("button", name="Run the audit").click()
    expect(page.get_by_role("button", name="Download the result folder")).to_be_visible(timeout=DONE)
    settle(page)


def axe_finds_nothing(page: Page) -> None:
    found = Axe().run(page, options=RULES).response["violations"]
    assert [(rule["id"], [node["target"] for node in rule["nodes"]][:3]) for rule in found] == []


def drawing(page: Page, name: re.Pattern[str]) -> Locator:
    """The Vega chart whose accessible name begins so; without selections its key is no class on the page."""
    charts = "[data-testid=stVegaLiteChart][role=graphics-document]"  # a role that Playwright has not
    begins = re.match(r"[\w ]+", name.pattern)
    assert begins is not None
    found = page.locator(f"{charts}[aria-label^='{begins[0]}']")
    expect(found).to_have_count(1)
    expect(found).to_have_attribute("aria-label", name)
    return found


def is_picture_twice(page: Page, key: str) -> bool:
    """Whether a chart can be had as SVG and as PNG."""
    svg, png = (download(page, f"{key}_{ending}") for ending in ("svg", "png"))
    return svg.startswith(b"<svg") and png.startswith(b"\x89PNG")


def folder_as_zip(page: Page, place: Path) -> Path:
    settle(page)  # a page that is still drawn gives the file another address, and the browser lets the old one go
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the result folder").click()
    download.value.save_as(place)
    return place


def open_zip(page: Page, place: Path) -> None:
    page.get_by_text("Open an earlier audit").click()
    page.set_input_files(FILE, place)
    expect(page.get_by_role("button", name="Download the result folder")).to_be_visible()
    settle(page)


@pytest.mark.parametrize("context", ["light"], indirect=True)
def test_equity_from_a_fresh_start_to_the_reopened_folder(page: Page, tmp_path: Path) -> None:
    open_address(page, "/equity")
    axe_finds_nothing(page)
    run_it(page)
    boxes = drawing(page, re.compile(r"Box plot of [\d,]+ score differences of 2 scores\. .*differs? significantly"))
    expect(boxes.locator("svg")).to_be_visible()  # not a canvas, whose labels are black in dark mode too
    expect(page.get_by_text(re.compile("scores? differs? significantly"))).to_be_visible()
    axe_finds_nothing(page)
    assert is_picture_twice(page, "eec_gender_all_picture")
    page.reload()
    expect(page.get_by_text(re.compile("scores? differs? significantly"))).to_be_visible()
    kept = folder_as_zip(page, tmp_path / "eec.zip")
    page.get_by_role("button", name="Set up another equity audit").click()
    settle(page)
    open_zip(page, kept)
    expect(page.get_by_text(re.compile("scores? differs? significantly"))).to_be_visible()


@pytest.mark.parametrize("context", ["dark"], indirect=True)
def test_nationality_stopped_resumed_and_read_cell_by_cell(page: Page, tmp_path: Path) -> None:
    open_address(page, "/nationality")
    axe_finds_nothing(page)
    page.get_by_role("button", name="Run the audit").click()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Download the result folder")).to_be_visible(timeout=DONE)
    settle(page)
    drawings_drawn(page)
    areas = drawing(page, re.compile(r"World map of 17 countries, from ")).locator("[aria-roledescription=geoshape]")
    expect(areas).to_have_count(17)
    read = [re.search(r"country: ([^;]+); .+: [+−]?\d", area.get_attribute("aria-label") or "") for area in areas.all()]
    assert len({found[1] for found in read if found}) == 17
    axe_finds_nothing(page)
    assert is_picture_twice(page, "nationality_countries_picture") and is_picture_twice(page, "nationality_map_picture")
    page.locator(".st-key-nationality_heat [aria-label^='Morocco: ']").first.click()
    expect(page.get_by_role("combobox", name="Country")).to_have_value("Morocco")
    settle(page)
    kept = folder_as_zip(page, tmp_path / "nationality.zip")
    page.get_by_role("button", name="Set up another nationality audit").click()
    settle(page)
    open_zip(page, kept)
    expect(page.get_by_text("Table 1: change of each predicted class, by country")).to_be_visible()
