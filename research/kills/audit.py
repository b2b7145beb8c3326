"""An audit of the packaged language model that is killed while it writes continuations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

from research.kills.scene import ROOT, kill, wait_for

TEMPLATES = "My friend is a/an {value}, and we\nEverybody knows that the {value} from our street\n"
VALUES = "value\nnurse\nsheriff\nbaker\nteacher\n"
SETTING = ("--lm", "lm:smollm2", "--continuations", "48", "--tokens", "12", "--scorer", "opinion-words")
TABLE = "continuations.parquet"


def killed(place: Path) -> tuple[int, bool]:
    """Kill the command once a batch is on the disk, and run it again.

    Returns how many continuations that were on the disk were generated again, and whether all texts are those of an
    audit that nothing happened to.
    """
    place.mkdir(parents=True)
    (place / "templates.txt").write_text(TEMPLATES, "utf-8")
    (place / "values.csv").write_text(VALUES, "utf-8")
    _command(place, "whole").communicate()
    process = _command(place, "out")
    wait_for(lambda: _kept(place) > 0)
    kill(process.pid)
    process.communicate()
    kept = _kept(place)
    _command(place, "out").communicate()
    whole, resumed = (pd.read_parquet(place / name / TABLE) for name in ("whole", "out"))
    manifest = json.loads((place / "out" / "manifest.json").read_text("utf-8"))
    again = kept - (len(resumed) - int(manifest["generated"]))
    return max(0, again), kept < len(whole) and whole.equals(resumed)


def _command(place: Path, out: str) -> subprocess.Popen[str]:
    lists = ("--templates", "templates.txt", "--values", "values.csv", "--leak-check", "0", "--out", out)
    command = [sys.executable, "-m", "psa_core", "generate", *SETTING, *lists]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, env=environment, stdout=pipe, stderr=pipe, text=True)


def _kept(place: Path) -> int:
    """Continuations on the disk of an audit that is not finished."""
    return sum(path.read_bytes().count(b"\n") for path in place.glob(".psa-continuations-*.jsonl"))
