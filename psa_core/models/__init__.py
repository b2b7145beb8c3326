"""Scorers: one file each, found by :mod:`psa_core.registry`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.parse import quote

from psa_core import trust
from psa_core.errors import ModelError, OptionError, near
from psa_core.inputs.checks import as_text
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, Questioner, Scorer, TokenScorer
from psa_core.models._function import FunctionScorer, found_targets, from_callable, name_of
from psa_core.registry import discover, readable_id
from psa_core.trust import Kind, Need, Origin
from psa_core.trust.sandbox import Sandbox


def plugins() -> dict[str, ModelPlugin]:
    """Every kind of model by its id."""
    return discover("psa_core.models", "MODEL")


def cards() -> tuple[ModelCard, ...]:
    """Models that can be used at once, with what they return; loads nothing heavy."""
    return tuple(card for plugin in plugins().values() for card in plugin.cards())


def titled(model_id: str) -> str:
    """A model as people read it: by the title of its card, or by its id in short; manifests and commands have the id.

    An audit's scorer may be one target of a model. Any text will do: a file may name what is not here.

    Examples
    --------
    >>> titled("vader"), titled("minilm-emotion.joy"), titled("hf:organisation/model")
    ('VADER', 'MiniLM emotion: joy', 'hf:organisation/model')
    """
    titles = {card.id: card.title for card in cards()}
    if model_id in titles:
        return titles[model_id]
    model, dot, target = model_id.rpartition(".")
    if dot and model in titles:
        return f"{titles[model]}: {target}"
    plugin = _kind_of(model_id)
    return (plugin.titled(model_id) if plugin and plugin.titled else "") or readable_id(model_id)


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
    return _ready().get(model_id) or plugins().get(model_id.partition(":")[0])


def _ready() -> dict[str, ModelPlugin]:
    """Who loads each model that has a card."""
    return {card.id: plugin for plugin in plugins().values() for card in plugin.cards()}


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
    with trust.acting(origin), in_one_sentence(model_id, needs(model_id)) as is_foreign:
        scorer = plugin.load(argument)
        if is_foreign and callable(getattr(scorer, "tokenize", None)):
            scorer.score(["He is here."])  # what odd settings do to a text shows at the first one
        return scorer


@contextmanager
def in_one_sentence(model_id: str, needed: Iterable[Need], field: str = "model") -> Iterator[bool]:
    """Raise `ModelError` for whatever a library raises of a model's own files; whether there are such files."""
    from psa_core.models._transformers import foreign

    is_foreign = any(
        need.kind in (Kind.HUB, Kind.MODEL) or (need.kind is Kind.PATH and os.path.isdir(need.value)) for need in needed
    )
    expected = "a model that exists and that you may read"
    with foreign(field, "files that do not load", expected) if is_foreign else nullcontext():
        try:
            yield is_foreign
        except OSError as error:
            got = f"{model_id[:80]!r}, which cannot be read ({error.strerror or type(error).__name__})"
            raise ModelError(field, got=got, expected=expected) from error


def check(model_id: str, origin: Origin | None = None) -> str:
    """The id, where it may be loaded on somebody's word; loads nothing. See `load` for what it raises."""
    plain = as_text("model", model_id)
    with trust.acting(origin):
        for need in needs(plain):
            trust.permit("model", need, named=plain)
    return plain


def is_asked(model_id: str) -> bool:
    """Whether a model is a language model that is asked by requests; False for one that is unknown."""
    plugin = _kind_of(model_id)
    return plugin is not None and plugin.unasked is not None


def told(model_id: str, system: str) -> str:
    """The id of the same language model that is told something first.

    Raises `OptionError` when the model cannot be told anything.
    """
    plugin = _kind_of(model_id)
    if plugin is None or not plugin.system:
        kinds = ", ".join(f"{each.id}:…" for each in plugins().values() if each.system)
        got, fix = f"a system message for {model_id[:60]!r}", "A context can be read by every model."
        raise OptionError("--conditions", got=got, expected=f"a model that is asked a question ({kinds})", fix=fix)
    return f"{model_id}{'&' if '?' in model_id else '?'}system={quote(system, safe='')}"


def unasked(model_id: str) -> Sequence[Questioner]:
    """Judges that say what would be asked of a language model; loads nothing, asks nothing.

    Raises `OptionError` when the model is none that is asked by requests, or may not be named here.
    """
    plugin, argument = _found(check(model_id))
    if plugin.unasked is None:
        kinds = ", ".join(f"{each.id}:…" for each in plugins().values() if each.unasked)
        raise OptionError("--model", got=repr(model_id[:80]), expected=f"a model that is asked by requests ({kinds})")
    return plugin.unasked(argument)


def needs(model_id: str) -> tuple[Need, ...]:
    """What loading a model does: nothing for a packaged one; for a plug-in that loads another model, the other's too.

    Raises `ModelError` when the id is unknown.
    """
    plugin, argument = _found(model_id)
    packaged = model_id in {card.id for card in plugin.cards()} or not plugin.argument
    return () if packaged else plugin.takes.needs(argument)


def sandbox_for(needs: Iterable[Need]) -> Sandbox | None:
    """What a process may touch that loads models on the word of whom this thread acts for; fetches what is on a hub.

    None where it is loaded as anything else is: packaged, behind an address, or named by who may name any folder.
    Raises `ModelError` when a model cannot be fetched; `OptionError` when an address is to be asked as well: that takes
    the network, and perhaps a token.
    """
    needs = tuple(needs)
    folders = [need.value for need in needs if need.kind is Kind.PATH]
    unvouched = any(need.kind is Kind.HUB for need in needs) or any(map(os.path.isdir, folders))
    if trust.current() < Origin.VISITOR or not unvouched:
        return None
    if any(need.kind is Kind.ADDRESS for need in needs):
        got, fix = "an address beside a model of a hub", "Take them one after the other."
        raise OptionError("model", got=got, expected="one or the other in one run", fix=fix)
    from psa_core.models._transformers import adapter, hub

    fetched = hub.fetch(needs) | adapter.stand_in()
    for folder in fetched.values():  # the files of a snapshot in a hub's cache lead to blobs beside it
        parts = Path(folder).parents
        folders.append(str(parts[1]) if parts[0].name == "snapshots" else folder)
    return Sandbox(reads=tuple(folders), models=fetched)


def _found(model_id: str) -> tuple[ModelPlugin, str]:
    """Who loads a model, and what it is given."""
    known, kinds = _ready(), plugins()
    kind, colon, argument = model_id.partition(":")
    if model_id in known:
        return known[model_id], argument if colon else model_id
    if colon and kind in known and (kind not in kinds or not kinds[kind].argument):
        raise ModelError("model", got=repr(model_id), expected=f"{kind}, which takes nothing after it")
    if kind in kinds and argument:
        return kinds[kind], argument
    also = {alias: plugin for plugin in kinds.values() for alias in plugin.aliases}
    if kind in also and argument:
        return also[kind], model_id
    choices = [*known, *(f"{p.id}:<{p.argument}>" for p in kinds.values() if p.argument)]
    raise ModelError("model", got=repr(model_id), expected=f"one of {', '.join(choices)}", fix=near(model_id, known))
