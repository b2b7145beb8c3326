"""Every sentence and every name at once, ordered so that similar ones are adjacent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.inputs.groups import grouping, labels_of

STRONGEST = 0.98
#: Optimal leaf order takes the cube of the leaves: 0.1 s for 300, 6 s for 1,000.
LEAVES = 300
#: Hierarchical clustering takes the square of the rows; above, k-means makes the branches.
MAX_TREE_LEAVES = 2000
MAX_CLUSTERS = 8
MIN_ROWS = 6


@dataclass(frozen=True, eq=False)
class Matrix:
    """Effects of the names in the sentences, in display order.

    ``rows`` (S,) and ``columns`` (N,) are positions of the sentences from top to bottom and of the names from left to
    right; ``values[i, j]`` is the difference of sentence ``rows[i]`` with name ``columns[j]`` from its baseline,
    ``limit`` the size that 2 % of the cells go past: the strongest colour. ``cluster`` (N,) says which names behave
    alike: the cluster of each column, from 0. ``clusters`` has one row a cluster from left to right: ``cluster``,
    ``names`` (how many), ``members`` (tuple), ``group`` (such as ``career = athlete``; empty where no group explains
    it), ``inside`` (names of the cluster in that group), ``total`` (names of the list in it), ``p_adjusted``
    (Bonferroni over clusters and groups; NaN without groups), ``mean`` (effect).
    """

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    limit: float
    cluster: np.ndarray
    clusters: pd.DataFrame


def matrix(cube: ScoreCube, target: str, *, baseline: stats.Baseline = "names") -> Matrix:
    """Order a study's cells.

    Values are measured from the `baseline`; names are told apart by what they do against each other in both cases.
    Raises `CubeError` when the target is unknown, or there is one name and the baseline is the names.
    """
    original, perturbed = stats.paired_scores(*cube.scores(target))
    values = stats.effect_differences(original, perturbed, baseline=baseline)
    against = perturbed - stats.nan_mean(perturbed, axis=1)[:, None]
    placed, against = (np.where(np.isnan(each), 0.0, each) for each in (values, against))  # to put them in order only
    rows = ordered(placed)
    found = clusters(against.T)
    # The names of each cluster stand together, where the order of all names first meets it.
    columns = ordered(against.T)
    numbered = pd.factorize(found[columns])[0]
    columns, numbered = columns[np.argsort(numbered, kind="stable")], np.sort(numbered)
    limit = float(np.nanquantile(np.abs(values), STRONGEST)) or float(np.nanmax(np.abs(values))) or 1.0
    shown = values[np.ix_(rows, columns)]
    table = _named(cube, columns, numbered, shown)
    return Matrix(rows, columns, shown, limit, numbered, table)


def _named(cube: ScoreCube, columns: np.ndarray, numbered: np.ndarray, values: np.ndarray) -> pd.DataFrame:
    """The clusters with the group that explains each best."""
    names = cube.names["name"].to_numpy()[columns]
    groups = {column: labels_of(cube.names, column)[columns] for column in grouping(cube.names)}
    rows, tests = [], []
    for cluster in range(numbered.max() + 1):
        inside = numbered == cluster
        tried = [
            (_chance(labels == level, inside), column, level)
            for column, labels in groups.items()
            for level in set(labels[inside]) - {None}
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


def ordered(rows: ArrayLike) -> np.ndarray:
    """An order of the rows (R, M) in which neighbours are similar: positions, int (R,).

    Ward's hierarchical clustering with the optimal leaf order (Bar-Joseph et al. 2001) of up to 300 branches; where a
    branch has several rows, they stand along the line from the branch before it to the one after. More than 2,000 rows
    are gathered into branches by k-means.

    Examples
    --------
    >>> ordered([[0.0], [5.0], [0.1], [5.1]]).tolist() in ([0, 2, 1, 3], [2, 0, 1, 3], [3, 1, 2, 0], [3, 1, 0, 2])
    True
    """
    values = np.asarray(rows, dtype=np.float64)
    if len(values) < 3:
        return np.arange(len(values))
    if len(values) <= LEAVES:
        return _leaf_order(values)
    branches = _branches(values)
    centres = np.stack([values[branches == branch].mean(axis=0) for branch in range(branches.max() + 1)])
    order = _leaf_order(centres)
    return np.concatenate([_within(values, branches, order, place) for place in range(len(order))])


def clusters(rows: ArrayLike) -> np.ndarray:
    """Clusters of rows: the cut of Ward's tree (2 to 8 groups) with the best silhouette.

    The group of each row from 0, int (R,); all 0 for fewer than six rows or rows that do not differ.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from sklearn.metrics import silhouette_score

    values = np.asarray(rows, dtype=np.float64)
    nothing = np.zeros(len(values), dtype=int)
    if len(values) < MIN_ROWS or len(values) > MAX_TREE_LEAVES or not np.ptp(values, axis=0).any():
        return nothing
    tree = linkage(values, "ward")
    best, found = 0.0, nothing
    for count in range(2, min(MAX_CLUSTERS, len(values) // 2) + 1):
        cut = fcluster(tree, count, "maxclust") - 1
        if 1 < len(set(cut.tolist())) < len(values) and (score := silhouette_score(values, cut)) > best:
            best, found = score, cut
    return found


def _leaf_order(values: np.ndarray) -> np.ndarray:
    from scipy.cluster.hierarchy import leaves_list, linkage

    return leaves_list(linkage(values, "ward", optimal_ordering=True)).astype(int)


def _branches(values: np.ndarray) -> np.ndarray:
    """Branch of each row, numbered without gaps."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(values) <= MAX_TREE_LEAVES:
        found = fcluster(linkage(values, "ward"), LEAVES, "maxclust")
    else:
        from sklearn.cluster import MiniBatchKMeans

        found = MiniBatchKMeans(LEAVES, random_state=0, n_init=1, batch_size=2048).fit_predict(values)
    return np.unique(found, return_inverse=True)[1]


def _within(values: np.ndarray, branches: np.ndarray, order: np.ndarray, place: int) -> np.ndarray:
    """Rows of one branch, along the line from the branch before it to the branch after it."""
    own = np.flatnonzero(branches == order[place])
    if len(own) < 2:
        return own
    before, after = order[max(0, place - 1)], order[min(len(order) - 1, place + 1)]
    direction = values[branches == after].mean(axis=0) - values[branches == before].mean(axis=0)
    return own[np.argsort(values[own] @ direction, kind="stable")]
