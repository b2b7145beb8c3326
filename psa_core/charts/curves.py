"""Figure 2 described once, for screen and paper: its curves, their looks, and the words beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from psa_core.charts import _theme
from psa_core.charts._figure import DASHES

DISTANCE, CELLS, MEAN = "LabelDist", "Flipped cells", "Mean over names"


class Curve(NamedTuple):
    """A curve beside the mean; `dash` is one of `DASHES`."""

    label: str
    values: np.ndarray
    colour: str
    dash: str


@dataclass(frozen=True, eq=False)
class CurveOptions:
    """What the mean curve is called, and what is drawn beside it.

    The table that it is drawn with has one row per threshold, ascending: ``threshold``, ``label_dist``, ``low``,
    ``high`` (the interval, may be NaN), ``flips_up``, ``flips_down`` (counts of cells).

    Attributes
    ----------
    threshold : float or None
        The chosen threshold: a line through both panels.
    value : float or None
        LabelDist at exactly that threshold; without it that of the table's nearest row is written.
    curves : mapping
        Label to LabelDist values at the table's thresholds, one line each (names or groups).
    target : str
        Whose threshold the axis shows.
    colours : mapping
        Label to the colour of its line, where it has one of its own.
    mean : str
        The mean curve's label.
    """

    threshold: float | None = None
    value: float | None = None
    curves: Mapping[str, np.ndarray] = field(default_factory=dict)
    target: str = "score"
    colours: Mapping[str, str] = field(default_factory=dict)
    mean: str = MEAN

    @property
    def axis_title(self) -> str:
        """What both panels are drawn over."""
        return f"Threshold on {self.target}"

    def drawn(self) -> list[Curve]:
        """The curves with their looks: they differ by dash as well as by colour."""
        others = _theme.CATEGORICAL[1:]
        return [
            Curve(label, values, self.colours.get(label, others[i % len(others)]), DASHES[i % len(DASHES)])
            for i, (label, values) in enumerate(self.curves.items())
        ]

    def top(self, table: pd.DataFrame) -> float:
        """Where the axis of LabelDist ends, with room for the words at the threshold."""
        tops = [table["high"].max(), table["label_dist"].max(), *(np.max(values) for values in self.curves.values())]
        return 1.12 * float(np.nanmax([0.05, *tops]))

    def value_at(self, table: pd.DataFrame, threshold: float) -> float:
        """LabelDist at the chosen threshold, as it is written beside its line."""
        nearest = (table["threshold"] - threshold).abs().idxmin()
        return float(table.loc[nearest, "label_dist"]) if self.value is None else self.value
