"""Compare two studies on the same sentences and names, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.methods.score_dev import ScoreDev
from psa_core.methods.score_range import ScoreRange
from psa_core.tables.labels import threshold_of

MIN_LABELLED = 10
BOUNDS = ("low", "high", "p_value")


@dataclass(frozen=True, eq=False)
class SharedCells:
    """The sentences and names that two cubes have in common, as positions in each.

    Attributes
    ----------
    sentences, names : int arrays (S', 2), (N', 2)
        Positions in the first and in the second cube. Sentences are the same when text and anchor are.
    """

    first: ScoreCube
    second: ScoreCube
    sentences: np.ndarray
    names: np.ndarray

    def scores(self, side: int, target: str) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the shared cells in the first (0) or the second (1) study: float64 (S',), (S', N')."""
        cube = (self.first, self.second)[side]
        original, perturbed = stats.paired_scores(*cube.scores(target))
        rows, columns = self.sentences[:, side], self.names[:, side]
        return original[rows], perturbed[np.ix_(rows, columns)]

    def changes(self, side: int, target: str) -> np.ndarray:
        """Change from the original in each cell of a study, as a part of its target's range: float64 (S', N')."""
        original, perturbed = self.scores(side, target)
        cube = (self.first, self.second)[side]
        declared = cube.targets[cube.target_index(target)]
        score_range = float(declared.high - declared.low)
        changes = perturbed - original[:, None]
        return changes / score_range if np.isfinite(score_range) else changes


def shared_cells(first: ScoreCube, second: ScoreCube) -> SharedCells:
    """Match two cubes; raises `CubeError` when they have no sentence or no name in common."""
    sentences = _matches(_sentence_keys(first), _sentence_keys(second))
    names = _matches(first.names[["name"]], second.names[["name"]])
    if not (len(sentences) and len(names)):
        raise CubeError(
            "two studies",
            got=f"{len(sentences)} sentences and {len(names)} names in common",
            expected="at least one of each",
            fix="Compare studies of the same sentences and names.",
        )
    return SharedCells(first, second, sentences, names)


def name_agreement(shared: SharedCells, targets: tuple[str, str]) -> pd.DataFrame:
    """What each name does in both studies: ``name``, ``first``, ``second`` (mean change over the shared sentences).

    Changes are signed, as parts of the target's range.
    """
    first, second = (stats.mean_by_name(shared.changes(side, target)) for side, target in enumerate(targets))
    names = shared.first.names["name"].to_numpy()[shared.names[:, 0]]
    return pd.DataFrame({"name": names, "first": first, "second": second})


def disagreements(shared: SharedCells, targets: tuple[str, str], *, limit: int = 100) -> pd.DataFrame:
    """The cells in which a name moves the two scores most differently, largest difference first.

    ``sentence_position``, ``name_position`` (in the first cube), ``name``, ``first``, ``second`` (changes, as a part of
    the target's range), ``disagreement`` (size of their difference).
    """
    first, second = (shared.changes(side, target) for side, target in enumerate(targets))
    distances = np.abs(first - second)
    order = np.argsort(-distances, axis=None, kind="stable")[: min(limit, int((~np.isnan(distances)).sum()))]
    rows, columns = np.unravel_index(order, distances.shape)
    names = shared.names[columns, 0]
    return pd.DataFrame(
        {
            "sentence_position": shared.sentences[rows, 0],
            "name_position": names,
            "name": shared.first.names["name"].to_numpy()[names],
            "first": first[rows, columns],
            "second": second[rows, columns],
            "disagreement": distances[rows, columns],
        }
    )


def metric_differences(
    shared: SharedCells, targets: tuple[str, str], *, thresholds: tuple[float | None, float | None] = (None, None)
) -> pd.DataFrame:
    """Which of two studies is more sensitive, by each metric of Table 2, tested over the sentences that they share.

    Parameters
    ----------
    thresholds : two float, optional
        LabelDist's in each study; a target's own where none is given.

    Returns
    -------
    DataFrame
        One row per metric, ``score_dev``, ``score_range`` (as parts of each target's range) and ``label_dist``:
        ``metric``, ``first``, ``second``, ``difference`` (first minus second), ``low``, ``high`` (95 %), ``p_value``
        (see `stats.paired_difference`), ``p_adjusted`` (Holm over the metrics), ``sentences``. LabelDist has no test
        (NaN) where a study labels fewer than ten of the sentences.
    """
    sides: list[dict[str, np.ndarray]] = []
    labelled: list[int] = []
    for side, (cube, target) in enumerate(zip((shared.first, shared.second), targets, strict=True)):
        original, perturbed = shared.scores(side, target)
        changes, edge = shared.changes(side, target), threshold_of(cube, target, thresholds[side])
        methods: dict[str, Callable[..., np.ndarray]] = {"score_dev": ScoreDev(), "score_range": ScoreRange()}
        spread = {name: method(np.zeros(len(changes)), changes) for name, method in methods.items()}
        sides.append(spread | {"label_dist": stats.label_dist_parts(original, perturbed, edge)})
        labelled.append(int(stats.labels_at(original, edge).sum()))
    families = shared.first.families.subset(shared.sentences[:, 0])
    rows = []
    for metric in sides[0]:
        first, second = (side[metric] for side in sides)
        found = stats.paired_difference(families.rows(first), families.rows(second))
        tested = metric != "label_dist" or min(labelled) >= MIN_LABELLED
        rows.append(
            {
                "metric": metric,
                "first": float(stats.nan_mean(first)),
                "second": float(stats.nan_mean(second)),
                "difference": found.value,
            }
            | {name: bound if tested else np.nan for name, bound in zip(BOUNDS, found[1:], strict=True)}
        )
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=stats.adjust(table["p_value"]), sentences=len(shared.sentences))


def _sentence_keys(cube: ScoreCube) -> pd.DataFrame:
    keys = cube.sentences[["text", "start", "end"]]
    return keys.assign(repeat=keys.groupby(["text", "start", "end"]).cumcount())


def _matches(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    columns = list(first.columns)
    left = first.reset_index(drop=True).assign(left=np.arange(len(first)))
    right = second.reset_index(drop=True).assign(right=np.arange(len(second)))
    merged = left.merge(right, on=columns, how="inner").sort_values("left")
    return merged[["left", "right"]].to_numpy(dtype=np.int64)
