"""Ctrl-C and SIGTERM at any time: one sentence, exit status 130, and nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SENTENCE = "stopped; run it again to go on from the scores kept.\n"
SLOW_MODEL = "import time\ndef score(texts):\n    time.sleep(120)\n"
STUDY = ["-m", "psa_core", "run", "--sentences", "sample", "--names", "demo", "--model", "python:slow:score"]
both = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A Python process in that folder that has begun with the first line of its program."""
    (folder / "slow.py").write_text(SLOW_MODEL)
    environment = {"PYTHONPATH": f"{ROOT}", "PSA_CACHE_DIR": f"{folder / 'cache'}", "PATH": ""}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, env=environment, text=True, **pipes)  # type: ignore[call-overload]
    end = time.monotonic() + 30
    while process.poll() is None and not catches(process.pid, signal.SIGTERM) and time.monotonic() < end:
        time.sleep(0.002)
    return process


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own; where the system does not say, it had time for one."""
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        time.sleep(0.5)
        return True
    caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@both
@pytest.mark.parametrize(
    "delay", [0, 0.1, *(pytest.param(t, marks=pytest.mark.slow) for t in (0.3, 0.5, 0.8, 1.2, 2, 4))]
)
def test_a_run_is_stopped_at_any_time(tmp_path: Path, number: signal.Signals, delay: float) -> None:
    process = started(tmp_path, *STUDY, "--out", "out")
    time.sleep(delay)
    status, out, err = ended(process, number)
    assert (status, out) == (130, "")
    assert err in (f"psa: {SENTENCE}", f"psa run: {SENTENCE}")
    assert {path.name for path in tmp_path.iterdir()} <= {"slow.py", "cache", "__pycache__"}


WRITING = """
import time
from pathlib import Path
from psa_core import cli, signals
from psa_core.folders.writing import atomic_directory
def work():
    try:
        with atomic_directory(Path("out")) as aside:
            (aside / "names.csv").write_text("half")
            print("ready", flush=True)
            time.sleep(60)
    except KeyboardInterrupt as stop:
        raise ImportError("half a library") from stop
signals.run(work)
"""
SWALLOWING = """
import time
from psa_core import signals
signals.GRACE = 0.3
def work():
    print("ready", flush=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass
signals.run(work)
"""
DONE = """
import atexit, time
from psa_core import signals
def linger():
    print("ready", flush=True)
    time.sleep(60)
def work():
    atexit.register(linger)
    return 3
signals.run(work)
"""
PARENT = """
import os, signal, time
from psa_core import signals
def work():
    ready, tell = os.pipe()
    child = os.fork()
    if not child:
        os.write(tell, b"!")
        time.sleep(60)
    os.read(ready, 1)
    os.kill(child, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
signals.run(work)
"""


@both
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (WRITING, (130, "", f"psa: {SENTENCE}")),
        (SWALLOWING, (130, "", f"psa: {SENTENCE}")),
        (DONE, (3, "", "")),
    ],
    ids=["an interruption that became another error", "one that was swallowed", "one after the work was done"],
)
def test_whatever_becomes_of_the_interruption(
    tmp_path: Path, program: str, expected: tuple[int, str, str], number: signal.Signals
) -> None:
    process = started(tmp_path, "-c", program)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    assert ended(process, number) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["slow.py"]


def test_processes_of_a_model_end_as_they_always_did(tmp_path: Path) -> None:
    process = started(tmp_path, "-c", PARENT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")
