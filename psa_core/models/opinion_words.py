"""opinion-words: the share of positive words among the opinion words of a text (Huang et al. 2020, section 5.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from psa_core.cube import Target
from psa_core.inputs.checks import as_texts
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, digest
from psa_core.registry import ASSETS

PLACE = ASSETS / "opinion_lexicon"
SUMMARY = (
    "Positive words among the opinion words of a text, 0.5 where there is none; Hu and Liu's lists of 6,800 words."
)
TARGETS = (Target("positive_share", 0.0, 1.0, "positive words / (positive + negative words); 0.5 without any"),)
# The lists spell some words with a hyphen, an apostrophe, a star or a plus sign: a+, 2-faced, d*mn, can't.
_WORD = re.compile(r"[\w*]+(?:['’\-][\w*]+)*\+?")


@dataclass(frozen=True)
class OpinionWords:
    """p / (p + n) of the p positive and n negative words of each text, 0.5 where there is none.

    A word counts as often as it is there, whole and in any case; a hyphenated word that is on no list counts by its
    parts. The lists are lower case.

    Examples
    --------
    >>> OpinionWords(frozenset({"good"}), frozenset({"bad"})).score(["Good, good, bad.", "So."]).round(2).tolist()
    [[0.6700000166893005], [0.5]]
    """

    positive: frozenset[str] = field(repr=False)
    negative: frozenset[str] = field(repr=False)
    targets: tuple[Target, ...] = TARGETS

    @property
    def fingerprint(self) -> str:
        return "opinion-words:" + digest(["1", *sorted(self.positive), "", *sorted(self.negative)])

    def score(self, texts: Sequence[str]) -> np.ndarray:
        counts = np.array([self.count(text) for text in as_texts(texts)], float).reshape(-1, 2)
        total = counts.sum(axis=1)
        shares = np.divide(counts[:, 0], total, out=np.full(len(counts), 0.5), where=total > 0)
        return shares.astype(np.float32).reshape(-1, 1)

    def count(self, text: str) -> tuple[int, int]:
        """How many positive and negative words a text has."""
        positive = negative = 0
        for word in _WORD.findall(text.lower().replace("’", "'")):
            listed = word in self.positive or word in self.negative
            for part in [word] if listed else re.split(r"[-+]", word):
                positive += part in self.positive
                negative += part in self.negative
        return positive, negative


def load(_model_id: str) -> OpinionWords:
    lists = []
    for name in ("positive-words.txt", "negative-words.txt"):
        lines = (PLACE / name).read_text(encoding="utf-8").splitlines()
        lists.append(frozenset(line.strip().lower() for line in lines if line.strip() and not line.startswith(";")))
    return OpinionWords(positive=lists[0], negative=lists[1])


SOURCE, LICENCE = "word lists of Hu and Liu 2004 (in this project)", "CC BY 4.0"
CARD = ModelCard("opinion-words", "Opinion words", SUMMARY, TARGETS, SOURCE, LICENCE, (Purpose.CONTINUATIONS,))
MODEL = ModelPlugin(id="opinion-words", title="Opinion words", summary=SUMMARY, load=load, cards=lambda: (CARD,))
