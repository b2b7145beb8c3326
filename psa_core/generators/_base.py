"""The generator protocol: continues a prompt; its fingerprint changes when its output would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol, TypeVar

from psa_core import options, trust
from psa_core.asking import Request
from psa_core.asking.prices import Estimate
from psa_core.models import ModelCard
from psa_core.options import option

MAX_TOKENS = 1000
HOTTEST = 5.0
Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Sampling:
    """How continuations are sampled; every option of a generator is a field here.

    Raises `OptionError` when a value is out of its range.
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
    """One continuation to sample: number `k`, from 0, of the template `stream`.

    Draws of one stream and one `k` meet the same random numbers, whatever their prompt. The `value` in the prompt is
    for messages and files, never for the model. Where there are the `messages` of a chat (role, content), the `prompt`
    is the same as one text, for keys and files.
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


class Generator(Protocol):
    """Goes on from prompts.

    The `fingerprint` changes when, and only when, the distribution of its continuations would; `about` says the model
    and the arithmetic in plain words, for a manifest; with `common_noise`, continuation k of a template meets the same
    random numbers for every value.
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

    `id` is the part before the colon in ids such as ``lm:<folder>``, `argument` what follows it, in words; `load` takes
    that and returns a generator or raises `ModelError`, and `takes` says what loading does with it. `cards` are of
    generators that can be used at once; asking for them is cheap, and loads nothing heavy.
    """

    id: str
    title: str
    summary: str
    load: Callable[[str], Generator]
    cards: Callable[[], tuple[ModelCard, ...]] = tuple
    argument: str = ""
    takes: trust.Takes = trust.CODE


def request_of(draw: Draw, **options: object) -> Request:
    """The request of one draw to a server: its messages, or its prompt as a user's message."""
    said = draw.messages or (("user", draw.prompt),)
    return Request(tuple({"role": role, "content": content} for role, content in said), options, "chat")


def as_finished(
    work: Callable[[Item], Made],
    items: Iterable[Item],
    threads: int,
    check: Callable[[], None],
    prepare: Callable[[], None] | None = None,
) -> Iterator[Made]:
    """What `work` makes of each item, in threads, as it is finished; what came is handed over before a failure is."""
    left = iter(items)
    waiting: set[Future[Made]] = set()
    with ThreadPoolExecutor(threads, thread_name_prefix="sample", initializer=prepare) as pool:
        try:
            while True:
                check()
                # One more than there are threads, so that none waits for the next one.
                while len(waiting) <= threads and (item := next(left, None)) is not None:
                    waiting.add(pool.submit(work, item))
                if not waiting:
                    return
                done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda future: future.exception() is not None):
                    yield future.result()
        finally:
            for future in waiting:
                future.cancel()
