"""Task folders, as `research.training` takes them, of the public tweets that the packaged models learned from."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SPLITS = ("train", "val", "test")
#: Where TweetEval's own training tweets could not be had.
SENTIMENT_TRAIN = ("semeval2017_4a", "sentiment_train.csv.gz")


def folder_of(task: str, folder: Path, data: Path) -> Path:
    """The folder of a task's tables inside `folder`, made where it is not there.

    ``sentiment``, ``emotion`` and ``offensive`` come from `data` (goemotions, semeval2017_4a and tweeteval); ``hate``
    is the project's own, without a test table.
    """
    place = folder / task
    if place.exists():
        return place
    if task == "hate":
        tweets = data / "tweeteval" / "offensive_train.csv.gz"
        command("research.training.hate", "--comments", data / "goemotions", "--tweets", tweets, "--out", place)
        return place
    place.mkdir(parents=True)
    for split in SPLITS:
        source = data / "tweeteval" / f"{task}_{split}.csv.gz"
        if task == "sentiment" and split == "train":
            source = data.joinpath(*SENTIMENT_TRAIN)
        shutil.copy(source, place / f"{split}.csv.gz")
    return place


def command(module: str, *arguments: object) -> None:
    """Run ``python -m module …``, said first; raises `subprocess.CalledProcessError` when it fails."""
    line = [sys.executable, "-m", module, *map(str, arguments)]
    print(" ".join(line[1:]), flush=True)
    subprocess.run(line, check=True)
