"""Take the pictures of README, tutorial and my-documents from the dashboard: ``python -m docs.pictures``."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.browser.install import found

FOLDER = Path(__file__).with_name("img") / "tutorial"
PAGES = ("try_it", "new_study", "study", "names", "thresholds", "sentences")
SIZE: ViewportSize = {"width": 1200, "height": 820}
DOCUMENTS = FOLDER.with_name("documents")
APPLICANTS = (
    ("Martha Ellison", "female"),
    ("Tobias Renner", "male"),
    ("Grace Hollis", "female"),
    ("Amir Haddad", "male"),
)
#: The one of README.
FIRST, FIRST_SIZE = FOLDER.with_name("try-it.png"), ViewportSize(width=1440, height=920)


def main() -> None:
    """Run the tutorial's study, open its pages and keep what they show."""
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"PSA_RUNS_DIR": f"{place}/runs", "PSA_CACHE_DIR": f"{place}/cache"}
        run_id = _study()
        with _dashboard() as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found(), args=["--no-sandbox"])
            page = browser.new_page(viewport=FIRST_SIZE, color_scheme="light")
            _take(page, address, FIRST)
            page.set_viewport_size(SIZE)
            FOLDER.mkdir(parents=True, exist_ok=True)
            for name in PAGES:
                query = "" if name in PAGES[:2] else f"?run={run_id}"
                _take(page, f"{address}/{name}{query}", FOLDER / f"{name}.png")
            zipped = _zip_of_cvs(Path(place))
            review_of_documents(page, address, zipped)
            results_of_documents(page, address, _study(str(zipped), "us-people", "minilm-sentiment", controls=10))
            browser.close()


def _zip_of_cvs(place: Path) -> Path:
    """The packaged CVs as somebody has them: a zip of text files about people with names."""
    from psa_core.inputs import corpus, documents, people

    files = []
    for number, row in enumerate(corpus.load("cvs").sentences.itertuples()):
        who = people.Person.of(*APPLICANTS[number % len(APPLICANTS)])
        name = f"{row.occupation}-{who.name.split()[-1]}-{number + 1}.txt".lower().replace(" ", "-")
        files.append((name, people.fill(row.text, who).encode()))
    (place / "cvs.zip").write_bytes(documents.zipped(files))
    return place / "cvs.zip"


def review_of_documents(page: Page, address: str, zipped: Path) -> None:
    """New study with a zip of documents: one of them under review."""
    page.goto(f"{address}/new_study?study_source=Your+own+file")
    page.locator("[class*=st-key-study_file] input[type=file]").set_input_files(zipped)
    for section in ("[class*=st-key-study_review]", "[class*='st-key-document']"):
        page.locator(f"{section} summary").first.click(timeout=180_000)
    page.wait_for_selector("[class*='st-key-words'] button", timeout=120_000)
    page.wait_for_timeout(2000)
    page.locator("[class*='st-key-document'] summary").first.evaluate("section => section.scrollIntoView()")
    page.mouse.wheel(0, -90)
    page.wait_for_timeout(500)
    DOCUMENTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=DOCUMENTS / "review.png")


def results_of_documents(page: Page, address: str, run_id: str) -> None:
    """What names and neutral edits do, and the documents whose label changes."""
    for name in ("names", "sentences"):
        _take(page, f"{address}/{name}?run={run_id}&target=sentiment", DOCUMENTS / f"{name}.png")


def _study(sentences: str = "sample", names: str = "demo", model: str = "profanity-check", controls: int = 0) -> str:
    from psa_core import jobs, models, report
    from psa_core.study import StudySpec, execute, plan

    spec = StudySpec(sentences=sentences, names=names, model=model, controls=controls)
    return jobs.keep(execute(plan(spec), models.load(spec.model)), report.render)


@contextmanager
def _dashboard() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process = subprocess.Popen([sys.executable, "-m", "psa_core", "app", "--port", str(port)], env=environment)
    try:
        address = f"http://localhost:{port}"
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
                break
            except (URLError, ConnectionError, TimeoutError):
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _take(page: Page, address: str, file: Path) -> None:
    page.goto(address)
    page.wait_for_selector("h1", timeout=120_000)
    page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=120_000)
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')", timeout=120_000)
    page.wait_for_timeout(4000)  # charts draw themselves after the script is done
    page.screenshot(path=file)


if __name__ == "__main__":
    main()
