"""VADER: sentiment by a lexicon and rules (Hutto & Gilbert 2014), from the package vaderSentiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, digest

SUMMARY = "Sentiment by a lexicon of 7,500 words and rules for negation, emphasis and emoji; reads English only."
TARGETS = (Target("sentiment", -1.0, 1.0, "-1 most negative, +1 most positive (VADER's compound score)"),)


@dataclass(frozen=True)
class Vader:
    """The compound score of each text, in [-1, 1], rounded to four digits by the package itself.

    Examples
    --------
    >>> load("vader").score(["What a lovely day!"])
    array([[0.6239]], dtype=float32)
    """

    analyzer: Any = field(repr=False)
    fingerprint: str
    targets: tuple[Target, ...] = TARGETS

    def score(self, texts: Sequence[str]) -> np.ndarray:
        compounds = [self.analyzer.polarity_scores(text)["compound"] for text in as_texts(texts)]
        return np.array(compounds, np.float32).reshape(-1, 1)


def load(_model_id: str) -> Vader:
    """Load the lexicon; raises `ModelError` when its package is not installed."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError as error:
        got, fix = "no installed package vaderSentiment", "Run: pip install vaderSentiment"
        raise ModelError("vader", got=got, expected="the package with the lexicon", fix=fix) from error
    analyzer = SentimentIntensityAnalyzer()
    lexicons = (analyzer.lexicon_full_filepath, analyzer.emoji_full_filepath)
    return Vader(analyzer, f"vader:{digest([version('vaderSentiment'), *lexicons])}")


CARD = ModelCard(
    "vader", "VADER", SUMMARY, TARGETS, "shipped in the package vaderSentiment", "MIT", (Purpose.FIRST_LOOK,)
)
MODEL = ModelPlugin(id="vader", title="VADER", summary=SUMMARY, load=load, cards=lambda: (CARD,))
