"""Which model ids, paths and addresses are permitted: decided here alone, by where they come from.

A plug-in declares what its argument is (`Takes`); the caller that loads it declares who named it (`Origin`), or works
inside of `acting`; every load passes `permit`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from urllib.parse import parse_qsl

from psa_core.errors import OptionError
from psa_core.trust.addresses import ALLOW, is_listed, token_may_go


class Origin(IntEnum):
    """Where an id, a path or an address comes from, the most trusted first."""

    COMMAND_LINE = 0
    OWN_MACHINE = 1
    VISITOR = 2
    FILE = 3


class Kind(Enum):
    """What loading something does; the value says it in a sentence after *which*."""

    HUB = "is fetched from a model hub"
    PATH = "reads this machine's files"
    MODEL = "loads a model from this machine's files"
    ADDRESS = "asks an address"
    KEY = "uses a key of this server"
    PICKLE = "reads a pickle, which can hide a program"
    CODE = "runs a program"


@dataclass(frozen=True)
class Need:
    """One thing that loading something does, and to what: a path, an address, a hub id (and revision), a function."""

    kind: Kind
    value: str
    revision: str = ""


@dataclass(frozen=True)
class Takes:
    """What the argument of a plug-in is.

    `kinds` are all that it can be, none where loading touches nothing but the program itself; `needs` goes from one
    argument to what loading it does.
    """

    kinds: frozenset[Kind]
    needs: Callable[[str], tuple[Need, ...]]


def _hub_or_path(argument: str) -> tuple[Need, ...]:
    name, _, options = argument.partition("?")
    given = dict(parse_qsl(options))
    # Whether there is such a folder here is not a visitor's business: what looks like a hub's id is one.
    is_hubs = is_hub_id(name) and (current() >= Origin.VISITOR or not os.path.exists(name))
    needs = [Need(Kind.HUB, name, given.get("revision", "")) if is_hubs else Need(Kind.PATH, name)]
    if given.get("allow_pickle", "0").lower() not in ("0", "no", "false"):
        needs.append(Need(Kind.PICKLE, name))
    if "adapter" in given:
        needs.append(Need(Kind.MODEL, given["adapter"]))
    return tuple(needs)


def _one(kind: Kind, end: str) -> Takes:
    return Takes(frozenset({kind}), lambda argument: (Need(kind, argument.partition(end)[0]),))


NOTHING = Takes(frozenset(), lambda _: ())
CODE = Takes(frozenset({Kind.CODE}), lambda argument: (Need(Kind.CODE, argument),))
PATH = _one(Kind.PATH, "?")
MODEL = _one(Kind.MODEL, "?")
ADDRESS = _one(Kind.ADDRESS, "#")
HUB_OR_PATH = Takes(frozenset({Kind.HUB, Kind.PATH, Kind.MODEL, Kind.PICKLE}), _hub_or_path)

MAY = {
    Origin.COMMAND_LINE: frozenset(Kind),
    Origin.OWN_MACHINE: frozenset(Kind) - {Kind.CODE},
    Origin.VISITOR: frozenset({Kind.HUB, Kind.ADDRESS, Kind.KEY}),
    Origin.FILE: frozenset[Kind](),
}
WHO = {
    Origin.COMMAND_LINE: "the command line",
    Origin.OWN_MACHINE: "a page",
    Origin.VISITOR: "a visitor",
    Origin.FILE: "a file",
}
#: Where a program may run, for whoever sits before a page.
ELSEWHERE = "Run it on the command line, or upload its scores as a file of predictions."
FIX = {
    Origin.OWN_MACHINE: ELSEWHERE,
    Origin.VISITOR: "On your own machine, start it with make app or psa app.",
    Origin.FILE: "What a file names is only a suggestion: if you know it, type it yourself.",
}

_PART = r"[A-Za-z0-9_][\w.-]{0,95}"  # no part is "." or "..", which a path would leave out
HUB_ID = re.compile(rf"{_PART}(/{_PART})?", re.ASCII)
_origin: ContextVar[Origin] = ContextVar("origin", default=Origin.COMMAND_LINE)
_inside: ContextVar[Path | None] = ContextVar("inside", default=None)


def current() -> Origin:
    """On whose word this thread acts now; the command line's, unless it is inside of `acting`."""
    return _origin.get()


@contextmanager
def acting(origin: Origin | None, inside: Path | None = None) -> Iterator[None]:
    """Act on somebody's word in this block; one block inside of another can only be stricter, and None changes nothing.

    The files `inside` of a folder, the uploads of a run, may be read on anybody's word.
    """
    stricter = _origin.set(max(current(), origin or Origin.COMMAND_LINE))
    folder = _inside.set(inside or _inside.get())
    try:
        yield
    finally:
        _inside.reset(folder)
        _origin.reset(stricter)


def act_for(origin: Origin) -> None:
    """Act on somebody's word in this thread from here on, where that is stricter than on whose word it acts now."""
    _origin.set(max(current(), origin))


def permit(field: str, need: Need, origin: Origin | None = None, *, named: str = "") -> None:
    """Pass what may be done on somebody's word; raises `OptionError`, which says why, where it may not.

    The message is about a `field`, such as ``model``, and calls the need as it was `named`, else by its own value. The
    `origin` is who names it, where that is not who this thread acts for.
    """
    who = max(current(), origin or Origin.COMMAND_LINE)
    is_permitted = need.kind in MAY[who]
    if who >= Origin.VISITOR and need.kind in (Kind.ADDRESS, Kind.KEY):
        is_permitted &= is_listed(need.value) if need.kind is Kind.ADDRESS else token_may_go(need.value)
    if is_permitted:
        return
    folder = _inside.get()
    with suppress(OSError, ValueError, RuntimeError):  # a loop of links, a NUL, a name too long
        if need.kind is Kind.PATH and folder and Path(need.value).resolve().is_relative_to(folder.resolve()):
            return
    if Kind.PATH in MAY[who]:
        expected = "a packaged model, a file, an address or an id of a model hub"
    else:
        expected = "an id of a model hub, or one of the list" if Kind.HUB in MAY[who] else "one of the list"
    got = f"{(named or need.value)[:120]!r}, named by {WHO[who]}, which {need.kind.value}"
    fix = ELSEWHERE if need.kind is Kind.CODE and who is Origin.VISITOR else FIX[who]
    raise OptionError(field, got=got, expected=expected, fix=fix)


def permit_path(field: str, path: str, origin: Origin | None = None) -> None:
    permit(field, Need(Kind.PATH, path), origin)


def is_hub_id(name: str) -> bool:
    """Whether it is like ``owner/model``."""
    return HUB_ID.fullmatch(name) is not None


def offered_to(takes: Takes, origin: Origin) -> bool:
    """Whether some argument of a plug-in may come from there."""
    kinds = takes.kinds & MAY[origin]
    if origin >= Origin.VISITOR and ALLOW not in os.environ:
        kinds -= {Kind.ADDRESS}
    return not takes.kinds or bool(kinds)
