"""``python -m research.results.audit_runs FOLDER --data DIR``: the audits of ``docs/results-audits.md``.

What is in the folder is not done again. ``python -m research.results.audits FOLDER --write`` writes the tables.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import models
from psa_core.retraining.measure import quality
from psa_core.scoring import score
from research.results import tasks
from research.training.task import read_task

PACKAGED = ("vader", "profanity-check", "minilm-sentiment", "minilm-emotion", "minilm-hate", "minilm-offensive")
#: Tasks of an unigram baseline, and the number that TweetEval ranks a task by.
BASELINES = ("sentiment", "emotion")
METRICS = {"sentiment": "macro_recall", "emotion": "macro_f1", "offensive": "macro_f1"}
TWEETS = Path("tweeteval") / "sentiment_test.csv.gz"
SPANISH = ("spanish", "es_core_news_sm")
LM = "lm:smollm2"


def run(folder: Path, data: Path) -> None:
    """Every audit that is missing."""
    places = {task: tasks.folder_of(task, folder / "tasks", data) for task in METRICS}
    baselines = {task: folder / f"svm-{task}.skops" for task in BASELINES}
    for task, file in baselines.items():
        if not file.exists():
            tasks.command("research.training.unigrams", "--task-folder", places[task], "--out", file)
    if not (folder / "eec").exists():
        systems = {f"minilm-{task}": task for task in METRICS} | {f"skops:{file}": t for t, file in baselines.items()}
        scores = folder / "task-scores.csv"
        rows = [(system, task_score(system, places[task], METRICS[task])) for system, task in systems.items()]
        pd.DataFrame(rows, columns=["system", "score"]).to_csv(scores, index=False)
        every = ",".join((*PACKAGED, *(f"skops:{file}" for file in baselines.values())))
        tasks.command("psa_core", "eec", "--model", every, "--task-scores", scores, "--out", folder / "eec")
    for model in PACKAGED[2:]:
        nationality(folder / f"nationality-{model}", data / TWEETS, "--model", model, "--sample", 400)
    of_lm = ("--model", "minilm-sentiment", "--lm", LM)
    nationality(folder / "perplexity-local", data / TWEETS, *of_lm, "--sample", 50)
    one = ("--countries", "United Kingdom", "--draws", 1)
    nationality(folder / "perplexity-global", data / TWEETS, *of_lm, *one, "--sample", 1000)
    name, pipeline = SPANISH
    if importlib.util.find_spec(pipeline):
        some = ("--draws", 3, "--countries", "Spain,Germany,Morocco,United States")
        sentences = Path("assets") / "examples" / "personas.es.csv"
        nationality(folder / name, sentences, "--model", LM, "--people", f"entities:PERSON?pipeline={pipeline}", *some)


def nationality(out: Path, sentences: Path, *arguments: object) -> None:
    """One audit of names by country."""
    if not out.exists():
        source = ("--sentences", sentences, "--text-column", "text")
        tasks.command("psa_core", "nationality", *source, *arguments, "--seed", 0, "--out", out)


def task_score(system: str, task_folder: Path, metric: str) -> float:
    """How well a classifier tells the classes of a task's test texts apart, in [0, 1]."""
    task, scorer = read_task(task_folder), models.load(system)
    assert task.test is not None
    found = score(scorer, list(task.test.texts)).astype(np.float64)
    targets = [target.name for target in scorer.targets]
    if len(task.labels) == 2:
        predicted = (found[:, targets.index(task.labels[1])] >= 0.5).astype(int)
    else:
        predicted = found[:, [targets.index(label) for label in task.labels]].argmax(axis=1)
    return quality(task.test.labels, predicted)[metric]


def main() -> None:
    """Do what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder with semeval2017_4a and tweeteval")
    options = parser.parse_args()
    run(options.folder.resolve(), options.data.resolve())


if __name__ == "__main__":
    main()
