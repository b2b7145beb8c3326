"""Models in a process apart: what they answer, and what one costs that is slow or large."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from psa_core import models, scoring
from psa_core.errors import ModelError, OptionError
from psa_core.inputs.bounded import Resident
from psa_core.inputs.limits import ASK_MEMORY, ASK_MODELS, ASK_SECONDS
from psa_core.scoring import subprocess_scorer
from psa_core.trust import Origin
from tests.models.transformers.test_foreign_rules import spoil
from tests.tiny_models import tiny_classifier

LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no limit of memory on this system")
OWN = Origin.OWN_MACHINE
#: Nearly gives up at each of many words.
SLOW = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
MANY = ("a" * 21 + "b ") * 5_000


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    yield
    subprocess_scorer._end()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_classifier(tmp_path_factory.mktemp("apart") / "model")


def test_it_answers_as_the_model_itself(folder: Path) -> None:
    there, here = subprocess_scorer.load(f"hf:{folder}", OWN), models.load(f"hf:{folder}")
    texts = ["he is good .", "she is bad", "he is good ."]
    np.testing.assert_array_equal(there.score(texts), scoring.score(here, texts))
    assert (there.fingerprint, there.targets) == (here.fingerprint, here.targets)
    assert there.score([]).shape == (0, len(here.targets))
    long = [texts[0], "he " * (here.max_tokens + 1)]
    assert there.max_tokens == here.max_tokens and there.truncated(long).tolist() == [False, True]


def test_a_process_holds_one_model_and_keeps_it_until_others_need_its_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ASK_MODELS.setting, "2")
    first = subprocess_scorer.load(f"hf:{folder}", OWN)
    process = held(f"hf:{folder}")
    first.score(["he"])
    assert held(f"hf:{folder}") is process and process.is_well
    others = [f"hf:{tiny_classifier(tmp_path / f'other-{seed}', seed=seed)}" for seed in (1, 2)]
    subprocess_scorer.load(others[0], OWN)
    assert held(f"hf:{folder}") is process and process.is_well
    subprocess_scorer.load(others[1], OWN)
    assert [key for key, _ in subprocess_scorer._slots] == others and not process.is_well
    assert first.score(["he"]).shape == (1, len(first.targets))  # it is loaded again


def held(model_id: str) -> Resident:
    return subprocess_scorer._slots[model_id, OWN].process


def test_a_model_that_is_asked_delays_nobody_who_asks_another(folder: Path, tmp_path: Path) -> None:
    other = f"hf:{tiny_classifier(tmp_path / 'other', seed=1)}"
    subprocess_scorer.load(f"hf:{folder}", OWN)
    with subprocess_scorer._slots[f"hf:{folder}", OWN].lock:
        assert subprocess_scorer.load(other, OWN).score(["he"]).shape[0] == 1


def test_what_may_not_be_loaded_starts_nothing(folder: Path) -> None:
    with pytest.raises(OptionError, match="named by a visitor"):
        subprocess_scorer.load(f"hf:{folder}", Origin.VISITOR)
    with pytest.raises(OptionError, match="runs a program"):
        subprocess_scorer.load("python:os:getcwd", OWN)
    assert not subprocess_scorer._slots


def test_a_wrong_id_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a folder that exists"):
        subprocess_scorer.load(f"hf:{tmp_path / 'nowhere'}", OWN)
    assert held(f"hf:{tmp_path / 'nowhere'}").is_well


def test_a_slow_model_is_given_up_and_the_next_one_answers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = subprocess_scorer.load(f"hf:{spoil(tiny_classifier(tmp_path / 'slow'), pre_tokenizer=SLOW)}", OWN)
    monkeypatch.setenv(ASK_SECONDS.setting, "2")
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"a model that needs more than 2 seconds.*PSA_MAX_ASK_SECONDS"):
        slow.score([MANY])
    assert time.monotonic() - started < 15
    monkeypatch.undo()
    assert subprocess_scorer.load(f"hf:{folder}", OWN).score(["he"]).shape[0] == 1


@LINUX
def test_a_large_model_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ASK_MEMORY.setting, "120")
    with pytest.raises(ModelError, match=r"a model that needs more than 120 MB of memory.*PSA_MAX_ASK_MB"):
        subprocess_scorer.load(f"hf:{folder}", OWN)


def test_who_waits_for_others_too_long_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess_scorer.load(f"hf:{folder}", OWN)
    monkeypatch.setenv(ASK_SECONDS.setting, "1")
    with (
        subprocess_scorer._slots[f"hf:{folder}", OWN].lock,
        pytest.raises(ModelError, match="of other visitors busy"),
    ):
        subprocess_scorer.load(f"hf:{folder}", OWN)


def test_several_who_ask_take_turns(folder: Path) -> None:
    answers: list[np.ndarray] = []
    there = subprocess_scorer.load(f"hf:{folder}", OWN)
    threads = [threading.Thread(target=lambda: answers.append(there.score(["he", "she"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and all((answer == answers[0]).all() for answer in answers)
