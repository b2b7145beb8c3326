"""The metric protocol: a frozen dataclass whose fields are its parameters."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol

import numpy as np

Axis = Literal["name", "sentence"]


class Method(Protocol):
    """A reduction of one target's scores to a vector along one declared axis.

    Attributes
    ----------
    id, title, summary : str
        Identifier, heading and one plain sentence for help texts.
    axis : {"name", "sentence"}
        What the entries of the result stand for.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    axis: ClassVar[Axis]

    def __call__(self, original: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
        """Reduce original (S,) and perturbed (S, N) scores to a float64 vector along `axis`, (N,) or (S,).

        Raises
        ------
        CubeError
            When shapes disagree, a score is not finite, or there is no sentence or name.
        OptionError
            When a parameter does not fit: a threshold that is no finite number, not more names than `ddof`.
        """
        ...
