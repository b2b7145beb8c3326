"""Texts in rows and columns, as the scoring engine takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """R rows of C texts with their R originals; `names` heads the columns. See `psa_core.scoring.Cells`."""

    names: Sequence[str]
    first: Sequence[str]
    texts: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.texts) * len(self.names)

    def originals(self) -> Sequence[str]:
        """The R originals."""
        return self.first

    def row(self, sentence: int, /) -> Sequence[str]:
        """The C texts of one row."""
        return self.texts[sentence]
