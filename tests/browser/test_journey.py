"""A stranger's journey: own files, scores made elsewhere, two models compared, flips judged, a link sent, the report.

With ``PSA_PICTURES=FOLDER`` each of its fifteen stations is photographed in both modes and at three widths.
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import charts_drawn, choose, download, drawings_drawn, go_to, open_address, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDTHS, MODES = {1440: 900, 1024: 768, 390: 844}, ("light", "dark")
PEOPLE = [
    ("Ann Lee", "A"),
    ("Bo Kim", "A"),
    ("Cem Kaya", "A"),
    ("Dick Cheney", "B"),
    ("Eva Braun", "B"),
    ("Fay Wu", "B"),
]
EFFECTS = {"Bo Kim": 0.35, "Dick Cheney": 0.25, "Fay Wu": 0.3}
SAYINGS = ("is an idiot", "left early", "was kind to me", "wrote this silly page", "never answers")
MORE = ("today", "again", "as always", "last week")


def comments() -> bytes:
    rows = [f"{who} {what} {when}.,forum" for who in ("She", "He") for what in SAYINGS for when in MORE]
    return "\n".join(["what they wrote,place", *rows]).encode()


def people() -> bytes:
    return "\n".join(["no,Who is it?,team", *(f"{i},{name},{team}" for i, (name, team) in enumerate(PEOPLE))]).encode()


def scored(texts: bytes) -> bytes:
    """What a model of one's own says of the texts that are to be scored."""
    rows = list(csv.DictReader(io.StringIO(texts.decode())))
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["text", "toxicity"])
    for row in rows:
        base = 0.2 + 0.01 * (len(row["text"]) % 7) + 0.1 * ("idiot" in row["text"])
        writer.writerow([row["text"], f"{base + EFFECTS.get(row['name'], 0.0):.3f}"])
    return out.getvalue().encode()


class Camera:
    """Photographs a station in both modes and at all widths, where a folder for that is named."""

    def __init__(self) -> None:
        self.folder, self.count = os.environ.get("PSA_PICTURES", ""), 0

    def shoot(self, page: Page, what: str) -> None:
        self.count += 1
        if not self.folder:
            return
        for mode in MODES:
            page.emulate_media(color_scheme=mode)  # type: ignore[arg-type]
            for width, height in WIDTHS.items():
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(900)
                page.screenshot(path=Path(self.folder) / f"{self.count:02d}-{what}-{mode}-{width}.png")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1440, "height": 900})


def upload(page: Page, key: str, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.locator(f"[class*=st-key-{key}] input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    settle(page)


def test_a_stranger_gets_from_a_file_to_a_report_without_help(page: Page, browser: Browser, tmp_path: Path) -> None:
    camera = Camera()
    open_address(page, "/")
    drawings_drawn(page)
    camera.shoot(page, "try-it")
    first = first_model(page, camera)
    second = scores_made_elsewhere(page, camera)
    look_at_the_results(page, camera)
    judge_three_flips(page, camera)

    go_to(page, "Compare")
    drawings_drawn(page)
    body = page.get_by_test_id("stMain")
    expect(body).to_contain_text("40 sentences and 6 names in common")
    assert first in page.url and second in page.url
    camera.shoot(page, "compare")

    go_to(page, "Sentences")
    page.locator(".st-key-sentences_search input").fill("idiot")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("sentences_search=idiot"))
    settle(page)
    mine = page.locator("[class*='st-key-flip'] p del").count()
    stranger = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    open_address(stranger, page.url)
    drawings_drawn(stranger)
    expect(stranger.locator(".st-key-sentences_search input")).to_have_value("idiot")
    assert stranger.locator("[class*='st-key-flip'] p del").count() == mine > 0
    camera.shoot(stranger, "link")
    stranger.context.close()

    go_to(page, "Report")
    with zipfile.ZipFile(io.BytesIO(download(page, "report_zip"))) as folder:
        assert folder.read("judgements.csv").count(b"reader") == 4, "three judgements and the header"
        (tmp_path / "report.html").write_bytes(folder.read("report.html"))
    offline = browser.new_context(offline=True).new_page()
    offline.goto((tmp_path / "report.html").as_uri())
    expect(offline.locator("body")).to_contain_text("Changing only the name moves the toxicity score by")
    for width in WIDTHS:
        offline.set_viewport_size({"width": width, "height": WIDTHS[width]})
        cut = "[...document.querySelectorAll('.wide')].filter(box => box.scrollWidth > box.clientWidth).length"
        assert offline.evaluate(cut) == 0, f"a table of the report is cut at {width}"
    camera.shoot(offline, "report-offline")
    offline.context.close()
    assert camera.count == 15


def first_model(page: Page, camera: Camera) -> str:
    """Own sentences and names, whose columns are called as nobody would think; the first model."""
    go_to(page, "New study")
    page.get_by_role("radio", name="Your own file").first.click()
    upload(page, "study_file", "page.csv", comments())
    expect(page.get_by_text("40 of 40 sentences are eligible.")).to_be_visible()
    camera.shoot(page, "sentences-chosen")
    page.get_by_role("radio", name="Your own file").nth(1).click()
    settle(page)
    upload(page, "study_names_file", "who.csv", people())
    expect(page.get_by_text("6 names, grouped by team.")).to_be_visible()
    page.get_by_text("6 names, grouped by").scroll_into_view_if_needed()
    camera.shoot(page, "names-chosen")
    page.locator(".st-key-study_run button").click()
    expect(page.get_by_text("40 sentences × 6 names")).to_be_visible()
    charts_drawn(page)
    camera.shoot(page, "first-result")
    return run_of(page)


def scores_made_elsewhere(page: Page, camera: Camera) -> str:
    """The same sentences and names, scored by a model that never was near this program."""
    page.get_by_role("button", name="Set up another study").click()
    settle(page)
    expect(page.get_by_text("40 of 40 sentences are eligible.")).to_be_visible()
    choose(page, "study_model", "File of predictions")
    texts = download(page, "study_texts")
    upload(page, "study_scored", "scored.csv", scored(texts))
    expect(page.get_by_text("All 280 texts have a score.")).to_be_visible()
    page.get_by_text("All 280 texts have a score.").scroll_into_view_if_needed()
    camera.shoot(page, "scored-elsewhere")
    page.locator(".st-key-study_run button").click()
    expect(
        page.get_by_text("Put in “Bo Kim” and the toxicity score goes up by 0.35 on average, from 0.")
    ).to_be_visible()
    charts_drawn(page)
    camera.shoot(page, "second-result")
    return run_of(page)


def look_at_the_results(page: Page, camera: Camera) -> None:
    go_to(page, "Names")
    charts_drawn(page)
    camera.shoot(page, "names")
    page.get_by_text("How sure?").first.click()
    expect(page.get_by_text("paired t-test over sentences").first).to_be_visible()
    camera.shoot(page, "how-sure")
    go_to(page, "Thresholds")
    charts_drawn(page)
    camera.shoot(page, "thresholds")


def judge_three_flips(page: Page, camera: Camera) -> None:
    go_to(page, "Sentences")
    drawings_drawn(page)
    cards = page.locator("[class*='st-key-flip']")
    expect(cards).to_have_count(3)  # one a name
    camera.shoot(page, "flips")
    cards.nth(1).get_by_role("button", name="All names in this sentence").click()
    drawings_drawn(page)
    expect(page.get_by_text("One sentence, every name")).to_be_in_viewport()
    camera.shoot(page, "all-names-of-a-sentence")
    page.locator(".st-key-close_drawer button").click()
    settle(page)
    for index, verdict in enumerate(("Defect", "Not a defect", "Defect")):
        cards.nth(index).get_by_text(verdict, exact=True).click()
        expect(page.get_by_text(f"{index + 1} of 3 judged")).to_be_visible()
        settle(page)
    camera.shoot(page, "three-judged")


def run_of(page: Page) -> str:
    found = re.search(r"run=([\w-]+)", page.url)
    assert found is not None
    return found[1]
