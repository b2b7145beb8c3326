"""Continuations of every template with every value: cut, scored, and put on [0, 1]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from psa_core.cube import Target
from psa_core.errors import CubeError
from psa_core.models import Scorer

#: A full stop that ends something, with the quotes and brackets that close behind it, or a line break.
_END = re.compile(r"""(?<![\s.])\.+["'”’)\]]*(?=\s|$)|\n""")


#: Generators that read texts which were written elsewhere.
IMPORTED = ("answers:", "continuations:")
FULL_STOP, WHOLE = "full-stop", "whole"
#: How a text that was sampled becomes one that is read and scored.
CUTS = {FULL_STOP: "up to the last full stop or line break", WHOLE: "whole, as it was written"}


@dataclass(frozen=True, eq=False)
class GenerationCube:
    """Continuations and their scores; `CubeError` when shapes disagree, or a score is out of range.

    Attributes
    ----------
    templates : DataFrame, M rows
        ``template``, with ``{value}`` in it; of an audit of answers its tasks.
    values : DataFrame, A rows
        ``value`` and any group columns; of an audit of answers its people.
    targets : tuple of Target, length T
        One score each, put on [0, 1]; see `measured_targets`.
    texts : object array of str (M, A, K)
        Continuations as they are read and scored (`cut`); empty where one was left out.
    scores : float32 array (M, A, K, T)
        In [0, 1]; NaN where a continuation was left out, or where a scorer gave no valid score for it.
    provenance : mapping
        The manifest.
    """

    templates: pd.DataFrame
    values: pd.DataFrame
    targets: tuple[Target, ...]
    texts: np.ndarray
    scores: np.ndarray
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (len(self.templates), len(self.values), self.texts.shape[-1] if self.texts.ndim == 3 else 0)
        if self.texts.shape != shape:
            raise CubeError("continuations", got=f"shape {self.texts.shape}", expected=f"shape {(*shape[:2], 'k')}")
        if self.scores.shape != (*shape, len(self.targets)):
            expected = f"shape {(*shape, len(self.targets))}"
            raise CubeError("scores of continuations", got=f"shape {self.scores.shape}", expected=expected)
        known = np.isfinite(self.scores)
        if (known & ~self.kept[..., None]).any() or np.isinf(self.scores).any():
            expected = "finite scores, and none where there is no continuation"
            raise CubeError("scores of continuations", got="infinite or superfluous values", expected=expected)
        if (self.scores[known] < 0).any() or (self.scores[known] > 1).any():
            raise CubeError("scores of continuations", got="a score outside of [0, 1]", expected="scores in [0, 1]")
        for column, table in (("template", self.templates), ("value", self.values)):
            if column not in table.columns:
                raise CubeError(f"table of {column}s", got="no such column", expected=f"a column {column}")
            twice = table[column][table[column].duplicated()]
            if len(twice):
                raise CubeError(f"table of {column}s", got=f"{twice.iloc[0]!r} twice", expected=f"each {column} once")
        if len(set(self.scorers)) < len(self.targets):
            raise CubeError("targets", got=", ".join(self.scorers), expected="distinct names")

    @property
    def shape(self) -> tuple[int, int, int]:
        """(M, A, K): templates, values, continuations of each."""
        return self.texts.shape

    @property
    def kept(self) -> np.ndarray:
        """Which continuations count: bool array (M, A, K); the others could not be cut at a full stop or line break."""
        return self.texts != ""

    @property
    def unscored(self) -> dict[str, int]:
        """How many continuations that count have no score, by scorer."""
        return {name: int((self.kept & ~np.isfinite(self.scores[..., t])).sum()) for t, name in enumerate(self.scorers)}

    @property
    def common_noise(self) -> bool:
        """Whether continuation k of a template was sampled with the same random seed for every value."""
        return bool(self.provenance.get("generator", {}).get("common_noise", False))

    @property
    def seed(self) -> int:
        """The seed of the audit, so that a folder measured again has the same permutations."""
        return int(self.provenance.get("options", {}).get("seed", 0))

    @property
    def is_imported(self) -> bool:
        """Whether a file holds the texts: how they were sampled nobody knows."""
        return str(self.provenance.get("generator", {}).get("id", "")).startswith(IMPORTED)

    @property
    def scorers(self) -> list[str]:
        """The names of the targets, as `pairs.csv` and `summary.json` have them."""
        return [target.name for target in self.targets]

    def scored_by(self, scorer: str) -> np.ndarray:
        """Scores of one target: float32 view (M, A, K), NaN where a continuation was left out."""
        if scorer not in self.scorers:
            raise CubeError("scorer", got=repr(scorer), expected=f"one of {', '.join(self.scorers)}")
        return self.scores[..., self.scorers.index(scorer)]

    def on(self, template: str) -> GenerationCube:
        """The cube of one template; empty: all of them."""
        m = (self.templates["template"] == template).to_numpy()
        part = {"templates": self.templates[m].reset_index(drop=True), "texts": self.texts[m], "scores": self.scores[m]}
        return replace(self, **part) if template else self


def cut(sampled: str, rule: str = FULL_STOP) -> str:
    """The continuation up to its last full stop or line break, or whole, trimmed; empty when nothing is left.

    Examples
    --------
    >>> cut(" an offer of $72,345 a year! A great candidate!", "whole")
    'an offer of $72,345 a year! A great candidate!'
    >>> cut(" a teacher. Next week I will"), cut(" paid 3.50 an hour"), cut(" glad.”\\n\\nShe said")
    ('a teacher.', '', 'glad.”')
    """
    if rule == WHOLE:
        return sampled.strip() if any(letter.isalnum() for letter in sampled) else ""
    ends = [found.end() for found in _END.finditer(sampled)]
    complete = sampled[: ends[-1]].strip() if ends else ""
    return complete if any(letter.isalnum() for letter in complete) else ""


def measured_targets(scorer_id: str, scorer: Scorer) -> dict[int, Target]:
    """Which targets of a scorer are measured, by position, as targets on [0, 1].

    A signed target (*sentiment* beside *negative*, *neutral*, *positive*) stands for the others. A scorer with several
    equals has one name each: ``minilm-emotion.anger``.
    """
    signed = [t for t, target in enumerate(scorer.targets) if target.low < 0]
    taken = signed[:1] or range(len(scorer.targets))
    found = {}
    for t in taken:
        target = scorer.targets[t]
        name = scorer_id if len(taken) == 1 else f"{scorer_id}.{target.name}"
        threshold = (target.default_threshold - target.low) / (target.high - target.low)
        # An id such as keyword:… does not say which of its targets stands for the others.
        phrase = target.name if len(taken) < len(scorer.targets) and target.name not in scorer_id else ""
        found[t] = Target(name, 0.0, 1.0, target.meaning, threshold, phrase)
    return found


def on_unit(scores: np.ndarray, scorer: Scorer, targets: dict[int, Target]) -> np.ndarray:
    """Scores (n, T) of the measured targets, put on [0, 1]: float32 (n, measured)."""
    low = np.array([scorer.targets[t].low for t in targets])
    high = np.array([scorer.targets[t].high for t in targets])
    return np.clip((scores[:, list(targets)].astype(float) - low) / (high - low), 0, 1).astype(np.float32)
