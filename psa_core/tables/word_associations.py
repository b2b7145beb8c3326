"""Which sentences are name-sensitive: their words, the anchor's role and position, their length."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.stats.word_odds import word_odds

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
PLACES = ("first third", "second third", "last third")
LENGTHS = ("1 to 10 words", "11 to 20 words", "21 to 30 words", "more than 30 words")


def sentence_words(cube: ScoreCube) -> list[frozenset[str]]:
    """The distinct words of each sentence other than its anchor, in lower case."""
    found = []
    for text, start, end in cube.sentences[["text", "start", "end"]].itertuples(index=False):
        beside = f"{text[: int(start)]} {text[int(end) :]}"
        found.append(frozenset(word.casefold() for word in WORD.findall(beside)))
    return found


def word_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Words typical of the more name-sensitive half of the sentences; `CubeError` for an unknown target.

    Returns
    -------
    DataFrame
        One row a word of five sentences or more: ``word``, ``sentences``, ``log_odds``, ``low``, ``high`` (95 %),
        ``p_adjusted`` (Holm over the words), ``sensitivity`` (mean over its sentences of the mean change of the score).
        Largest log-odds first.
    """
    families = cube.families
    moved = families.means(stats.sensitivities(*cube.scores(target)))
    words = sentence_words(cube)
    if families.any:  # a word counts once a family, as it does once a sentence
        words = [frozenset().union(*own) for _, own in pd.Series(words).groupby(families.labels)]
    odds = word_odds(words, moved > np.median(moved))
    means = [float(moved[[word in own for own in words]].mean()) for word in odds.words]
    return pd.DataFrame(
        {
            "word": list(odds.words),
            "sentences": odds.sentences,
            "log_odds": odds.log_odds,
            "low": odds.low,
            "high": odds.high,
            "p_adjusted": odds.p_adjusted,
            "sensitivity": means,
        }
    )


def place_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """How far names move sentences, by the anchor's role, its place in the sentence, and the sentence's length.

    ``what``, ``value``, ``sentences``, ``mean`` (of the mean change of the score), ``low``, ``high`` (95 %; NaN for one
    sentence).
    """
    moved = stats.sensitivities(*cube.scores(target))
    texts = cube.sentences["text"].astype(str)
    through = (cube.sentences["start"] / texts.str.len().clip(lower=1)).to_numpy(float)
    lengths = texts.str.split().str.len().to_numpy()
    labels = {
        "role": cube.sentences["role"].astype(str).to_numpy(),
        "place": np.array(PLACES)[np.minimum(2, (3 * through).astype(int))],
        "length": np.array(LENGTHS)[np.minimum(3, np.maximum(0, lengths - 1) // 10)],
    }
    own_order = {value: place for place, value in enumerate((*PLACES, *LENGTHS))}
    rows = []
    for what, values in labels.items():
        for value in sorted(set(values), key=lambda value: (own_order.get(value, 0), value)):
            own = moved[values == value]
            interval = stats.mean_interval(own[:, None], families=cube.families.subset(values == value))
            bounds = {"low": float(interval.low[0]), "high": float(interval.high[0])}
            rows.append({"what": what, "value": value, "sentences": len(own), "mean": float(own.mean()), **bounds})
    return pd.DataFrame(rows)
