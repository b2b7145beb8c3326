"""How long a click takes on a large study, as a person at a browser sees it: ``python -m research.clicks``.

Starts the dashboard with a study of 99,800 cells, and Chromium. A click's time runs from the press until the page's
last visible change, as the browser itself tells it; what follows half a second of rest belongs to no click any more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from research.documents import PERFORMANCE, write
from research.sessions.servers import served
from research.speed.table import machine

SENTENCES, NAMES, ROUNDS, MAX_ROUNDS = 998, 100, 9, 30
WIDTH, HEIGHT = 1440, 900
SECTION = "clicks"
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'
# The press is remembered before the page hears of it; each change of the page after it moves the end. What lies inside
# a canvas is for screen readers, and nobody sees it: tables write it there a third of a second after they were drawn.
WATCH = """() => {
  window.pressed = window.changed = 0;
  const press = () => { window.pressed = window.changed = performance.now() };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, press, true);
  const unseen = ({ target }) => target.nodeName === "CANVAS" || target.parentElement?.closest("canvas");
  const seen = new MutationObserver(all => { if (!all.every(unseen)) window.changed = performance.now() });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  seen.observe(document.querySelector("[data-testid=stMain]"), all);
}"""
REST = "() => window.pressed > 0 && performance.now() - window.changed > 500"
TOOK = "() => { const took = window.changed - window.pressed; window.pressed = 0; return took / 1000 }"


@dataclass(frozen=True)
class Click:
    """What is clicked.

    `press` clicks in a page of Playwright and takes the round's number; `ready` is a selector for what has to be there
    first; `goal` are the seconds that the median may take.
    """

    title: str
    page: str
    press: Callable[..., None]
    ready: str
    goal: float


def _bar(page, turn: int) -> None:
    bar = page.locator(".st-key-names_bars .bars .point path").nth(turn % 8)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def _threshold(page, turn: int) -> None:
    slider = page.locator(".st-key-threshold_slider [role=slider], .st-key-threshold_slider input").first
    slider.focus()
    slider.press("ArrowLeft")


def _flips(page, turn: int) -> None:
    pages = page.locator(".st-key-sentences_page button").filter(has_text=f"{turn % 2 + 1}")
    pages.first.click()


def _target(page, turn: int) -> None:
    page.locator(".st-key-target_picker button").nth((turn + 1) % 2).click()


def _cell(page, turn: int) -> None:
    picture = page.locator(".st-key-matrix canvas")
    picture.click(position={"x": 60 + 37 * turn, "y": 40 + 23 * turn})


CLICKS = (
    Click("*Names*: a bar", "names", _bar, ".st-key-names_bars .bars .point path", 0.2),
    Click("*Names*: another target", "names", _target, ".st-key-names_bars .bars .point path", 0.2),
    Click("*Thresholds*: a step of the threshold", "thresholds", _threshold, ".js-plotly-plot .main-svg", 0.2),
    Click("*Sentences*: another page of flips", "sentences", _flips, "[class*='st-key-flip']", 0.2),
    Click("*Sentences*, matrix: a cell", "matrix", _cell, ".st-key-matrix canvas", 0.3),
)


def study(place: Path) -> str:
    """A finished study of 99,800 cells with two targets; scores are drawn, since no click asks a model."""
    os.environ |= {"PSA_RUNS_DIR": str(place / "runs"), "PSA_CACHE_DIR": str(place / "cache")}
    from psa_core import jobs, report
    from psa_core.study import StudySpec, execute, plan

    comments = place / "comments.csv"
    words = [f"{who} {what} and wrote comment number {n}." for n in range(250) for who in ("He", "She") for what in DID]
    comments.write_text("\n".join(["text", *words[:SENTENCES]]), encoding="utf-8")
    people = place / "people.csv"
    rows = [f"First{n:02d} Last{n:02d},{n % 2},{n % 6}" for n in range(NAMES)]
    people.write_text("\n".join(["name,gender,career", *rows]), encoding="utf-8")
    spec = StudySpec(sentences=str(comments), names=str(people), model="drawn", balance=False)
    return jobs.keep(execute(plan(spec), Drawn()), report.render)


DID = ("was late", "is an idiot")


class Drawn:
    """Scores by the letters of a text: spread over the range, moved by the name, and the same each time."""

    fingerprint = "drawn for clicks"

    def __init__(self) -> None:
        from psa_core.cube import Target

        self.targets = (Target("toxicity"), Target("anger"))

    def score(self, texts) -> np.ndarray:
        """float32 (len(texts), 2)."""
        import zlib

        numbers = np.array([[zlib.crc32(t.encode()), zlib.crc32(t[::-1].encode())] for t in texts], np.float64)
        return (numbers / 2**32).astype(np.float32)


def measure(page, address: str, click: Click, run_id: str, rounds: int) -> np.ndarray:
    """Seconds of each click; the first is for what is loaded once and does not count."""
    page.goto(f"{address}/{click.page}?run={run_id}&each=all")
    page.wait_for_selector(click.ready)
    page.wait_for_selector(IDLE)
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    seconds = []
    for turn in range(rounds + 1):
        click.press(page, turn)
        page.wait_for_function(REST)
        page.wait_for_selector(IDLE)
        seconds.append(page.evaluate(TOOK))
    return np.array(seconds[1:])


def table(rounds: int) -> str:
    """Measure everything and return the table in Markdown."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import found

    lines = ["| click | median | quartiles | slowest | goal |", "|---|---|---|---|---|"]
    options = ["--no-sandbox", "--disable-gpu"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run_id = study(Path(folder))
        browser = playwright.chromium.launch(executable_path=found(), args=options)
        with served(1, Path(folder)) as at:
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            for click in CLICKS:
                line = row(click, measure(page, at.address, click, run_id, rounds))
                print(line, file=sys.stderr, flush=True)
                lines.append(line)
        browser.close()
    load = f"Load average at the end {os.getloadavg()[0]:.1f}, this measurement included; {rounds} clicks each."
    return "\n".join([f"{machine()}. {load}", "", *lines])


def row(click: Click, seconds: np.ndarray) -> str:
    """One line of the table.

    Examples
    --------
    >>> row(CLICKS[0], np.array([0.1, 0.12, 0.3]))
    '| *Names*: a bar | 0.12 s | 0.11–0.21 s | 0.30 s | ≤ 0.2 s: met |'
    """
    low, middle, high = np.quantile(seconds, [0.25, 0.5, 0.75])
    met = "met" if middle <= click.goal else "**missed**"
    return (
        f"| {click.title} | {middle:.2f} s | {low:.2f}–{high:.2f} s | {seconds.max():.2f} s "
        f"| ≤ {click.goal:g} s: {met} |"
    )


def main() -> None:
    """Measure, print the table, and with ``--write`` put it into docs/performance.md."""
    parser = argparse.ArgumentParser(prog="python -m research.clicks", description=__doc__)
    parser.add_argument("--rounds", type=int, choices=range(3, MAX_ROUNDS + 1), default=ROUNDS, metavar="ROUNDS")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    text = table(options.rounds)
    print(text)
    if options.write:
        write(PERFORMANCE, {SECTION: text})


if __name__ == "__main__":
    main()
