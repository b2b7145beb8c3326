"""How long a click takes, as a person at a browser sees it: ``python -m research.clicks``.

Starts the dashboard with a study of 99,800 cells, one of comments, one of documents and an audit, and Chromium. A
click's time runs from the press until the page's last visible change, as the browser itself tells it; what follows half
a second of rest belongs to no click any more. A page of Streamlit with one button stands beside them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from research.documents import PERFORMANCE, write
from research.sessions.servers import HOST, dashboard, free_ports, process, served, wait_for
from research.speed.table import machine

ROUNDS, MAX_ROUNDS = 9, 30
#: Sentences and names of each study; the documents are packaged ones, each several times.
SIZES = {"large": (998, 100), "comments": (400, 30), "documents": (60, 40)}
PEOPLE, TASKS, ANSWERS = 32, 12, 4
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
EMPTY = "import time\nimport streamlit as st\nst.button('Again')\nst.text(time.time())\n"
REST = "() => window.pressed > 0 && performance.now() - window.changed > 500"
TOOK = "() => { const took = window.changed - window.pressed; window.pressed = 0; return took / 1000 }"


@dataclass(frozen=True)
class Click:
    """What is clicked.

    `page` is its address, with the ids of `results` in braces; `press` clicks in a page of Playwright and takes the
    round's number; `ready` is a selector for what has to be there first; `goal` are the seconds that the median may
    take.
    """

    title: str
    page: str
    press: Callable[..., None]
    ready: str
    goal: float = 0.2


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


def _cell(page, turn: int) -> None:
    picture = page.locator(".st-key-matrix canvas").last
    picture.click(position={"x": 60 + 37 * turn, "y": 40 + 23 * turn})


def _card(page, turn: int) -> None:
    page.locator("[class*='st-key-flip'] [class*='st-key-open'] button").nth(turn % 3).click()


def _segment(key: str) -> Callable[..., None]:
    """The second segment of a row, then its first, and so on; a help button is none."""
    return lambda page, turn: page.locator(f".st-key-{key} [role=radio]").nth((turn + 1) % 2).click()


def _option(key: str) -> Callable[..., None]:
    """Another entry of a select box; the press on the entry is what counts."""

    def press(page, turn: int) -> None:
        page.locator(f".st-key-{key} input").click()
        page.get_by_role("option").nth((turn + 1) % 2).click()

    return press


def _link(page, turn: int) -> None:
    title = ("Thresholds", "Names")[turn % 2]
    page.get_by_test_id("stHeader").get_by_role("link", name=title, exact=True).click()


def _slide(page, turn: int) -> None:
    page.keyboard.press(("PageDown", "PageUp")[turn % 2])


DRAWN = "[data-testid=stVegaLiteChart] .mark-group"
BAR, CHART, CARD = ".st-key-names_bars .bars .point path", ".js-plotly-plot .main-svg", "[class*='st-key-flip']"
AUDIT = ".st-key-chats_measure input"
FLOOR = Click("A page of Streamlit with one button", "", lambda page, _: page.locator("button").first.click(), "button")
CLICKS = (
    Click("*Names*: a bar", "names?run={large}", _bar, BAR),
    Click("*Names*: another target", "names?run={large}", _segment("target_picker"), BAR),
    Click("*Thresholds*: a step of the threshold", "thresholds?run={large}", _threshold, CHART),
    Click("*Sentences*: another page of flips", "sentences?run={large}&each=all", _flips, CARD),
    Click("*Sentences*, matrix: a cell", "matrix?run={large}", _cell, ".st-key-matrix canvas", 0.3),
    Click("comments, *Names*: a bar", "names?run={comments}", _bar, BAR),
    Click("comments, *Names*: the baseline", "names?run={comments}", _segment("baseline"), BAR),
    Click("comments, *Names*: other groups", "names?run={comments}", _segment("group"), BAR),
    Click("comments, *Names* to *Thresholds* and back", "names?run={comments}", _link, BAR),
    Click("comments, *Thresholds*: a step", "thresholds?run={comments}", _threshold, CHART),
    Click("comments, *Sentences*: all names of a sentence", "sentences?run={comments}", _card, CARD),
    Click("comments, matrix: a cell", "matrix?run={comments}", _cell, ".st-key-matrix canvas"),
    Click(
        "comments, *Compare*: another metric",
        "compare?run={comments}",
        _segment("metric"),
        ".st-key-metric [role=radio]",
    ),
    Click("comments, *Present*: the next slide, a key", "present?run={comments}&view_on=3", _slide, CHART),
    Click("documents, *Names*: a bar", "names?run={documents}", _bar, BAR),
    Click("documents, *Documents*: all names of one", "sentences?run={documents}", _card, CARD),
    Click("documents, *Names* to *Thresholds* and back", "names?run={documents}", _link, BAR),
    Click(
        "*Try it*: a letter of a name",
        "",
        lambda page, _: page.locator(".st-key-try_own_names input").press("a"),
        DRAWN,
    ),
    Click("*Try it*: a model", "", lambda page, _: page.locator(".st-key-try_models button").nth(1).click(), DRAWN),
    Click("*Answers to people*: another measure", "answers?chats={chats}", _option("chats_measure"), AUDIT),
    Click("*Answers to people*: other groups", "answers?chats={chats}", _option("chats_pair"), AUDIT),
)


def results(place: Path) -> dict[str, str]:
    """Run ids of a study of each of the `SIZES`, with drawn scores since no click asks a model, and of an audit."""
    os.environ |= {"PSA_RUNS_DIR": str(place / "runs"), "PSA_CACHE_DIR": str(place / "cache")}
    from psa_core import jobs, report
    from psa_core.inputs import corpus
    from psa_core.study import StudySpec, execute, plan

    ids, packaged = {}, corpus.load("cvs").sentences["text"].tolist()
    for kind, (sentences, names) in SIZES.items():
        texts, people = place / f"{kind}.csv", place / f"{kind}-people.csv"
        said = [
            f"{who} {what} and wrote comment number {n}." for n in range(250) for who in ("He", "She") for what in DID
        ]
        if kind == "documents":
            said = [f"{text} Number {n}." for n in range(3) for text in packaged]
        pd.DataFrame({"text": said[:sentences]}).to_csv(texts, index=False)
        rows = [f"First{n:02d} Last{n:02d},{n % 2},{n % 6}" for n in range(names)]
        people.write_text("\n".join(["name,gender,career", *rows]), encoding="utf-8")
        spec = StudySpec(
            sentences=str(texts), names=str(people), model="drawn", balance=None if kind == "documents" else False
        )
        ids[kind] = jobs.keep(execute(plan(spec), Drawn()), report.render)
    return ids | {"chats": _chats(place)}


def _chats(place: Path) -> str:
    """Answers to people, as a file that another program wrote would have them."""
    from psa_core import jobs
    from psa_core.cli import main as psa

    written, folder, tasks = place / "answers.csv", place / "chats", place / "tasks.csv"
    tasks.write_text(
        "\n".join(["task", *(f"What would you tell me about plan {n}?" for n in range(TASKS))]), encoding="utf-8"
    )
    asked = [
        "chats",
        "--tasks",
        str(tasks),
        "--people",
        str(PEOPLE),
        "--answers",
        str(ANSWERS),
        "--scorer",
        "opinion-words",
    ]
    psa([*asked, "--export-prompts", str(written)])
    table = pd.read_csv(written, keep_default_na=False)
    words = ("good", "bad", "simple", "great", "poor", "fine")
    said = [f"It is {words[n % 6]} and {words[n * 5 % 7 % 6]}, I would say." for n in range(len(table))]
    table.assign(continuation=said).to_csv(written, index=False)
    psa([*asked, "--lm", f"continuations:{written}", "--out", str(folder)])
    return jobs.adopt("chats", folder)


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


def measure(page, address: str, click: Click, rounds: int) -> np.ndarray:
    """Seconds of each click; the first is for what is loaded once and does not count."""
    page.goto(address)
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


@contextmanager
def empty_page(place: Path) -> Iterator[str]:
    """The address of a server with a page that has one button, for what Streamlit itself takes."""
    script, (port,) = place / "empty.py", free_ports(1)
    script.write_text(EMPTY, encoding="utf-8")
    with process(dashboard(port, str(script)), dict(os.environ), place):
        wait_for(f"http://{HOST}:{port}/_stcore/health")
        yield f"http://{HOST}:{port}"


def table(rounds: int, only: str = "") -> str:
    """Measure everything, or what has `only` in its title, and return the table in Markdown."""
    from playwright.sync_api import sync_playwright

    from tests.browser.install import found

    lines = ["| click | median | quartiles | slowest | goal |", "|---|---|---|---|---|"]
    options = ["--no-sandbox", "--disable-gpu"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        ids = results(Path(folder))
        browser = playwright.chromium.launch(executable_path=found(), args=options)
        with served(1, Path(folder)) as at, empty_page(Path(folder)) as empty:
            for click in (FLOOR, *CLICKS):
                if only not in click.title:
                    continue
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                address = empty if click is FLOOR else f"{at.address}/{click.page.format(**ids)}"
                line = row(click, measure(page, address, click, rounds))
                page.close()
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
    parser.add_argument("--only", default="", metavar="WORDS", help="the clicks with these words in their title")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    text = table(options.rounds, options.only)
    print(text)
    if options.write:
        write(PERFORMANCE, {SECTION: text})


if __name__ == "__main__":
    main()
