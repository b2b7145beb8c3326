"""How much memory a server process and a worker take: ``python -m research.sessions.memory``.

Starts one dashboard on loopback, opens pages as a visitor would, and runs two small studies in workers.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

import psutil

from research.documents import DOCS, write
from research.sessions.__main__ import _example
from research.sessions.servers import Served, served
from research.sessions.visitor import arrive
from research.speed.table import machine

SECTION = "memory"
MODELS = ("profanity-check", "minilm-sentiment")
MB = 2**20


def of_server(at: Served, run_id: str) -> list[tuple[str, float]]:
    """Megabytes of the server's process, before anybody came and after each page."""
    server = psutil.Process(at.processes[0])
    found = [("server, nobody was there yet", server.memory_info().rss / MB)]

    async def visit() -> None:
        visitor = await arrive(at.address, query=f"run={run_id}")
        for title, page in (("*Try it* was opened", ""), ("a study was opened", "names"), ("every page was", "report")):
            for stem in ("thresholds", "sentences", "compare", "mitigate", page) if page == "report" else (page,):
                await visitor.rerun(page=stem)
            found.append((f"server, {title}", server.memory_info().rss / MB))
        await visitor.leave()

    asyncio.run(visit())
    return found


def of_worker(model: str) -> float:
    """Most megabytes of a worker over a study of the sample sentences."""
    from psa_core import jobs
    from psa_core.study import StudySpec

    run_id, most = jobs.submit(StudySpec("sample", "demo", model, sample=40)), 0.0
    while jobs.status(run_id).live:
        for child in psutil.Process().children():
            try:
                most = max(most, child.memory_info().rss / MB)
            except psutil.NoSuchProcess:  # it ended meanwhile
                continue
        time.sleep(0.05)
    if jobs.status(run_id).state != "finished":
        raise SystemExit(jobs.status(run_id).message)
    return most


def table() -> str:
    """Measure everything and return the table in Markdown."""
    with tempfile.TemporaryDirectory() as place:
        run_id = _example(Path(place))
        with served(1, Path(place)) as at:
            rows = of_server(at, run_id)
        rows += [(f"worker, a study with `{model}`", of_worker(model)) for model in MODELS]
    lines = [f"| {title} | {size:,.0f} MB |" for title, size in rows]
    return "\n".join([f"{machine()}.", "", "| process | resident memory |", "|---|---|", *lines])


def main() -> None:
    """Measure, print the table, and with ``--write`` put it into docs/serving.md."""
    parser = argparse.ArgumentParser(prog="python -m research.sessions.memory", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/serving.md")
    options = parser.parse_args()
    text = table()
    print(text)
    if options.write:
        write(DOCS / "serving.md", {SECTION: text})


if __name__ == "__main__":
    main()
