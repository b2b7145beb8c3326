"""http: a model behind an HTTP endpoint that takes batches of texts as JSON.

The request is ``POST`` with ``{"texts": ["…", "…"]}``. The answer is one of

- ``{"targets": [{"name": "toxicity", "low": 0, "high": 1, "meaning": "…"}], "scores": [[0.1], [0.9]],
  "version": "…"}`` (``targets`` and ``version`` may be left out),
- ``{"toxicity": [0.1, 0.9]}``: one list per target,
- ``[0.1, 0.9]``, or ``[[0.1], [0.9]]``, or ``[{"toxicity": 0.1}, {"toxicity": 0.9}]``.

One row per text, in their order. A request of one text is sent at loading, to learn the targets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.asking.endpoint import NUMBERS, Endpoint
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._answers import as_scores, as_targets, columns_of
from psa_core.models._base import ModelPlugin, digest
from psa_core.models._options import numbers_of, parse_range, split_options
from psa_core.trust.addresses import allowed

PROBE = "This is a test."
OWN_NUMBERS = {"batch": (64.0, 1.0, 10_000.0), **NUMBERS}
DECLARE = "give low and high in the answer's targets or, where it lists none, write #range=low..high after the address"


@dataclass(frozen=True)
class HttpScorer:
    """Scores texts by asking an address."""

    endpoint: Endpoint = field(repr=False)
    targets: tuple[Target, ...]
    fingerprint: str
    batch: int = 64

    @property
    def about(self) -> str:
        return f"a model at {self.endpoint.shown}, asked for {self.batch} texts at a time"

    def score(self, texts: Sequence[str]) -> np.ndarray:
        """Scores in the order of the texts: float32 array (len(texts), T).

        Raises `ModelError` when the address does not answer, refuses, or answers with something else.
        """
        texts, source = as_texts(texts), self.endpoint.shown
        order = [target.name for target in self.targets]
        parts = [np.empty((0, len(self.targets)), np.float32)]
        for start in range(0, len(texts), self.batch):
            batch = texts[start : start + self.batch]
            names, table, _ = understood(self.endpoint.ask({"texts": batch}), source=source)
            if sorted(names) != sorted(order):
                got = f"targets {', '.join(names)}, after {', '.join(order)} at first"
                raise ModelError(source, got=got, expected="the same targets in every answer")
            targets = [self.targets[order.index(name)] for name in names]
            scores = as_scores(table, batch, targets=targets, source=source, declare=DECLARE)
            parts.append(scores[:, [names.index(name) for name in order]])
        return np.concatenate(parts)


def load(argument: str) -> HttpScorer:
    """Ask the address for the score of one text, to learn its targets.

    The address has its scheme, or is what follows ``http:`` in it. ``#`` and options joined by ``&`` may follow:
    ``batch`` (texts per request), ``timeout`` (seconds), ``retries``, ``per_second`` (most requests), ``range`` (of all
    targets), ``version`` (say so when the model behind the address changes). Raises `ModelError` when the address is
    not allowed here, does not answer, or answers with something else.
    """
    address, options = split_options(argument, (*OWN_NUMBERS, "range", "version"), mark="#")
    numbers, (low, high) = numbers_of(options, OWN_NUMBERS), parse_range(options.get("range", "0..1"))
    endpoint = Endpoint.at(allowed(address), numbers)
    answer = endpoint.ask({"texts": [PROBE]})
    names, table, version = understood(answer, source=endpoint.shown)
    described = answer.get("targets") if isinstance(answer, Mapping) and "scores" in answer else None
    plain = [{"name": name, "low": low, "high": high} for name in names]
    targets = as_targets(described or plain, source=endpoint.shown)
    as_scores(table, [PROBE], targets=targets, source=endpoint.shown, declare=DECLARE)
    parts = [endpoint.address, options.get("version", ""), version, repr([(t.name, t.low, t.high) for t in targets])]
    return HttpScorer(endpoint, targets, f"http:{digest(parts)}", int(numbers["batch"]))


def understood(answer: Any, *, source: str) -> tuple[list[str], Any, str]:
    """Names of the targets, scores (rows, T) and version in an answer of any of the kinds above."""
    version, scores, expected = "", answer, '{"scores": [[…], …]}'
    if isinstance(answer, Mapping):
        version, described = str(answer.get("version", "")), answer.get("targets")
        if described and "scores" in answer:
            return [target.name for target in as_targets(described, source=source)], answer["scores"], version
        scores = answer.get("scores", answer)
    if isinstance(scores, Mapping):
        scores = {name: values for name, values in scores.items() if isinstance(values, list)}
    columns = columns_of(scores)
    if columns is not None:
        names, values = [str(name) for name, _ in columns], [values for _, values in columns]
        if len(set(map(len, values))) != 1:
            got = f"an object with {', '.join(map(str, answer))}" if answer else "an empty answer"
            raise ModelError(source, got=got, expected=expected)
        return names, list(zip(*values, strict=True)), version
    if not isinstance(scores, list):
        got = "an empty answer" if scores is None else "an answer that is neither a list nor an object"
        raise ModelError(source, got=got, expected=expected)
    many = len(scores[0]) if scores and isinstance(scores[0], list) else 1  # a flat list of numbers has no names
    return ([f"score_{i + 1}" for i in range(many)] if many > 1 else ["score"]), scores, version


MODEL = ModelPlugin(
    id="http",
    title="Address",
    summary='A model behind an address: POST {"texts": […]}, answered by {"scores": [[…], …], "targets": […]}.',
    load=load,
    argument="//host/path",
    takes=trust.ADDRESS,
    aliases=("https",),
)
