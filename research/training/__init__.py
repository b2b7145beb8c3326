"""Train an adapter for the packaged MiniLM on a folder of labelled texts: ``python -m research.training``."""

from __future__ import annotations

from research.training.adapter import Origin
from research.training.recipe import Recipe
from research.training.task import Split, Task, read_task
from research.training.train import describe, score_test, train

__all__ = ["Origin", "Recipe", "Split", "Task", "describe", "read_task", "score_test", "train"]
