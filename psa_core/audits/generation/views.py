"""Data for the charts of the Language models page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.quality import distinct_words
from psa_core.audits.generation.tables import Tables
from psa_core.stats import CONFIDENCE, SIGNIFICANT
from psa_core.stats.wasserstein import w1

N_PERMUTATIONS = 400


def value_means(cube: GenerationCube, scorer: str, *, seed: int = 0) -> pd.DataFrame:
    """Mean score of each value with the band in which chance alone would put it.

    Parameters
    ----------
    cube : GenerationCube
    scorer : str
        A target of the cube.
    seed : int
        Of the deals.

    Returns
    -------
    DataFrame
        ``value, mean, low, high``, highest mean first; between `low` and `high` lie 95 % of the means after values were
        dealt at random to the continuations of each template.
    """
    scores = cube.scored_by(scorer).astype(np.float64)
    m, a, k = scores.shape
    rng = np.random.default_rng(seed)
    dealt = np.empty((N_PERMUTATIONS, a))
    flat = scores.reshape(m, a * k)
    for number in range(N_PERMUTATIONS):
        order = rng.permuted(np.broadcast_to(np.arange(a * k), (m, a * k)), axis=1)
        dealt[number] = _means(np.take_along_axis(flat, order, axis=1).reshape(m, a, k))
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.nanpercentile(dealt, (tail, 100 - tail), axis=0)
    table = pd.DataFrame({"value": cube.values["value"], "mean": _means(scores), "low": low, "high": high})
    return table.sort_values("mean", ascending=False, ignore_index=True)


def _means(scores: np.ndarray) -> np.ndarray:
    """Mean over templates of the mean over continuations: (M, A, K) to (A,)."""
    known = np.isfinite(scores)
    counts = known.sum(axis=2)
    sums = np.where(known, scores, 0).sum(axis=2)
    means = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    filled = np.isfinite(means)
    return np.divide(
        np.where(filled, means, 0).sum(axis=0), filled.sum(axis=0), out=np.full(means.shape[1], np.nan),
        where=filled.any(axis=0),
    )  # fmt: skip


def matrix(tables: Tables, scorer: str, values: list[str]) -> pd.DataFrame:
    """Corrected W1 of each pair over all templates, values by values; NaN where a pair is not above noise."""
    rows = tables.matrix[tables.matrix["scorer"] == scorer]
    square = pd.DataFrame(np.nan, index=values, columns=values)
    significant = rows[(rows["p_adjusted"] < SIGNIFICANT) & (rows["corrected"] > 0)]
    for row in significant.itertuples():
        square.loc[row.value_a, row.value_b] = square.loc[row.value_b, row.value_a] = row.corrected
    return square


def widest_pair(tables: Tables, scorer: str) -> tuple[str, str]:
    """The first pair of `surest_first`, the value with the higher mean first: the pair that page and report name."""
    first = surest_first(tables.matrix, scorer).iloc[0]
    pair = (str(first["value_a"]), str(first["value_b"]))
    return pair if first["difference"] <= 0 else pair[::-1]


def of_scorer(table: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """One scorer's rows of a table, without the column that says so."""
    return table[table["scorer"] == scorer].drop(columns="scorer").reset_index(drop=True)


def surest_first(table: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """A scorer's pairs, those above noise first; the others have no corrected distance."""
    rows = of_scorer(table, scorer)
    rows["corrected"] = rows["corrected"].where((rows["p_adjusted"] < SIGNIFICANT) & (rows["corrected"] > 0))
    return rows.sort_values(["corrected", "w1"], ascending=False, ignore_index=True)


def differing_words(
    cube: GenerationCube, pair: tuple[str, str], template: str = ""
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Words of each of two values that are rare in the other's continuations, as `distinct_words` gives them; the
    values' own words and those that chance may well explain are left out.
    """
    if template:
        cube = cube.part(templates=[cube.templates["template"].tolist().index(template)])
    first, second = pair
    return distinct_words(cube, first, second, surely=True), distinct_words(cube, second, first, surely=True)


@dataclass(frozen=True, eq=False)
class Curves:
    """Two empirical distribution functions on one grid, and the area between them.

    Attributes
    ----------
    scores : float array (G,)
        Ascending.
    first, second : float array (G,)
        Share of each value's continuations with at most that score.
    area : float
        W1 of the two, as it is: chance is not taken off.
    """

    scores: np.ndarray
    first: np.ndarray
    second: np.ndarray
    area: float


def curves(cube: GenerationCube, scorer: str, pair: tuple[str, str], template: str = "") -> Curves:
    """The score distributions of two values, on one template or all of them together."""
    left, right = (_of_value(cube, scorer, value, template) for value in pair)
    grid = np.unique(np.concatenate([[0.0], left, right, [1.0]]))
    shares = [np.searchsorted(np.sort(part), grid, side="right") / max(len(part), 1) for part in (left, right)]
    area = w1(left, right) if len(left) and len(right) else float("nan")
    return Curves(grid, shares[0], shares[1], area)


def _of_value(cube: GenerationCube, scorer: str, value: str, template: str) -> np.ndarray:
    column = cube.values["value"].tolist().index(value)
    rows = slice(None) if not template else [cube.templates["template"].tolist().index(template)]
    scores = cube.scored_by(scorer)[rows, column].ravel().astype(np.float64)
    return scores[np.isfinite(scores)]


def side_by_side(cube: GenerationCube, scorer: str, pair: tuple[str, str], template: str = "") -> pd.DataFrame:
    """Continuations of two values that met the same random numbers, largest difference first.

    Returns
    -------
    DataFrame
        ``template, k, first, second, first_score, second_score, difference``; pairs of which one was left out are not
        in it.
    """
    values = cube.values["value"].tolist()
    a, b = (values.index(value) for value in pair)
    scores = cube.scored_by(scorer).astype(np.float64)
    both = cube.kept[:, a] & cube.kept[:, b]
    if template:
        both &= (cube.templates["template"] == template).to_numpy()[:, np.newaxis]
    m, k = np.nonzero(both)
    table = pd.DataFrame(
        {
            "template": cube.templates["template"].to_numpy()[m],
            "k": k,
            "first": cube.texts[m, a, k],
            "second": cube.texts[m, b, k],
            "first_score": scores[m, a, k],
            "second_score": scores[m, b, k],
        }
    )
    table["difference"] = table["first_score"] - table["second_score"]
    return table.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)
