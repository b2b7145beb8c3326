"""``psa log`` to the real trackers where they are installed, and what it says where they are not."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from psa_core import cli
from psa_core.cli import log


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    study = ["--sentences", "sample", "--names", "demo", "--model", "keyword:Rihanna=0.4", "--sample", "12"]
    assert cli.main(["run", *study, "--out", "out"]) == 0
    return tmp_path / "out"


def measured(folder):
    found = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found["toxicity"]["score_range"]["value"]


def test_a_tracker_that_is_not_installed_is_named(folder, monkeypatch, capsys):
    monkeypatch.setattr(log, "find_spec", lambda name: None)
    assert cli.main(["log", str(folder), "--to", "mlflow"]) == 2
    assert "pip install mlflow" in capsys.readouterr().err


def test_a_tracker_gets_every_measure_and_file(folder, monkeypatch, capsys):
    logged = {"files": []}

    class Started:
        info = SimpleNamespace(run_id="r1")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    fake = SimpleNamespace(
        set_experiment=lambda name: logged.update(experiment=name),
        start_run=lambda run_name: Started(),
        log_params=logged.update,
        log_metrics=lambda metrics: logged.update(metrics=metrics),
        log_artifact=lambda file: logged["files"].append(file.rsplit("/")[-1]),
        get_tracking_uri=lambda: "here",
    )
    monkeypatch.setattr(log, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    assert cli.main(["log", str(folder), "--to", "mlflow", "--project", "mine"]) == 0
    assert logged["experiment"] == "mine" and logged["model"] == "keyword:Rihanna=0.4"
    assert logged["metrics"]["toxicity/score_range"] == measured(folder)
    assert set(logged["files"]) == {*log.FILES} and "run r1 of experiment mine" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_a_real_mlflow_has_the_measures(folder, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{folder.parent}/runs.db")
    assert cli.main(["log", str(folder), "--to", "mlflow"]) == 0
    (run,) = mlflow.search_runs(experiment_names=["name-sensitivity"], output_format="list")
    assert run.data.metrics["toxicity/score_range"] == pytest.approx(measured(folder))


@pytest.mark.filterwarnings("ignore")
def test_a_real_wandb_run_is_written_offline(folder, monkeypatch):
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert cli.main(["log", str(folder), "--to", "wandb"]) == 0
    assert list(folder.parent.glob("wandb/offline-run-*/*.wandb"))
