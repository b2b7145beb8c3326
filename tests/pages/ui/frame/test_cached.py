"""What is remembered between page runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.ui.frame import cached
from pages.ui.results.compare_studies import MOST_RUNS
from psa_core import jobs
from tests.pages import result_studies


def test_as_many_studies_as_compare_takes_are_opened_once(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path_factory.mktemp("runs")))
    opened: list[str] = []
    genuine = jobs.open_cube
    monkeypatch.setattr(jobs, "open_cube", lambda run: opened.append(run) or genuine(run))
    runs = [result_studies.keep(replace(result_studies.cube(5))) for _ in range(MOST_RUNS)]
    for run in runs + runs:
        assert cached.cube(run).shape[0] == 5
    assert opened == runs
