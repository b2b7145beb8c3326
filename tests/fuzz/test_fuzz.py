"""Ten thousand damaged inputs: none ends in a traceback, takes long or takes much memory."""

from __future__ import annotations

import resource
from pathlib import Path

import huggingface_hub.constants
import pytest

from tests.fuzz.loaders import loaders, undamaged
from tests.fuzz.running import run

CASES, SEED = 10_000, 11
READERS = loaders(Path())
MAX_BYTES = 1.5 * 2**30


@pytest.mark.parametrize("name", READERS)
def test_damaged_inputs_are_read_or_refused_in_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    # Not by the environment: it would be read once, for all tests of this process.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of other tests' processes
    outcome = run(name, CASES * READERS[name][0] // 100, SEED, tmp_path)
    assert not outcome.failures, "\n".join(outcome.failures[:5])
    assert outcome.counts["refused"] > 0
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert largest == before or largest * 1024 < MAX_BYTES


def test_what_is_damaged_could_be_read_before(tmp_path: Path) -> None:
    assert len(undamaged(tmp_path)) == 5


def test_the_shares_are_all_of_the_cases() -> None:
    assert sum(share for share, _ in READERS.values()) == 100
