"""``psa log``: send a study's measures, tables and report to an experiment tracker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from psa_core import tables
from psa_core.cli._base import FOLDER, Command
from psa_core.errors import OptionError
from psa_core.folders import results, view
from psa_core.options import option

TABLES = ("names.csv", "groups.csv", "label_dist.csv")
FILES = (*TABLES, "flips.csv", "summary.json", "manifest.json", "report.html")


@dataclass(frozen=True)
class _Run:
    """What is logged: `metrics` are numbers by name, `parameters` the study's options and sizes."""

    folder: Path
    metrics: dict[str, float]
    parameters: dict[str, Any]

    @property
    def files(self) -> list[Path]:
        return [file for name in FILES if (file := self.folder / name).is_file()]


def _execute(
    folder: Path = FOLDER,
    to: str = option(choices=("mlflow", "wandb"), help="the tracker, whose package has to be installed"),
    project: str = option("name-sensitivity", metavar="NAME", help="project (W&B) or experiment (MLflow)"),
) -> int:
    cube = view.shown(results.read(folder))
    if find_spec(to) is None:
        raise OptionError("--to", got=f"{to}, which is not installed", expected=f"pip install {to}")
    metrics = {
        f"{target}/{metric}{end}": float(value)
        for target, numbers in tables.summary(cube).items()
        for metric in ("score_dev", "score_range", "label_dist")
        for end, value in (("", numbers[metric]["value"]), *((f"/{e}", numbers[metric][e]) for e in ("low", "high")))
        if value is not None
    }
    study = {key: str(value)[:250] for key, value in cube.asked.items() if value is not None}
    sizes = {"n_sentences": cube.shape[0], "n_names": cube.shape[1], "fingerprint": cube.provenance.get("fingerprint")}
    run = _Run(folder, metrics, {**study, **sizes})
    where = TRACKERS[to](run, project)
    print(f"{len(metrics)} measures and {len(run.files)} files logged: {where}")
    return 0


def _mlflow(run: _Run, project: str) -> str:
    import mlflow

    mlflow.set_experiment(project)
    with mlflow.start_run(run_name=run.folder.resolve().name) as started:
        mlflow.log_params(run.parameters)
        mlflow.log_metrics(run.metrics)
        for file in run.files:
            mlflow.log_artifact(str(file))
    return f"run {started.info.run_id} of experiment {project}, {mlflow.get_tracking_uri()}"


def _wandb(run: _Run, project: str) -> str:
    import pandas as pd
    import wandb

    with wandb.init(project=project, name=run.folder.resolve().name, config=run.parameters) as started:
        started.log(run.metrics)
        for name in TABLES:
            if (run.folder / name).is_file():
                started.log({name.removesuffix(".csv"): wandb.Table(dataframe=pd.read_csv(run.folder / name))})
        artifact = wandb.Artifact("study", type="result")
        for file in run.files:
            artifact.add_file(str(file))
        started.log_artifact(artifact)
        where = started.url or started.dir
    return f"run {started.id} of project {project}, {where}"


TRACKERS: dict[str, Callable[[_Run, str], str]] = {"mlflow": _mlflow, "wandb": _wandb}

COMMAND = Command("log", "Send a study's measures, tables and report to MLflow or Weights & Biases.", _execute)
