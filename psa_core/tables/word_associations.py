"""Which sentences are name-sensitive: their words, the anchor's role and position, their length."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.stats.word_odds import word_odds
from psa_core.tables.formatting import Finding

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
PLACES = ("first third", "second third", "last third")
LENGTHS = (10, 20, 30)


def sentence_words(cube: ScoreCube) -> list[frozenset[str]]:
    """The distinct words of each sentence beside its anchor, in small letters."""
    found = []
    for text, start, end in cube.sentences[["text", "start", "end"]].itertuples(index=False):
        beside = f"{text[: int(start)]} {text[int(end) :]}"
        found.append(frozenset(word.casefold() for word in WORD.findall(beside)))
    return found


def word_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Words that are rather in the half of the sentences that names move most; `CubeError` for an unknown target.

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

    Returns
    -------
    DataFrame
        ``what``, ``value``, ``sentences``, ``mean`` (of the mean change of the score), ``low``, ``high`` (95 %; NaN for
        one sentence).
    """
    moved = stats.sensitivities(*cube.scores(target))
    texts = cube.sentences["text"].astype(str)
    through = (cube.sentences["start"] / texts.str.len().clip(lower=1)).to_numpy(float)
    lengths = texts.str.split().str.len().to_numpy()
    labels = {
        "role": cube.sentences["role"].astype(str).to_numpy(),
        "place": np.array(PLACES)[np.minimum(2, (3 * through).astype(int))],
        "length": np.array([_length(int(words)) for words in lengths]),
    }
    rows = []
    for what, values in labels.items():
        for value in dict.fromkeys(sorted(values, key=_rank)):
            own = moved[values == value]
            interval = stats.mean_interval(own[:, None], families=cube.families.subset(values == value))
            bounds = {"low": float(interval.low[0]), "high": float(interval.high[0])}
            rows.append({"what": what, "value": value, "sentences": len(own), "mean": float(own.mean()), **bounds})
    return pd.DataFrame(rows)


def where_finding(table: pd.DataFrame, target: str) -> Finding:
    """Which words go with sentences that names move more; `table` by `word_table`."""
    significant = table[table["p_adjusted"] < stats.SIGNIFICANT]
    more, less = (
        significant[significant["log_odds"] > 0]["word"].head(6),
        significant[significant["log_odds"] < 0]["word"].tail(6)[::-1],
    )
    evidence = (
        f"{len(table):,} words of five sentences or more, in the half of the sentences that names change most, against "
        "the other half: log-odds with an informative Dirichlet prior (Monroe et al. 2008), Holm-corrected."
    )
    if significant.empty:
        return Finding(f"No word is significantly associated with how much names change {target}.", evidence)
    parts = [
        f"{words} in sentences with {', '.join(f'“{word}”' for word in found)}"
        for words, found in (("more", more), ("less", less))
        if len(found)
    ]
    return Finding(f"Names change {target} {', '.join(parts)}.", evidence)


def _length(words: int) -> str:
    for low, high in zip((0, *LENGTHS), LENGTHS, strict=False):
        if words <= high:
            return f"{low + 1} to {high} words"
    return f"more than {LENGTHS[-1]} words"


def _rank(value: str) -> tuple[int, int, str]:
    """Places and lengths in their own order, roles by the alphabet."""
    number = re.match(r"\d+", value)
    return (PLACES.index(value) if value in PLACES else 3, int(number[0]) if number else 10**6, value)
