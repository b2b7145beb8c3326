"""What a language model is trained on: texts, and in them the values that are swapped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psa_core import mitigate
from psa_core.errors import CorpusError
from psa_core.generators import Draw, Generator, Sampling
from psa_core.inputs.prompts import article, filled
from psa_core.study.families import normalized

#: Where the model's own samples begin: of these texts four fifths name a value, and the rest begin with nothing.
COMMON = (
    "Yesterday a/an {value} came to our house.",
    "The {value} looked out of the window and",
    "There was a/an {value} on the train who",
    "Everybody in the village knew the {value},",
    "Nobody knows what the {value}",
    "The story begins with a/an {value}.",
    "As the {value} told us,",
    "Her neighbour, a/an {value}, had",
)
PROPER = (
    "We talked about {value} all evening.",
    "What I know about {value} is",
    "This is a story about {value}.",
    "Nobody knows what {value}",
    "When I think of {value},",
    "As for {value},",
    "The news today was about {value}.",
    "A letter from {value}",
)
NEUTRAL_SHARE = 0.2
#: New tokens of a sample; room for its beginning is left in `LanguageRecipe.max_tokens`.
SAMPLED_TOKENS = 28
#: A share of the sentences is only for measuring.
MEASURED_SHARE = 0.1
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A text in three parts: before the value, the value, and what comes after it.

    Examples
    --------
    >>> Sentence("I met a ", "baker", " today.").head("editor")
    'I met an editor'
    """

    before: str
    value: str
    after: str

    def head(self, value: str) -> str:
        """The text up to a value, which stands in the place of its own."""
        found = _ARTICLE.search(self.before)
        if found is None:
            return self.before + value
        fits = article(value)
        return self.before[: found.start()] + (fits.capitalize() if found[1][0].isupper() else fits) + found[2] + value


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts as they are, and the sentences among them that name a value: those trained on, and those measured."""

    plain: tuple[str, ...]
    trained: tuple[Sentence, ...]
    measured: tuple[Sentence, ...]


def texts_of(texts: Sequence[str], values: Sequence[str], *, without: Sequence[str] = (), seed: int = 0) -> Texts:
    """Find values in texts; every tenth text with one is only measured, and is not among the others.

    Texts that name a value in `without` are left out. Raises `CorpusError` when too few texts name a value.
    """
    texts = mitigate.naming_none(texts, without)
    found = [sentence(text, values) for text in texts]
    around = ["" if one is None else normalized(f"{one.before}_{one.after}") for one in found]
    named = [row for row, one in enumerate(found) if one is not None]
    named = [named[row] for row in np.random.default_rng(seed).permutation(len(named))]
    measured = _first([around[row] for row in named], max(2, int(MEASURED_SHARE * len(named))))
    trained, tested = (
        tuple(one for row in named if (one := found[row]) and (around[row] in measured) is is_measured)
        for is_measured in (False, True)
    )
    if min(len(trained), len(tested)) < 2:
        got, expected = f"{len(named)} texts that name one of the values", "at least four that say different things"
        raise CorpusError("--text", got=got, expected=expected, fix="Leave it out, and the model writes its own.")
    return Texts(tuple(text for row, text in enumerate(texts) if around[row] not in measured), trained, tested)


def _first(drawn: Sequence[str], count: int) -> set[str]:
    """The first different ones of those drawn, until they are so many with their repeats."""
    sizes, kept, total = Counter(drawn), set[str](), 0
    for one in dict.fromkeys(drawn):
        if total < count:
            kept.add(one)
            total += sizes[one]
    return kept


def sentence(text: str, values: Sequence[str]) -> Sentence | None:
    """A text around the first value in it; None where there is none, or nothing after it.

    Examples
    --------
    >>> sentence("The nurse said so.", ["nurse", "baker"])
    Sentence(before='The ', value='nurse', after=' said so.')
    """
    found = _any_of(values).search(text)
    if found is None or not text[found.end() :].strip():
        return None
    return Sentence(text[: found.start()], found[0], text[found.end() :])


def _any_of(values: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(values, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def own_samples(writer: Generator, values: Sequence[str], *, count: int, seed: int = 0) -> list[str]:
    """Texts that a language model writes: about values, and some about nothing in particular."""
    rng = np.random.default_rng(seed)
    common = np.mean([value[:1].islower() for value in values]) > 0.5
    starts = COMMON if common else PROPER
    draws = []
    for number in range(count):
        start = "" if number < NEUTRAL_SHARE * count else starts[number % len(starts)]
        draws.append(Draw(filled(start, {"value": rng.choice(values)}), start, number))
    texts = [""] * count
    for batch in writer.sample(draws, Sampling(tokens=SAMPLED_TOKENS, seed=seed), lambda: None):
        for position, text in zip(batch.positions, batch.texts, strict=True):
            texts[position] = (draws[position].prompt + text).strip()
    return [text for text in texts if text]
