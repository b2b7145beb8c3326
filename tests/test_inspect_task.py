"""The task for Inspect, run by the real program on a model that answers as it is told."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from psa_core import cli
from psa_core.folders import results

ROOT = Path(__file__).resolve().parent.parent
STUDY = ["--sentences", "sample", "--names", "demo", "--sample", "14", "--seed", "3"]
# In a process of its own: the program's own warnings are not ours. The encoding would come from a network.
ASK = """
import csv
from types import SimpleNamespace
import tiktoken
tiktoken.get_encoding = lambda _: SimpleNamespace(encode=lambda text, **_: text.split())
from inspect_ai import eval
from inspect_ai.model import ModelOutput, get_model
from psa_core.inspect_task import question

with open("texts.csv", encoding="utf-8", newline="") as stream:
    silent = next(row["text"] for row in csv.DictReader(stream) if row["name"] == "Bill Gates")

def answer(messages, *_):
    asked = messages[-1].text
    words = "I cannot say." if silent in asked else "No." if "Rihanna" in asked else "**Yes**"
    return ModelOutput.from_content("mockllm/model", words)

model = get_model("mockllm/model", custom_outputs=answer)
(log,) = eval(question("texts.csv", "interview"), model=model, display="none", log_dir="logs")
assert log.status == "success", log.error
"""


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("inspect_ai"), reason="not installed: pip install inspect-ai")
def test_a_planted_effect_goes_through_inspect_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    cli.main(["texts", *STUDY, "--out", "texts.csv"])
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    subprocess.run([sys.executable, "-c", ASK], env=own, check=True)
    (file,) = Path("logs").glob("*.eval")
    assert cli.main(["run", *STUDY, "--model", f"predictions:{file}", "--out", "out"]) == 0
    cube = results.read(Path("out"))
    original, scores = cube.scores("interview")
    names = cube.names["name"].tolist()
    assert (original == 1).all() and (scores[:, names.index("Rihanna")] == 0).all()
    assert np.isnan(scores).sum() == 1 and np.isnan(scores[:, names.index("Bill Gates")]).sum() == 1
