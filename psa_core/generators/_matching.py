"""Resampling at decoding: of several continuations those are kept whose scores differ least from value to value.

It needs nothing of the language model but its continuations, so it works behind an address as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from psa_core import models
from psa_core.asking.prices import Estimate
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, Generator, Sampling
from psa_core.models import Scorer

#: Continuations that are sampled for each that is kept.
CANDIDATES = 3
SENTIMENT = "sentiment"  # stands for the packaged classifier of it
_OPTION = re.compile(r"([?#&])match=([^&#]*)(?:&|(?=#)|$)")


def split(generator_id: str) -> tuple[str, str]:
    """An id without its option ``match``, and the id of the packaged scorer that the option names; empty without one.

    Raises `ModelError` when it names none.

    Examples
    --------
    >>> split("lm:smollm2?match=sentiment&precision=bf16")
    ('lm:smollm2?precision=bf16', 'minilm-sentiment')
    >>> split("chat:http://localhost/v1?match=vader#model=small")
    ('chat:http://localhost/v1#model=small', 'vader')
    """
    found = _OPTION.search(generator_id)
    if found is None:
        return generator_id, ""
    scorer, ready = found[2], [card.id for card in models.cards() if card.targets]
    scorer = models.good_for(models.Purpose.CLASSES)[0] if scorer == SENTIMENT else scorer
    if scorer not in ready:
        raise ModelError("--lm, option match", got=repr(scorer[:80]), expected=f"sentiment, or {', '.join(ready)}")
    rest = generator_id[found.end() :]
    mark = "" if rest.startswith("#") or not rest else found[1]
    return generator_id[: found.start()] + mark + rest, scorer


@dataclass(frozen=True, eq=False)
class Matching:
    """Keeps of `CANDIDATES` continuations as many as are wanted, so that all values' scores are distributed alike.

    For each template the scores of all values' candidates are put together; of each value those are kept that are
    nearest to this distribution's quantiles, each once (the subset with the least W1 from it). Of the scorer's targets
    the signed one counts, else the first. The writer is asked only for candidates that are not `known`, by (stream,
    prompt, k); `write` takes draws, and a batch of candidates of them as soon as it is there.
    """

    writer: Generator
    scorer: Scorer
    known: Mapping[tuple[str, str, int], str] = field(default_factory=dict, repr=False)
    write: Callable[[list[Draw], Batch], None] = field(default=lambda draws, batch: None, repr=False)
    common_noise: bool = False

    @property
    def fingerprint(self) -> str:
        return f"matched:{self.writer.fingerprint}+{self.scorer.fingerprint}+{CANDIDATES}"

    @property
    def about(self) -> str:
        kept = f"one of {CANDIDATES} kept, so that values' {self._target.name} is distributed alike"
        return f"{self.writer.about}; {kept}"

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """Continuations of the draws, template by template as its candidates are finished."""
        candidates = [replace(draw, k=draw.k * CANDIDATES + more) for draw in draws for more in range(CANDIDATES)]
        by_stream: defaultdict[str, list[int]] = defaultdict(list)
        for position, draw in enumerate(draws):
            by_stream[draw.stream].append(position)
        found = ((number, self.known.get((draw.stream, draw.prompt, draw.k))) for number, draw in enumerate(candidates))
        texts = {number: text for number, text in found if text is not None}
        numbers = [number for number in range(len(candidates)) if number not in texts]
        missing = [candidates[number] for number in numbers]
        waiting = Counter(draw.stream for draw in missing)
        for stream in (stream for stream in by_stream if stream not in waiting):
            yield self._kept(draws, by_stream[stream], texts)
        for batch in self.writer.sample(missing, sampling, check) if missing else ():
            self.write(missing, batch)
            for position, text in zip(batch.positions, batch.texts, strict=True):
                texts[numbers[position]] = text
                stream = missing[position].stream
                waiting[stream] -= 1
                if not waiting[stream]:
                    yield self._kept(draws, by_stream[stream], texts)

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        return self.writer.estimate([draw for draw in draws for _ in range(CANDIDATES)], sampling)

    @property
    def _target(self) -> Target:
        return next((target for target in self.scorer.targets if target.low < 0), self.scorer.targets[0])

    def _kept(self, draws: Sequence[Draw], positions: list[int], texts: dict[int, str]) -> Batch:
        numbers = [position * CANDIDATES + more for position in positions for more in range(CANDIDATES)]
        column = self.scorer.targets.index(self._target)
        scores = dict(zip(numbers, self.scorer.score([texts[n] for n in numbers])[:, column].tolist(), strict=True))
        pool = np.array(list(scores.values()))
        by_prompt: defaultdict[str, list[int]] = defaultdict(list)
        for position in positions:
            by_prompt[draws[position].prompt].append(position)
        kept: dict[int, str] = {}
        for own in by_prompt.values():
            mine = [position * CANDIDATES + more for position in own for more in range(CANDIDATES)]
            chosen = nearest(np.array([scores[number] for number in mine]), pool, len(own))
            kept |= {position: texts[mine[row]] for position, row in zip(own, chosen, strict=True)}
        return Batch(tuple(kept), tuple(kept.values()))


def nearest(scores: np.ndarray, pool: np.ndarray, count: int) -> list[int]:
    """Which `count` of the scores (n,), each once, are nearest to a pool's quantiles; in their own order.

    Examples
    --------
    >>> nearest(np.array([0.0, 0.1, 0.9, 1.0]), np.array([0.0, 1.0]), 2)
    [0, 3]
    """
    from scipy.optimize import linear_sum_assignment

    quantiles = np.quantile(pool, (np.arange(count) + 0.5) / count, method="inverted_cdf")
    _, rows = linear_sum_assignment(np.abs(scores[None, :] - quantiles[:, None]))
    return sorted(map(int, rows))
