"""Find all flips at once; build their rows page by page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import OptionError
from psa_core.tables.labels import name_positions, threshold_of

FlipDirection = Literal["up", "down"]
FlipOrder = Literal["size", "margin", "sentence"]
#: Flips of one a name that share a sentence wait their turn; after so many turns, they no longer do.
MAX_TURNS = 20


@dataclass(frozen=True, eq=False)
class Flips:
    """The flipped cells of one target at one threshold, as positions in the cube; rows are made on demand.

    Attributes
    ----------
    cube : ScoreCube
    target : str
    threshold : float
    sentence, name : int arrays (F,)
        Positions of each flip in the cube, by sentence, then name.
    turn : int array (F,), optional
        Flips of a lower turn come first in every order.
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

    def of_sentences(self, keep: np.ndarray) -> Flips:
        """The flips of some sentences: `keep` is a bool array (S,), for example the matches of a search."""
        return self.only(np.asarray(keep, dtype=bool)[self.sentence])

    def one_each(self, kind: Literal["name", "sentence"], *, order: FlipOrder = "size") -> Flips:
        """One flip of each name, or of each sentence: many kinds of flips instead of many of one.

        Of a sentence it is the first in the order. Of a name it is the first in a sentence that no other name has yet;
        names for which there is none take their turn after the others, and sentences then start anew.
        """
        rows = self._ordered(order)
        if kind == "name":
            return self._one_a_name(rows)
        _, first = np.unique(self.sentence[rows], return_index=True)
        return self._at(np.sort(rows[first]))

    def _one_a_name(self, rows: np.ndarray) -> Flips:
        turns, left = np.full(len(self), -1), np.ones(len(self.cube.names), dtype=bool)
        for turn in range(MAX_TURNS + 1):
            found = self._of_other_sentences(rows) if turn < MAX_TURNS else self._first_of_names(rows)
            turns[found] = turn
            left[self.name[found]] = False
            rows = rows[left[self.name[rows]]]
            if not len(rows):
                break
        return replace(self.only(turns >= 0), turn=turns[turns >= 0])

    def _first_of_names(self, rows: np.ndarray) -> np.ndarray:
        return rows[np.unique(self.name[rows], return_index=True)[1]]

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

    def different(self, count: int, *, order: FlipOrder = "size") -> Flips:
        """At most `count` flips, first in an order, that share neither sentence nor name, or at least no sentence."""
        chosen: list[int] = []
        for kinds in ((self.sentence, self.name), (self.sentence,)):
            rows = self._ordered(order)
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
        """Rows `offset` to `offset + limit` of the flips in an order that ties do not upset.

        Parameters
        ----------
        order : {"size", "margin", "sentence"}
            Largest ``|perturbed - original|`` first; clearest first, by the smaller of the two scores' distances from
            the threshold; or as in the cube.
        offset, limit : int
            By default all rows.

        Returns
        -------
        DataFrame
            ``sentence_id, name, target, threshold, original, perturbed, direction`` (``up`` or ``down``),
            ``sentence_position, name_position`` (rows of the cube's tables).

        Raises
        ------
        OptionError
            When the order is unknown.
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
        rows = self._sorted(order)
        return rows if self.turn is None else rows[np.argsort(self.turn[rows], kind="stable")]

    def _sorted(self, order: FlipOrder) -> np.ndarray:
        if order not in get_args(FlipOrder):
            raise OptionError("order of flips", got=repr(order), expected=", ".join(get_args(FlipOrder)))
        if order == "sentence":
            return np.arange(len(self))
        if order == "size":
            return np.argsort(-np.abs(self.perturbed - self.original), kind="stable")
        distances = [np.abs(scores - self.threshold) for scores in (self.original, self.perturbed)]
        return np.argsort(-np.minimum(*distances), kind="stable")


def find_flips(
    cube: ScoreCube,
    target: str,
    *,
    threshold: float | None = None,
    names: Sequence[str] | None = None,
    direction: FlipDirection | None = None,
) -> Flips:
    """Every cell whose label differs from its sentence's original label.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    threshold : float, optional
        By default the target's own; label = score >= threshold.
    names : sequence of str, optional
        Only these names.
    direction : {"up", "down"}, optional
        Only 0→1 or only 1→0.

    Returns
    -------
    Flips
        ``len()`` counts them; ``.frame(limit=…)`` makes rows.

    Raises
    ------
    CubeError, OptionError
        When the target, a name or the direction is unknown.
    """
    if direction not in (None, *get_args(FlipDirection)):
        raise OptionError("direction", got=repr(direction), expected="up or down")
    level = threshold_of(cube, target, threshold)
    original, perturbed = cube.scores(target)
    chosen = np.unique(name_positions(cube, names))
    before = stats.labels_at(original, level)
    flipped = before[:, None] != stats.labels_at(perturbed[:, chosen], level)
    if direction is not None:
        flipped &= (before == (direction == "down"))[:, None]
    sentence, column = np.nonzero(flipped)
    return Flips(cube, target, level, sentence, chosen[column])


def flip_table(
    cube: ScoreCube,
    target: str,
    *,
    threshold: float | None = None,
    names: Sequence[str] | None = None,
    direction: FlipDirection | None = None,
) -> pd.DataFrame:
    """All flips as rows, largest change of score first: ``find_flips(…).frame()``."""
    return find_flips(cube, target, threshold=threshold, names=names, direction=direction).frame()
