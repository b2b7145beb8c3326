"""What is remembered between page runs."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pages.ui.frame import cached
from pages.ui.results.compare_studies import MAX_RUNS
from psa_core import jobs
from psa_core.audits.generation.cube import GenerationCube
from psa_core.cube import ScoreCube, Target
from tests.pages import result_studies


def test_as_many_studies_as_compare_takes_are_opened_once(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path_factory.mktemp("runs")))
    opened: list[str] = []
    genuine = jobs.open_cube
    monkeypatch.setattr(jobs, "open_cube", lambda run: opened.append(run) or genuine(run))
    runs = [result_studies.keep(replace(result_studies.cube(5))) for _ in range(MAX_RUNS)]
    for run in runs + runs:
        assert cached.cube(run).shape[0] == 5
    assert opened == runs


@pytest.mark.parametrize("part", ["texts", "groups", "manifest"])
def test_all_that_a_study_holds_is_counted(part: str) -> None:
    long = "x" * 10**6
    sentences = pd.DataFrame(
        [("a", long if part == "texts" else "He left.", "He", 0, 2, "subject")],
        columns=["sentence_id", "text", "anchor", "start", "end", "role"],
    )
    names = pd.DataFrame({"name": ["Ann", "Bo"], "born": [long if part == "groups" else "1950", ""]})
    scores = np.zeros((1, 2, 1), np.float32)
    notes = {"notes": [long]} if part == "manifest" else {}
    cube = ScoreCube(sentences, names, (Target("toxicity"),), scores[:, 0], scores, notes)
    assert 10**6 < cached.bytes_of(cube) < 2 * 10**6


def test_all_that_an_audit_holds_is_counted() -> None:
    texts = np.full((1, 2, 3), "x" * 10**5, object)
    templates, values = pd.DataFrame({"template": ["a"]}), pd.DataFrame({"value": ["Ann", "Bo"]})
    cube = GenerationCube(templates, values, (), texts, np.empty((1, 2, 3, 0), np.float32), {"tasks": []})
    assert 6 * 10**5 < cached.bytes_of({"cube": cube}) < 7 * 10**5


def test_things_are_made_once_and_the_one_asked_for_longest_ago_goes_first() -> None:
    made: list[str] = []
    cache: cached.SizedCache[str] = cached.SizedCache(10, len)

    def get(key: str, size: int = 4) -> None:
        assert cache.get(key, 0, lambda: made.append(key) or key * size).startswith(key)

    for key in ("a", "b", "a", "c", "a", "b"):
        get(key)
    assert made == ["a", "b", "c", "b"]


def test_another_version_takes_the_place_of_the_first() -> None:
    cache: cached.SizedCache[str] = cached.SizedCache(10, len)
    assert cache.get("run", 1, lambda: "half") == "half"
    assert cache.get("run", 2, lambda: "whole") == "whole"
    assert cache.get("other", 1, lambda: "other") == "other"
    assert cache.get("run", 2, lambda: "made again") == "whole"


def test_one_that_is_too_large_is_still_kept_by_itself() -> None:
    cache: cached.SizedCache[str] = cached.SizedCache(3, len)
    cache.get("small", 0, lambda: "abc")
    assert cache.get("large", 0, lambda: "abcdef") == cache.get("large", 0, lambda: "made again")


def test_sessions_that_ask_at_once_wait_for_one_of_them() -> None:
    cache: cached.SizedCache[str] = cached.SizedCache(10, len)
    made, together = [], threading.Barrier(4)

    def ask() -> None:
        together.wait()
        cache.get("run", 0, lambda: made.append("x") or "cube")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["x"]
