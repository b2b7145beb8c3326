"""A run that is killed loses at most one window, and the next one gives the result of a run that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from psa_core import models
from psa_core.cache import ScoreCache, digests
from psa_core.scoring import score_cells

WAY = ("cuda:0", "another", "fast")
ROOT = Path(__file__).resolve().parents[2]
WINDOW = 40
PROGRAM = """
import sys, time
import numpy as np
from psa_core import models
from psa_core.cache import ScoreCache
from psa_core.scoring import ScoringOptions, score_cells

class Cells:
    names = tuple(f"alice {'bob ' * i}" for i in range(7))
    def originals(self):
        return [self.text("she", i) for i in range(60)]
    def row(self, i):
        return [self.text(name, i) for name in self.names]
    def text(self, name, i):
        return f"{name} said it was {'very ' * (i % 9)}good {i}"

class Slow:
    def __init__(self, scorer, seconds):
        self.scorer, self.seconds = scorer, seconds
    def __getattr__(self, name):
        return getattr(self.scorer, name)
    def forward(self, token_ids):
        time.sleep(self.seconds)
        return self.scorer.forward(token_ids)

folder, seconds, out = sys.argv[1:]
scorer = Slow(models.load(f"hf:{folder}"), float(seconds))
options = ScoringOptions(seed=5, window_texts=WINDOW, backend="torch")
show = lambda window: print(window.texts_done, flush=True)
scores = score_cells(scorer, Cells(), options=options, cache=ScoreCache.open(), on_window=show)
np.savez(out, original=scores.original, perturbed=scores.perturbed, counts=[scores.cache_hits, scores.texts_scored],
         backend=scores.backend)
""".replace("WINDOW", str(WINDOW))


def start(folder, out, *, seconds, cache):
    environment = {**os.environ, "PSA_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM, str(folder), str(seconds), str(out)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.tiny_models import tiny_classifier

    return tiny_classifier(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def whole(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """The result of a run that nobody killed."""
    place = tmp_path_factory.mktemp("whole")
    assert start(folder, place / "whole.npz", seconds=0, cache=place / "cache").communicate()[0]
    return dict(np.load(place / "whole.npz"))


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_is_resumed_with_an_identical_result(tmp_path, folder, whole, stop):
    killed = start(folder, tmp_path / "killed.npz", seconds=0.2, cache=tmp_path / "cache")
    reported = [int(killed.stdout.readline()) for _ in range(3)]
    time.sleep(0.1)  # into the next window
    killed.send_signal(stop)
    killed.communicate()
    assert not (tmp_path / "killed.npz").exists()
    assert start(folder, tmp_path / "resumed.npz", seconds=0, cache=tmp_path / "cache").communicate()[0]
    resumed = np.load(tmp_path / "resumed.npz")
    np.testing.assert_array_equal(resumed["original"], whole["original"])
    np.testing.assert_array_equal(resumed["perturbed"], whole["perturbed"])
    hits, scored = resumed["counts"]
    assert reported[-1] <= hits < 480 and hits + scored == 480
    assert hits - reported[-1] <= 2 * WINDOW  # what was finished but not yet reported
    assert whole["counts"].tolist() == [0, 480]
    assert resumed["backend"] == whole["backend"]


def test_the_result_says_what_computed_the_scores_that_were_known(folder, tmp_path, make_cells):
    scorer, cache = models.load(f"hf:{folder}"), ScoreCache(tmp_path)
    first = score_cells(scorer, make_cells(6, 4), cache=cache)
    again = score_cells(scorer, make_cells(6, 4), cache=cache)
    assert (again.texts_scored, again.backend, again.device) == (0, first.backend, first.device)
    cache.clear()
    known = np.unique(digests(make_cells(6, 4).row(0), key=cache.key(scorer.fingerprint)))
    cache.write(known, np.zeros((4, len(scorer.targets))), WAY)
    resumed = score_cells(scorer, make_cells(6, 4), cache=cache)
    assert resumed.cache_hits == 4 and resumed.precision == "fast"
    assert (resumed.device, resumed.backend) == ("cuda:0 + cpu", f"another + {first.backend}")
