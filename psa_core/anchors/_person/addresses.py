"""A person's names in e-mail addresses, links, paths and file names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.naming import Named
from psa_core.inputs import people
from psa_core.inputs.gazetteers import is_listed

#: Start, end and form of a mention; where the form is empty, the reason why it is left.
Mention = tuple[int, int, str, str]
DOMAIN, SHARED_ADDRESS = "part of an address", "a last name in an address, which two people share"
_SEPARATOR = r"(?:[._+-]|%20)?"
_IS_ADDRESS = re.compile(r"@|/|\\|_|\.(?:pdf|docx?|xlsx?|txt|jpe?g|png|com|org|net|io|html?)\b", re.IGNORECASE)
_IS_PATH = re.compile(r"[@_\\]|/\S*[a-z]{2}[./]|\.\w{2,4}$|https?:|www\.|^[\w-]+(?:\.[\w-]+)+/", re.IGNORECASE)
_HOST = re.compile(r"(?:https?://|www\.)[^/\s]+|(?<=\w@)[^/\s]+|^[^/\s@]+\.[a-z]{2,}(?=/)", re.IGNORECASE)


def handles_in(plain: str, who: Named, sharing: Sequence[Named]) -> Iterator[Mention]:
    """The person's names in the addresses of a text without accents; `sharing` are others with the last name."""
    patterns = list(_handles(who))
    own = {people.handle(who.first).casefold(), people.handle(who.nick).casefold()}
    alike = any(people.handle(other.first)[:1] == people.handle(who.first)[:1] for other in sharing)
    for token in lexicon.tokens_in(plain):
        if not (_IS_ADDRESS.search(token[0]) and _IS_PATH.search(token[0])):
            continue
        hosts = [match.span() for match in _HOST.finditer(token[0])]
        for pattern, one, two in patterns:
            for match in re.finditer(pattern, token[0], re.IGNORECASE):
                span = token.start() + match.start(), token.start() + match.end()
                is_short = two and not own & {match[1].casefold(), match[3].casefold()}
                if any(a <= match.start() < b for a, b in hosts) or (not two and _is_anothers(token[0], *match.span())):
                    yield *span, "", DOMAIN
                elif (one == "last" and not two and sharing) or (is_short and alike):
                    yield *span, "", SHARED_ADDRESS
                else:
                    second = match[2] + lexicon.as_written(two, match[3]) if two else ""
                    yield *span, f"handle={lexicon.as_written(one, match[1])}{second}", ""


def _is_anothers(token: str, start: int, end: int) -> bool:
    """Whether another word stands beside one name in an e-mail (*jane.portfolio@*), or another name in a file's."""
    beside = re.search(r"[^/@\\]*$", token[:start])[0], re.match(r"[^/@\\]*", token[end:])[0]  # type: ignore[index]
    words = re.findall(r"[a-z]+", " ".join(beside), re.IGNORECASE)
    is_mail = token[end + len(beside[1]) :][:1] == "@"
    return any(is_mail or (is_listed(word) and not lexicon.is_ordinary(word)) for word in words)


def _handles(who: Named) -> Iterator[tuple[str, str, str]]:
    """Patterns of the person's names in an address, with the two names that they hold: the longest first."""
    given, family = (_spelled(name) for name in (who.first, who.last))
    if given and family:
        whole = people.handle(who.first).casefold()
        shorts = {who.nick.casefold(), *lexicon.shorts_of(who.first)} - {""}
        known = f"(?:{'|'.join((given, *map(_spelled, sorted(shorts))))})"
        shorts = {whole[:end] for end in range(3, len(whole))} | {whole[at:] for at in range(1, len(whole) - 3)}
        given = f"(?:{'|'.join((known, *sorted(shorts, key=len, reverse=True)))})"  # seun.ade@, of Oluwaseun Ade
        # Middle names, and the second half of *Jean-Luc*, may stand between as initials or in full.
        halves = people.handle(" ".join(who.first.split("-")[1:]))
        words = filter(None, map(people.handle, (halves, *who.middle)))
        between = "".join(rf"(?:[._-]?{word[:1]}(?:{word[1:]})?)?" for word in words)
        first, last = people.handle(who.first)[:1], people.handle(who.last)[:1]
        last += f"(?:{''.join(people.handle(word)[:1] for word in re.split('[ -]', who.last)[1:])})?"
        gap, generation = f"({_SEPARATOR})", f"(?:{_SEPARATOR}(?:{'|'.join(map(lexicon.fold, lexicon.GENERATIONS))}))?"
        yield rf"(?<![a-z])({given}){between}{gap}({family}{generation})(?![a-z])", "first", "last"
        yield rf"(?<![a-z])({family}{generation}){gap}({given})(?![a-z])", "last", "first"
        yield rf"(?<![a-z])({first}){between}{gap}({family}{generation})(?![a-z])", "f", "last"
        yield rf"(?<![a-z])({known}){gap}({last})(?![a-z])", "first", "l"
        yield rf"(?<![a-z])({family}){gap}({first})(?![a-z])", "last", "f"
        yield rf"(?<![a-z])({known})(?![a-z])", "first", ""
    if family or given:
        yield rf"(?<![a-z])({family or given})(?![a-z])", "last" if family else "first", ""


def _spelled(name: str) -> str:
    """A name of two words, or of its first alone where the last name is double, with any sign between its words."""
    words = [re.escape(people.handle(word)) for word in re.split(r"[ -]", name) if people.handle(word)]
    whole = "[._-]?".join(words)
    german = people.handle(name.translate(lexicon.GERMAN))
    whole = whole if german == people.handle(name) else f"(?:{whole}|{german})"
    ends = [at for at, word in enumerate(words, 1) if word.casefold() not in people.PARTICLES]
    return f"(?:{whole}|{'[._-]?'.join(words[: ends[0]])})" if len(ends) == 2 else whole
