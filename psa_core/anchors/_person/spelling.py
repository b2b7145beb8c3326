"""How names are spelled: patterns for a name in any of its spellings, and the form in which one is written."""

from __future__ import annotations

import re

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.lexicon import fold, is_capitals
from psa_core.anchors._person.naming import Named
from psa_core.inputs import people


def either(*names: str) -> str:
    """A pattern for names: *MacRae* in any capitals behind the first, *van der* in any, with any space or hyphen."""

    def written(part: re.Match[str]) -> str:
        if part[0] in " -":
            return r"\s+" if part[0] == " " else "[ -]?"
        fixed = 0 if part[0].casefold() in people.PARTICLES else 1
        return f"{re.escape(part[0][:fixed])}(?i:{re.escape(part[0][fixed:])})"

    spellings = dict.fromkeys(fold(one) for name in names for one in (name, name.translate(lexicon.GERMAN)))
    return f"(?:{'|'.join(re.sub('[ -]|[^ -]+', written, one) for one in spellings)})"


def middle_names(who: Named, *, at_end: bool = False) -> str:
    """A pattern for what may stand between first and last name: initials, middle names, a short form in quotes.

    `at_end`: behind both, where *(Finance)* is no name.
    """
    names = "".join(f"|{either(word)}" for word in who.middle if len(word.rstrip(".")) > 1)
    shorts = either(*filter(None, (who.first, who.nick)), *map(str.capitalize, lexicon.shorts_of(who.first)))
    short = rf"(?:{shorts}|(?i:{re.escape(fold(who.first[:2]))})[\w-]*)" if at_end else r"[\w-]+"
    return rf"(?:[ ]+(?:[A-Z]\.?|[\"“(]{short}[\"”)]{names}))*"


def between_names(who: Named) -> str:
    """A pattern for the middle names between last and first name: *Nguyen Thi Huong*."""
    return "".join(rf"(?:{either(word)}\s+)?" for word in who.middle)


def halves(last: str) -> list[str]:
    """The two parts of a double last name (*García López*, *de la Cruz Benítez*), of which either may stand for it."""
    parts = re.findall(rf"(?:(?:{'|'.join(people.PARTICLES)})\s+)*\S+", last, re.IGNORECASE)
    return parts if len(parts) == 2 and all(part.split()[-1][:1].isupper() for part in parts) else []


def initial_of(last: str) -> str:
    """The first capital of a last name: of *van der Meulen* the M."""
    return next((word[0] for word in fold(last).split() if word[0].isupper()), fold(last)[:1]).upper()


def form_of(match: re.Match[str], one: str, two: str) -> str:
    """The form of both names as they are written here."""
    capitals = {part: is_capitals(match[group]) for part, group in ((one, "one"), (two, "two"))}
    if {one, two} == {"first", "last"} and "," not in match["sep"] and len(set(capitals.values())) == 1:
        form = "title_full" if match["title"] else "full"
        return form.upper() if capitals[one] else form
    words = []
    for part, group in ((one, "one"), (two, "two")):
        dot = "." if len(part) == 1 and "." in match[group] else ""
        words.append((part.upper() if capitals[part] or len(part) == 1 else part.capitalize()) + dot)
    title, separator = "Title " if match["title"] else "", re.sub(r"\s+", " ", match["sep"])
    return f"name={title}{words[0]}{separator}{words[1]}"
