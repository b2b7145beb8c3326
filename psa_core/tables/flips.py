"""Labels at thresholds: all flips at once, their rows page by page; LabelDist and flips at each threshold."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.tables.floors import flips_by_chance
from psa_core.tables.labels import about, name_positions, threshold_of

FlipDirection = Literal["up", "down"]
THRESHOLDS = 101
FlipOrder = Literal["size", "margin", "sentence"]
#: Flips of one a name that share a sentence wait their turn; after so many turns, they no longer do.
MAX_TURNS = 20


@dataclass(frozen=True, eq=False)
class Flips:
    """The flipped cells of one target at one threshold, as positions in the cube; rows are made on demand.

    ``sentence`` and ``name`` (F,) are the positions of each flip in the cube, by sentence, then name; flips of a lower
    ``turn`` (F,) come first in every order.
    """

    cube: ScoreCube
    target: str
    threshold: float
    sentence: np.ndarray
    name: np.ndarray
    turn: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def original(self) -> np.ndarray:
        """Original score of each flip: float64 (F,)."""
        return self.cube.scores(self.target)[0][self.sentence].astype(np.float64)

    @property
    def perturbed(self) -> np.ndarray:
        """Perturbed score of each flip: float64 (F,)."""
        return self.cube.scores(self.target)[1][self.sentence, self.name].astype(np.float64)

    @property
    def up(self) -> np.ndarray:
        """Which flips go from 0 to 1: bool (F,)."""
        return ~stats.labels_at(self.original, self.threshold)

    def one_each(self, kind: Literal["name", "sentence"], *, order: FlipOrder = "size") -> Flips:
        """One flip per name, or per sentence, for variety.

        Of a sentence it is the first in the order. Of a name it is the first in a sentence that no other name has yet;
        names for which there is none come after the others, and sentences may then repeat.
        """
        rows = self._ordered(order)
        if kind == "name":
            return self._one_per_name(rows)
        _, first = np.unique(self.sentence[rows], return_index=True)
        return self._at(np.sort(rows[first]))

    def _one_per_name(self, rows: np.ndarray) -> Flips:
        turns, left = np.full(len(self), -1), np.ones(len(self.cube.names), dtype=bool)
        for turn in itertools.count():  # the last one takes all that are left
            if turn < MAX_TURNS:
                found = np.array(self._of_other_sentences(rows), dtype=int)
            else:
                found = rows[np.unique(self.name[rows], return_index=True)[1]]
            turns[found] = turn
            left[self.name[found]] = False
            rows = rows[left[self.name[rows]]]
            if not len(rows):
                break
        return replace(self.only(turns >= 0), turn=turns[turns >= 0])

    def _of_other_sentences(self, rows: np.ndarray) -> list[int]:
        """Rows that share neither name nor sentence, each the first that does not with those before it."""
        found: list[int] = []
        names: set[int] = set()
        sentences: set[int] = set()
        most = min(np.count_nonzero(np.bincount(kind[rows])) for kind in (self.name, self.sentence))
        for row in rows:
            name, sentence = self.name[row], self.sentence[row]
            if name not in names and sentence not in sentences:
                found.append(row)
                names.add(name)
                sentences.add(sentence)
                if len(found) == most:
                    break
        return found

    def different(self, count: int) -> Flips:
        """At most `count` flips, the largest first, that share neither sentence nor name, or at least no sentence."""
        chosen: list[int] = []
        for kinds in ((self.sentence, self.name), (self.sentence,)):
            rows = self._ordered("size")
            rows = rows[np.all([~np.isin(kind[rows], kind[chosen]) for kind in kinds], axis=0)]
            while len(chosen) < count and len(rows):
                chosen.append(int(rows[0]))
                rows = rows[np.all([kind[rows] != kind[chosen[-1]] for kind in kinds], axis=0)]
        return self._at(np.sort(np.array(chosen, dtype=int)))

    def among(self, cells: Collection[tuple[str, str]]) -> np.ndarray:
        """Which flips are among cells that are named by sentence id and name: bool (F,)."""
        ids, names = zip(*cells, strict=True) if cells else ((), ())
        sentences = pd.Index(self.cube.sentences["sentence_id"]).get_indexer(pd.Index(ids, dtype=object))
        columns = pd.Index(self.cube.names["name"]).get_indexer(pd.Index(names, dtype=object))
        width = len(self.cube.names)
        known = (sentences >= 0) & (columns >= 0)
        return np.isin(self.sentence * width + self.name, (sentences * width + columns)[known])

    def only(self, keep: np.ndarray) -> Flips:
        """Some of the flips: `keep` is a bool array (F,)."""
        return self._at(np.flatnonzero(keep))

    def _at(self, rows: np.ndarray) -> Flips:
        turn = None if self.turn is None else self.turn[rows]
        return replace(self, sentence=self.sentence[rows], name=self.name[rows], turn=turn)

    def frame(self, *, order: FlipOrder = "size", offset: int = 0, limit: int | None = None) -> pd.DataFrame:
        """Rows `offset` to `offset + limit` of the flips, in a stable order.

        By ``order``: ``size``, the largest ``|perturbed - original|`` first; ``margin``, the clearest first, by the
        smaller of the two scores' distances from the threshold; ``sentence``, as in the cube. Another one is an
        `OptionError`.

        Returns
        -------
        DataFrame
            ``sentence_id, name, target, threshold, original, perturbed, direction`` (``up`` or ``down``),
            ``sentence_position, name_position`` (rows of the cube's tables).
        """
        rows = self._ordered(order)[offset : None if limit is None else offset + limit]
        page = self._at(rows)
        return pd.DataFrame(
            {
                "sentence_id": self.cube.sentences["sentence_id"].to_numpy()[page.sentence],
                "name": self.cube.names["name"].to_numpy()[page.name],
                "target": self.target,
                "threshold": self.threshold,
                "original": page.original,
                "perturbed": page.perturbed,
                "direction": np.where(page.up, "up", "down"),
                "sentence_position": page.sentence,
                "name_position": page.name,
            }
        )

    def _ordered(self, order: FlipOrder) -> np.ndarray:
        if order not in get_args(FlipOrder):
            raise OptionError("order of flips", got=repr(order), expected=", ".join(get_args(FlipOrder)))
        key = np.zeros(len(self))
        if order == "size":
            key = -np.abs(self.perturbed - self.original)
        elif order == "margin":
            key = -np.minimum(*(np.abs(scores - self.threshold) for scores in (self.original, self.perturbed)))
        rows = np.argsort(key, kind="stable")
        return rows if self.turn is None else rows[np.argsort(self.turn[rows], kind="stable")]


def find_flips(
    cube: ScoreCube,
    target: str,
    *,
    threshold: float | None = None,
    names: Sequence[str] | None = None,
    direction: FlipDirection | None = None,
) -> Flips:
    """Every cell whose label differs from its original one; ``len()`` counts them, ``.frame(limit=…)`` makes rows.

    Only those of some `names` and of one `direction`, up (0→1) or down (1→0), where these are given. Raises `CubeError`
    or `OptionError` when the target, a name or the direction is unknown.
    """
    if direction not in (None, *get_args(FlipDirection)):
        raise OptionError("direction", got=repr(direction), expected="up or down")
    level = threshold_of(cube, target, threshold)
    original, perturbed = cube.scores(target)
    chosen = np.unique(name_positions(cube, names))
    before = stats.labels_at(original, level)
    flipped = stats.labels_differ(original, perturbed[:, chosen], level)
    if direction is not None:
        flipped &= (before == (direction == "down"))[:, None]
    sentence, column = np.nonzero(flipped)
    return Flips(cube, target, level, sentence, chosen[column])


def default_thresholds(cube: ScoreCube, target: str) -> np.ndarray:
    """101 evenly spaced thresholds over the target's range, both ends included: float64 (101,).

    Where the range is not finite (a log-perplexity), the range of the scores.
    """
    index = cube.target_index(target)
    low, high = cube.targets[index].low, cube.targets[index].high
    scores = cube.scores(target)
    low = low if np.isfinite(low) else min(float(np.nanmin(part)) for part in scores)
    high = high if np.isfinite(high) else max(float(np.nanmax(part)) for part in scores)
    # 0.35, not 0.35000000000000003: these are read by people and typed again.
    return np.round(np.linspace(low, high, THRESHOLDS), 9)


def label_dist_table(
    cube: ScoreCube,
    target: str,
    *,
    thresholds: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    interval: bool = True,
) -> pd.DataFrame:
    """LabelDist with its interval, and flips by direction, at each threshold.

    At `thresholds`, by default 101 over the target's range, of some `names` (one name, a group) or the whole list. The
    bootstrap `interval` over sentences takes most of the time.

    Returns
    -------
    DataFrame
        K rows: ``threshold``, ``label_dist`` (mean over names, in [0, 1]), ``low``, ``high`` (95 %, with `interval`),
        ``flips_up``, ``flips_down`` (cells over all sentences and names), ``labelled`` (share of original sentences
        with the label).
    """
    original, perturbed = cube.scores(target)
    perturbed = perturbed[:, name_positions(cube, names)]
    given = default_thresholds(cube, target) if thresholds is None else np.atleast_1d(np.asarray(thresholds, float))
    columns: dict[str, np.ndarray] = {"threshold": given}
    labels = stats.threshold_grid(original, perturbed, given)
    if interval:
        columns["label_dist"], columns["low"], columns["high"] = stats.label_dist_interval(
            original, perturbed, given, families=cube.families
        )
    else:
        columns["label_dist"] = labels.label_dist.mean(axis=0)
    columns["flips_up"], columns["flips_down"] = (flips.sum(axis=0) for flips in (labels.flips_up, labels.flips_down))
    ascending = np.sort(np.asarray(original[~np.isnan(original)], dtype=np.float64))
    columns["labelled"] = 1 - np.searchsorted(ascending, stats.effective_threshold(given), side="left") / len(ascending)
    level = float(given[0]) if len(given) == 1 else threshold_of(cube, target, None)
    chance = flips_by_chance(cube, target, level)
    return about(cube, target, pd.DataFrame(columns), cells=int(stats.known_pairs(original, perturbed).sum()), **chance)
