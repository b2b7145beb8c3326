"""Helpers for Plotly figures: escaped labels, distinct colours, patterns."""

from __future__ import annotations

import html
from collections.abc import Mapping

import pandas as pd

from psa_core.charts._theme import CATEGORICAL, MUTED

OTHER = "other"
MAX_GROUPS, HIGHLIGHTED = 8, 5
PATTERNS = ("", "/", "x", "-", "\\", "+", ".", "|")
DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
TITLE_SIZE, TICK_SIZE = 15, 14


def shown_label(text: object, labels: Mapping[str, str] | None = None, *, width: int = 28) -> str:
    """A text as a Plotly label: replaced where `labels` says so, shortened, and escaped, since Plotly reads tags.

    Examples
    --------
    >>> shown_label("<b>Ann</b>"), shown_label("Bartholomew", width=8)
    ('&lt;b&gt;Ann&lt;/b&gt;', 'Barthol…')
    """
    shown = (labels or {}).get(str(text), str(text))
    shown = shown if len(shown) <= width else shown[: width - 1].rstrip() + "…"
    return html.escape(shown, quote=False)


def faded(colour: str, opacity: float = 0.35) -> str:
    """A ``#rrggbb`` colour as a see-through one.

    Examples
    --------
    >>> faded("#FF0010", 0.5)
    'rgba(255, 0, 16, 0.5)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def group_colours(groups: pd.Series) -> dict[str, str]:
    """The colour of each group, largest group first, the same wherever the same list is coloured.

    More than `MAX_GROUPS` groups cannot be told apart: then only the largest have a colour, and the rest, as `OTHER`,
    is grey.

    Examples
    --------
    >>> group_colours(pd.Series(["actor", "singer", "actor"]))
    {'actor': '#12908A', 'singer': '#D9622B'}
    """
    counts = groups.astype(str).value_counts(sort=False)
    ordered = sorted(counts.index, key=lambda value: (-counts[value], value))
    if len(ordered) <= MAX_GROUPS:
        return dict(zip(ordered, CATEGORICAL, strict=False))
    return dict(zip(ordered[:HIGHLIGHTED], CATEGORICAL, strict=False)) | {OTHER: MUTED}
