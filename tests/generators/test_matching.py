"""Of several continuations those are kept whose scores differ less from value to value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from psa_core import generators, models
from psa_core.asking.prices import Estimate
from psa_core.cube import Target
from psa_core.errors import ModelError, OptionError
from psa_core.generators import Batch, Draw, Sampling
from psa_core.generators._matching import CANDIDATES, Matching, nearest, split
from psa_core.trust import Origin


class Writer:
    """Writes a number: about 0.3 for the nurse, about 0.7 for the sheriff; two texts a batch."""

    fingerprint, about, common_noise = "writer", "writes numbers", True

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        for start in range(0, len(draws), 2):
            batch = draws[start : start + 2]
            yield Batch(tuple(range(start, start + len(batch))), tuple(map(self._text, batch)))

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        return Estimate(0, len(draws), len(draws))

    @staticmethod
    def _text(draw: Draw) -> str:
        middle = 0.3 if "nurse" in draw.prompt else 0.7
        noise = np.random.default_rng([draw.k, "nurse" in draw.prompt, len(draw.stream)]).uniform(-0.3, 0.3)
        return f"{middle + noise:.6f}"


class Reader:
    """Reads the number; its signed target is the second."""

    fingerprint = "reader"
    targets = (Target("first"), Target("signed", -1.0, 1.0))

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[0.5, float(text)] for text in texts], np.float32)


def draws(k: int = 20) -> list[Draw]:
    return [
        Draw(f"{stream} {value}", stream, number, value)
        for stream in ("The", "A fine")
        for value in ("nurse", "sheriff")
        for number in range(k)
    ]


def texts_of(generator: Matching | Writer, asked: list[Draw]) -> np.ndarray:
    texts = [""] * len(asked)
    for batch in generator.sample(asked, Sampling(), lambda: None):
        for position, text in zip(batch.positions, batch.texts, strict=True):
            assert not texts[position], "each draw has one text"
            texts[position] = text
    return np.array(texts, float).reshape(2, 2, -1)


def test_values_differ_less_and_what_is_kept_was_written() -> None:
    asked = draws()
    plain, matched = texts_of(Writer(), asked), texts_of(Matching(Writer(), Reader()), asked)
    differences = [np.abs(np.sort(found[:, 0]) - np.sort(found[:, 1])).mean() for found in (plain, matched)]
    assert differences[0] > 0.3 and differences[1] < 0.6 * differences[0]
    for number, draw in enumerate(asked):
        first = draw.k - draw.k % 20
        all_written = {
            float(Writer._text(Draw(draw.prompt, draw.stream, k))) for k in range(first * CANDIDATES, 20 * CANDIDATES)
        }
        assert matched.ravel()[number] in all_written
    assert len(np.unique(matched)) == matched.size, "none is kept twice"


def test_a_batch_is_a_template() -> None:
    asked = draws(3)
    batches = list(Matching(Writer(), Reader()).sample(asked, Sampling(), lambda: None))
    assert [sorted(batch.positions) for batch in batches] == [list(range(6)), list(range(6, 12))]


def test_estimate_and_words() -> None:
    matching = Matching(Writer(), Reader())
    assert matching.estimate(draws(2), Sampling()).tokens_in == CANDIDATES * 8
    assert "writes numbers" in matching.about and "signed" in matching.about
    assert not matching.common_noise
    assert matching.fingerprint != Matching(Writer(), models.load("keyword")).fingerprint


def test_the_least_distance_by_hand() -> None:
    # Quartile middles of the pool: 0 and 1. 0.4 is nearer to 0 than 0.5 is to 1, but each score serves once.
    assert nearest(np.array([0.5, 0.4, 0.45]), np.array([0.0, 0.0, 1.0, 1.0]), 2) == [0, 1]
    assert nearest(np.array([0.2]), np.array([0.9]), 1) == [0]


@pytest.mark.parametrize(
    ("given", "rest"),
    [
        ("lm:smollm2?match=vader", "lm:smollm2"),
        ("lm:a?precision=bf16&match=vader", "lm:a?precision=bf16"),
        ("lm:a?match=vader&precision=bf16", "lm:a?precision=bf16"),
        ("chat:http://here/v1#model=x&match=vader&api=chat", "chat:http://here/v1#model=x&api=chat"),
        ("chat:http://here/v1?match=vader", "chat:http://here/v1"),
        ("chat:http://here/v1?match=vader#model=x&api=chat", "chat:http://here/v1#model=x&api=chat"),
        ("chat:http://here/v1?key=1&match=vader#model=x", "chat:http://here/v1?key=1#model=x"),
        ("chat:http://here/v1?match=vader&key=1#model=x", "chat:http://here/v1?key=1#model=x"),
    ],
)
def test_the_option_is_taken_off(given: str, rest: str) -> None:
    assert split(given) == (rest, "vader")
    assert split(rest) == (rest, "")


def test_only_packaged_scorers_match() -> None:
    for scorer in ("hf:owner/model", "python:a:b", "", "predictions:x"):
        with pytest.raises(ModelError, match="option match"):
            generators.check(f"lm:smollm2?match={scorer}")
    assert generators.check("lm:smollm2?match=sentiment", Origin.FILE)
    with pytest.raises(OptionError):
        generators.check("lm:/etc/model?match=sentiment", Origin.VISITOR)
