"""A visitor's run of a hub's model: fetched by its worker, loaded and asked in a process that may do neither."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from psa_core import jobs, models, scoring
from psa_core.errors import ModelError
from psa_core.scoring import subprocess_scorer
from psa_core.study import StudySpec
from psa_core.trust import Origin
from tests.models.transformers.test_hub import Hub, served  # noqa: F401

pytestmark = pytest.mark.slow
TEXTS = ["he is good .", "she is bad"]


@pytest.fixture(autouse=True)
def hub(served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # noqa: F811
    """A hub for other processes, whose settings are the environment's."""
    for name, value in {"HF_ENDPOINT": served, "HF_HUB_OFFLINE": "0", "HF_TOKEN": "secret"}.items():
        monkeypatch.setenv(name, value)
    for name, folder in {"HF_HUB_CACHE": "operator", "PSA_RUNS_DIR": "runs", "PSA_CACHE_DIR": "cache"}.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.delenv("PSA_HISTORY", raising=False)
    Hub.asked.clear()
    yield
    subprocess_scorer._end()


def finished(run_id: str) -> Path:
    end = time.monotonic() + 100
    while jobs.status(run_id).live and time.monotonic() < end:
        time.sleep(0.1)
    log = (jobs.run_path(run_id) / "worker.log").read_text()
    assert jobs.status(run_id).state == "finished", (jobs.status(run_id), log)
    return jobs.result_folder(run_id)


def test_a_visitor_asks_a_hubs_model_on_a_page() -> None:
    there = subprocess_scorer.load("hf:owner/tiny", Origin.VISITOR)
    own = models.load(f"hf:{Hub.folder}")
    assert there.fingerprint == own.fingerprint
    np.testing.assert_array_equal(there.score(TEXTS), scoring.score(own, TEXTS))
    with pytest.raises(ModelError, match="no such hub model"):
        subprocess_scorer.load("hf:owner/nothing", Origin.VISITOR)


def test_a_visitors_run_has_the_same_scores_as_its_owners() -> None:
    study = StudySpec("s.txt", "demo", "hf:owner/tiny")
    sentences = {"s.txt": b"He is good.\nShe is bad.\nI love him.\n"}
    theirs = finished(jobs.submit(study, sentences, origin=Origin.VISITOR))
    own = finished(jobs.submit(study, sentences, origin=Origin.OWN_MACHINE))
    assert (theirs / "names.csv").read_bytes() == (own / "names.csv").read_bytes()
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (theirs, own)]
    assert manifests[0]["fingerprint"] == manifests[1]["fingerprint"]


def test_what_a_hub_refuses_is_told() -> None:
    run = jobs.submit(StudySpec("sample", "demo", "hf:owner/gated", sample=3), origin=Origin.VISITOR)
    end = time.monotonic() + 60
    while jobs.status(run).live and time.monotonic() < end:
        time.sleep(0.1)
    assert jobs.status(run).state == "failed"
    assert "asks for consent first" in jobs.status(run).message
