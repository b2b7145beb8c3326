"""`ScoreCube`: scores of every sentence with every name, and the tables that label them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from psa_core.errors import CubeError, near
from psa_core.plurals import noun_of
from psa_core.stats.families import Families

FAMILY = "family"
#: A chance of 0.31 is shown as 31 %, and a change of 0.09 as 9 points.
POINTS = 100
#: Ends the name of the target that says how many answers were none.
UNANSWERED = "_unanswered"
#: The same of the targets that say how answers to one text spread, and what the order of the answers does.
SPREAD, ORDER = "_spread", "_order"
#: Begins the meaning of the target that says how far sampled answers about one text are from each other.
SPREAD_OF_ANSWERS = "standard deviation of the valid answers"
SENTENCE_COLUMNS = ("sentence_id", "text", "anchor", "start", "end", "role")


@dataclass(frozen=True)
class Target:
    """One real-valued output of a model.

    Attributes
    ----------
    name : str
        Short identifier: ``toxicity``, ``sentiment``, ``anger``.
    low, high : float
        The range of the score.
    meaning : str
        What a larger score means, in plain words.
    threshold : float or None
        Default threshold; None means the middle of the range.
    phrase : str
        What the score is called in a sentence, as it follows "the": ``toxicity score``; empty: made of the name.
    unit : {"", "points"}
        ``points``: a share or chance, given in hundredths. Empty: on the scale itself, or by the name.
    samples : int
        How many sampled answers a score is the mean of; 0 where it is computed, and the same each time.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    meaning: str = ""
    threshold: float | None = None
    phrase: str = ""
    unit: str = ""
    samples: int = 0

    @property
    def is_in_points(self) -> bool:
        """Whether its scores are shares or chances: by its unit, or by a name such as ``P(Yes)``."""
        return self.unit == "points" or re.fullmatch(r"P\(.+\)", self.name) is not None

    @property
    def scale(self) -> int:
        """What its scores are multiplied by wherever people read them; files keep the scores."""
        return POINTS if self.is_in_points else 1

    @property
    def default_threshold(self) -> float:
        """Threshold at and above which a text gets the label, unless the user moves it."""
        return (self.low + self.high) / 2 if self.threshold is None else self.threshold


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCube:
    """Original and perturbed scores with their tables; shapes are checked when it is made.

    Attributes
    ----------
    sentences : DataFrame, S rows
        ``sentence_id, text, anchor, start, end, role`` and any group columns; ``text[start:end] == anchor``. Sentences
        with the same value in a column ``family``, where there is one, depend on each other.
    names : DataFrame, N rows
        ``name`` and any group columns.
    targets : tuple of Target, length T
    original : float32 array (S, T)
        Scores of the sentences as they are.
    perturbed : float32 array (S, N, T)
        ``perturbed[s, n]`` is sentence ``s`` with name ``n``.
    provenance : mapping
        Scorer fingerprint, corpus hash, anchors, seed, versions. Of targets with missing scores (NaN) ``missing`` says
        why, with counts: ``{"loan": {"no valid answer": 12}}``.
    controls : float32 array (S, C + 1, T), optional
        Scores of each sentence, with one name, as it stands and with C neutral edits. They count in no
        measure of names.

    Raises
    ------
    CubeError
        When shapes disagree, a score is missing without a reason, or a name or sentence id is there twice.
    """

    sentences: pd.DataFrame
    names: pd.DataFrame
    targets: tuple[Target, ...]
    original: np.ndarray
    perturbed: np.ndarray
    provenance: Mapping[str, Any] = field(default_factory=dict)
    controls: np.ndarray | None = None

    def __post_init__(self) -> None:
        shape = (len(self.sentences), len(self.names), len(self.targets))
        for label, scores, fits in (("original", self.original, shape[::2]), ("perturbed", self.perturbed, shape)):
            if scores.shape != fits:
                raise CubeError(f"{label} scores", got=f"shape {scores.shape}", expected=f"shape {fits}")
            for index, target in enumerate(self.targets):
                part, reasons = scores[..., index], self.provenance.get("missing", {}).get(target.name)
                if not np.isfinite(part).all() and (np.isinf(part).any() or not reasons):
                    raise CubeError(
                        f"{label} scores", got="missing or infinite values", expected="a finite score in each cell"
                    )
        if self.controls is not None and (self.controls.ndim != 3 or self.controls.shape[::2] != shape[::2]):
            expected = f"shape ({shape[0]}, edits, {shape[2]})"
            raise CubeError("control scores", got=f"shape {self.controls.shape}", expected=expected)
        _expect_columns("sentences", self.sentences, SENTENCE_COLUMNS, key="sentence_id")
        _expect_columns("names", self.names, ("name",), key="name")

    @property
    def asked(self) -> Mapping[str, Any]:
        """What was asked for when the study was run, by the names of `StudySpec`; empty where nothing says."""
        asked: Mapping[str, Any] = self.provenance.get("study", {})
        return asked

    @property
    def shape(self) -> tuple[int, int, int]:
        """(S, N, T): sentences, names, targets."""
        return self.perturbed.shape

    @cached_property
    def noun(self) -> str:
        """What its texts are: ``sentence`` or ``document``."""
        return noun_of(self.sentences)

    def target_index(self, name: str) -> int:
        """Position of a target; raises `CubeError` when the cube has no such target."""
        names = [target.name for target in self.targets]
        if name not in names:
            raise CubeError("target", got=repr(name), expected=f"one of {', '.join(names)}", fix=near(name, names))
        return names.index(name)

    def scores(self, target: str) -> tuple[np.ndarray, np.ndarray]:
        """Scores of one target: original (S,) and perturbed (S, N), as views."""
        index = self.target_index(target)
        return self.original[:, index], self.perturbed[:, :, index]

    @property
    def families(self) -> Families:
        """Which sentences depend on each other; each is a family of its own where nothing else is known."""
        if FAMILY not in self.sentences:
            return Families.none(len(self.sentences))
        return Families.of(self.sentences[FAMILY].to_numpy())

    def units(self, target: str) -> tuple[np.ndarray, np.ndarray]:
        """Scores of one target with a row for each unit of independence: original (F,) and perturbed (F, N).

        What is claimed over sentences rests on these; see `Families.rows`. The scores themselves where every sentence
        is a family of its own.
        """
        original, perturbed = self.scores(target)
        return self.families.rows(original), self.families.rows(perturbed)

    def with_thresholds(self, thresholds: Mapping[str, float]) -> ScoreCube:
        """The cube with these default thresholds for the targets that are named; scores are shared, not copied."""
        targets = (replace(t, threshold=float(thresholds.get(t.name, t.default_threshold))) for t in self.targets)
        return replace(self, targets=tuple(targets))

    def noted(self, *notes: str) -> ScoreCube:
        """The cube with more notes in its manifest."""
        return replace(self, provenance={**self.provenance, "notes": [*self.provenance.get("notes", ()), *notes]})

    def rows(self, keep: np.ndarray, names: np.ndarray | None = None) -> ScoreCube:
        """The cube of some sentences (a boolean mask or positions), in their order; of some names too, by position."""
        perturbed = self.perturbed[keep]
        return replace(
            self,
            sentences=self.sentences.iloc[np.arange(len(self.sentences))[keep]].reset_index(drop=True),
            names=self.names if names is None else self.names.iloc[names].reset_index(drop=True),
            original=self.original[keep],
            perturbed=perturbed if names is None else perturbed[:, names],
            controls=None if self.controls is None else self.controls[keep],
        )

    def __repr__(self) -> str:
        return "ScoreCube({} sentences × {} names × {} targets)".format(*self.shape)


def is_beside(target: str, targets: Collection[str]) -> bool:
    """Whether a target says how a model answers, beside the target it was asked for.

    Examples
    --------
    >>> is_beside("loan_unanswered", ["loan", "loan_unanswered"]), is_beside("pecking_order", ["pecking_order"])
    (True, False)
    """
    return any(target.endswith(end) and target.removesuffix(end) in targets for end in (UNANSWERED, SPREAD, ORDER))


def scale_of(table: pd.DataFrame) -> int:
    """The `Target.scale` of the scores in a table that says their unit in its ``attrs``."""
    return POINTS if table.attrs.get("unit") == "points" else 1


def in_unit(table: pd.DataFrame, *columns: str, target: Target | None = None) -> pd.DataFrame:
    """The table with scores, or changes of them, in these columns as people read them: in hundredths, or as they are.

    The unit is the target's, or the one that the table says in its ``attrs``.
    """
    scale = scale_of(table) if target is None else target.scale
    return table if scale == 1 else table.assign(**{column: scale * table[column] for column in columns})


def _expect_columns(field_name: str, table: pd.DataFrame, columns: tuple[str, ...], *, key: str) -> None:
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise CubeError(f"{field_name} table", got=f"no column {', '.join(missing)}", expected=", ".join(columns))
    twice = table[key][table[key].duplicated()]
    if len(twice):
        raise CubeError(f"{field_name} table", got=f"{key} {twice.iloc[0]!r} twice", expected=f"a distinct {key} a row")
