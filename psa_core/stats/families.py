"""Families of sentences that depend on each other, and what a study of them is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from psa_core.errors import CubeError

#: From fewer families nothing is claimed: so few can agree by chance.
MIN_FAMILIES = 6


@dataclass(frozen=True, eq=False)
class Families:
    """Groups of dependent sentences in a study: near-copies, one author, one thread, one template.

    Sentences of a family may react to a name alike, so a test that takes them for independent is too sure. What is
    tested, bootstrapped or permuted over sentences takes one row a family (`rows`); where each sentence is a family of
    its own, these are the sentences themselves, untouched.

    ``labels`` (S,) are the family of each sentence, counted from 0 in the order of appearance.

    Examples
    --------
    >>> Families.of(["a", "b", "b", "c"]).effective_sample_size
    2.6666666666666665
    """

    labels: np.ndarray

    @classmethod
    def of(cls, keys: ArrayLike) -> Families:
        """Families from one key per sentence, of any type; equal keys are one family."""
        import pandas as pd

        return cls(pd.factorize(np.asarray(keys, dtype=object).astype(str))[0])

    @classmethod
    def none(cls, sentences: int) -> Families:
        """Families of one sentence each."""
        return cls(np.arange(sentences))

    @cached_property
    def sizes(self) -> np.ndarray:
        """Sentences of each family: int array (F,)."""
        return np.bincount(self.labels)

    @property
    def count(self) -> int:
        """Number of families, F."""
        return len(self.sizes)

    @property
    def any(self) -> bool:
        """Whether a family has more than one sentence."""
        return self.count < len(self.labels)

    @property
    def effective_sample_size(self) -> float:
        """How many independent sentences of equal weight the mean over sentences is worth, if a family is one: 1 … F.

        ``S² / Σ n²`` (Kish 1965): F for families of equal size, less where a few hold most sentences.
        """
        return float(self.sizes.sum() ** 2 / (self.sizes**2).sum())

    @property
    def too_few(self) -> bool:
        """Whether the families are too few, or too unequal, for any claim."""
        return self.any and self.effective_sample_size < MIN_FAMILIES

    @property
    def largest_share(self) -> float:
        """The most sentences of a family over their mean number: how wide a row can be, in ranges of a score."""
        return float(self.sizes.max() * len(self.sizes) / len(self.labels))

    def rows(self, values: ArrayLike) -> np.ndarray:
        """Sums over each family, scaled so that their mean is the mean over sentences.

        What a test of "the mean is 0" takes. Rows are independent; their spreads differ with the families' sizes, which
        makes t-tests of normal rows conservative at 5 % (Ibragimov and Müller 2010). A large family makes its row as
        far from the others as its sentences weigh, and so cannot decide alone.

        Of values (S, …): float64 (F, …), the values themselves where every sentence is a family of its own. One row,
        the mean, where families are too few: like one sentence, it shows no spread, and nothing is claimed from it.

        Examples
        --------
        >>> Families.of(list("aabbccddeeff")).rows(np.arange(12.0)).tolist()
        [0.5, 2.5, 4.5, 6.5, 8.5, 10.5]
        """
        given = np.asarray(values)
        if len(given) != len(self.labels):
            raise CubeError("families", got=f"{len(self.labels)} for {len(given)} values", expected="one a sentence")
        if not self.any:
            return given
        known = ~np.isnan(given) if given.dtype.kind == "f" else np.ones(given.shape, bool)
        if not known.all():  # a family without any value in a column has none there
            sums, counts = self._sums_of_known(given, known)
            there, total = (counts > 0).sum(axis=0), np.maximum(counts.sum(axis=0), 1)
            if self.too_few:
                return np.where(there, sums.sum(axis=0) / total, np.nan)[None]
            return np.where(counts > 0, sums * (there / total), np.nan)
        if self.too_few:
            return np.asarray(given.mean(axis=0, keepdims=True, dtype=np.float64))
        weights = self.sizes * (self.count / len(given))
        return np.asarray(self.means(given) * weights.reshape(-1, *[1] * (given.ndim - 1)))

    def means(self, values: ArrayLike) -> np.ndarray:
        """Mean over each family, every family counted once: float64 (F, …); the values themselves without families."""
        given = np.asarray(values)
        if not self.any:
            return given
        if given.dtype.kind == "f" and np.isnan(given).any():
            sums, counts = self._sums_of_known(given, ~np.isnan(given))
            return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
        order = np.argsort(self.labels, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        sums = np.add.reduceat(given[order].astype(np.float64), starts, axis=0)
        return np.asarray(sums / self.sizes.reshape(-1, *[1] * (given.ndim - 1)))

    def _sums_of_known(self, given: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum and number of the values of each family that are there: float64 (F, …)."""
        sums, counts = np.zeros((self.count, *given.shape[1:])), np.zeros((self.count, *given.shape[1:]))
        np.add.at(sums, self.labels, np.where(known, given, 0.0))
        np.add.at(counts, self.labels, known)
        return sums, counts

    def subset(self, keep: np.ndarray) -> Families:
        """The families of some of the sentences (a mask or positions)."""
        return Families.of(self.labels[keep])
