"""A task for Inspect (package ``inspect_ai``): a question for judges, asked about every text of a study.

Installed with the package (entry point ``inspect_ai``)::

    psa texts --sentences flat-applications --names demo --anchors slot --out texts.csv
    inspect eval psa_core/question -T texts=texts.csv -T question=interview --model openai/gpt-5 --log-dir logs
    psa run --sentences flat-applications --names demo --anchors slot --model predictions:logs/….eval --out results
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Target, mean, scorer
from inspect_ai.solver import TaskState, generate

from psa_core.asking import Answer
from psa_core.cube import UNANSWERED
from psa_core.models._judges.parsing import value_of
from psa_core.models._judges.question import Question
from psa_core.models._judges.question_file import read_question

SPOKEN_BY = {"system": ChatMessageSystem, "user": ChatMessageUser}


@task
def question(texts: str, question: str = "interview") -> Task:
    """Ask a packaged question, or one of a JSON file, about each text that ``psa texts`` wrote.

    Answers are read as strictly as any other model's; a reply that is no valid answer counts as unanswered. With
    several epochs, a text's score is its mean.
    """
    asked = read_question(question)
    with Path(texts).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    samples = [
        Sample(
            id=row["text_id"],
            input=[SPOKEN_BY[message["role"]](content=message["content"]) for message in asked.messages(row["text"])],
            metadata={name: row[name] for name in ("sentence_id", "name", "text")},
        )
        for row in rows
    ]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=_valid_answer(asked))


@scorer(metrics={"*": [mean()]})
def _valid_answer(asked: Question) -> Any:
    name = asked.target.name

    async def score(state: TaskState, _: Target) -> Score:
        said = state.output
        reason = "content_filter" if said.stop_reason == "content_filter" else ""
        value = value_of(asked, Answer(said.completion, finish_reason=reason))
        # A text without a valid answer has no score, which is not the same as 0.
        found = {name: float("nan") if value is None else value, f"{name}{UNANSWERED}": float(value is None)}
        return Score(value=found, answer=said.completion)

    return score
