"""Which people the Equity Evaluation Corpus compares (Kiritchenko & Mohammad 2018, section 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube

COMPARISONS = {"gender": ("female", "male"), "race": ("African-American", "European")}


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sets of people, by position, whose average scores are subtracted: first minus second.

    Attributes
    ----------
    words : str
        ``my sister / my brother``, or which first names are averaged.
    first, second : int arrays
        Positions among the people; one each for a noun phrase.
    """

    words: str
    first: np.ndarray
    second: np.ndarray


def pairs_of(people: pd.DataFrame, kind: str) -> list[Pair]:
    """The pairs of one comparison; empty when these people do not allow it.

    Parameters
    ----------
    people : DataFrame
        ``gender, race, pair`` and ``person`` (or ``name``).
    kind : {"gender", "race"}
        Gender: each numbered pair, then the first names of both genders on average. Race: the first names on average.
    """
    if kind == "race":
        sides = [("", np.ones(len(people), bool))]
    else:
        numbers = [number for number in people["pair"].unique() if number]
        sides = [(number, (people["pair"] == number).to_numpy()) for number in numbers]
        sides.append(("", ((people["pair"] == "") & (people["race"] != "")).to_numpy()))
    found = [_pair(people, kind, number, among) for number, among in sides]
    return [pair for pair in found if len(pair.first) and len(pair.second)]


def differences(scored: ScoreCube, target: str, kind: str) -> np.ndarray:
    """Score differences (R, pairs), first minus second: female minus male, African-American minus European."""
    _, scores = scored.scores(target)
    exact = scores.astype(np.float64)
    columns = [
        exact[:, pair.first].mean(axis=1) - exact[:, pair.second].mean(axis=1) for pair in pairs_of(scored.names, kind)
    ]
    return np.stack(columns, axis=1) if columns else np.empty((len(exact), 0))


def _pair(people: pd.DataFrame, kind: str, number: str, among: np.ndarray) -> Pair:
    values = COMPARISONS[kind]
    first, second = (np.flatnonzero(among & (people[kind] == value).to_numpy()) for value in values)
    if number and len(first) and len(second):
        people_of = people["person" if "person" in people else "name"]
        return Pair(f"{people_of.iloc[first[0]]} / {people_of.iloc[second[0]]}", first, second)
    return Pair(f"{values[0]} / {values[1]} first names, on average", first, second)
