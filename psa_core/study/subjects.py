"""Whom a document is about: whom its file is named after, whom the anchors take it to be, or whom a reader chose."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from psa_core import anchors
from psa_core.anchors import AnchorFinder, Found, search
from psa_core.errors import OptionError, near
from psa_core.inputs import people
from psa_core.inputs.checks import as_text
from psa_core.plurals import counted

#: Sentence ids and names, each id once, in order.
Choices = tuple[tuple[str, str], ...]
#: Ids that a misspelled one is compared with.
COMPARED = 2_000


@dataclass(frozen=True)
class Subject:
    """Whom a text is about.

    `name` is empty where that is not known; `as_found` is the name without a reader's choice, also empty where a text
    would be left out then; `people` are those whom it may be about, the likeliest first.
    """

    name: str = ""
    as_found: str = ""
    people: tuple[str, ...] = ()

    @property
    def is_chosen(self) -> bool:
        """Whether a reader chose another one than was found."""
        return self.name != self.as_found

    @property
    def others(self) -> tuple[str, ...]:
        """Those whom it may be about too."""
        return tuple(name for name in self.people if name != self.name)


def choices(given: Any) -> Choices:
    """Whom a reader chose, from a mapping or pairs of a sentence_id and a name; an empty name is no choice.

    Raises `OptionError` for anything else, and for two names with one id.

    >>> choices({"b": "Tom  Ray", "a": "Anna", "c": ""})
    (('a', 'Anna'), ('b', 'Tom Ray'))
    """
    found: dict[str, str] = {}
    expected = "pairs of a sentence_id and a person's name, or a mapping from the one to the other"
    try:
        pairs = [tuple(pair) for pair in (given.items() if isinstance(given, Mapping) else given)]
        if isinstance(given, str) or any(len(pair) != 2 for pair in pairs):
            raise ValueError(given)
    except (TypeError, ValueError) as error:
        raise OptionError("--subjects", got=repr(given)[:60], expected=expected) from error
    for one, whom in pairs:
        sentence_id, name = as_text("--subjects", one), " ".join(as_text("--subjects", whom).split())
        if name and found.setdefault(sentence_id, name) != name:
            got = f"two people for {sentence_id[:60]!r}, {found[sentence_id][:60]!r} and {name[:60]!r}"
            raise OptionError("--subjects", got=got, expected="one for each text", fix="Take one of them out.")
    return tuple(sorted(found.items()))


def check(chosen: Choices, finder: AnchorFinder, ids: Iterable[object]) -> None:
    """Raise `OptionError` where a choice would do nothing: by the anchors, or since no text has its id."""
    if not chosen:
        return
    if not anchors.kind(finder.spec).together:
        got = f"{counted(len(chosen), 'choice')} beside the anchors {finder.spec}"
        kinds = ", ".join(kind.id for kind in anchors.plugins().values() if kind.together)
        raise OptionError("--subjects", got=got, expected=f"--anchors {kinds}, which replace one person of each text")
    known = dict.fromkeys(map(str, ids))
    unknown = [sentence_id for sentence_id, _ in chosen if sentence_id not in known]
    if unknown:
        got = f"{unknown[0][:60]!r}" + (f" and {len(unknown) - 1:,} more" if unknown[1:] else "")
        fix = near(unknown[0], islice(known, COMPARED)) or "Take the choice out, or correct the id."
        raise OptionError("--subjects", got=f"{got}, the id of no text", expected="ids of the study's texts", fix=fix)


def named_after(sentence_id: str, names: Iterable[str]) -> str:
    """The one of these people after whom a file is named, by both names or by a last name alone; empty for none or two.

    >>> named_after("cvs/doe_jane.pdf", ["Tom Ray", "Jane Doe"]), named_after("notes/12.txt", ["Jane Doe"])
    ('Jane Doe', '')
    """
    file = re.fullmatch(r"(?:.*[/\\])?(.+)\.\w{2,5}", sentence_id)
    found = re.findall(r"[^\W\d_A-Z]+|[A-Z](?:[^\W\d_A-Z]+|[A-Z]*)", file[1] if file else "")
    words = {people.handle(word).casefold() for word in found}
    by_both, by_last = list[str](), list[str]()
    for name in names:
        parts = (re.split("[ '’-]", part) for part in people.split(name))
        first, last = ([people.handle(word).casefold() for word in part] for part in parts)
        whole = {"".join(first + last), "".join(last + first)}
        if {*first, *last} - {""} <= words or whole & words:
            by_both.append(name)
        elif any(last) and {*last} <= words:
            by_last.append(name)
    after = by_both or by_last
    return after[0] if len(after) == 1 else ""


def find(
    finder: AnchorFinder, ids: Sequence[str], texts: Sequence[str], chosen: Choices
) -> list[tuple[Found, Subject]]:
    """The anchors of each text, of the person whom a reader chose where there is a choice."""
    every = search(finder, texts)
    kind, _, named = finder.spec.partition(":")
    if not anchors.kind(kind).together:
        return [(found, Subject()) for found in every]
    names, changed, subjects = dict(chosen), defaultdict[str, list[int]](list), list[Subject]()
    for position, (sentence_id, found) in enumerate(zip(ids, every, strict=True)):
        likeliest = "" if found.reason else named or next(iter(found.people), "")
        as_found = likeliest if named else named_after(sentence_id, found.people) or likeliest
        name = names.get(sentence_id, as_found)
        name = next((one for one in (as_found, *found.people) if one.casefold() == name.casefold()), name)
        if name != likeliest:
            changed[name].append(position)
        subjects.append(Subject(name, as_found, found.people))
    for name, positions in changed.items():
        about = getattr(finder, "about", lambda name: anchors.finder(f"{kind}:{name}"))
        for position, found in zip(positions, search(about(name), [texts[at] for at in positions]), strict=True):
            every[position] = found
    return list(zip(every, subjects, strict=True))
