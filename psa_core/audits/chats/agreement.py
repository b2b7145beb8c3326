"""Pairs of answers that a person judges without knowing whose they are, and how often a grader agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from psa_core import atomic, locks
from psa_core.audits.chats.grader import TIE, pairs_of
from psa_core.audits.chats.measures import masks, unnamed
from psa_core.audits.chats.result import CHOICES, JUDGED, ChatResult, judgements
from psa_core.inputs.people import people_of
from psa_core.plurals import counted
from psa_core.stats.means import CONFIDENCE

#: Judged pairs that say something about agreement.
ENOUGH = 10
SHOWN = 60


@dataclass(frozen=True)
class BlindPair:
    """Two answers to one task without their people's names; `grader` is the chance that it picks the first.

    `id` has the positions of the task, and of both people and answers.
    """

    id: str
    task: str
    texts: tuple[str, str]
    grader: float


def blind_pairs(result: ChatResult, measure: str) -> list[BlindPair]:
    """The pairs that a grader saw, in random order; of those it is unsure of, and of those it is sure of, alike."""
    people = people_of(result.cube.values.rename(columns={"value": "name"}))
    texts = unnamed(result.cube.texts, masks([[person.name, person.first, person.last] for person in people]))
    scores, seed = result.measured[measure], result.cube.seed
    tasks = result.cube.templates["template"].astype(str).tolist()
    met = pairs_of(result.cube.texts != "", seed)
    order = np.random.default_rng([seed, 23]).permutation(len(met))[:SHOWN]
    return [
        BlindPair(f"{m}-{a}-{k}-{b}-{j}", tasks[m], (str(texts[m, a, k]), str(texts[m, b, j])), float(scores[m, a, k]))
        for m, a, k, b, j in met[order]
        if np.isfinite(scores[m, a, k])
    ]


def judge(folder: Path, grader: str, pair: BlindPair, choice: str) -> None:
    """Keep a reader's choice in the result folder, in place of an earlier one on the same pair."""
    with locks.locked(folder.parent / "judgements.lock"):
        row = pd.DataFrame([(grader, pair.id, choice)], columns=["grader", "pair", "choice"])
        rows = pd.concat([judgements(folder), row]).drop_duplicates(["grader", "pair"], keep="last")
        atomic.write(folder / JUDGED, rows.to_csv(index=False))


def agreement_words(pairs: Sequence[BlindPair], choices: Mapping[str, str]) -> str:
    """How often a reader and the grader pick the same answer, over pairs in which both pick one, with a 95 % interval.

    `choices` maps the ids of judged pairs to *first*, *second* or *neither*.

    Examples
    --------
    >>> agreement_words([BlindPair("0", "Plan my day.", ("A", "B"), 0.9)], {"0": "first"})
    '1 pair judged; 10 in which you and the grader both pick one are needed.'
    """
    from scipy.stats import binomtest

    judged = [(CHOICES[choices[pair.id]], pair.grader) for pair in pairs if pair.id in choices]
    decided = [(own, grader) for own, grader in judged if own != 0.5 and abs(grader - 0.5) > TIE]
    same = sum((own > 0.5) == (grader > 0.5) for own, grader in decided)
    if len(decided) < ENOUGH:
        return f"{counted(len(judged), 'pair')} judged; {ENOUGH} in which you and the grader both pick one are needed."
    interval = binomtest(same, len(decided)).proportion_ci(CONFIDENCE, method="wilson")
    words = f"You and the grader pick the same answer in {same} of {len(decided)} pairs "
    words += f"({100 * same / len(decided):.0f} %, 95 % interval {100 * interval.low:.0f} to {100 * interval.high:.0f})"
    return words + (
        ": more often than by guessing." if interval.low > 0.5 else ": not clearly more often than by guessing."
    )
