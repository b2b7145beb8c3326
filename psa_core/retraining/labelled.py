"""Labelled texts: on them the task's score is measured before and after retraining."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psa_core.errors import CorpusError
from psa_core.inputs import corpus


@dataclass(frozen=True, eq=False)
class Split:
    """Labelled texts of one split.

    Attributes
    ----------
    texts : tuple of str, length R
    labels : int64 array (R,)
        Index into the task's ``labels``.
    """

    texts: tuple[str, ...]
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)


def labelled_texts(source: str, *, most: int) -> tuple[Split, tuple[str, ...]]:
    """Labelled texts of one file, such as an upload, and their classes in alphabetical order.

    Parameters
    ----------
    source : str
        As `corpus.load` takes it, with a column ``label_name`` or ``label``.
    most : int
        Of more texts, so many are drawn.

    Raises
    ------
    CorpusError
        When it cannot be read, has no such column, or an empty label.
    """
    table = corpus.load(source).sentences
    column = next((name for name in ("label_name", "label") if name in table), None)
    if column is None:
        raise CorpusError("labelled texts", got="no such column", expected="a column label_name or label")
    table = table.sample(min(most, len(table)), random_state=0)
    labels = table[column].astype(str).str.strip()
    if not labels.all():
        raise CorpusError("labelled texts", got="an empty label", expected="a label in every row")
    classes, numbers = np.unique(labels.to_numpy(dtype=object), return_inverse=True)
    return Split(tuple(table["text"]), numbers.astype(np.int64)), tuple(map(str, classes))
