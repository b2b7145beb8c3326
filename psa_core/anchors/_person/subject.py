"""Which names of a text are one person's, and which person the text is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from psa_core.anchors._base import NO_PERSON, NOT_NAMED, TWO_OF_A_NAME, UNCLEAR
from psa_core.anchors._person.about import Evidence, is_clear, weights_of
from psa_core.anchors._person.lexicon import (
    GERMAN,
    PART,
    PLACE_LASTS,
    TITLE,
    bare,
    could_be_name,
    fold,
    is_first,
    is_ordinary,
    is_slip,
    key_of,
    shorts_of,
)
from psa_core.anchors._person.naming import SYLLABLES, VIETNAMESE, Named, named
from psa_core.anchors._person.told import is_town, may_be_place, told_in
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, gender_of, is_listed

_KNOWN_AS = re.compile(
    rf"\b(?i:known[ ](?!to[ ](?:h|m|the))(?:[^.\n,]{{0,40}}[ ])?as|go(?:es)?[ ]by|nicknamed|nickname:?"
    rf"|(?:preferred|pet|house)[ ]name:?|to[ ]be[ ]called|aka|a\.k\.a\."
    rf"|\(uses|,[ ]whom[ ](?!I['’]ll)(?:[\w']+[ ]){{1,3}}calls?"
    rf")[: \t.]+[\"“‘']?({PART})(?![ ]{PART})"
)
#: *Pip, as everybody calls her*.
_CALLED_SO = re.compile(rf"(?<![\w-])({PART}),?[ ]as[ ](?:[\w']+[ ]){{1,4}}(?:calls?|called)[ ](?:her|him|them)\b")


def find_people(text: str, entities: Sequence[tuple[int, int]]) -> list[Evidence]:
    """Everybody whom a text names, the one it is most about first; `entities` are a recogniser's people."""
    by_name: dict[tuple[str, ...], Evidence] = {}
    told = list(told_in(text, entities))
    lasts = {one.who.key[1] for one in told if one.who}
    for who, at, weight, gender in told:
        if who is None or may_be_place(text, who) or (who.last.casefold() in PLACE_LASTS and who.key[0] in lasts):
            continue
        one = by_name.setdefault((*who.key, "" if who.first else gender), Evidence(who))
        if len(who.middle) > len(one.named.middle) or (who.nick and not one.named.nick):
            one.named = who
        one.take(Evidence(who, weight, at, Counter(filter(None, [gender or who.gender]))))
    found = [one for one in by_name.values() if not is_town(text, one.named)]
    _with_short_forms(text, found)
    _in_order(found)
    _with_last_names(text, found)
    ranked = sorted(_merged(found), key=lambda one: (-one.weight, one.first_at))
    for one, weight in zip(ranked, weights_of(text, ranked), strict=True):
        one.weight, one.is_told = weight, one.weight >= 1
    return sorted(ranked, key=lambda one: (-one.weight, one.first_at))


def choose(text: str, found: list[Evidence], chosen: str) -> tuple[Evidence | None, str]:
    """Who a text is about: the first of those `found`, or the one whom the reader has chosen; else why nobody."""
    if not chosen:
        if not found:
            return None, NO_PERSON
        name = rf"\b{re.escape(found[0].named.words)},?[ ]"
        if re.search(rf"{name}(?:Sr|Senior)\b", text) and re.search(rf"{name}(?:Jr|Junior)\b", text):
            return None, TWO_OF_A_NAME
        return (found[0], "") if is_clear(found, len(text)) else (None, UNCLEAR)
    wanted = chosen.casefold().split()
    fitting = [one for one in found if key_of(people.handle(one.named.words)) == key_of(people.handle(chosen))]
    if not fitting and len(wanted) == 1:
        fitting = [one for one in found if wanted[0] in re.split("[ -]", one.named.words.casefold())]
    if len(fitting) > 1:
        return None, TWO_OF_A_NAME
    if fitting:
        return fitting[0], ""
    who = named(chosen.split()) or named(chosen.split(), sure=True)
    parts = [one for one in found if who and who.last and not one.is_full and _has_part(who, one.named)]
    if who and parts:  # Jane here, and Ms. Doe there
        parts[0].named = replace(who, nick=next((one.named.first for one in parts if one.named.first), ""))
        for one in parts[1:]:
            found.remove(one)
        return parts[0], ""
    whole = re.search(rf"(?<!\w){re.escape(chosen)}(?!\w)", text, re.IGNORECASE)
    return (Evidence(who, first_at=whole.start()), "") if whole and who else (None, NOT_NAMED)


def _with_short_forms(text: str, found: Sequence[Evidence]) -> None:
    """Find what a first name is called for short, where the text says it more than once: *Seun* for *Oluwaseun*."""
    words = Counter(re.findall(rf"(?<![\w@./-]){PART}(?![\w@/-])", text))
    taken = {one.named.first.casefold() for one in found if one.named.last}
    for one in found:
        first = one.named.first.casefold()
        for word, times in words.items():
            part = word.casefold().removesuffix("'s")
            fits = (first.startswith(part) and len(part) > 2) or (first.endswith(part) and len(part) > 3)
            if (
                fits
                and part != first
                and times > 1
                and part not in taken
                and could_be_name(word)
                and not is_ordinary(part)
                and one.named.last
            ):
                one.named = replace(one.named, nick=one.named.nick or word)
        for word in one.named.middle:  # Cristina, of Maria Cristina Reyes
            if (
                _times_alone(text, word) > 1
                and not _times_alone(text, one.named.first)
                and word.casefold() not in taken
            ):
                one.named = replace(one.named, nick=one.named.nick or word)
    full = [one for one in found if one.is_full]
    for one in full:  # Philippa Moore ("Pip")
        behind = re.search(rf"(?<!\w){re.escape(one.named.last)},?[ ]\([\"“]({PART})[\"”]", text)
        if behind and behind[1].casefold() not in taken:
            one.named = replace(one.named, nick=one.named.nick or behind[1])
    for match in (*_KNOWN_AS.finditer(text), *_CALLED_SO.finditer(text)):
        word, before = bare(match[1]), text[: match.start()]

        def last_at(one: Evidence, before: str = before) -> int:
            names = rf"(?<![\w-])(?:{re.escape(one.named.first)}|{re.escape(one.named.last)})(?![\w-])"
            return max((place.start() for place in re.finditer(names, before, re.IGNORECASE)), default=-1)

        last = max(full, key=last_at, default=None)
        if last and word[0].isupper() and could_be_name(word) and word.casefold() not in taken:
            last.named = replace(last.named, nick=last.named.nick or word)


def _times_alone(text: str, name: str) -> int:
    """How often a name stands with no other word with a capital beside it."""
    found = re.finditer(rf"(?<![\w@./-]){re.escape(name)}(?![\w@/-]|[ ]{PART})", text)
    return sum(not re.search(rf"{PART}[ ]$", text[max(0, match.start() - 40) : match.start()]) for match in found)


def _in_order(found: list[Evidence]) -> None:
    """Which half of a name is the last: that behind a title, that of relatives, or the one that stands first and last.

    *Mr. Pruitt* is no *D'Angelo*; *Tan Mei Ling* and *Mei Ling Tan* are one person, and with a *Mr. Tan* *Mei Ling* is.
    """
    titled = {one.named.key[1] for one in found if one.genders and not one.named.first}
    lasts, sure = titled | {one.named.key[1] for one in found if is_first(one.named.first)}, set[str]()
    for one, other in list(permutations(found, 2)):
        first, *rest = one.named.every
        alone = other.named.every == rest and key_of(first) in lasts
        if len(rest) > 1 and (alone or other.named.every == [*rest, first]) and one in found and other in found:
            other.named = replace(other.named, first=" ".join(rest), middle=(), last=first)
            other.take(one)
            found.remove(one)
            sure.add(key_of(first))
    titled -= {one.named.key[1] for one in found if one.named.first}
    for one in found:
        first, key, known = one.named.first, one.named.key[0], evidence(one.named.first)
        in_family = key in sure or (key in lasts and known.last > known.first)
        in_family = in_family and VIETNAMESE.keys().isdisjoint(map(key_of, one.named.middle))  # those are in order
        if one.named.last and (in_family if one.named.middle else key in titled and known.first < 1):
            one.named = replace(one.named, first=one.named.last, last=first)


def _with_last_names(text: str, found: Sequence[Evidence]) -> None:
    """*Harold* and *Mr. Finch* are one person where the text has *H. Finch* or *hfinch*, which nobody else may be."""
    full, lone = ([one for one in found if one.is_full is whole] for whole in (True, False))
    written = fold(text).lower()
    for given, titled in permutations(lone, 2):
        first, last = given.named.words, titled.named.last
        if len(last) < 3 or given.is_full or given.genders or {given.gender, titled.gender} == {"female", "male"}:
            continue
        letter, handle = people.handle(first[:1]).lower(), people.handle(last).lower()
        short = rf"(?<!\w)(?:{TITLE}[ ])?{fold(first)[0]}\.?[ ]{re.escape(fold(last))}(?!\w)"
        login = rf"(?<![^\W_])(?:{letter}[._]?{handle}|{handle}[._]?{letter})(?![^\W_])"
        initials = (fold(text)[max(0, one.start() - 40) : one.start()] for one in re.finditer(short, fold(text)))
        initial = any(not re.search(rf"{PART}[ ]$", before) for before in initials) or re.search(login, written)
        owners = [
            one
            for one in full
            if _has_part(one.named, given.named)
            or (_has_part(one.named, titled.named) and one.named.first[:1] == first[:1])
        ]
        if initial and not owners:
            given.named = replace(given.named, first=first, last=last)


def _merged(found: Sequence[Evidence]) -> list[Evidence]:
    """Shorter forms of a name go to the full name that has them; where several do, to none."""
    full, rest = [one for one in found if one.is_full], list[Evidence]()
    for short in sorted(full, key=lambda one: one.weight):
        longer = next((other for other in full if other is not short and _extends(other.named, short.named)), None)
        if longer:
            longer.take(short)
            full.remove(short)
            middle = map(key_of, longer.named.middle)
            if short.named.key[0] in {*shorts_of(longer.named.key[0]), *middle}:  # Bob Young
                longer.named = replace(longer.named, nick=short.named.first)
    for one in (one for one in found if not one.is_full):
        owners = [other for other in full if _has_part(other.named, one.named)]
        if one.named.last and one.genders:
            owners = [other for other in owners if other.gender in (next(iter(one.genders)), "")]
        same = [
            other
            for other in rest
            if one.named.words.casefold() == other.named.words.casefold()
            and (not (one.genders and other.genders) or one.genders.keys() == other.genders.keys())
        ]
        alike = [
            other
            for other in rest
            if not (other.named.last or one.named.last)
            and (_has_part(other.named, one.named) or _has_part(one.named, other.named))
            and {other.gender, one.gender} != {"female", "male"}
        ]
        if not owners and not same and len(alike) == 1:  # Paddy, and Patrick, without a last name
            long, nick = sorted((alike[0].named.first, one.named.first), key=len, reverse=True)
            alike[0].named = replace(alike[0].named, first=long, nick=nick)
            alike[0].take(one)
        elif len(owners) == 1 or (same and not owners):
            owner = (owners or same)[0]
            owner.take(one)
            if owner.named.last and owner.named.key[0] in shorts_of(one.named.key[0]):  # Ed Stone, and Edward
                owner.named = replace(owner.named, first=one.named.first, nick=owner.named.first)
        elif not owners:
            rest.append(one)
    return [*full, *rest]


def _has_part(long: Named, part: Named) -> bool:
    """Whether a name of one word is the full name's first or last, a half of it or its short form."""
    if long.key[0] in shorts_of(part.first):
        return True
    first, last, nick = (name.casefold() for name in (long.first, long.last, long.nick))
    if re.fullmatch(r"[A-Z]\.", part.last):  # Ms. D.
        return fold(last)[:1] == fold(part.last)[0].casefold()
    shorts = {nick, *shorts_of(first)} if part.first else set()
    short = part.first.casefold()
    is_start, is_end = first.startswith(short), first.endswith(short) and len(short) > 3
    if 2 < len(short) < len(first) and (is_start or is_end):  # Marisol, and Mari
        return {gender_of(long.first), gender_of(part.first)} != {"female", "male"}
    return fold((part.first or part.last).casefold()) in map(
        fold, {first, last, *last.split("-"), *last.split(), *shorts}
    )


def _extends(long: Named, short: Named) -> bool:
    """Whether one name is the other with more words, a slip, a short form or in the other order.

    *Ana María García López* has *Ana García*, *Anna García* and *García Ana*.
    """
    first, last = short.key
    handles = [people.handle(one.words).casefold() for one in (long, short)]
    if len({*handles}) == 1 and len(long.words) > len(short.words):
        return True  # Mei Ling Tan, and meiling.tan@
    if long.key[1] == last and [long.first[:1]] == [word[:-1] for word in short.middle] and not is_listed(short.first):
        return True  # Jane Doe, and File J. Doe
    if key_of(long.words.translate(GERMAN)) == key_of(short.words.translate(GERMAN)):  # Müller, and Mueller
        return long.words.translate(GERMAN) != long.words
    initials = "".join(word[:1] for word in re.split("[ -]", " ".join((long.key[0], *map(key_of, long.middle)))))
    if long.key[1] == last and first == initials != long.key[0][:1]:
        return True  # Jean-Luc Roy, and jl.roy@
    parts = re.split(r"[ '-]", long.key[1])
    if long.key[0] == first and last in ("".join(parts[:end]) for end in range(2, len(parts) + 1)):
        return True  # Ali Al-Mansouri, and ali.almansouri@
    if [*map(people.handle, long.key)] == [*map(people.handle, (last, first))]:
        ranks = [
            (SYLLABLES.fullmatch(one.first) is not None, evidence(one.first).first - evidence(one.first).last)
            for one in (long, short)
        ]
        return ranks[0] > ranks[1]
    if long.key[1] == last and len(first) > 5 and is_slip(long.key[0], first):
        return gender_of(long.first) in (gender_of(short.first), "")
    given = " ".join(map(key_of, (*long.middle[-1:], long.first)))  # Minh Chau, of Nguyen Thi Minh Chau
    shorts = {key_of(long.nick), *shorts_of(long.key[0])}
    if f"{first} {last}" in (long.key[1].replace("-", " "), given) or (long.key[1] == last and first in shorts):
        return True
    every = [long.key[0], *map(key_of, long.middle), *re.split("[ -]", long.key[1])]
    words = f"{first} {last}".split()
    if long.key[1] == last and long.key[0] != first and len(first) > 2:
        is_part = long.key[0].startswith(first) or (long.key[0].endswith(first) and len(first) > 3)
        if is_part and {gender_of(long.first), gender_of(short.first)} != {"female", "male"}:
            return True  # Oluwaseun Doe, and Seun Doe
    if long.key[1] == last and first.endswith(".") and every[0].startswith(first[:-1]):
        return True  # Theodora Brandt, and Th. Brandt
    if first in every[1:-1] and last == every[-1]:
        return True  # Muhammad Hafiz bin Ismail, and Hafiz Ismail
    return len(every) > len(words) and every[0] == words[0] and " ".join(words[1:]) in " ".join(every[1:])
