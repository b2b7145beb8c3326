"""Split names and sentences into a part to train on and a part to measure: none is in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import mitigate
from psa_core.errors import CorpusError
from psa_core.study import Plan
from psa_core.study.families import normalized
from psa_core.study.perturbation import Perturbation
from psa_core.study.selection import Selection, select

#: Training texts among which anchors are looked for.
SEARCHED = 6000


@dataclass(frozen=True, eq=False)
class Material:
    """Texts and names in two parts: `held_out` is a study of other sentences with other names than those `trained` on.

    `texts` are unchanged ones, whose answers should stay what they are.
    """

    texts: tuple[str, ...]
    trained: Perturbation
    held_out: Plan

    @property
    def counts(self) -> dict[str, int]:
        """How many texts, and sentences and names of either part."""
        return {
            "texts": len(self.texts),
            "sentences_trained": len(self.trained.texts),
            "names_trained": len(self.trained.names),
            "sentences_held_out": len(self.held_out.selection.sentences),
            "names_held_out": len(self.held_out.names.table),
        }


def material(planned: Plan, *, texts: Sequence[str] = (), seed: int = 0) -> Material:
    """Split the names of a study; and its sentences too, unless there are other texts to train on.

    Spellings of one name stay together, and so do sentences that are alike around the anchor. A text with a held-out
    name is not trained on. Of other `texts`, those with an anchor are trained on with names, and one that is also in
    the study is left out.
    """
    names = mitigate.halves_of_names(planned.names.table, seed=seed)
    every, table = planned.names.table["name"], planned.names.table.iloc[names.measured].reset_index(drop=True)
    held_out = list(table["name"])
    if texts:
        texts, chosen = _other_sentences(planned, texts, held_out, seed=seed)
        kept = planned.selection
    else:
        sentences = planned.selection.sentences
        keys = mitigate.sentence_keys(planned.perturbation)
        split = mitigate.halves(pd.DataFrame(index=sentences.index), kept_together=keys, seed=seed)
        allowed = set(mitigate.naming_none(sentences["text"].tolist(), held_out))
        chosen = _rows(planned.selection, [row for row in split.used if sentences["text"].iloc[row] in allowed])
        kept = _rows(planned.selection, split.measured)
        texts = list(chosen.sentences["text"])
    for part in (chosen, kept):
        if len(part.sentences) < 2:
            expected = "at least two to train on and two others to measure, without a held-out name in those trained on"
            raise CorpusError("sentences with an anchor", got=str(len(part.sentences)), expected=expected)
    return Material(
        tuple(texts),
        Perturbation(
            tuple(chosen.sentences["text"]), chosen.spans, tuple(every.iloc[names.used]), planned.perturbation.people
        ),
        replace(planned, selection=kept, names=replace(planned.names, table=table)),
    )


def _other_sentences(
    planned: Plan, texts: Sequence[str], held_out: Sequence[str], *, seed: int
) -> tuple[list[str], Selection]:
    """Texts that are not in a study, in random order, and the sentences with an anchor among the first of them."""
    measured = {*map(normalized, planned.selection.sentences["text"])}
    allowed = mitigate.naming_none([*dict.fromkeys(texts)], held_out)
    distinct = [text for text in allowed if text.strip() and normalized(text) not in measured]
    drawn = [distinct[i] for i in np.random.default_rng(seed).permutation(len(distinct))]
    table = pd.DataFrame({"text": drawn[:SEARCHED]}).rename_axis("sentence_id").reset_index()
    table["sentence_id"] = table["sentence_id"].astype(str)
    options = replace(planned.spec.selection, sample=SEARCHED, balance=False, switched=frozenset(), subjects=())
    chosen = select(table, planned.finder, options)
    # One that differs from a measured sentence only in its anchor is the same sentence.
    known = set(mitigate.sentence_keys(planned.perturbation))
    keys = mitigate.sentence_keys(Perturbation(tuple(chosen.sentences["text"]), chosen.spans, ()))
    repeated = {drawn[int(row)] for row, key in zip(chosen.sentences["sentence_id"], keys, strict=True) if key in known}
    rows = [row for row, key in enumerate(keys) if key not in known]
    return [text for text in drawn if text not in repeated], _rows(chosen, rows)


def _rows(selection: Selection, rows: Sequence[int] | np.ndarray) -> Selection:
    return replace(
        selection,
        sentences=selection.sentences.iloc[rows].reset_index(drop=True),
        spans=tuple(selection.spans[row] for row in rows),
        candidates=tuple(selection.candidates[row] for row in rows),
        subjects=tuple(selection.subjects[row] for row in rows),
    )
