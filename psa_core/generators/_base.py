"""The generator protocol: continues a prompt; its fingerprint changes when its output would."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from psa_core import options, trust
from psa_core.options import option

MAX_TOKENS = 1000
HOTTEST = 5.0


@dataclass(frozen=True)
class Sampling:
    """How continuations are sampled; what a generator can be told further is a field here, and nothing else.

    Attributes
    ----------
    tokens : int
        Most new tokens of one continuation.
    temperature : float
        Above 0; 1.0 samples from the model's own probabilities.
    seed : int

    Raises
    ------
    OptionError
        When a value is out of its range.
    """

    tokens: int = option(50, low=1, high=MAX_TOKENS, help="most new tokens of each", label="Tokens at most", on_page=30)
    temperature: float = option(1.0, above=0, high=HOTTEST, help="1 samples from the model's own probabilities")
    seed: int = option(0, low=0, high=2**63 - 1, help="of every random choice", label="Seed")

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
    """

    prompt: str
    stream: str
    k: int
    value: str = ""


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
        In the currency of the prices that were given with the address.
    """

    prompt_tokens: int
    new_tokens: int
    seconds: float | None = None
    price: float | None = None


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
class GeneratorCard:
    """One ready-to-use generator as pickers show it, without loading it."""

    id: str
    title: str
    summary: str
    source: str = ""
    licence: str = ""


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
    cards: Callable[[], tuple[GeneratorCard, ...]] = tuple
    argument: str = ""
    takes: trust.Takes = trust.CODE
