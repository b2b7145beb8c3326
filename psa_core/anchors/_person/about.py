"""How much a text is about each person whom it names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from psa_core.anchors._person.fields import GREETED, I_AM, SIGNED
from psa_core.anchors._person.lexicon import (
    PART,
    PERSON_VERB,
    RELATIVE_AFTER,
    RELATIVE_BEFORE,
    ROLES,
    SUBJECT_ROLES,
    TITLE,
    in_name_case,
)
from psa_core.anchors._person.naming import Named
from psa_core.inputs import people
from psa_core.inputs.gazetteers import Gender, gender_of

FIRST_PERSON = re.compile(r"(?<![\w])(?:I|I'm|I’m|I've|I’ve|my|My|me)(?![\w])")
_THIRD_PERSON = re.compile(r"\b(?:she|her|hers|herself|he|him|his|himself)\b", re.IGNORECASE)
#: Lines of an e-mail that say who wrote to whom, and not whom it is about; in them and in forms, who wrote it.
_TRANSPORT = re.compile(
    r"^[ \t>]*+(?:(?:\w+/)?(?:from|to|cc|bcc|copy|sent|date|present|attendees):.*|.*\bwrote:[ \t]*"
    r"|[\[(]?\d[\d./: -]{7,}[\])]?(?:[ ]\S+){1,5}"
    r"|[\w. ]{2,30}?,?[ \t]+[\[(]?(?:(?:\d[\d./-]{5,}|\w{2,9})[ ,]+)?\d\d?[:.]\d\d(?:[ ]?[ap]m)?[\])]?)$"
    r"|^[ \t>]*+(?:[\[(][^\])\n]{3,30}[\])]|\d[\d./,: -]{3,20}(?:[ap]m)?)[ \t]*[-–]?[ \t]*"
    r"[^\n:(]{2,30}(?:\([^)\n]{1,40}\))?:",
    re.IGNORECASE | re.MULTILINE,
)
#: In a chat: who says what follows.
_SAYS = re.compile(
    rf"^[ \t>*]*+(?:{TITLE}[ ])?({PART}(?:[ ]{PART})?)(?:[ ]\([^)\n]{{1,40}}\)|[^\w\n:()]{{1,6}})?\*{{0,2}}:(?=[ ])",
    re.MULTILINE,
)
#: A name that is a line of its own with a comma: who is written to.
_CALLED = re.compile(rf"^[ \t>]*+({PART})(?:[ ](?:my[ ])?(?:darling|dear|love))?,[ \t]*$", re.MULTILINE)
#: Before the name of somebody who does something for the person: *agent Priyanka*.
_AT_WORK = re.compile(rf"\b(?:{'|'.join(ROLES - SUBJECT_ROLES)}),?[ ]$", re.IGNORECASE)
_SENDER = re.compile(
    r"^[ \t>]*+(?:(?:\w+/)?(?:from|to|cc|copy)|(?:prepared|written|completed|reviewed|recorded|seen|reported)[ ]by"
    r"|author|prepared|worker|officer|interviewer|reviewer)[ \t]*:(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
#: Before the subject of a clause.
_CLAUSE_BEGINS = re.compile(r"(?:^|[.!?:;\n\"“(>-])[ \t]*$")
#: How much each of the signs counts that a text is about somebody; a mention counts 1.
_WEIGHTS = {
    "told": 1.0,  # by a label such as *Client:*, a heading, *I am*
    "named": 1.0,
    "pronouns": 0.25,
    "first": 0.5,  # of those who neither sign, are greeted nor are relatives
    "writes": 3.0,
    "signs": -1.0,
    "greeted": -1.5,
    "early": -0.25,  # pronouns before the first mention
    "other gender": -1.0,  # than nearly all pronouns
    "at work": -1.0,  # *agent Priyanka*
    "relative": -4.0,
}
#: Who is ahead by less is not the one for sure; nor is who is named later than in this first part, without a label.
_MARGIN, _BEGINNING = 1.5, 0.15


@dataclass
class Evidence:
    """Somebody whom a text names: how much of it is about them, where it begins, and what their titles say.

    `is_told`: a label, a heading or *I am* says that it is about them.
    """

    named: Named
    weight: float = 0.0
    first_at: int = 1 << 30
    genders: Counter[str] = field(default_factory=Counter)
    is_told: bool = False

    @property
    def is_full(self) -> bool:
        return bool(self.named.first and self.named.last)

    @property
    def gender(self) -> str:
        """The gender that the titles say, else that of the first name."""
        return self._gender_of(gender_of)

    @property
    def sure_gender(self) -> str:
        """The gender, where not only few have the first name, and hardly anybody of another one: not of *Val*."""
        return self._gender_of(partial(gender_of, times=10, least=1))

    def _gender_of(self, told: Callable[[str], str]) -> str:
        if self.genders:
            return self.genders.most_common(1)[0][0]
        first = in_name_case(self.named.first)
        names = (first.split()[:1], first.split("-")[:1])
        return next(filter(None, (told(name) for name, *_ in filter(None, names))), "")

    def take(self, other: Evidence) -> None:
        """Add the mentions of a shorter form of the same name."""
        self.weight += other.weight
        self.first_at = min(self.first_at, other.first_at)
        self.genders += other.genders
        self.named = replace(self.named, nick=self.named.nick or other.named.nick)


def is_clear(found: Sequence[Evidence], length: int) -> bool:
    """Whether the first is well ahead of the second, and is told of or named early in a text of this length."""
    if len(found) == 1:
        return True
    first, second, *_ = found
    is_early = first.is_told or first.first_at <= max(100, _BEGINNING * length)
    return is_early and first.weight - second.weight > _MARGIN


def weights_of(text: str, found: Sequence[Evidence]) -> list[float]:
    """How much a text is about each person: how often it names them and speaks of them, and what it says they are."""
    weights = [sum(_WEIGHTS[sign] * value for sign, value in signs.items()) for signs in _signs(text, found)]
    if pair := _lone_pair(found, weights):
        less, more = sorted(pair, key=lambda at: weights[at])
        weights[more] += max(0.0, weights[less])
        weights[less] = min(0.0, weights[less])
    return weights


def _lone_pair(found: Sequence[Evidence], weights: Sequence[float]) -> tuple[int, int] | None:
    """A first and a last name that never stand together, and may be one person: *Luca* here, and *Mr. Rossi* there.

    None where somebody with a full name is likelier; a pair of one gender comes before others.
    """
    likeliest = sorted(range(len(found)), key=lambda at: -weights[at])
    firsts = [at for at in likeliest if not found[at].named.last][:20]
    lasts = [at for at in likeliest if not found[at].named.first][:20]
    if not likeliest or found[likeliest[0]].is_full:
        return None
    pairs = [(one, two) for one in firsts for two in lasts]
    pairs = [pair for pair in pairs if {found[at].gender for at in pair} != {"female", "male"}]
    of_one = [(one, two) for one, two in pairs if found[one].gender == found[two].gender != ""]
    return max(of_one or pairs, key=lambda pair: sum(weights[at] for at in pair), default=None)


def _signs(text: str, found: Sequence[Evidence]) -> list[dict[str, float]]:
    """What of a text speaks for each person, by the names of `_WEIGHTS`."""
    said = [match[1].casefold() for match in _SAYS.finditer(text)]
    speakers = {name for name, times in Counter(said).items() if times > 1}
    body = _TRANSPORT.sub(lambda line: " " * len(line[0]), text)
    body = _SAYS.sub(lambda line: " " * len(line[0]) if line[1].casefold() in speakers else line[0], body)
    writer, pronouns = _writer(text, found), _pronouns_after(body, found)
    senders = "\n".join(match[1] for match in _SENDER.finditer(text)).casefold()
    writers = [match[1].casefold() for match in (*SIGNED.finditer(text), *I_AM.finditer(text))]
    signed = "\n".join([senders, *sorted(speakers), *writers])
    named = {match[1].casefold() for match in (*GREETED.finditer(text), *_CALLED.finditer(text))}
    greeted = [not named.isdisjoint(map(str.casefold, one.named.parts)) for one in found]
    begins = min((one.first_at for one in found), default=0)
    told = [(match.start(), _gender_of_pronoun(match[0])) for match in _THIRD_PERSON.finditer(body)]
    (most, times), *_ = [*Counter(gender for _, gender in told).most_common(), ("", 0)]
    is_told, rows = len(told) > 2, list[dict[str, float]]()
    for one, is_greeted in zip(found, greeted, strict=True):
        named_at = re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, one.named.parts))})(?!\w)", body, re.IGNORECASE)
        at = named_at.start() if named_at else len(body)
        early = sum(start < at and gender == one.gender for start, gender in told)
        is_signed = re.search(rf"(?<!\w){re.escape(one.named.words.casefold())}(?!\w)", signed) is not None
        rows.append(
            {
                "told": one.weight,
                "named": _mentions(body, one, found),
                "pronouns": max(0.0, pronouns[one.named.key] - 1),
                "writes": one is writer,
                "signs": is_signed and one is not writer,
                "greeted": is_told and is_greeted,
                "early": min(6, early) * (is_told and one is not writer),
                "other gender": is_told and bool(one.gender) and one.gender != most and times > 0.8 * len(told),
                "at work": _AT_WORK.search(text[max(0, one.first_at - 40) : one.first_at]) is not None,
                "relative": _is_relative(text, one, begins),
            }
        )
    others = [
        bool(row["signs"] or row["relative"]) or is_greeted for row, is_greeted in zip(rows, greeted, strict=True)
    ]
    first = min((one.first_at for one, is_other in zip(found, others, strict=True) if not is_other), default=-1)
    return [row | {"first": one.first_at == first} for one, row in zip(found, rows, strict=True)]


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
    return len(mentions) + (0.5 if first and last else 0.0)


def _is_relative(text: str, one: Evidence, begins: int) -> bool:
    """Whether a text introduces somebody as another's relative: *her daughter Mia*, *Mia Stone (daughter)*.

    *My daughter Mia* may be the one whom her mother writes about, and so may the first person who is named, where the
    names begin.
    """
    first, last = re.escape(one.named.first), re.escape(one.named.last)
    whole = rf"(?<!\w)(?:{first}[ ]{last}|{last}[ ](?:{PART}[ ])?{first}|{first}(?![ ]{PART}))(?!\w)"
    match = re.search(whole if one.is_full else rf"(?<!\w){first or last}(?!\w)", text)
    if match is None:
        return False
    words = re.sub(rf"{TITLE}[ ]$", "", text[max(0, match.start() - 60) : match.start()])
    before = RELATIVE_BEFORE.search(words)
    is_own = before and re.search(r"\b(?:my|our)[ ](?:\w+[ ])?$", words[: before.start()], re.IGNORECASE)
    is_introduced = before and not is_own and match.start() > begins
    return bool(is_introduced or RELATIVE_AFTER.match(text, match.end()))


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
        (
            match.start(),
            one.gender,
            one.named.key,
            bool(
                PERSON_VERB.match(text, match.end())
                or _CLAUSE_BEGINS.search(text[max(0, match.start() - 30) : match.start()])
            ),
        )
        for one in found
        for name in filter(None, (one.named.first, one.named.last if lasts[one.named.last] == 1 else ""))
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    )
    counts: dict[tuple[str, str], float] = dict.fromkeys((one.named.key for one in found), 0.0)
    for pronoun in _THIRD_PERSON.finditer(text):
        gender = _gender_of_pronoun(pronoun[0])
        nearby, near_acts = pronoun.start() - 500, pronoun.start() - 1000
        before = [
            (told, key, acts)
            for at, told, key, acts in places
            if (near_acts if acts else nearby) < at < pronoun.start() and told in (gender, "")
        ]
        before = [one for one in before if one[2]] or before
        for told, key, _ in before[-1:]:
            counts[key] += 1.0 if told else 0.5
    return counts


def _gender_of_pronoun(pronoun: str) -> Gender:
    return "male" if pronoun.casefold() in ("he", "him", "his", "himself") else "female"
