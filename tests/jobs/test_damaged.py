"""Whatever has damaged a run's folder: it is told in one sentence, and the other runs are as they were."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from psa_core import jobs, models, report
from psa_core.errors import PsaError
from psa_core.folders import judgements
from psa_core.folders.judgements import Judgement
from psa_core.jobs import run_status
from psa_core.study import StudySpec, execute, plan


def _damages() -> object:
    spec = importlib.util.spec_from_file_location("damages", Path(__file__).with_name("damages.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run with judgements and a title."""
    place = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSA_RUNS_DIR", str(place))
        spec = StudySpec("sample", "demo", "keyword", sample=6)
        run_id = jobs.keep(execute(plan(spec), models.load("keyword")), report.render)
        judgements.save(jobs.result_folder(run_id), Judgement("1", "a", "toxicity", "fine"))
        jobs.give_title(run_id, "A title")
    return place / run_id


LOOKS: tuple[Callable[[str], object], ...] = (
    jobs.status,
    jobs.open_cube,
    jobs.title,
    jobs.started,
    jobs.own_copy,
    jobs.resume,
    jobs.cancel,
    lambda run_id: judgements.load(jobs.result_folder(run_id)),
)


def test_no_damaged_folder_raises_anything_but_one_sentence(whole: Path, workers: object, monkeypatch) -> None:
    monkeypatch.setenv("PSA_HISTORY", "1")
    monkeypatch.setenv("PSA_MAX_RUNS_QUEUED", "100000")
    jobs.root().mkdir()
    damaged = list(_damages().runs_with(whole, jobs.root()))  # type: ignore[attr-defined]
    assert len(damaged) >= 150
    for name, run_id in damaged:
        for look in LOOKS:
            try:
                with suppress(PsaError):
                    look(run_id)
            except BaseException as error:
                raise AssertionError(name) from error
    assert {run.run_id for run in run_status.stored()} >= {run_id for _, run_id in damaged}
    assert {status.run_id for status in jobs.history()} <= {place.name for place in jobs.root().iterdir()}
    for run in run_status.stored():
        run_status.delete(run.run_id)
