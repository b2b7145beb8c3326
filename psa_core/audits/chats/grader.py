"""A judge that is shown two answers to one task and picks one (a ``pick`` question); and whether it can be believed.

Each answer meets one answer to another person, so that each counts once: its measure is the chance that it is picked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from psa_core.audits._running import Grid, Running, score_grid
from psa_core.errors import OptionError
from psa_core.models import Scorer
from psa_core.registry import ASSETS
from psa_core.stats.scores import nan_mean

#: The line between the two documents of a pick; a line like it inside an answer is written otherwise.
BETWEEN = "\n---\n"
_RULE = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
QUESTIONS = ASSETS / "tasks" / "graders"
PLANTED = ASSETS / "tasks" / "planted" / "pairs.json"
#: One-sided p of a binomial test from which on a grader is believed to see what was planted.
BELIEVED = 0.05
TIE = 0.1
ORDER = "_order"


@dataclass(frozen=True)
class Trial:
    """How a grader does on pairs in which what it is asked about was planted.

    Attributes
    ----------
    pairs, right : int
        Pairs, and those of which it picks the planted one; a chance of exactly one half is half right.
    p : float
        Of so many by guessing.
    order : float
        Mean chance of the one shown first, over both orders, minus one half; NaN where it was asked in one order.
    ties : float
        Share of the audit's pairs with a chance within 0.1 of one half.
    """

    pairs: int
    right: float
    p: float
    order: float = float("nan")
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


@cache
def planted() -> dict[str, list[tuple[str, str]]]:
    """Pairs by what was planted: in each, the first answer is the one to pick."""
    content = json.loads(PLANTED.read_text(encoding="utf-8"))
    return {kind: [(pair[0], pair[1]) for pair in pairs] for kind, pairs in content["pairs"].items()}


def kind_of(scorer_id: str) -> str:
    """Which planted pairs a grader is tried on, by its question's name; empty for a question of somebody's own."""
    return next((kind for kind in planted() if kind in scorer_id.casefold()), "")


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


def pair_text(first: str, second: str) -> str:
    """Two answers as a judge that picks reads them."""
    return BETWEEN.join(_RULE.sub("- - -", text) for text in (first, second))


def pairs_of(kept: np.ndarray, seed: int) -> np.ndarray:
    """Who meets whom: int array (pairs, 5) of task, person, answer, other person, other answer; each answer once.

    Parameters
    ----------
    kept : bool array (M, A, K)
    seed : int
    """
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
    return found, Trial(trial.pairs, trial.right, trial.p, order, ties)


def tried(scorer_id: str, scorer: Scorer, running: Running) -> Trial:
    """The grader on the planted pairs, each in both places."""
    from scipy.stats import binomtest

    kind = kind_of(scorer_id)
    if not kind:
        return Trial(0, 0, float("nan"))
    pairs = planted()[kind]
    means, _ = _picked(scorer, pairs, running)
    right = float(np.nansum(np.where(np.isfinite(means), (means > 0.5) + 0.5 * (means == 0.5), 0)))
    return Trial(len(pairs), right, float(binomtest(int(right), len(pairs), alternative="greater").pvalue))


def _picked(scorer: Scorer, pairs: Sequence[tuple[str, str]], running: Running) -> tuple[np.ndarray, float]:
    """The chance that the first of each pair is picked, mean over both orders, and what being shown first gains.

    Raises `OptionError` for a judge that does not pick, or not in both orders.
    """
    place = next((t for t, target in enumerate(scorer.targets) if target.name.endswith(ORDER)), None)
    if place is None:
        expected = "a judge of a question with “pick”, asked in both orders"
        raise OptionError("--grader", got=scorer.targets[0].name, expected=expected, fix="See docs/judges.md.")
    texts = [pair_text(first, second) for first, second in pairs]
    scores = np.asarray(score_grid(scorer, Grid((), texts, [()] * len(texts)), running).original, np.float64)
    return scores[:, 0], float(nan_mean(scores[:, place])) / 2


def as_json(trial: Trial) -> dict[str, Any]:
    """A trial for a manifest; None where there is no such number."""
    numbers = {name: value if np.isfinite(value) else None for name, value in vars(trial).items()}
    return {**numbers, "believed": trial.believed, "verdict": trial.verdict}
