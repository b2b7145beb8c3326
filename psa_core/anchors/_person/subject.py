"""Which names of a text are one person's, and which person the text is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from psa_core.anchors._base import NO_PERSON, NOT_NAMED, TWO_OF_A_NAME
from psa_core.anchors._person.lexicon import (
    GERMAN,
    PART,
    PLACE_LASTS,
    RELATIVE_AFTER,
    RELATIVE_BEFORE,
    ROLES,
    SUBJECT_ROLES,
    TITLE,
    bare,
    could_be_name,
    fold,
    in_name_case,
    is_first,
    is_ordinary,
    is_slip,
    key_of,
    shorts_of,
)
from psa_core.anchors._person.naming import SYLLABLES, VIETNAMESE, Named, named
from psa_core.anchors._person.told import GREETED, I_AM, SIGNED, may_be_place, told_in
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, gender_of, is_listed

_KNOWN_AS = re.compile(
    rf"\b(?i:known[ ](?:[^.\n,]{{0,40}}[ ])?as|go(?:es)?[ ]by|nicknamed|nickname:?|preferred[ ]name:?|to[ ]be[ ]called"
    rf"|aka|a\.k\.a\."
    rf"|whom[ ](?:[\w']+[ ]){{1,3}}calls?"
    rf")[ ][\"“‘']?({PART})(?![ ]{PART})"
)
FIRST_PERSON = re.compile(r"(?<![\w])(?:I|I'm|I’m|I've|I’ve|my|My|me)(?![\w])")
_THIRD_PERSON = re.compile(r"\b(?:she|her|hers|herself|he|him|his|himself)\b", re.IGNORECASE)
#: Lines of an e-mail that say who wrote to whom, and not whom it is about; in them and in forms, who wrote it.
_TRANSPORT = re.compile(
    r"^[ \t>]*+(?:(?:\w+/)?(?:from|to|cc|bcc|sent|date|present|attendees):.*|.*\bwrote:[ \t]*"
    r"|[\[(]?\d[\d./: -]{7,}[\])]?(?:[ ]\S+){1,5})$",
    re.IGNORECASE | re.MULTILINE,
)
#: A name that is a line of its own with a comma: who is written to.
_CALLED = re.compile(rf"^[ \t>]*+({PART}),[ \t]*$", re.MULTILINE)
#: Before the name of somebody who does something for the person: *agent Priyanka*.
_AT_WORK = re.compile(rf"\b(?:{'|'.join(ROLES - SUBJECT_ROLES)}),?[ ]$", re.IGNORECASE)
_SENDER = re.compile(
    r"^[ \t>]*+(?:(?:\w+/)?(?:from|to|cc)|(?:prepared|written|completed|reviewed|recorded|seen|reported)[ ]by"
    r"|author|prepared|worker|officer|interviewer|reviewer)[ \t]*:(.*)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass
class Evidence:
    """Somebody whom a text names: how much of it is about them, where it begins, and what their titles say."""

    named: Named
    weight: float = 0.0
    first_at: int = 1 << 30
    genders: Counter[str] = field(default_factory=Counter)

    @property
    def is_full(self) -> bool:
        return bool(self.named.first and self.named.last)

    @property
    def gender(self) -> str:
        """The gender that the titles say, else that of the first name."""
        if self.genders:
            return self.genders.most_common(1)[0][0]
        first = in_name_case(self.named.first)
        names = (first.split()[:1], first.split("-")[:1])
        return next(filter(None, (gender_of(name) for name, *_ in filter(None, names))), "")

    def take(self, other: Evidence) -> None:
        """Add the mentions of a shorter form of the same name."""
        self.weight += other.weight
        self.first_at = min(self.first_at, other.first_at)
        self.genders += other.genders


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
    found = list(by_name.values())
    _with_short_forms(text, found)
    _in_order(found)
    _with_last_names(text, found)
    people = sorted(_merged(found), key=lambda one: (-one.weight, one.first_at))
    for one, weight in zip(people, _weights(text, people), strict=True):
        one.weight = weight
    return sorted(people, key=lambda one: (-one.weight, one.first_at))


def choose(text: str, found: Sequence[Evidence], chosen: str) -> tuple[Evidence | None, str]:
    """Who a text is about: the first of those `found`, or the one whom the reader has chosen; else why nobody."""
    if not chosen:
        if not found:
            return None, NO_PERSON
        name = rf"\b{re.escape(found[0].named.words)},?[ ]"
        if re.search(rf"{name}(?:Sr|Senior)\b", text) and re.search(rf"{name}(?:Jr|Junior)\b", text):
            return None, TWO_OF_A_NAME
        return found[0], ""
    wanted = chosen.casefold().split()
    fitting = [one for one in found if one.named.words.casefold() == " ".join(wanted)]
    if not fitting and len(wanted) == 1:
        fitting = [one for one in found if wanted[0] in one.named.words.casefold().split()]
    if len(fitting) > 1:
        return None, TWO_OF_A_NAME
    if fitting:
        return fitting[0], ""
    whole = re.search(rf"(?<!\w){re.escape(chosen)}(?!\w)", text, re.IGNORECASE)
    who = named(chosen.split())
    return (Evidence(who, 1.0, whole.start()), "") if whole and who else (None, NOT_NAMED)


def _weights(text: str, found: Sequence[Evidence]) -> list[float]:
    """How much a text is about each person: how often it names them and speaks of them, and what it says they are."""
    body = _TRANSPORT.sub(lambda line: " " * len(line[0]), text)
    writer, pronouns = _writer(text, found), _pronouns_after(body, found)
    senders = " ".join(match[1] for match in _SENDER.finditer(text)).casefold()
    signed = " ".join([senders, *(match[1].casefold() for match in (*SIGNED.finditer(text), *I_AM.finditer(text)))])
    are_signed = [
        re.search(rf"(?<!\w){re.escape(one.named.words.casefold())}(?!\w)", signed) is not None for one in found
    ]
    are_relatives = [_is_relative(text, one) for one in found]
    about = zip(found, are_signed, are_relatives, strict=True)
    first = min((one for one, *is_other in about if not any(is_other)), key=lambda one: one.first_at, default=None)
    tells = len(_THIRD_PERSON.findall(text)) > 3
    greeted = {match[1].casefold() for match in (*GREETED.finditer(text), *_CALLED.finditer(text))} if tells else set()
    weights = list[float]()
    for one, is_signed, is_relative in zip(found, are_signed, are_relatives, strict=True):
        weight = 0.5 * (one is first) + _mentions(body, one, found) + max(0.0, 0.25 * pronouns[one.named.key] - 0.25)
        if one is writer:
            weight += 3.0
        elif is_signed:
            weight -= 1.0
        if one.named.first.casefold() in greeted:
            weight -= 1.5
        if _AT_WORK.search(text[max(0, one.first_at - 40) : one.first_at]):
            weight -= 1.0
        weights.append(weight - 4.0 * is_relative)
    return weights


def _mentions(text: str, one: Evidence, found: Sequence[Evidence]) -> float:
    """How often somebody's names occur, and where.

    A last name that somebody who was named before has too counts with the first, or behind a title of the gender.
    """
    who = one.named
    shared = any(
        other.named.key[1] == who.key[1] and other is not one and other.first_at < one.first_at for other in found
    )
    title = {"female": r"(?:Mrs|Ms|Miss)\.? ", "male": r"Mr\.? "}.get(one.gender, "") if shared else ""
    first = "|".join(map(re.escape, filter(None, (who.first, who.nick))))
    written = (who.last, people.handle(who.last), people.handle(who.first[:1] + who.last))
    last = "|".join(map(re.escape, written)) if who.last and (title or not shared) else ""
    choices = [f"(?:{first})[ ._-]+(?:{last})"] if first and last else []
    choices += [part for part in (first, last and f"{title}(?:{last})") if part]
    lasts = [other.named.last for other in found] if who.last else []
    before = [re.escape(name.removesuffix(who.last)) for name in lasts if name.endswith(f" {who.last}")]
    behind = [re.escape(name.removeprefix(who.last)) for name in lasts if name.startswith(f"{who.last} ")]
    longer = "".join(f"(?<!{words})" for words in before), "".join(f"|{words}" for words in behind)
    names = rf"(?<![^\W_])(?<!-){longer[0]}(?:{'|'.join(choices)})(?![^\W_]|-\w{longer[1]})"
    mentions = re.findall(names, text, re.IGNORECASE)
    return len(mentions) + one.weight + (0.5 if first and last else 0.0)


def _is_relative(text: str, one: Evidence) -> bool:
    """Whether a text introduces somebody as a relative of another: *her daughter Mia*, *Mia Stone (daughter)*.

    *My daughter Mia* may be the one whom her mother writes about.
    """
    first, last = re.escape(one.named.first), re.escape(one.named.last)
    whole = rf"(?<!\w)(?:{first}[ ]{last}|{last}[ ](?:{PART}[ ])?{first}|{first}(?![ ]{PART}))(?!\w)"
    for match in re.finditer(whole if one.is_full else rf"(?<!\w){first or last}(?!\w)", text):
        words = text[max(0, match.start() - 60) : match.start()]
        before = RELATIVE_BEFORE.search(words)
        is_own = before and re.search(r"\b(?:my|our)[ ](?:\w+[ ])?$", words[: before.start()], re.IGNORECASE)
        if (before and not is_own) or RELATIVE_AFTER.match(text, match.end()):
            return True
    return False


def _writer(text: str, found: Sequence[Evidence]) -> Evidence | None:
    """Who signs a text that says *I* much more often than *he* or *she*: an application, and no reference."""
    if len(FIRST_PERSON.findall(text)) < 2 * len(_THIRD_PERSON.findall(text)) + 1:
        return None
    signed = [match[1].casefold() for match in SIGNED.finditer(text)]
    full = [one for one in found if one.named.last]
    return next((one for words in signed for one in full if one.named.words.casefold() in words), None)


def _pronouns_after(text: str, found: Sequence[Evidence]) -> dict[tuple[str, str], float]:
    """How many pronouns have each person for the last one of their gender that is named before them.

    Who may be of another gender counts half.
    """
    lasts = Counter(one.named.last for one in found)
    places = sorted(
        (match.start(), one.gender, one.named.key)
        for one in found
        for name in filter(None, (one.named.first, one.named.last if lasts[one.named.last] == 1 else ""))
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    )
    counts: dict[tuple[str, str], float] = dict.fromkeys((one.named.key for one in found), 0.0)
    for pronoun in _THIRD_PERSON.finditer(text):
        gender = "male" if pronoun[0].casefold() in ("he", "him", "his", "himself") else "female"
        nearby = pronoun.start() - 500
        before = [(told, key) for at, told, key in places if nearby < at < pronoun.start() and told in (gender, "")]
        for told, key in before[-1:]:
            counts[key] += 1.0 if told else 0.5
    return counts


def _with_short_forms(text: str, found: Sequence[Evidence]) -> None:
    """Find what a first name is called for short, where the text says it more than once: *Seun* for *Oluwaseun*."""
    words = Counter(re.findall(rf"(?<![\w@./-]){PART}(?![\w@/-])", text))
    taken = {one.named.first.casefold() for one in found if one.named.last}
    for one in found:
        first = one.named.first.casefold()
        for word, times in words.items():
            part = word.casefold().removesuffix("'s")
            fits = (first.startswith(part) and len(part) > 2) or (first.endswith(part) and len(part) > 3)
            if fits and part != first and times > 1 and part not in taken and not is_ordinary(part) and one.named.last:
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
        behind = re.search(rf"(?<!\w){re.escape(one.named.last)},?[ ]\([\"“]({PART})[\"”]\)", text)
        if behind and behind[1].casefold() not in taken:
            one.named = replace(one.named, nick=one.named.nick or behind[1])
    for match in _KNOWN_AS.finditer(text):
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
    """*Harold* and *Mr. Finch* are one person where the text has *H. Finch* or *hfinch*, and nobody else has either."""
    full, lone = ([one for one in found if one.is_full is whole] for whole in (True, False))
    written = fold(text).lower()
    for given, titled in permutations(lone, 2):
        first, last = given.named.words, titled.named.last
        if len(last) < 3 or given.is_full or given.genders or {given.gender, titled.gender} == {"female", "male"}:
            continue
        letter, handle = people.handle(first[:1]).lower(), people.handle(last).lower()
        short = rf"(?:(?<!\w)(?<!\w[ ])|{TITLE}[ ]){fold(first)[0]}\.?[ ]{re.escape(fold(last))}(?!\w)"
        login = rf"(?<![^\W_])(?:{letter}[._]?{handle}|{handle}[._]?{letter})(?![^\W_])"
        initial = re.search(short, fold(text)) or re.search(login, written)
        owners = [one for one in full if _has_part(one.named, given.named) or _has_part(one.named, titled.named)]
        if initial and all({given.gender, one.gender} == {"female", "male"} for one in owners):
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
        if len(owners) == 1 or (same and not owners):
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
    if people.handle(long.words) == people.handle(short.words) and len(long.words) > len(short.words):
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
