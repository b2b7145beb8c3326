"""What is called in another process by `test_bounded`."""

import mmap
import os
import time
from pathlib import Path

from psa_core.errors import CorpusError


def refuse():
    raise CorpusError("sentences", got="seven", expected="eight")


def fail():
    raise KeyError("x")


def eat(megabytes):
    return len(bytes(megabytes * 2**20))


def fill(megabytes):
    content = b"x" * (megabytes * 2**20)
    time.sleep(0.5)
    return len(content)


def reserve(megabytes):
    with mmap.mmap(-1, megabytes * 2**20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        return megabytes


def work():
    while True:
        pass


def wait():
    while True:
        time.sleep(1)


def mark(folder):
    """Leave a file ``two-…`` when another one is at work in the same folder."""
    place = Path(folder)
    try:
        (place / "busy").mkdir()
    except FileExistsError:
        (place / f"two-{os.getpid()}").touch()
    time.sleep(0.05)
    (place / "busy").rmdir()
    (place / f"done-{os.getpid()}").touch()
