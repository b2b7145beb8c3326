"""Every sentence and every name at once, ordered so that similar ones are adjacent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.stats.seriation import clusters, ordered
from psa_core.tables.groups import group_columns

STRONGEST = 0.98


@dataclass(frozen=True, eq=False)
class Matrix:
    """Effects of the names in the sentences, in display order.

    Attributes
    ----------
    rows, columns : int arrays (S,), (N,)
        Positions of the sentences from top to bottom and of the names from left to right.
    values : float64 array (S, N)
        ``values[i, j]`` is the difference of sentence ``rows[i]`` with name ``columns[j]`` from its baseline.
    limit : float
        The size that 2 % of the cells go past: the strongest colour.
    cluster : int array (N,)
        Which names behave alike: cluster of each column, in display order, from 0.
    clusters : DataFrame
        One row a cluster from left to right: ``cluster``, ``names`` (how many), ``members`` (tuple), ``group`` (such as
        ``career = athlete``; empty where no group explains it), ``inside`` (names of the cluster in that group),
        ``total`` (names of the list in it), ``p_adjusted`` (Bonferroni over clusters and groups; NaN without groups),
        ``mean`` (effect).
    """

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    limit: float
    cluster: np.ndarray
    clusters: pd.DataFrame


def matrix(cube: ScoreCube, target: str, *, baseline: stats.Baseline = "names") -> Matrix:
    """Order a study's cells.

    Parameters
    ----------
    baseline : {"original", "names"}
        What the values are measured from; names are told apart by what they do against each other in both cases.

    Raises
    ------
    CubeError
        When the target is unknown, or there is one name and the baseline is the names.
    """
    original, perturbed = stats.paired_scores(*cube.scores(target))
    values = stats.effect_differences(original, perturbed, baseline=baseline)
    against = perturbed - stats.nan_mean(perturbed, axis=1)[:, None]
    placed, against = (np.where(np.isnan(each), 0.0, each) for each in (values, against))  # to put them in order only
    rows = ordered(placed)
    found = clusters(against.T)
    # The names of each cluster stand together, where the order of all names first meets it.
    columns = ordered(against.T)
    places = {cluster: place for place, cluster in reversed(list(enumerate(found[columns].tolist())))}
    columns = columns[np.argsort([places[cluster] for cluster in found[columns].tolist()], kind="stable")]
    limit = float(np.nanquantile(np.abs(values), STRONGEST)) or float(np.nanmax(np.abs(values))) or 1.0
    numbered = np.unique(found[columns], return_index=True)[1].argsort().argsort()[found[columns]]
    shown = values[np.ix_(rows, columns)]
    table = _named(cube, columns, numbered, shown)
    return Matrix(rows, columns, shown, limit, numbered, table)


def _named(cube: ScoreCube, columns: np.ndarray, numbered: np.ndarray, values: np.ndarray) -> pd.DataFrame:
    """The clusters with the group that explains each best."""
    names = cube.names["name"].to_numpy()[columns]
    groups = {column: cube.names[column].astype(str).to_numpy()[columns] for column in group_columns(cube)}
    rows, tests = [], []
    for cluster in range(numbered.max() + 1):
        inside = numbered == cluster
        tried = [
            (_chance(labels == level, inside), column, level)
            for column, labels in groups.items()
            for level in np.unique(labels[inside])
        ]
        tests += [p for p, _, _ in tried]
        best = min(tried, default=(np.nan, "", ""))
        mine = groups[best[1]] == best[2] if best[1] else np.zeros(len(names), bool)
        rows.append(
            {
                "cluster": cluster + 1,
                "names": int(inside.sum()),
                "members": tuple(names[inside]),
                "group": f"{best[1]} = {best[2]}" if best[1] else "",
                "inside": int((mine & inside).sum()),
                "total": int(mine.sum()),
                "p_adjusted": best[0],
                "mean": float(stats.nan_mean(values[:, inside])),
            }
        )
    table = pd.DataFrame(rows)
    table["p_adjusted"] = np.minimum(1.0, table["p_adjusted"].astype(float) * max(1, len(tests)))
    table.loc[~(table["p_adjusted"] < stats.SIGNIFICANT), "group"] = ""
    return table


def _chance(member: np.ndarray, inside: np.ndarray) -> float:
    """How often as many names of a group would be in the cluster by chance."""
    from scipy.stats import hypergeom

    shared = int((member & inside).sum())
    return float(hypergeom.sf(shared - 1, len(member), int(member.sum()), int(inside.sum())))
