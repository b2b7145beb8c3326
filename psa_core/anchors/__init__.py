"""Anchor finders: one file each, found by :mod:`psa_core.registry`."""

from __future__ import annotations

from collections.abc import Iterable

from psa_core import trust
from psa_core.anchors._base import (
    CHOOSABLE,
    REASONS,
    UNCLEAR,
    Anchor,
    AnchorFinder,
    AnchorPlugin,
    Found,
    Undecided,
    fill_slots,
    is_verb,
    search,
)
from psa_core.anchors._persons import NamedPerson, persons
from psa_core.errors import AnchorError, near
from psa_core.registry import discover
from psa_core.trust import Origin


def plugins() -> dict[str, AnchorPlugin]:
    """Every kind of anchor by its id."""
    return discover("psa_core.anchors", "ANCHOR")


def default() -> str:
    """The specification that is used where none is given: the pronouns of the paper."""
    return next(plugin.id for plugin in plugins().values() if plugin.is_default)


def suited_to(texts: Iterable[str], *, are_documents: bool = False) -> str:
    """The specification for texts that are all written for one kind of anchor, as with ``{name}``; else the default.

    For documents, or where four texts of five are longer than the default takes, it is the kind that finds one person's
    mentions.

    >>> suited_to(["I hate {name}.", "{Name} left.", ""]), suited_to(["I hate {name}.", "He left."])
    ('slot', 'pronouns')
    """
    written = [text for text in texts if text.strip()]
    marked = (plugin for plugin in plugins().values() if plugin.marks and all(map(plugin.marks, written)))
    suited = next((plugin.id for plugin in marked), "") if written else default()
    most = plugins()[default()].max_words
    are_long = most and 5 * sum(len(text.split()) > most for text in written) > 4 * len(written)
    if not suited and (are_documents or are_long):
        suited = next((plugin.id for plugin in plugins().values() if plugin.together), "")
    return suited or default()


def people() -> str:
    """The specification that finds people by their names."""
    return next(f"{plugin.id}:{plugin.people}" for plugin in plugins().values() if plugin.people)


def finder(spec: str, *, origin: Origin | None = None) -> AnchorFinder:
    """Build a finder from a specification such as ``pronouns``, ``entities:PERSON`` or ``terms:he,she``.

    `origin` is who names it, where that is not who this thread acts for (`psa_core.trust`). Raises `OptionError` when
    it may not be loaded on that word, and `AnchorError` for no known kind of anchor, or an argument that is not
    understood.
    """
    named, _, argument = spec.strip().partition(":")
    if named not in plugins():
        raise AnchorError(
            "anchors", got=repr(spec), expected=f"one of {', '.join(plugins())}", fix=near(named, plugins())
        )
    with trust.acting(origin):
        return plugins()[named].build(argument)


def kind(spec: str) -> AnchorPlugin:
    """The kind of anchor that a specification names; what is not known is like sentences with originals of their own.

    >>> kind("pronouns:he").max_words, kind("slot").has_original, kind("unknown").has_original
    (50, False, True)
    """
    return plugins().get(spec.strip().partition(":")[0], _UNKNOWN)


_UNKNOWN = AnchorPlugin("", "", "", finder)
