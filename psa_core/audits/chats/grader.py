"""A judge that is shown two answers to one task and picks one (a ``pick`` question); and whether it can be believed.

Each answer meets one answer to another person, so that each counts once: its measure is the chance that it is picked.
Whether the grader is believed: by pairs with a planted difference, and by a person who judges pairs without the names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from psa_core import atomic, locks
from psa_core.audits._running import Running, score_grid
from psa_core.audits.chats.measures import unnamed
from psa_core.audits.generation.cube import GenerationCube
from psa_core.errors import OptionError
from psa_core.inputs.people import people_of
from psa_core.models import Scorer
from psa_core.models._judges.question import paired
from psa_core.plurals import counted
from psa_core.registry import ASSETS
from psa_core.scoring import Grid
from psa_core.stats.means import CONFIDENCE
from psa_core.stats.scores import nan_mean

QUESTIONS = ASSETS / "tasks" / "graders"
PLANTED = ASSETS / "tasks" / "planted" / "pairs.json"
#: One-sided p of a binomial test from which on a grader is believed to see what was planted.
BELIEVED = 0.05
TIE = 0.1
ORDER = "_order"
#: Judged pairs that say something about agreement.
ENOUGH = 10
SHOWN = 60
#: What readers judged without the names; no file where nobody did.
JUDGED = "judgements.csv"
CHOICES = {"first": 1.0, "neither": 0.5, "second": 0.0}


@dataclass(frozen=True)
class Trial:
    """How a grader does on pairs in which what it is asked about was planted."""

    pairs: int
    #: Pairs of which it picks the planted one; a chance of exactly one half is half right.
    right: float
    #: Of so many by guessing.
    p: float
    #: Mean chance of the one shown first, over both orders, minus one half; NaN where it was asked in one order.
    order: float = float("nan")
    #: Share of the audit's pairs with a chance within 0.1 of one half.
    ties: float = float("nan")

    @property
    def believed(self) -> bool:
        """Whether it tells the planted differences from guessing."""
        return self.p < BELIEVED

    @property
    def verdict(self) -> str:
        """How reliable it is, in a sentence that stands before its results."""
        found = f"{self.right:g} of {self.pairs} pairs with a planted difference"
        if self.believed:
            return f"It picks the right answer in {found}."
        return f"It picks the right answer in {found}: it cannot tell them apart, so its picks support no finding."

    @property
    def as_json(self) -> dict[str, Any]:
        """For a manifest; None where there is no such number."""
        numbers = {name: value if np.isfinite(value) else None for name, value in vars(self).items()}
        return {**numbers, "believed": self.believed, "verdict": self.verdict}


@cache
def planted() -> dict[str, list[tuple[str, str]]]:
    """Pairs by what was planted: in each, the first answer is the one to pick."""
    content = json.loads(PLANTED.read_text(encoding="utf-8"))
    return {kind: [(pair[0], pair[1]) for pair in pairs] for kind, pairs in content["pairs"].items()}


def resolved(grader_id: str) -> str:
    """The id with the file of a packaged grader's question in the place of its name.

    Examples
    --------
    >>> resolved("ask:lm:smollm2?question=which-helps").endswith("graders/which-helps.json")
    True
    >>> resolved("ask:lm:smollm2?question=mine.json")
    'ask:lm:smollm2?question=mine.json'
    """
    known = {path.stem: str(path) for path in QUESTIONS.glob("*.json")}
    return re.sub(r"(?<=question=)[^&]+", lambda found: known.get(found[0], found[0]), grader_id)


def pairs_of(kept: np.ndarray, seed: int) -> np.ndarray:
    """Who meets whom: int array (pairs, 5) of task, person, answer, other person, other answer; each answer once."""
    random = np.random.default_rng([seed, 17])
    rows = []
    for m, task in enumerate(kept):
        cells = random.permutation(np.argwhere(task))
        # By person, then folded in the middle: the two of a pair are different people where there are enough.
        cells = cells[np.argsort(random.permutation(task.shape[0])[cells[:, 0]], kind="stable")]
        half = len(cells) // 2
        for (a, k), (b, j) in zip(cells[:half], cells[half : 2 * half], strict=True):
            if a != b:
                rows.append((m, a, k, b, j) if random.random() < 0.5 else (m, b, j, a, k))
    return np.array(rows, int).reshape(-1, 5)


def graded(
    scorer_id: str, scorer: Scorer, texts: np.ndarray, running: Running, *, seed: int = 0
) -> tuple[np.ndarray, Trial]:
    """The chance that each answer (M, A, K) is picked before another person's, and how far the grader is believed.

    The planted pairs are asked first. Each pair is shuffled people against people; a missing pick stays missing.
    """
    trial = tried(scorer_id, scorer, running)
    running.tell(trial.verdict if trial.pairs else "No planted pairs for this question: judge some pairs yourself")
    found = np.full(texts.shape, np.nan, np.float32)
    met = pairs_of(texts != "", seed)
    if not len(met):
        return found, trial
    asked = [(str(texts[m, a, k]), str(texts[m, b, j])) for m, a, k, b, j in met]
    chance, order = _picked(scorer, asked, running)
    for (m, a, k, b, j), first in zip(met, chance, strict=True):
        found[m, a, k], found[m, b, j] = first, 1 - first
    known = np.isfinite(chance)
    ties = float((np.abs(chance[known] - 0.5) <= TIE).mean()) if known.any() else float("nan")
    return found, replace(trial, order=order, ties=ties)


def tried(scorer_id: str, scorer: Scorer, running: Running) -> Trial:
    """The grader on the planted pairs, each in both places; on none for a question of somebody's own."""
    from scipy.stats import binomtest

    pairs = next((pairs for kind, pairs in planted().items() if kind in scorer_id.casefold()), [])
    if not pairs:
        return Trial(0, 0, float("nan"))
    means, _ = _picked(scorer, pairs, running)
    right = float(((means > 0.5) + 0.5 * (means == 0.5)).sum())  # a pair without an answer is not right
    return Trial(len(pairs), right, float(binomtest(int(right), len(pairs), alternative="greater").pvalue))


def _picked(scorer: Scorer, pairs: Sequence[tuple[str, str]], running: Running) -> tuple[np.ndarray, float]:
    """The chance that the first of each pair is picked, mean over both orders, and what being shown first gains.

    Raises `OptionError` for a judge that does not pick, or not in both orders.
    """
    place = next((t for t, target in enumerate(scorer.targets) if target.name.endswith(ORDER)), None)
    if place is None:
        expected = "a judge of a question with “pick”, asked in both orders"
        raise OptionError("--grader", got=scorer.targets[0].name, expected=expected, fix="See docs/judges.md.")
    texts = Grid.of(paired(first, second) for first, second in pairs)
    scores = np.asarray(score_grid(scorer, texts, running).original, np.float64)
    return scores[:, 0], float(nan_mean(scores[:, place])) / 2


@dataclass(frozen=True)
class BlindPair:
    """Two answers to one task without their people's names; `grader` is the chance that it picks the first.

    `id` has the positions of the task, and of both people and answers.
    """

    id: str
    task: str
    texts: tuple[str, str]
    grader: float


def blind_pairs(cube: GenerationCube, scores: np.ndarray) -> list[BlindPair]:
    """The pairs that a grader saw, in random order; of those it is unsure of, and of those it is sure of, alike."""
    texts = unnamed(cube.texts, people_of(cube.values.rename(columns={"value": "name"})))
    tasks = cube.templates["template"].astype(str).tolist()
    met = pairs_of(cube.kept, cube.seed)
    order = np.random.default_rng([cube.seed, 23]).permutation(len(met))[:SHOWN]
    return [
        BlindPair(f"{m}-{a}-{k}-{b}-{j}", tasks[m], (str(texts[m, a, k]), str(texts[m, b, j])), float(scores[m, a, k]))
        for m, a, k, b, j in met[order]
        if np.isfinite(scores[m, a, k])
    ]


def judgements(folder: Path) -> pd.DataFrame:
    """What readers judged: ``grader, pair`` (of a `BlindPair`) and ``choice``, a key of `CHOICES`."""
    heads = ["grader", "pair", "choice"]
    if not (folder / JUDGED).is_file():
        return pd.DataFrame(columns=heads, dtype=str)
    rows = pd.read_csv(folder / JUDGED, dtype=str, keep_default_na=False, encoding="utf-8")[heads]
    return rows[rows["choice"].isin(CHOICES) & rows["pair"].str.fullmatch(r"\d+(-\d+){4}")].reset_index(drop=True)


def judge(folder: Path, grader: str, pair: BlindPair, choice: str) -> None:
    """Keep a reader's choice in the result folder, in place of an earlier one on the same pair."""
    with locks.locked(folder.parent / "judgements.lock"):
        rows = judgements(folder)
        rows.loc[len(rows)] = [grader, pair.id, choice]
        atomic.write(folder / JUDGED, rows.drop_duplicates(["grader", "pair"], keep="last").to_csv(index=False))


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
