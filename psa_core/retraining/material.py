"""What is trained on, and what is measured: no name and no sentence is in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import mitigate
from psa_core.errors import CorpusError
from psa_core.study import Plan
from psa_core.study.near_duplicates import normalized
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

    Spellings of one name stay together, and so do sentences that say the same around the anchor. What names a held-out
    name is not trained on.

    Parameters
    ----------
    planned : Plan
        What is measured, or split.
    texts : sequence of str
        Texts to train on; those among them that have an anchor are trained on with names. One that is also in the study
        is left out. Empty: half of the study's sentences.
    seed : int
    """
    names = mitigate.halves_of_names(planned.names.table, seed=seed)
    every, table = planned.names.table["name"], planned.names.table.iloc[names.measured].reset_index(drop=True)
    unseen = list(table["name"])
    if texts:
        texts, chosen = _other_sentences(planned, texts, unseen, seed=seed)
        kept = planned.selection
    else:
        chosen, kept = _halves(planned, unseen, seed=seed)
        texts = list(chosen.sentences["text"])
    for part in (chosen, kept):
        if len(part.sentences) < 2:
            got = f"{len(part.sentences)}"
            expected = "at least two to train on and two others to measure, without a held-out name in those trained on"
            raise CorpusError("sentences with an anchor", got=got, expected=expected)
    return Material(
        tuple(texts),
        Perturbation(tuple(chosen.sentences["text"]), chosen.spans, tuple(every.iloc[names.used])),
        replace(planned, selection=kept, names=replace(planned.names, table=table)),
    )


def _halves(planned: Plan, unseen: Sequence[str], *, seed: int) -> tuple[Selection, Selection]:
    """The sentences of a study that are trained on, and those that are measured."""
    sentences = planned.selection.sentences
    keys = mitigate.sentence_keys(planned.perturbation)
    split = mitigate.halves(pd.DataFrame(index=sentences.index), alike=keys, seed=seed)
    allowed = set(mitigate.naming_none(sentences["text"].tolist(), unseen))
    trained = [row for row in split.used if sentences["text"].iloc[row] in allowed]
    return _rows(planned.selection, np.array(trained, dtype=int)), _rows(planned.selection, split.measured)


def _other_sentences(
    planned: Plan, texts: Sequence[str], unseen: Sequence[str], *, seed: int
) -> tuple[list[str], Selection]:
    """Texts that are not in a study, in a drawn order, and the sentences with an anchor among the first of them."""
    measured = {*map(normalized, planned.selection.sentences["text"])}
    distinct = [
        text
        for text in mitigate.naming_none([*dict.fromkeys(texts)], unseen)
        if text.strip() and normalized(text) not in measured
    ]
    order = np.random.default_rng(seed).permutation(len(distinct))
    drawn = [distinct[i] for i in order]
    some = drawn[:SEARCHED]
    table = pd.DataFrame({"sentence_id": [str(number) for number in range(len(some))], "text": some})
    chosen = select(
        table, planned.finder, replace(planned.spec.selection, sample=SEARCHED, balance=False, exclude=frozenset())
    )
    said = set(mitigate.sentence_keys(planned.perturbation))
    keys = mitigate.sentence_keys(Perturbation(tuple(chosen.sentences["text"]), chosen.spans, ()))
    repeats = {row for row, key in enumerate(keys) if key in said}
    left = {some[int(chosen.sentences["sentence_id"].iloc[row])] for row in repeats}
    rows = [row for row in range(len(keys)) if row not in repeats]
    return [text for text in drawn if text not in left], _rows(chosen, np.array(rows, dtype=int))


def _rows(selection: Selection, rows: np.ndarray) -> Selection:
    return replace(
        selection,
        sentences=selection.sentences.iloc[rows].reset_index(drop=True),
        spans=tuple(selection.spans[row] for row in rows),
        candidates=tuple(selection.candidates[row] for row in rows),
    )
