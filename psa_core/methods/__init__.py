"""Metrics: one file each, a frozen dataclass whose fields are its parameters; found by :mod:`psa_core.registry`."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol

import numpy as np

from psa_core.registry import discover

Axis = Literal["name", "sentence"]


class Method(Protocol):
    """A reduction of one target's scores to a vector along one declared axis.

    ``id, title, summary`` are identifier, heading and one plain sentence for help texts; ``axis`` says what the entries
    of the result stand for.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    axis: ClassVar[Axis]

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        """Reduce original (S,) and perturbed (S, N) scores to a float64 vector along `axis`, (N,) or (S,).

        Raises `CubeError` when shapes disagree, a score is infinite, or there is no sentence or name; `OptionError`
        when a parameter does not fit: a threshold that is no finite number, not more names than `ddof`.
        """
        ...


def plugins() -> dict[str, type[Method]]:
    """Every method by its id; the values are the frozen dataclasses themselves."""
    return discover("psa_core.methods", "METHOD")
