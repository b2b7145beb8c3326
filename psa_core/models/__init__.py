"""Scorers: one file each, found by :mod:`psa_core.registry`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from psa_core import trust
from psa_core.errors import ModelError, OptionError
from psa_core.inputs.checks import as_text
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, Scorer, TokenScorer
from psa_core.models._function import FunctionScorer, found_targets, from_callable, name_of
from psa_core.registry import discover
from psa_core.trust import Kind, Need, Origin
from psa_core.trust.sandbox import Sandbox

__all__ = [
    "FunctionScorer",
    "ModelCard",
    "ModelPlugin",
    "Purpose",
    "Scorer",
    "TokenScorer",
    "cards",
    "check",
    "found_targets",
    "from_callable",
    "good_for",
    "is_trainable",
    "load",
    "measures_perplexity",
    "name_of",
    "needs",
    "plugins",
    "sandbox_for",
]


def plugins() -> dict[str, ModelPlugin]:
    """Every kind of model by its id."""
    return discover("psa_core.models", "MODEL")


def cards() -> tuple[ModelCard, ...]:
    """Models that can be used at once, with what they return; loads nothing heavy."""
    return tuple(card for plugin in plugins().values() for card in plugin.cards())


def good_for(purpose: Purpose) -> tuple[str, ...]:
    """Ids of the models whose cards say that they are good for something."""
    return tuple(card.id for card in cards() if purpose in card.good_for)


def measures_perplexity(model_id: str) -> bool:
    """Whether a model says how unexpected a text is; False for one that is unknown."""
    plugin = _kind_of(model_id)
    return plugin is not None and plugin.perplexity


def is_trainable(model_id: str) -> bool:
    """Whether training can go on from a model; False for one that is unknown."""
    plugin = _kind_of(model_id)
    return plugin is not None and plugin.trainable


def _kind_of(model_id: str) -> ModelPlugin | None:
    known = {card.id: plugin for plugin in plugins().values() for card in plugin.cards()}
    return known.get(model_id) or plugins().get(model_id.partition(":")[0])


def load(model_id: str, *, origin: Origin | None = None) -> Scorer:
    """Load a scorer: ``vader``, ``minilm-emotion``, ``hf:<hub id or folder>``, ``predictions:<file>`` …

    Parameters
    ----------
    model_id : str
    origin : Origin, optional
        Who names it, where that is not who this thread acts for; see `psa_core.trust`.

    Raises
    ------
    OptionError
        When it may not be loaded on that word.
    ModelError
        When the id is unknown or the model cannot be loaded; the message says what to do.
    """
    plugin, argument = _found(check(model_id, origin))
    try:
        with trust.acting(origin):
            return plugin.load(argument)
    except OSError as error:
        got = f"{model_id[:80]!r}, which cannot be read ({error.strerror or type(error).__name__})"
        raise ModelError("model", got=got, expected="a model that is there and that you may read") from error


def check(model_id: str, origin: Origin | None = None) -> str:
    """The id, where it may be loaded on somebody's word; loads nothing. See `load` for what it raises."""
    plain = as_text("model", model_id)
    with trust.acting(origin):
        for need in needs(plain):
            trust.permit("model", need, named=plain)
    return plain


def needs(model_id: str) -> tuple[Need, ...]:
    """What loading a model does: nothing for a packaged one; for a plug-in that loads another model, the other's too.

    Raises
    ------
    ModelError
        When the id is unknown.
    """
    plugin, argument = _found(model_id)
    packaged = model_id in {card.id for card in plugin.cards()} or not plugin.argument
    return () if packaged else plugin.takes.needs(argument)


def sandbox_for(needs: Iterable[Need]) -> Sandbox | None:
    """What a process may touch that loads models on the word of whom this thread acts for; fetches what is on a hub.

    None where it is loaded as anything else is: packaged, behind an address, or named by who may name any folder.

    Raises
    ------
    ModelError
        When a model cannot be fetched.
    OptionError
        When an address is to be asked as well: that takes the network, and perhaps a token.
    """
    needs = tuple(needs)
    if trust.current() < Origin.VISITOR or not any(_is_unvouched(need) for need in needs):
        return None
    if any(need.kind is Kind.ADDRESS for need in needs):
        got, fix = "an address beside a model of a hub", "Take them one after the other."
        raise OptionError("model", got=got, expected="one or the other in one run", fix=fix)
    from psa_core.models._transformers import adapter, hub

    fetched = hub.fetch(needs) | adapter.stand_in()
    folders = [need.value for need in needs if need.kind is Kind.PATH]
    return Sandbox(reads=(*folders, *map(_with_blobs, fetched.values())), models=fetched)


def _with_blobs(folder: str) -> str:
    """A folder with what its files lead to, where it is a snapshot in the cache of a hub."""
    parts = Path(folder).parents
    return str(parts[1]) if parts[0].name == "snapshots" else folder


def _is_unvouched(need: Need) -> bool:
    return need.kind is Kind.HUB or (need.kind is Kind.PATH and os.path.isdir(need.value))


def _found(model_id: str) -> tuple[ModelPlugin, str]:
    """Who loads a model, and what it is given."""
    known = {card.id: plugin for plugin in plugins().values() for card in plugin.cards()}
    if model_id in known:
        plugin = known[model_id]
        return plugin, model_id.partition(":")[2] if ":" in model_id else model_id
    kind, colon, argument = model_id.partition(":")
    if colon and kind in known and (kind not in plugins() or not plugins()[kind].argument):
        raise ModelError("model", got=repr(model_id), expected=f"{kind}, which takes nothing after it")
    if kind in plugins() and colon and argument:
        return plugins()[kind], argument
    also = {alias: plugin for plugin in plugins().values() for alias in plugin.aliases}
    if kind in also and argument:
        return also[kind], model_id
    choices = [*known, *(f"{p.id}:<{p.argument}>" for p in plugins().values() if p.argument)]
    raise ModelError("model", got=repr(model_id), expected=f"one of {', '.join(choices)}")
