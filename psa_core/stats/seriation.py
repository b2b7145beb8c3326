"""Order rows so that similar ones are adjacent, and cluster them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError

#: Optimal leaf order takes the cube of the leaves: 0.1 s for 300, 6 s for 1,000.
LEAVES = 300
#: Hierarchical clustering takes the square of the rows; above, k-means makes the branches.
MAX_TREE_LEAVES = 2000
MAX_CLUSTERS = 8
MIN_ROWS = 6


def ordered(rows: ArrayLike) -> np.ndarray:
    """An order of the rows (R, M) in which neighbours are similar: positions, int (R,).

    Ward's hierarchical clustering with the optimal leaf order (Bar-Joseph et al. 2001) of up to 300 branches; where a
    branch has several rows, they stand along the line from the branch before it to the one after. More than 2,000 rows
    are gathered into branches by k-means. Raises `CubeError` when it is no table of finite numbers.

    Examples
    --------
    >>> ordered([[0.0], [5.0], [0.1], [5.1]]).tolist() in ([0, 2, 1, 3], [2, 0, 1, 3], [3, 1, 2, 0], [3, 1, 0, 2])
    True
    """
    values = _checked(rows)
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

    values = _checked(rows)
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


def _checked(rows: ArrayLike) -> np.ndarray:
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise CubeError("rows", got=f"shape {values.shape}", expected="a table of finite numbers")
    return values
