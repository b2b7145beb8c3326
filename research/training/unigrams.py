"""``python -m research.training.unigrams``: the baseline of Kiritchenko & Mohammad (2018), an SVM on single words.

A linear support vector machine over which words a text has; nothing but the training texts goes in. The paper's was
trained on emotion intensities, which a task folder of labels does not have: here it tells classes apart, and a
sigmoid that is fitted by cross-validation turns its margins into probabilities (Platt 1999).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from psa_core.errors import CorpusError, OptionError, PsaError
from psa_core.folders import writing
from psa_core.retraining.measure import quality
from research.training.task import Split, Task, read_task

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
    from sklearn.pipeline import Pipeline

PENALTIES = (0.01, 0.03, 0.1, 0.3)
FOLDS = 5


def fit(task: Task) -> Pipeline:
    """Learn from the training texts; what a mistake costs is chosen by macro-F1 on the validation texts.

    Raises `CorpusError` when a class has too few texts for the cross-validation.
    """
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import LinearSVC

    fewest = int(np.bincount(task.train.labels, minlength=len(task.labels)).min())
    if fewest < FOLDS:
        raise CorpusError("train labels", got=f"a class with {fewest} texts", expected=f"at least {FOLDS} of each")
    machines = [LinearSVC(C=penalty) for penalty in PENALTIES]
    best = max(machines, key=lambda machine: scored(_fitted(task, machine), task, task.val)["macro_f1"])
    return _fitted(task, CalibratedClassifierCV(best, ensemble=False, cv=FOLDS))


def _fitted(task: Task, machine: BaseEstimator) -> Pipeline:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    labels = np.array(task.labels)[task.train.labels]
    return make_pipeline(CountVectorizer(binary=True), machine).fit(list(task.train.texts), labels)


def scored(pipeline: Pipeline, task: Task, split: Split) -> dict[str, float]:
    """How good the labels are, as `quality` says."""
    position = {label: index for index, label in enumerate(task.labels)}
    return quality(split.labels, np.array([position[label] for label in pipeline.predict(list(split.texts))]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 2 after one sentence on stderr about what is wrong with the input."""
    parser = argparse.ArgumentParser(
        prog="python -m research.training.unigrams",
        description="Train an SVM on single words from a folder with train, val and test .csv[.gz] tables (columns "
        "text and label or label_name); use it as skops:FILE.",
    )
    parser.add_argument("--task-folder", type=Path, required=True, help="folder with train, val and test tables")
    parser.add_argument("--out", type=Path, required=True, help="file to write, ends in .skops")
    options = parser.parse_args(arguments)
    try:
        _run(options.task_folder, options.out)
    except PsaError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _run(folder: Path, out: Path) -> None:
    if out.suffix != ".skops":
        raise OptionError("--out", got=str(out), expected="a file name that ends in .skops")
    try:
        from skops import io
    except ImportError as error:
        fix = "Run: pip install skops"
        raise OptionError("--out", got="no installed package skops", expected="it", fix=fix) from error
    task = read_task(folder)
    pipeline = fit(task)
    with writing.atomic_file(out) as aside:
        io.dump(pipeline, aside)
    for name, split in (("val", task.val), ("test", task.test)):
        if split is not None:
            print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in scored(pipeline, task, split).items()))
    print(f"model: skops:{out}")


if __name__ == "__main__":
    sys.exit(main())
