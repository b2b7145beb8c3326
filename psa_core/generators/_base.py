"""The generator protocol: continues a prompt; its fingerprint changes when its output would."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from psa_core import options, trust
from psa_core.asking.prices import in_dollars
from psa_core.models import ModelCard
from psa_core.options import option

MAX_TOKENS = 1000
HOTTEST = 5.0


@dataclass(frozen=True)
class Sampling:
    """How continuations are sampled; every option of a generator is a field here.

    Attributes
    ----------
    tokens : int
        Most new tokens of one continuation.
    temperature : float
        Above 0; 1.0 samples from the model's own probabilities.
    seed : int
    top_k, top_p : int, float
        Less probable tokens are left out; 0 and 1 leave none out.

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    tokens: int = option(
        50, low=1, high=MAX_TOKENS, help="maximum number of new tokens", label="Tokens at most", on_page=30
    )
    temperature: float = option(1.0, above=0, high=HOTTEST, help="1 samples from the model's own probabilities")
    seed: int = option(0, low=0, high=2**63 - 1, help="seed of every random choice", label="Seed")
    top_k: int = option(
        0, low=0, high=1_000_000, help="sample from the k most probable tokens only (0: from all)", in_key="if set"
    )
    top_p: float = option(
        1.0,
        above=0,
        high=1,
        help="sample from the most probable tokens that together have this probability",
        in_key="if set",
    )

    def __post_init__(self) -> None:
        options.check(self)


@dataclass(frozen=True)
class Draw:
    """One continuation to sample.

    Attributes
    ----------
    prompt : str
        The text to go on from.
    stream : str
        The template. Draws of one stream and one `k` meet the same random numbers, whatever their prompt.
    k : int
        Number of the continuation, from 0.
    value : str
        The value in the prompt; for messages and files, never for the model.
    messages : tuple of (role, content)
        Of a chat: what is said, and `prompt` is the same as one text, for keys and files. Empty for a text to go on
        from.
    """

    prompt: str
    stream: str
    k: int
    value: str = ""
    messages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Batch:
    """Continuations that are finished: `positions` in the sequence of draws, and a text each, as sampled (not cut)."""

    positions: tuple[int, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Estimate:
    """What a number of draws will take; None where it is not known.

    Attributes
    ----------
    prompt_tokens, new_tokens : int
        Tokens to read (each as often as it is sent) and, at most, to write.
    seconds : float or None
    price : float or None
        In dollars by the table of prices, or in the currency of prices that were given with the address.
    """

    prompt_tokens: int
    new_tokens: int
    seconds: float | None = None
    price: float | None = None

    @property
    def words(self) -> str:
        """What is read, written and paid, at most."""
        price = "no price is known" if self.price is None else f"at most {in_dollars(self.price)}"
        return f"About {self.prompt_tokens:,} tokens to read and up to {self.new_tokens:,} to write: {price}."


class Generator(Protocol):
    """Goes on from prompts.

    Attributes
    ----------
    fingerprint : str
        Changes when, and only when, the distribution of its continuations would.
    about : str
        In plain words, for a manifest: the model, the arithmetic.
    common_noise : bool
        Whether continuation k of a template meets the same random numbers for every value.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def about(self) -> str: ...

    @property
    def common_noise(self) -> bool: ...

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None], /) -> Iterator[Batch]:
        """Continuations of the draws, batch by batch as they are finished, in any order.

        `check` is called every second or so and may raise; what was yielded before stays valid.
        """
        ...

    def estimate(self, draws: Sequence[Draw], sampling: Sampling, /) -> Estimate:
        """What sampling the draws will take; asks nobody."""
        ...


@dataclass(frozen=True)
class GeneratorPlugin:
    """What each file in ``generators/`` defines as ``GENERATOR``.

    Attributes
    ----------
    id : str
        The part before the colon in ids such as ``lm:<folder>``.
    load : callable
        Takes what follows the colon; returns a generator or raises `ModelError`.
    cards : callable
        Generators that can be used at once; cheap, and loads nothing heavy.
    argument : str
        What follows the colon, in words.
    takes : trust.Takes
        What loading it does with the argument.
    """

    id: str
    title: str
    summary: str
    load: Callable[[str], Generator]
    cards: Callable[[], tuple[ModelCard, ...]] = tuple
    argument: str = ""
    takes: trust.Takes = trust.CODE


@dataclass(frozen=True, eq=False)
class Remembering:
    """Another generator, asked only for what is not known.

    Attributes
    ----------
    writer : Generator
    known : mapping
        Continuations by (stream, prompt, k).
    write : callable
        Takes draws, and a batch of continuations of them as soon as it is there.
    """

    writer: Generator
    known: Mapping[tuple[str, str, int], str]
    write: Callable[[list[Draw], Batch], None]

    @property
    def fingerprint(self) -> str:
        """The writer's."""
        return self.writer.fingerprint

    @property
    def about(self) -> str:
        """The writer's."""
        return self.writer.about

    @property
    def common_noise(self) -> bool:
        """The writer's."""
        return self.writer.common_noise

    def sample(self, draws: Sequence[Draw], sampling: Sampling, check: Callable[[], None]) -> Iterator[Batch]:
        """What is known at once, then the writer's."""
        texts = [self.known.get((draw.stream, draw.prompt, draw.k)) for draw in draws]
        found = [(position, text) for position, text in enumerate(texts) if text is not None]
        if found:
            yield Batch(tuple(position for position, _ in found), tuple(text for _, text in found))
        rest = [position for position, text in enumerate(texts) if text is None]
        missing = [draws[position] for position in rest]
        for batch in self.writer.sample(missing, sampling, check) if missing else ():
            self.write(missing, batch)
            yield Batch(tuple(rest[position] for position in batch.positions), batch.texts)

    def estimate(self, draws: Sequence[Draw], sampling: Sampling) -> Estimate:
        """The writer's, of what is not known."""
        missing = [draw for draw in draws if (draw.stream, draw.prompt, draw.k) not in self.known]
        return self.writer.estimate(missing, sampling)
