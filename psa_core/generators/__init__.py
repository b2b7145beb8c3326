"""Language models as writers: one file each, found by :mod:`psa_core.registry`."""

from __future__ import annotations

from collections.abc import Sequence

from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, Estimate, Generator, GeneratorCard, GeneratorPlugin, Sampling
from psa_core.given import as_texts, words
from psa_core.registry import discover

__all__ = [
    "Batch",
    "Draw",
    "Estimate",
    "Generator",
    "GeneratorCard",
    "GeneratorPlugin",
    "Sampling",
    "cards",
    "load",
    "plugins",
    "sample",
]


def plugins() -> dict[str, GeneratorPlugin]:
    """Every kind of generator by its id."""
    return discover("psa_core.generators", "GENERATOR")


def cards() -> tuple[GeneratorCard, ...]:
    """Generators that can be used at once; loads nothing heavy."""
    return tuple(card for plugin in plugins().values() for card in plugin.cards())


def load(generator_id: str) -> Generator:
    """Load a generator: ``lm:smollm2``, ``lm:<hub id, folder or .gguf>``, ``chat:<address>``, ``continuations:<file>``.

    Raises
    ------
    ModelError
        When the id is unknown or the model cannot be loaded; the message says what to do.
    """
    kind, _, argument = words("--lm", generator_id).partition(":")
    if kind not in plugins() or not argument:
        choices = ", ".join(f"{plugin.id}:<{plugin.argument}>" for plugin in plugins().values())
        raise ModelError("--lm", got=repr(generator_id), expected=f"one of {choices}")
    try:
        return plugins()[kind].load(argument)
    except OSError as error:
        got = f"{generator_id[:80]!r}, which cannot be read ({error.strerror or type(error).__name__})"
        raise ModelError("--lm", got=got, expected="a model that is there and that you may read") from error


def sample(generator: Generator, prompts: Sequence[str], k: int, sampling: Sampling | None = None) -> list[list[str]]:
    """Continuations of some prompts, as sampled: not cut, not kept.

    Parameters
    ----------
    generator : Generator
    prompts : sequence of str
    k : int
        Continuations of each. The k-th of all prompts meet the same random numbers.
    sampling : Sampling, optional

    Returns
    -------
    list of list of str
        `k` continuations of each prompt.
    """
    draws = [Draw(prompt, "", number) for prompt in as_texts(prompts) for number in range(k)]
    texts = [""] * len(draws)
    for batch in generator.sample(draws, sampling or Sampling(), _go_on):
        for position, text in zip(batch.positions, batch.texts, strict=True):
            texts[position] = text
    return [texts[start : start + k] for start in range(0, len(texts), k)]


def _go_on() -> None:
    return None
