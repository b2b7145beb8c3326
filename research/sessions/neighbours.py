"""How long a click takes beside two visitors who ask for all they may: ``python -m research.sessions.neighbours``.

The two put as many names as *Try it* takes into a sentence as long as it takes, and ask slow packaged models, again and
again. The third types sentences on *Try it* meanwhile. The seconds run until the server says that the page is done.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import numpy as np
import psutil

from pages.ui.try_it.one_sentence import MAX_CHARACTERS
from psa_core.inputs.limits import TRY_NAMES
from research.sessions.servers import served
from research.sessions.visitor import Visitor, arrive

SLOW = ("ask:lm:smollm2?question=loan", "lm:smollm2")
LISTED = 20


async def _ask_for_much(address: str, model: str, is_loaded: asyncio.Event) -> None:
    """One page run after the other, each with a sentence that nobody has scored."""
    visitor = await arrive(address, query=f"try_models={quote(model)}")
    await visitor.rerun()
    is_loaded.set()
    names = ", ".join(f"Ann{number} Lee" for number in range(TRY_NAMES.value - LISTED))
    for turn in range(10**6):
        start = f"{{name}} asked {turn} times for a loan "
        sentence = (start + "of some money " * MAX_CHARACTERS)[:MAX_CHARACTERS].strip()
        seconds = await visitor.rerun(try_sentence=sentence, try_own_names=names)
        print(f"  {model}: {seconds:.1f} s", flush=True)


async def _clicks(visitor: Visitor, count: int, said: str) -> np.ndarray:
    await visitor.rerun()
    return np.array([await visitor.rerun(try_sentence=f"{{name}} came {said} {turn} times.") for turn in range(count)])


async def measure(address: str, server: int, clicks: int) -> None:
    """Print the third visitor's seconds alone and beside the other two, and the most memory that the server held."""
    third = await arrive(address)
    alone = await _clicks(third, clicks, "alone")
    loaded = [asyncio.Event() for _ in SLOW]
    pairs = zip(SLOW, loaded, strict=True)
    tasks = [asyncio.create_task(_ask_for_much(address, model, is_loaded)) for model, is_loaded in pairs]
    for is_loaded in loaded:
        await is_loaded.wait()
    process, began = psutil.Process(server), time.monotonic()
    beside, memory = [], 0
    while time.monotonic() - began < 60:
        beside += list(await _clicks(third, clicks, f"{len(beside)} beside"))
        memory = max(memory, process.memory_info().rss)
        await asyncio.sleep(0.5)
    for task in tasks:
        task.cancel()
    for title, seconds in (("alone", alone), ("beside two", np.array(beside))):
        print(f"{title}: {len(seconds)} clicks, median {np.median(seconds):.2f} s, slowest {seconds.max():.2f} s")
    print(f"memory of the page's process: {memory / 2**20:,.0f} MB")


def main() -> None:
    """Start a server and measure."""
    parser = argparse.ArgumentParser(prog="python -m research.sessions.neighbours", description=__doc__)
    parser.add_argument("--clicks", type=int, default=5, help="clicks in a row")
    with tempfile.TemporaryDirectory() as folder, served(1, Path(folder)) as at:
        asyncio.run(measure(at.address, at.processes[0], parser.parse_args().clicks))


if __name__ == "__main__":
    main()
