"""Names by where a text has them: in a form's fields, a list, an e-mail's head, a greeting, a signature, an address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.lexicon import (
    GENDERED,
    OTHER_TITLE,
    PART,
    PARTICLE,
    PLACES,
    TITLE,
    could_be_name,
    in_name_case,
    is_capitals,
    is_first,
    is_only_word,
)
from psa_core.anchors._person.naming import Named, named
from psa_core.inputs import people
from psa_core.inputs.gazetteers import is_listed

_MAIL = re.compile(r"(?<![\w.])([a-z]{2,})[._]([a-z]{2,}(?:-[a-z]{2,})*)\d*@", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:^[ \t]*|(?<=[.;|][ ])|(?<=[ ]{2})|(?<=\t))(?=\w)"
    r"((?:[\w' ]{0,15}\bnames?(?:[ ](?:as|on|in|of|per|id|full|passport|file)){0,3}"
    r"(?:(?<=[ ]of)(?:[ ][a-z]+){1,4})?"
    rf"|(?:[a-z]+[ ]){{0,2}}(?:{'|'.join(lexicon.LABELS)})|(?:young[ ])?person(?:[ ]concerned)?|service[ ]user)"
    r"(?:[ ](?:\d+|name|of[ ]\w+))?)(?:[ ]\([^)\n]*\))?"
    r"(?:[ \t]*(?P<mark>[:\-–]|\.{2,})[ \t]*|[ ]+(?=(?-i:[A-Z])))(?=(?P<value>[^\n]{1,200}))",
    re.IGNORECASE | re.MULTILINE,
)
_ANOTHERS = "|".join(
    [*lexicon.KIN, *sorted(lexicon.ROLES - lexicon.SUBJECT_ROLES), "spouse", "parent", "guardian", "contact"]
)
_OF_ANOTHER = re.compile(
    rf"\b(?:{_ANOTHERS}|from|to|cc|copy|by|sent|author|reporting|reader|attn|attention|present|attendees|attending|participants|apologies|panel|team|staff|place|school|site|room)\b",
    re.IGNORECASE,
)
_HEAD_LABEL = re.compile(r"(?:^|[ ]{2}|\t)([A-Z][\w /'-]{2,25}):[ \t]*([^\n]{1,80})", re.MULTILINE)
_TOPICS = frozenset({"re", "regarding", "subject", "about", "concerning", "case"})
#: Behind the name of somebody who treats the person.
_LETTERS = re.compile(r"[^,\n]+,[ ](?:MD|DO|RN|NP|PA|LCSW|MSW|PhD|PsyD)\b")
#: Before the subject of an e-mail that is answered or forwarded.
_REPLIED = re.compile(r"^(?:(?:re|fwd?|aw|wg):[ \t]*)+", re.IGNORECASE)
#: The two halves of a name on two lines of a form.
_LAST_FIELD = r"(?:last|family)[ ]name(?:s|\(s\))?|surname(?:\(s\))?"
_FIRST_FIELD = r"(?:first|given)(?:[ ](?:and|/)[ ]middle)?[ ]name(?:s|\(s\))?|first[ ]and[ ]middle|forename(?:s|\(s\))?"
_FIELDS = re.compile(
    rf"(?:^[ \t]*+|(?<=[ ]{{2}})|(?<=\t))(?:(?P<last>{_LAST_FIELD})|(?P<first>{_FIRST_FIELD}))[ \t:]+"
    rf"(?P<one>\S[^\n]{{0,60}}?)(?:[ \t]*\n+|[ ]{{2}}|\t)[ \t]*(?:{_LAST_FIELD}|{_FIRST_FIELD})[ \t:]+"
    r"(?P<two>\S[^\n]{0,60}?)[ \t]*(?:$|[ ]{2}|\t)",
    re.IGNORECASE | re.MULTILINE,
)
_COMMA = re.compile(rf"({PARTICLE}*{PART}(?:[ -]{PART})?),[ ]({PART}(?:[ ]{PART}\.?){{0,2}})(?!\w)")
_LISTED = re.compile(
    rf"(?:^[ \t]*(?:[\w ]{{,30}}:[ ])?|[ ]{{2}}|\t){_COMMA.pattern}[ \t]*(?:$|[,(;]|[ \t](?:[ \t]|[MF]\b|DOB\b))",
    re.MULTILINE,
)
#: Behind a name in a record: *Doe, Jane, 19 yrs*, *DOE, Jane - DOB 12 May*.
_AGED = re.compile(
    r",?[ ](?:[(–-][ ]?)?"
    r"(?:(?:aged?[ ])?\d{1,3}(?![\w/:.]|[ ][A-Z])|\d{1,3}[ ]?(?:y|yrs?|years|y/?o)\b|DOB\b|d\.o\.b\.|born\b)",
    re.IGNORECASE,
)
GREETED = re.compile(
    r"^[ \t>]*(?:dear|dearest|hi|hiya|hello|hey|(?:good[ ])?(?:morning|afternoon|evening)|to:|thanks,?|thank you,?)[ ]+"
    rf"(?:(?:{TITLE}|{OTHER_TITLE})[ ])?({PART})[ ]*[,!.:\n]",
    re.IGNORECASE | re.MULTILINE,
)
_HEADER = re.compile(r"^[ \t>]*(?:from|to|cc|bcc):[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
SIGNED = re.compile(
    r"^[ \t]*(?:(?:yours|kind|best|warm|many)[ \w]*|sincerely|regards|cheers|thanks|thank you|respectfully|love|"
    r"signed|with [\w ]+)[,.!]?[ \t]*\n+[ \t]*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
I_AM = re.compile(r"\b(?:my name is|i am|i'm|this is)[ ]+((?:[^\W\d_]+(?:['’-][^\W\d_]+)*[ ]?){1,3})", re.IGNORECASE)
COMPANY = re.compile(r"\b(?:inc|ltd|llc|llp|plc|pty|pvt|corp|gmbh)\b", re.IGNORECASE)
_VALUE_ENDS = re.compile(
    r"[,;|(–]|(?<=[a-z]{2})(?<!\bMrs)(?<!\bProf)(?<!\bSmt)\.(?=[ ]|$)| - |:[ ]|\t|  |[ ](?:DOB|MRN|age|aged|born)\b"
)


class Told(NamedTuple):
    """What a place in a text says of somebody: who, where, how much it counts, and the gender that a title tells."""

    who: Named | None
    at: int
    weight: float = 0.0
    gender: str = ""


def in_places(text: str) -> Iterator[Told]:
    """Names by where they stand: in a form, a heading, a greeting, a signature, an address."""
    seen = set[str]()  # of two people in one form, the first is the one it is about
    yield from _on_two_lines(text, seen)
    yield from _labelled(text, seen)
    if not seen:
        yield from _in_head(text)
    yield from _last_name_first(text)
    for match in SIGNED.finditer(text):
        words = _VALUE_ENDS.split(match[1])[0].split()
        yield Told(None if words[:1] == [match[1].strip()] and words[0].isupper() else _value(words, 4), match.start(1))
    for line in _HEADER.finditer(text):
        for written in re.split(r"[,;][ ]*", re.sub(r"[<\[(][^>\])]*[>\])]?", "", line[1])):
            words = written.strip(' "').split()
            if 2 <= len(words) <= 4 and all(re.fullmatch(rf"{PART}|[A-Z]\.", word) for word in words):
                yield Told(named(words), text.index(words[0], line.start(1)))
    for match in (*GREETED.finditer(text), *I_AM.finditer(text)):
        words = re.match(rf"(?:{PART}[ ]?)*", match[1])[0].split()  # type: ignore[index]
        if words and all(map(could_be_name, words)) and is_first(words[0]):
            yield Told(named(words), match.start(1), 1.0 if match.re is I_AM else 0.0)
    for match in _MAIL.finditer(text):
        words = [match[1].capitalize(), "-".join(word.capitalize() for word in match[2].split("-"))]
        if is_first(words[0]) and could_be_name(words[-1]) and (len(words[-1]) > 2 or is_listed(words[-1])):
            yield Told(named(words), match.start())


def _on_two_lines(text: str, seen: set[str]) -> Iterator[Told]:
    """First and last names in fields of their own."""
    for match in _FIELDS.finditer(text):
        first, last = (match["two"], match["one"]) if match["last"] else (match["one"], match["two"])
        if all(word[:1].isupper() for word in (first, last)) and len(first.split()) < 4 > len(last.split()):
            given = [in_name_case(word) for word in first.split()]
            whole = Named(given[0], " ".join(map(in_name_case, last.split())), tuple(given[1:]))
            yield Told(whole, match.start("one"), 0.0 if seen else 6.0)
            seen.add("name")


def _labelled(text: str, seen: set[str]) -> Iterator[Told]:
    """Names behind a label such as *Patient:*, and whom an e-mail's subject names."""
    for match in _LABEL.finditer(text):
        label, value = match[1].casefold(), match["value"]
        begins_line = match.start() == 0 or text[match.start() - 1] == "\n"
        if _OF_ANOTHER.search(label) or not (match["mark"] or (begins_line and " " not in label)):
            continue
        is_topic = label in _TOPICS  # of an e-mail
        turned = _turned(value, is_name="name" in label, is_topic=is_topic)
        words = turned or _VALUE_ENDS.split(_REPLIED.sub("", value))[0].split()
        if not turned and words[1:] and words[0].casefold() in lexicon.ROLES:  # Coach Jane
            del words[0]
        begins_name = words and (is_first(words[0]) or words[0].strip(".").casefold() in GENDERED)
        if not (match["mark"] or turned or begins_name):  # PT SAMUDRA BIRU, a company
            continue
        listed = (
            len(words) > 1
            and PLACES.isdisjoint(word.casefold() for word in words[1:])
            and (any(map(is_listed, map(in_name_case, words))) or not is_only_word(words[-1]))
        )
        sure = not is_topic and bool(turned or (listed and not COMPANY.search(value)))
        if who := _value(words, 5, is_name="name" in label, sure=sure):
            is_vague = is_topic or label.startswith(("your", "complainant"))  # who complains, or who applies
            weight = 3.0 if is_vague else 6.0
            treats = _LETTERS.match(value) is not None  # Resident: Jane Doe, MD
            kind = "name" if re.search(r"names?\b", label) else label
            yield Told(who, match.start("value"), 0.0 if kind in seen or treats else weight)
            seen.add(kind)


def _turned(value: str, *, is_name: bool, is_topic: bool) -> list[str]:
    """The words of *Doe, Jane* in their order; empty where a comma stands for something else: *Jane Doe, MD*."""
    comma = None if COMPANY.search(value) else _COMMA.match(value)
    if not comma:
        return []
    family, given = comma[1].split(), comma[2].split()
    is_record = is_capitals(comma[1]) > is_capitals(comma[2])
    is_else = (
        is_capitals(comma[2]) > is_capitals(comma[1])  # Jane Doe, DOB 12 May
        or (family[1:] and is_first(family[0]))  # Jane Doe, M.Sc.
        or (not is_name and given[1:] and given[-1].casefold() in lexicon.ROLES)  # Jane Doe, Senior Analyst
        or (not is_name and any(map(is_only_word, (family[-1], given[0]))))  # Customer Resolution, Bonn
        or (is_topic and not (is_record or _AGED.match(value, comma.end()) or is_first(given[0])))
    )
    return [] if is_else else given + family


def _in_head(text: str) -> Iterator[Told]:
    """Who stands in a form's head behind a label that is not known: *Requester: Jane Doe*."""
    for match in _HEAD_LABEL.finditer(text, 0, 600):
        value = match[2]
        comma = re.match(rf"{_COMMA.pattern}(?![,\w])", value)
        words = [*comma[2].split(), *comma[1].split()] if comma else _VALUE_ENDS.split(value)[0].split()
        who = None if _OF_ANOTHER.search(match[1]) or COMPANY.search(value) else _value(words, 4)
        if who and who.first and who.last and is_first(who.first):
            yield Told(who, match.start(2), 2.0)
            return


def _last_name_first(text: str) -> Iterator[Told]:
    """Names such as *Doe, Jane* in a list or a record."""
    for match in _LISTED.finditer(text):
        given, family = match[2].split(), match[1].split()
        if ":" in match[0] and not is_capitals(match[1]):  # Present: Jane Doe, Ann Hill
            continue
        again = re.search(rf"(?<!\w){re.escape(given[0])}(?!\w)", text[match.end() :])
        aged = _AGED.match(text, match.end(2)) is not None
        known = aged or is_first(given[0]) or (again and is_capitals(match[1]) and not is_capitals(given[0]))
        if given[0].casefold() in lexicon.ROLES:  # Jane Doe, Secretary
            continue
        if known and all(could_be_name(in_name_case(word)) for word in family) and not is_first(match[1]):
            yield Told(named([*given, *family]), match.start(1), 0.0 if ":" in match[0] else 3.0 if aged else 1.5)


def _value(words: Sequence[str], most: int, *, is_name: bool = False, sure: bool = False) -> Named | None:
    """The name in a field of a form; a single word must be in the name lists, unless the field is for a name."""
    capitalised = all(word[:1].isupper() or word.split("-")[0].casefold() in people.PARTICLES for word in words)
    while len(words) > 2 and lexicon.is_degree(words[-1]) and not is_capitals(words[0]):
        words = words[:-1]
    who = named(words, sure=sure) if 1 <= len(words) <= most and capitalised else None
    family = [word for word in words[1:] if not re.fullmatch(r"[A-Z]|(?:[A-Z]\.-?)+", word)]
    is_short = words and (words[0].strip(".").casefold() in GENDERED or re.fullmatch(r"(?:[A-Z]\.)+", words[0]))
    if not who and capitalised and is_short and family and all(map(could_be_name, family)):  # Mr. J. Doe, J. Doe
        who = Named("", " ".join(family), (), lexicon.gender_of_title(words[0]))
    return who if who and (who.last or is_listed(who.first) or is_name) else None
