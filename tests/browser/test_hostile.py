"""Markup and formulas in sentences, names, headings, file names: on every page and in every download, only letters."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import open_address, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HIT = "window.hit=1"
MARKUP = (
    f"<img src=x onerror={HIT}>",
    f"<script>{HIT}</script>",
    f"<svg onload={HIT}>",
    f'<a href="javascript:{HIT}">link</a>',
    f"[link](javascript:{HIT})",
    "![y](http://evil.example/y.png)",
    "<iframe srcdoc='x'></iframe>",
    "<style>body{display:none}</style>",
    "</textarea></title><b>out</b>",
    r"$\href{http://evil.example}{x}$ :material/home: :red[x] {{constructor}} ${7*7}",
)
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(1)", '=HYPERLINK("http://evil.example")', "'=1+1", "=cmd|' /C calc'!A0")
PROGRAM = "python:subprocess:getoutput"
FOUND = """() => [...document.querySelectorAll("script:not([src]), iframe, img, a, svg, b, style, object, embed")]
  .map(element => element.outerHTML)
  .filter(html => /evil\\.example|window\\.hit|display:none\\}|^<b>out/.test(html.split(">")[0] + html.slice(0, 60)))"""


def table(rows: list[list[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()


def sentences() -> bytes:
    """A sentence for each payload, behind a pronoun and before one; headings are payloads too."""
    texts = [f"He said {text}" for text in MARKUP] + [f"{text} he said" for text in FORMULAS]
    return table([["text", FORMULAS[0], MARKUP[0]], *([text, FORMULAS[1], MARKUP[1]] for text in texts)])


def names() -> bytes:
    every = [*MARKUP, *FORMULAS, "Ann Lee", "Bo Kim"]
    groups = [(FORMULAS[0], MARKUP[0]), ("@b", MARKUP[1])]
    return table([["name", "=group", MARKUP[2]], *([name, *groups[place % 2]] for place, name in enumerate(every))])


def nothing_happened(page: Page) -> None:
    assert page.evaluate("window.hit") is None, page.url
    assert page.evaluate(FOUND) == [], page.url
    expect(page.get_by_test_id("stMain")).to_be_visible()


def is_formula(cell: str) -> bool:
    return cell[:1] in "=@\t\r+-" and bool(cell) and not re.fullmatch(r"[+-]?(\d[\d.]*(e[+-]?\d+)?|inf)", cell)


def harmless(name: str, content: bytes) -> None:
    """What a download holds: no cell of a CSV file is a formula, no picture or page has a script."""
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in archive.namelist():
                harmless(inner, archive.read(inner))
    elif name.endswith(".csv"):
        cells = [cell for row in csv.reader(io.StringIO(content.decode())) for cell in row]
        assert [cell for cell in cells if is_formula(cell)] == [], name
    elif name.endswith((".svg", ".html")):
        for payload in MARKUP[:4]:
            assert payload.encode() not in content, name


def downloads(page: Page) -> dict[str, bytes]:
    """Every download that a page offers."""
    found = {}
    buttons = page.get_by_test_id("stMain").get_by_test_id("stDownloadButton").locator("button")
    for place in range(buttons.count()):
        if buttons.nth(place).is_visible():
            with page.expect_download() as started:
                buttons.nth(place).click()
            found[started.value.suggested_filename] = Path(started.value.path()).read_bytes()
    return found


def opened_with(page: Page, folder: bytes) -> None:
    open_address(page, "/study")
    page.locator(".st-key-study_zip input[type=file]").set_input_files(
        {"name": f"{MARKUP[0]}.zip".replace("/", "_"), "mimeType": "application/zip", "buffer": folder}
    )
    page.wait_for_url(re.compile("run="))
    settle(page)


@pytest.fixture
def study(page: Page) -> str:
    """A study of hostile sentences and names, set up and run as a visitor does; the end of its address."""
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    open_address(page, "/new_study")
    page.get_by_role("radio", name="Your own file").first.click()
    page.locator("[class*=st-key-study_file] input[type=file]").set_input_files(
        {"name": f"{MARKUP[5]}.csv".replace("/", "_"), "mimeType": "text/csv", "buffer": sentences()}
    )
    expect(page.get_by_text(re.compile("sentences are eligible"))).to_be_visible()
    page.get_by_role("radio", name="Your own file").nth(1).click()
    page.locator("[class*=st-key-study_names_file] input[type=file]").set_input_files(
        {"name": "=names.csv", "mimeType": "text/csv", "buffer": names()}
    )
    expect(page.get_by_text(re.compile(rf"{len(MARKUP) + len(FORMULAS) + 2} names"))).to_be_visible()
    nothing_happened(page)
    page.locator(".st-key-study_run button").click()
    page.wait_for_url(re.compile("run="))
    expect(page.get_by_role("button", name="Set up another study")).to_be_visible(timeout=120_000)
    expect(page.get_by_role("heading", name="What to do")).to_be_visible(timeout=120_000)
    nothing_happened(page)
    return page.url.partition("?")[2]


def test_no_payload_does_anything_on_a_page_or_in_a_download(page: Page, study: str, tmp_path: Path) -> None:
    folder = b""
    for stem in ("names", "thresholds", "sentences", "compare", "mitigate", "report"):
        open_address(page, f"/{stem}?{study}&names={MARKUP[0]}&names==1%2B1&s=1")
        nothing_happened(page)
        for expander in page.get_by_test_id("stMain").get_by_test_id("stExpander").all():
            expander.locator("summary").click()
        settle(page)
        nothing_happened(page)
        assert page.get_by_label("Download as CSV").count() == 0
        found = downloads(page)
        for name, content in found.items():
            harmless(name, content)
        nothing_happened(page)
        folder = next((content for name, content in found.items() if name.endswith(".zip")), folder)
    with zipfile.ZipFile(io.BytesIO(folder)) as archive:
        report = tmp_path / "report.html"
        report.write_bytes(archive.read("report.html"))
    page.set_content(report.read_text())
    assert page.evaluate("window.hit") is None
    assert page.evaluate(FOUND) == []
    reopen_with_a_program(page, folder)


def reopen_with_a_program(page: Page, folder: bytes) -> None:
    """The same folder with another model in its manifest: it opens, and the model is not loaded."""
    edited = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(folder)) as archive, zipfile.ZipFile(edited, "w") as written:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "manifest.json":
                manifest = json.loads(content)
                manifest["study"]["model"] = PROGRAM
                content = json.dumps(manifest).encode()
            written.writestr(name, content)
    opened_with(page, edited.getvalue())
    nothing_happened(page)
    open_address(page, f"/mitigate?{page.url.partition('?')[2]}")
    page.get_by_text("Ask the model itself").click()
    expect(page.get_by_text(re.compile("only a suggestion"))).to_be_visible()
    expect(page.locator(".st-key-mitigate_check")).to_have_count(0)


def test_a_link_full_of_payloads_shows_letters(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    for stem in ("", "study", "names", "equity", "nationality"):
        values = "&".join(f"{name}={MARKUP[0]}" for name in ("run", "target", "c", "names", "s", "with", "eec"))
        open_address(page, f"/{stem}?{values}&try_sentence={MARKUP[1]} {{name}}&try_list={FORMULAS[0]}")
        nothing_happened(page)


def test_a_sentence_and_names_typed_on_try_it_are_letters(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    open_address(page, "/")
    for payload in MARKUP:
        page.locator(".st-key-try_sentence input").fill(f"{payload} {{name}} is here.")
        page.locator(".st-key-try_own_names input").fill(payload)
        settle(page)
        nothing_happened(page)
    for name, content in downloads(page).items():
        harmless(name, content)
