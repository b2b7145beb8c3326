"""Take the pictures of README and tutorial from the dashboard: ``python -m docs.pictures``, or `make pictures`."""

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
PAGES = ("try_it", "study", "names", "thresholds", "sentences")
SIZE: ViewportSize = {"width": 1200, "height": 820}
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
            browser.close()


def _study() -> str:
    from psa_core import jobs, models, report
    from psa_core.study import StudySpec, execute, plan

    spec = StudySpec(sentences="sample", names="demo", model="profanity-check")
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
