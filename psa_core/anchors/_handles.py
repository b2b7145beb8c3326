"""A known person's name in e-mail addresses, links, paths and file names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from psa_core.anchors._name_words import GERMAN, as_written, fold, nicknames
from psa_core.anchors._subject import Named
from psa_core.inputs import people

DOMAIN, SHARED_ADDRESS = "part of an address", "a last name in an address, which two people share"
_SEPARATOR = r"(?:[._+-]|%20)?"
_ADDRESS = re.compile(r"\S*(?:@|/|\\|_|\.(?:pdf|docx?|xlsx?|txt|jpe?g|png|com|org|net|io|html?)\b)\S*", re.IGNORECASE)
_IS_PATH = re.compile(r"[@_\\]|/\S*[a-z]{2}[./]|\.\w{2,4}$|https?:|www\.|^[\w-]+(?:\.[\w-]+)+/", re.IGNORECASE)
_HOST = re.compile(r"(?:https?://|www\.)[^/\s]+|(?<=\w@)[^/\s]+|^[^/\s@]+\.[a-z]{2,}(?=/)", re.IGNORECASE)


def handles_of(text: str, who: Named, *, shared: bool) -> Iterator[tuple[int, int, str, str]]:
    """Start, end and form of each name in an address; or, instead of a form, the reason why it is left."""
    patterns = list(_patterns(who))
    for token in _ADDRESS.finditer(fold(text)):
        if not _IS_PATH.search(token[0]):
            continue
        hosts = [match.span() for match in _HOST.finditer(token[0])]
        for pattern, one, two in patterns:
            for match in re.finditer(pattern, token[0], re.IGNORECASE):
                start, end = token.start() + match.start(), token.start() + match.end()
                if any(a <= match.start() < b for a, b in hosts):
                    yield start, end, "", DOMAIN
                elif one == "last" and not two and shared:
                    yield start, end, "", SHARED_ADDRESS
                elif not two and re.match(r"[._][a-z]+@", token[0][match.end() :], re.IGNORECASE):  # jane.portfolio@
                    yield start, end, "", DOMAIN
                else:
                    second = match[2] + as_written(two, match[3]) if two else ""
                    yield start, end, f"handle={as_written(one, match[1])}{second}", ""


def _patterns(who: Named) -> Iterator[tuple[str, str, str]]:
    """Patterns with the two names that they hold: the longest first."""
    given, family = (_spelled(name) for name in (who.first, who.last))
    if given and family:
        shorts = {who.nick.casefold(), *nicknames().get(who.first.casefold(), ())} - {""}
        given = f"(?:{'|'.join((given, *map(_spelled, sorted(shorts))))})"
    # Middle names, and the second half of *Jean-Luc*, may stand between as initials or in full.
    halves = people.handle(" ".join(who.first.split("-")[1:]))
    between = "".join(
        rf"(?:[._-]?{word[:1]}(?:{word[1:]})?)?" for word in map(people.handle, (halves, *who.middle)) if word
    )
    if given and family:
        first, last = people.handle(who.first)[:1], people.handle(who.last)[:1]
        gap = f"({_SEPARATOR})"
        yield rf"(?<![a-z])({given}){between}{gap}({family})(?![a-z])", "first", "last"
        yield rf"(?<![a-z])({family}){gap}({given})(?![a-z])", "last", "first"
        yield rf"(?<![a-z])({first}){between}{gap}({family})(?![a-z])", "f", "last"
        yield rf"(?<![a-z])({given}){gap}({last})(?![a-z])", "first", "l"
        yield rf"(?<![a-z])({family}){gap}({first})(?![a-z])", "last", "f"
        yield rf"(?<![a-z])({given})(?![a-z])", "first", ""
    if family or given:
        yield rf"(?<![a-z])({family or given})(?![a-z])", "last" if family else "first", ""


def _spelled(name: str) -> str:
    """A name of two words, or of its first alone where the last name is double, with any sign between its words."""
    words = [re.escape(people.handle(word)) for word in re.split(r"[ -]", name) if people.handle(word)]
    whole = "[._-]?".join(words)
    german = people.handle(name.translate(GERMAN))
    whole = whole if german == people.handle(name) else f"(?:{whole}|{german})"
    is_double = len(words) == 2 and words[0].casefold() not in people.PARTICLES
    return f"(?:{whole}|{words[0]})" if is_double else whole
