"""Language models as writers: one file each, found by :mod:`psa_core.registry`."""

from __future__ import annotations

from psa_core import models, trust
from psa_core.errors import ModelError
from psa_core.generators._base import Batch, Draw, Generator, GeneratorPlugin, Sampling
from psa_core.generators._matching import CANDIDATES, Matching, split
from psa_core.inputs.checks import as_text
from psa_core.models import ModelCard
from psa_core.registry import discover, readable_id
from psa_core.trust import Need, Origin


def plugins() -> dict[str, GeneratorPlugin]:
    """Every kind of generator by its id."""
    return discover("psa_core.generators", "GENERATOR")


def cards() -> tuple[ModelCard, ...]:
    """Generators that can be used at once; loads nothing heavy."""
    return tuple(card for plugin in plugins().values() for card in plugin.cards())


def titled(generator_id: str) -> str:
    """A language model as people read it: by the title of its card, or by its id in short; any text will do.

    Examples
    --------
    >>> titled("lm:smollm2"), titled("lm:organisation/model")
    ('SmolLM2-135M-Instruct', 'lm:organisation/model')
    """
    return next((card.title for card in cards() if card.id == generator_id), readable_id(generator_id))


def load(generator_id: str, *, origin: Origin | None = None) -> Generator:
    """Load a generator: ``lm:smollm2``, ``lm:<hub id, folder or .gguf>``, ``chat:<address>``, ``continuations:<file>``.

    With ``?match=sentiment`` behind it, or ``&match=…`` after other options, of several continuations those are kept
    whose sentiment (or the score of another packaged scorer) differs less from value to value; see `Matching`. The
    `origin` is who names it, where that is not who this thread acts for; see `psa_core.trust`. Raises `OptionError`
    when it may not be loaded on that word, `ModelError` when the id is unknown or the model cannot be loaded.
    """
    writer, scorer = split(check(generator_id, origin))
    plugin, argument = _found(writer)
    with trust.acting(origin), models.in_one_sentence(generator_id, needs(generator_id), "--lm"):
        generator = plugin.load(argument)
        return Matching(generator, models.load(scorer)) if scorer else generator


def check(generator_id: str, origin: Origin | None = None) -> str:
    """The id, where it may be loaded on somebody's word; loads nothing. See `load` for what it raises."""
    plain = as_text("--lm", generator_id)
    with trust.acting(origin):
        for need in needs(plain):
            trust.permit("--lm", need)
    return plain


def needs(generator_id: str) -> tuple[Need, ...]:
    """What loading a generator does: nothing for a packaged one; raises `ModelError` when the id is unknown."""
    writer, _ = split(generator_id)
    plugin, argument = _found(writer)
    packaged = writer in {card.id for card in plugin.cards()}
    return () if packaged else plugin.takes.needs(argument)


def _found(generator_id: str) -> tuple[GeneratorPlugin, str]:
    """Who loads a generator, and what it is given."""
    kind, _, argument = generator_id.partition(":")
    if kind not in plugins() or not argument:
        choices = ", ".join(f"{plugin.id}:<{plugin.argument}>" for plugin in plugins().values())
        raise ModelError("--lm", got=repr(generator_id), expected=f"one of {choices}")
    return plugins()[kind], argument


def as_scorer(generator_id: str) -> str:
    """The id of a language model's own weights as a scorer: without what is only said of sampling.

    Examples
    --------
    >>> as_scorer("lm:smollm2?precision=bf16&adapter=softer&match=sentiment")
    'lm:smollm2?adapter=softer'
    """
    name, _, options = split(generator_id)[0].partition("?")
    kept = "&".join(part for part in options.split("&") if part and not part.startswith("precision="))
    return f"{name}?{kept}" if kept else name
