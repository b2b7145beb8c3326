"""What is known of a study before it is scored: its texts, which are too long for the model, and what asking takes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import IO, TYPE_CHECKING

import numpy as np

from psa_core import models
from psa_core.asking import Request, prices
from psa_core.asking.prices import Estimate
from psa_core.models import Scorer
from psa_core.plurals import counted, verb
from psa_core.registry import readable_id
from psa_core.study.perturbation import Perturbation
from psa_core.trust import Kind

if TYPE_CHECKING:
    from psa_core.study.execution import Plan

COLUMNS = ("text_id", "sentence_id", "name", "text")
MAX_LISTED = 5
#: Sentences whose texts are counted.
SAMPLE = 50
#: Answers to a text where a judge's id does not say.
SAMPLES = 20


def write(planned: Plan, stream: IO[str]) -> None:
    """Write the texts of a study as CSV, each exactly as it is: a program scores them elsewhere."""
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerows(rows(planned))


def rows(planned: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Each text of a study with its sentence and name; the original sentence has an empty name."""
    names = ["", *planned.names.table["name"]]
    perturbation, originals = planned.perturbation, planned.perturbation.originals()
    for position, sentence in enumerate(planned.selection.sentences["sentence_id"]):
        texts = chain([originals[position]], perturbation.stream(position))
        for column, (name, text) in enumerate(zip(names, texts, strict=True)):
            yield str(position * len(names) + column + 1), sentence, name, text


@dataclass(frozen=True)
class Unread:
    """Texts of which a model reads only the beginning: `tokens` at most.

    `sentence_ids` are those of `texts` that are too long, as they are or with the longest name.
    """

    sentence_ids: tuple[str, ...]
    texts: int
    tokens: int

    def words(self, model: str) -> str:
        """One sentence or two, with the first of the texts; empty where the model reads all of each."""
        long = len(self.sentence_ids)
        if not long:
            return ""
        listed = ", ".join(readable_id(one)[:60] for one in self.sentence_ids[:MAX_LISTED])
        more = f" and {long - MAX_LISTED:,} more" if long > MAX_LISTED else ""
        return (
            f"{long:,} of {counted(self.texts, 'text')} {verb(long, 'are', 'is')} longer than the {self.tokens:,} "
            f"tokens (pieces of words) that {model} reads: of {verb(long, 'these', 'this')} only the beginning is read "
            f"({listed}{more})."
        )


def unread(perturbation: Perturbation, sentence_ids: list[str], scorer: Scorer) -> Unread:
    """Which texts of a study a model will not read to their end; none for a model that does not count in tokens."""
    tokens = getattr(scorer, "max_tokens", 0)
    if not tokens or not hasattr(scorer, "truncated"):
        return Unread((), len(sentence_ids), 0)
    longest = max(range(len(perturbation.names)), key=lambda n: len(perturbation.names[n]))
    texts = [max(text, perturbation.text(s, longest), key=len) for s, text in enumerate(perturbation.texts)]
    is_cut = scorer.truncated(texts)
    return Unread(tuple(one for one, cut in zip(sentence_ids, is_cut, strict=True) if cut), len(sentence_ids), tokens)


def estimate(planned: Plan, model_id: str) -> Estimate:
    """What asking a language model about every text takes at most; counted on the texts of some sentences.

    A server that lists no log-probabilities is asked for several answers instead, and one that gives one answer a
    request reads each prompt several times; that is counted too. Raises `OptionError` when the model is none that is
    asked by requests.
    """
    sample: list[list[Request]] = []
    parts = replace(planned, spec=replace(planned.spec, model=model_id)).parts()
    for part in parts:
        judges = models.unasked(part.spec.model)
        chosen = np.linspace(0, len(part.selection.sentences) - 1, SAMPLE).round().astype(int)
        originals = part.perturbation.originals()
        for s in dict.fromkeys(chosen.tolist()):
            for text in (originals[s], *islice(part.perturbation.stream(s), 3)):
                sample.append([request for judge in judges for request in judge.requests(text)])
    texts = len(parts) * (planned.cells + len(planned.selection.sentences))
    found = prices.estimate(sample, texts, judges[0].of)
    samples = judges[0].samples
    if not _asks_an_address(model_id) or samples == 1:
        return found
    if samples:
        requests, read = found.requests * samples, found.tokens_in * samples
        single = replace(found, requests=requests, tokens_in=read, when="If it gives one answer a request")
        return replace(found, otherwise=single)
    sampled = replace(estimate(planned, f"{model_id}&samples={SAMPLES}"), when="If it lists no log-probabilities")
    return replace(found, otherwise=sampled)


def notice(planned: Plan, model_id: str) -> str:
    """What a study is going to take that asks an address, in one sentence; empty where it asks none."""
    if not _asks_an_address(model_id) or not models.is_asked(model_id):
        return ""
    return f"Asks a language model: {estimate(planned, model_id).words}"


def _asks_an_address(model_id: str) -> bool:
    return any(need.kind is Kind.ADDRESS for need in models.needs(model_id))
