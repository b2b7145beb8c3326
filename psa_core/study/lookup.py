"""Look up whether any sentence is used, why not, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from psa_core import anchors as finders
from psa_core.errors import OptionError
from psa_core.inputs import corpus
from psa_core.study.selection import (
    EMPTY,
    KEPT,
    NO_ANCHOR,
    NOT_BALANCED,
    NOT_LOOKED_AT,
    NOT_SAMPLED,
    SWITCHED_OFF,
    Selection,
    SelectionOptions,
    outcomes,
)

#: For each outcome: the reason, and what to do.
WORDS: Mapping[str, tuple[str, str]] = {
    KEPT: ("", ""),
    EMPTY: ("The text is empty.", "Fill it in, or leave it."),
    NO_ANCHOR: (
        "It has no word that a name could replace.",
        "Choose other words to replace, or write {name} where the name should stand, in every sentence.",
    ),
    **finders.REASONS,
    SWITCHED_OFF: ("Each word that a name could replace is switched off.", "Switch one on again."),
    NOT_BALANCED: (
        "It could be used, but is left out so that female and male words are equally common.",
        "Do not balance them.",
    ),
    NOT_SAMPLED: ("It could be used, but is not in the random sample.", "Take a larger sample."),
    NOT_LOOKED_AT: ("It could be used, but only the first of the sample are checked here.", "Run the study."),
}
#: Why a sentence that could be taken is not.
DRAWN_OTHERS = (NOT_BALANCED, NOT_SAMPLED, NOT_LOOKED_AT)
TOO_LONG = "Allow longer sentences."


def outcome_table(
    sentences: pd.DataFrame,
    finder: finders.AnchorFinder,
    options: SelectionOptions,
    selection: Selection | None = None,
) -> pd.DataFrame:
    """Whether each sentence of a corpus is used and why not; or of some sentences, given the selection from all.

    Parameters
    ----------
    sentences : DataFrame
        ``sentence_id`` and ``text``.
    selection : Selection, optional
        From the whole corpus, by the same options: then only the sentences given are searched for anchors.

    Returns
    -------
    DataFrame
        One row a sentence, in their order: ``sentence_id``, ``taken`` (bool), ``reason`` and ``what_to_do`` (empty for
        one that is taken), ``text``.
    """
    if selection is None:
        found = outcomes(sentences, finder, options)
    else:
        chosen = set(selection.sentences["sentence_id"])
        left_out = next((outcome for outcome in DRAWN_OTHERS if outcome in selection.account), NOT_SAMPLED)
        possible = outcomes(sentences, finder, replace(options, sample=max(1, len(sentences)), balance=False))
        found = [
            (left_out if outcome == KEPT and sentence_id not in chosen else outcome, misses)
            for sentence_id, (outcome, misses) in zip(sentences["sentence_id"], possible, strict=True)
        ]
    words = [WORDS.get(outcome, (f"It is {outcome}.", TOO_LONG)) for outcome, _ in found]
    return pd.DataFrame(
        {
            "sentence_id": sentences["sentence_id"].to_numpy(),
            "taken": [outcome == KEPT for outcome, _ in found],
            "reason": [
                f"{reason} Left alone: {'; '.join(misses)}." if outcome == NO_ANCHOR and misses else reason
                for (reason, _), (outcome, misses) in zip(words, found, strict=True)
            ],
            "what_to_do": [advice for _, advice in words],
            "text": sentences["text"].to_numpy(),
        }
    )


def review(
    sentences: Any, *, anchors: str | None = None, text_column: str | None = None, **options: Any
) -> pd.DataFrame:
    """Which sentences a study would take, and why not the others; loads no model.

    Sentences, anchors and text column are as for `psa_core.run`, `options` fields of `SelectionOptions`: ``max_words``,
    ``sample``, ``balance``, ``seed``, ``mentions``, ``exclude``. The table is that of `outcome_table`. Raises
    `PsaError` when the sentences cannot be read or an option is unknown.

    Examples
    --------
    >>> review(["He left.", "Nobody came."])["reason"].tolist()
    ['', 'It has no word that a name could replace.']
    """
    unknown = sorted(set(options) - set(SelectionOptions.__dataclass_fields__))
    if unknown:
        listed = ", ".join(SelectionOptions.__dataclass_fields__)
        raise OptionError("review", got=f"an unknown option {unknown[0]!r}", expected=listed)
    in_file = isinstance(sentences, str) or hasattr(sentences, "__fspath__")
    read = (corpus.load if in_file else corpus.from_memory)(str(sentences) if in_file else sentences, text_column)
    finder = finders.finder(anchors or finders.suited_to(read.sentences["text"], are_documents=read.are_documents))
    chosen = SelectionOptions(**{"balance": None, **options})
    return outcome_table(read.sentences, finder, chosen)
