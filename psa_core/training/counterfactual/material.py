"""What is trained on, and what is measured: no name and no sentence is in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import mitigate
from psa_core.errors import CorpusError, NameListError
from psa_core.study import Plan
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import Selection, select

#: Training texts among which anchors are looked for.
SEARCHED = 6000


@dataclass(frozen=True, eq=False)
class Material:
    """Texts and names in two parts.

    Attributes
    ----------
    texts : tuple of str
        Texts as they are: what the classifier says of them it is to go on saying.
    trained : Perturbation
        Sentences and names to train on.
    held_out : Plan
        A study of other sentences with other names.
    """

    texts: tuple[str, ...]
    trained: Perturbation
    held_out: Plan

    @property
    def words(self) -> dict[str, int]:
        """How much there is of each."""
        return {
            "texts": len(self.texts),
            "sentences_trained": len(self.trained.texts),
            "names_trained": len(self.trained.names),
            "sentences_held_out": len(self.held_out.selection.sentences),
            "names_held_out": len(self.held_out.names.table),
        }


def material(planned: Plan, *, texts: Sequence[str] = (), seed: int = 0) -> Material:
    """Split the names of a study; and its sentences too, unless there are other texts to train on.

    Parameters
    ----------
    planned : Plan
        What is measured, or split.
    texts : sequence of str
        Texts to train on; those among them that have an anchor are trained on with names. One that is also in the study
        is left out. Empty: half of the study's sentences.
    seed : int
    """
    if len(planned.names.table) < 4:
        got = f"{len(planned.names.table)}"
        raise NameListError("names to split", got=got, expected="at least four: two to train on, two to measure")
    names = mitigate.halves(planned.names.table, seed=seed)
    every, sentences = planned.names.table["name"], planned.selection.sentences
    if texts:
        texts, chosen = _other_sentences(planned, texts, seed=seed)
        kept = planned.selection
    else:
        split = mitigate.halves(pd.DataFrame(index=sentences.index), seed=seed)
        chosen, kept = _rows(planned.selection, split.used), _rows(planned.selection, split.measured)
        texts = list(chosen.sentences["text"])
    for part in (chosen, kept):
        if len(part.sentences) < 2:
            got = f"{len(part.sentences)}"
            raise CorpusError(
                "sentences with an anchor", got=got, expected="at least two to train on and two to measure"
            )
    table = planned.names.table.iloc[names.measured].reset_index(drop=True)
    return Material(
        tuple(texts),
        Perturbation(tuple(chosen.sentences["text"]), chosen.spans, tuple(every.iloc[names.used])),
        replace(planned, selection=kept, names=replace(planned.names, table=table)),
    )


def _other_sentences(planned: Plan, texts: Sequence[str], *, seed: int) -> tuple[list[str], Selection]:
    """Texts that are not in a study, in a drawn order, and the sentences with an anchor among the first of them."""
    measured = set(planned.selection.sentences["text"])
    distinct = [text for text in dict.fromkeys(texts) if text not in measured and text.strip()]
    order = np.random.default_rng(seed).permutation(len(distinct))
    drawn = [distinct[i] for i in order]
    some = drawn[:SEARCHED]
    table = pd.DataFrame({"sentence_id": [str(number) for number in range(len(some))], "text": some})
    return drawn, select(table, planned.finder, replace(planned.spec.selection, sample=SEARCHED, balance=False))


def _rows(selection: Selection, rows: np.ndarray) -> Selection:
    return replace(
        selection,
        sentences=selection.sentences.iloc[rows].reset_index(drop=True),
        spans=tuple(selection.spans[row] for row in rows),
        candidates=tuple(selection.candidates[row] for row in rows),
    )
