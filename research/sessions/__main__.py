"""How long visitors wait when many of them click at once: ``python -m research.sessions``.

Starts the dashboard on loopback, opens N sessions over real websockets, lets all of them ask for a page run at the
same moment, and waits until the server says that each is done. What a browser then does to draw it is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from research.documents import PERFORMANCE, write
from research.sessions.servers import Served, served
from research.sessions.visitor import Visitor, arrive
from research.speed.table import machine

MAX_SESSIONS, MAX_SERVERS, MAX_ROUNDS = 200, 8, 20
SECTION = "sessions"
AIMS = {20: 1.5, 50: 4.0}


@dataclass(frozen=True)
class Doing:
    """What every visitor does in a round, on a page (none: *Try it*).

    `change` goes from visitor and round to widget values that nobody has asked for before; None where opening the page
    is measured.
    """

    title: str
    page: str
    change: Callable[[int, int], dict[str, Any]] | None = None


DOINGS = (
    Doing("*Try it*, opened", ""),
    Doing("*Try it*, a new sentence", "", lambda who, turn: {"try_sentence": f"I met {{name}} {who} times in {turn}."}),
    Doing("*Names*, opened", "names"),
    Doing(
        "*Thresholds*, another threshold",
        "thresholds",
        lambda who, turn: {"threshold_slider": round(0.05 + (who * 7 + turn * 11) % 181 / 200, 3)},
    ),
)


@dataclass(frozen=True)
class Row:
    """One line of the table; seconds are of single page runs, `busy` is processor time of the servers a page run."""

    title: str
    servers: int
    sessions: int
    seconds: np.ndarray
    wall: float
    busy: float

    def __str__(self) -> str:
        middle, most = np.median(self.seconds), self.seconds.max()
        rate = len(self.seconds) / self.wall
        aim = AIMS.get(self.sessions)
        met = "" if aim is None else f"≤ {aim:g} s: " + ("met" if middle <= aim else "**missed**")
        cells = (self.title, self.servers, self.sessions, f"{middle:.2f} s", f"{most:.2f} s", f"{rate:.1f}")
        return "| " + " | ".join(map(str, (*cells, f"{1000 * self.busy:.0f} ms", met))) + " |"


async def measure(doing: Doing, at: Served, sessions: int, rounds: int, run_id: str) -> Row:
    """Let `sessions` visitors do it at the same moment, `rounds` times."""
    query = f"run={run_id}" if doing.page else ""
    seconds: list[float] = []
    wall = busy = 0.0
    async with _visitors(at.address, sessions, query) as visitors:
        if doing.change:
            for visitor in visitors:
                await visitor.rerun(page=doing.page)
        for turn in range(rounds if doing.change else 1):
            asked = [
                visitor.rerun(**doing.change(who, turn)) if doing.change else visitor.rerun(page=doing.page)
                for who, visitor in enumerate(visitors)
            ]
            began, processor = time.perf_counter(), _processor_time(at)
            seconds += await asyncio.gather(*asked)
            wall += time.perf_counter() - began
            busy += _processor_time(at) - processor
    return Row(doing.title, len(at.processes), sessions, np.array(seconds), wall, busy / len(seconds))


@asynccontextmanager
async def _visitors(address: str, sessions: int, query: str) -> AsyncIterator[list[Visitor]]:
    arrived = [await arrive(address, query=query) for _ in range(sessions)]
    try:
        yield arrived
    finally:
        await asyncio.gather(*(visitor.leave() for visitor in arrived))


def _processor_time(at: Served) -> float:
    return sum(sum(psutil.Process(process).cpu_times()[:2]) for process in at.processes)


def _example(place: Path) -> str:
    """A finished study for the pages that show one."""
    os.environ |= {"PSA_RUNS_DIR": str(place / "runs"), "PSA_CACHE_DIR": str(place / "cache")}
    from psa_core import jobs, models, report
    from psa_core.study import StudySpec, execute, plan

    spec = StudySpec(sentences="sample", names="demo", model="profanity-check")
    return jobs.keep(execute(plan(spec), models.load(spec.model)), report.render)


def table(options: argparse.Namespace) -> str:
    """Measure everything and return the table in Markdown."""
    lines = [
        "| all at the same time | processes | sessions | median | slowest | runs/s | processor time each | aim |",
        "|---|---|---|---|---|---|---|---|",
    ]
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        run_id = _example(Path(folder))
        for servers in options.servers:
            with served(servers, Path(folder)) as at:
                for doing in DOINGS:
                    asyncio.run(measure(doing, at, 4 * servers, 1, run_id))  # loads modules and models
                    for sessions in options.sessions:
                        loads.append(os.getloadavg()[0])
                        row = asyncio.run(measure(doing, at, sessions, options.rounds, run_id))
                        print(row, file=sys.stderr, flush=True)
                        lines.append(str(row))
    load = f"Load average meanwhile {min(loads):.1f}–{max(loads):.1f}, this measurement included."
    return "\n".join([f"{machine()}. {load}", "", *lines])


def _numbers(most: int) -> Callable[[str], list[int]]:
    def read(text: str) -> list[int]:
        numbers = [int(part) for part in text.split(",")]
        if not all(0 < number <= most for number in numbers):
            raise argparse.ArgumentTypeError(f"got {text}, expected numbers from 1 to {most}, comma-separated")
        return numbers

    return read


def main() -> None:
    """Measure, print the table, and with ``--write`` put it into docs/performance.md."""
    parser = argparse.ArgumentParser(prog="python -m research.sessions", description=__doc__)
    parser.add_argument("--sessions", type=_numbers(MAX_SESSIONS), default=[1, 20, 50], help="such as 1,20,50")
    parser.add_argument("--servers", type=_numbers(MAX_SERVERS), default=[1], help="processes behind one address")
    parser.add_argument("--rounds", type=int, choices=range(1, MAX_ROUNDS + 1), default=3, metavar="ROUNDS")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    text = table(options)
    print(text)
    if options.write:
        write(PERFORMANCE, {SECTION: text})


if __name__ == "__main__":
    main()
