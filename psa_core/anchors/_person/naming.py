"""Everybody whom a text names: by runs of capitals, by places such as a signature, by titles, and alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from psa_core.anchors._person import lexicon
from psa_core.anchors._person.lexicon import (
    GENDERED,
    NEVER_NAMES,
    OTHER_TITLE,
    PART,
    PARTICLE,
    PLACE_LASTS,
    PLACES,
    TITLE,
    WELL_KNOWN,
    could_be_name,
    in_name_case,
    is_capitals,
    is_first,
)
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed

_GIVEN = rf"(?:[A-Z]\.|{PART})"
_NICK = rf"(?:[\"“(]{PART}[\"”)][ ])?"
#: Words around a name that fit people and not places, before it and after it.
_OF_PEOPLE = re.compile(
    r"\b(?:recommend(?:ing)?|know|known|met|meet|thank|hired?|interviewed|supervised|taught|told|asked|colleague)[ ]$",
    re.IGNORECASE,
)
_DOES = (
    r"(?:applied|came|works?|worked|wrote|said|told|asked|joined|studied|led|teaches|taught|thinks?|thought|lives?|lived"
    r"|moved|pays|paid|sleeps|slept|ate|called|asks|says|writes|feels|felt|wants|wanted|likes|liked|knows|knew|thanked"
    r"|reported|manages|managed|signed|agreed|sings)\b"
)
_AS_PEOPLE = re.compile(
    rf",[ ]who\b|[^A-Z]*\b(?:[Ss]he|[Hh]er|[Hh]ers|[Hh]e|[Hh]im|[Hh]is)\b|[ ]{_DOES}"
    r"|[ ](?:is|was|became)[ ](?:an?|our|my|the)[ ](?:[\w-]+[ ]){0,2}"
    r"(?:\w+(?:ist|ician|eer|cher|ager|yer|tant|ssor|woman)"
    r"|nurse|doctor|tenant|student|baker|designer|director|writer|worker|clerk|chef|driver|tutor|candidate|applicant"
    r"|patient|borrower|friend|colleague|resident|developer|analyst|volunteer)\b"
)
#: Words that begin with a capital, one after another.
_RUN = re.compile(rf"(?<![\w@./-]){_GIVEN}[ ]{_NICK}(?:{PARTICLE}*{_GIVEN}[ ])*{PARTICLE}*{PART}(?![\w@])")
_ALONE = re.compile(rf"(?<![\w@./-]){PART}(?![\w@/])")
_MAIL = re.compile(r"(?<![\w.])([a-z]{2,})[._]([a-z]{2,}(?:-[a-z]{2,})*)\d*@", re.IGNORECASE)
_TITLED = re.compile(
    rf"(?<!\w)({TITLE}|{OTHER_TITLE})\s"
    rf"((?:{PARTICLE}*(?:[A-Z]\.|St\.|{PART})[ ]?){{1,4}})"
)
_LABEL = re.compile(
    r"^[ \t]*((?:[\w' ]{0,15}\bname"
    r"|(?:[a-z]+[ ]){0,2}(?:accused|appellant|applicant|apprentice|beneficiary|borrower|candidate|case"
    r"|claimant|client|complainant|customer"
    r"|defendant|detainee|employee|grantee|insured|investigator|learner|nominee|offender|participant|policyholder|pupil"
    r"|recipient|student|suspect|tenant|trainee)"
    r"|patient|re|subject|member|resident|regarding|pt|person[ ]concerned|child|service[ ]user|account[ ]holder)"
    r"(?:[ ](?:\d+|name|of[ ]\w+))?)(?:[ ]\([^)\n]*\))?[ \t]*(?:[:\-–]|\.{2,})[ \t]*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_OF_ANOTHER = re.compile(rf"\b(?:{'|'.join(lexicon.KIN)}|spouse|partner|parent|guardian|contact)\b", re.IGNORECASE)
#: Before the subject of an e-mail that is answered or forwarded.
_REPLIED = re.compile(r"^(?:(?:re|fwd?|aw|wg):[ \t]*)+", re.IGNORECASE)
#: A Chinese name of one or two syllables in Latin letters.
_PINYIN = re.compile(
    r"(?:(?:[zcs]h|[b-df-hj-np-tw-z])?(?:[aeo]|[aeo]i|[ao][ou]|[aeiu]ng?|ong|iu?|ia[no]?g?|iong|ie|u[aeio]?|ua[in]g?)){1,2}",
    re.IGNORECASE,
)
#: Words between the last and the first name of a woman and of a man.
VIETNAMESE = {"thi": "female", "van": "male"}
#: A first name of two syllables, as Korean ones are written.
SYLLABLES = re.compile(r"[A-Z][a-z]+-[a-z]+")
#: The two halves of a name on two lines of a form.
_FIELDS = re.compile(
    r"^[ \t]*(?:(?P<last>(?:last|family)[ ]name|surname)|(?P<first>(?:first|given)[ ]names?|forenames?))[ \t:]+"
    r"(?P<one>\S.*?)[ \t]*\n+[ \t]*(?:(?:last|family|first|given)[ ]names?|surname|forenames?)[ \t:]+"
    r"(?P<two>\S.*?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_COMMA = re.compile(rf"({PARTICLE}*{PART}(?:[ -]{PART})?),[ ]({PART}(?:[ ]{PART}\.?)?)(?!\w)")
_LISTED = re.compile(rf"^[ \t]*(?:[\w ]{{,30}}:[ ])?{_COMMA.pattern}[ \t]*(?:$|[,(;])", re.MULTILINE)
_GREETED = re.compile(
    rf"^[ \t>]*(?:dear|hi|hello|hey|to:|thanks,?|thank you,?)[ ]+({PART})[ ]*[,!.:\n]", re.IGNORECASE | re.MULTILINE
)
_HEADER = re.compile(r"^[ \t>]*(?:from|to|cc|bcc):[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
SIGNED = re.compile(
    r"^[ \t]*(?:(?:yours|kind|best|warm|many)[ \w]*|sincerely|regards|cheers|thanks|thank you|respectfully|love|"
    r"signed|with [\w ]+)[,.!]?[ \t]*\n+[ \t]*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_I_AM = re.compile(r"\b(?:my name is|i am|i'm|this is)[ ]+((?:[^\W\d_]+(?:['’-][^\W\d_]+)*[ ]?){1,3})", re.IGNORECASE)
_COMPANY = re.compile(r"\b(?:inc|ltd|llc|corp|gmbh)\b", re.IGNORECASE)
_VALUE_ENDS = re.compile(r"[,;|(–]| - |:[ ]|\t|  |[ ](?:DOB|MRN|age|aged|born)\b")


@dataclass(frozen=True)
class Named:
    """Somebody whom a text names; first or last may be empty."""

    first: str
    last: str
    middle: tuple[str, ...] = ()
    gender: str = ""
    nick: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for names that differ in accents and capitals only."""
        return lexicon.key_of(self.first), lexicon.key_of(self.last)

    @property
    def every(self) -> list[str]:
        """First, middle and last names, word by word."""
        return [self.first, *self.middle, *self.last.split()]

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self.first, self.last)))


class Told(NamedTuple):
    """What a place in a text says of somebody: who, where, how much it counts, and the gender that a title tells."""

    who: Named | None
    at: int
    weight: float = 0.0
    gender: str = ""


def told_in(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Every name in a text; `entities` are the people that a recogniser marks in it."""
    return chain(_runs(text, entities), _places(text), _titled(text), _alone(text, entities))


def named(words: Sequence[str], *, sure: bool = False) -> Named | None:
    """A person of the words of a full name, without titles and suffixes; None where they are no name.

    `sure`: that it is a name is known from elsewhere, so ordinary words are no reason against it.
    """
    kept, gender = [word for word in words if word], ""
    titles = {*lexicon.language_of().titles, *GENDERED, *lexicon.OTHER_TITLES}
    while kept and kept[0].casefold().strip(".") in titles:
        title = kept.pop(0)
        gender = gender or lexicon.gender_of_title(title)
    while kept and kept[-1].casefold().strip(".,") in lexicon.SUFFIXES and (len(kept) > 2 or not is_listed(kept[-1])):
        kept.pop()  # Neto is a last name too
    nick = next((word.strip('"“”()') for word in kept[1:] if word[0] in '"“('), "")
    kept = [word for word in kept if word[0] not in '"“(']
    if len(kept) > 2 and is_capitals(kept[-1]) and not (is_capitals(kept[-2]) and is_listed(in_name_case(kept[-1]))):
        known = evidence(in_name_case(kept[-2]))
        if known.last > known.first or "-" in kept[-2]:  # Jane Doe MBA
            kept.pop()
    capitals = [word for word in kept if is_capitals(word)]
    kept = [in_name_case(word) for word in kept]
    ordinary = [word for word in kept if word[:1].isupper() and not could_be_name(word)]
    if not kept or (
        ordinary
        and not sure
        and not (ordinary == kept[1:] and _word_as_last(*kept[:2]))
        and not (ordinary == kept[-1:] and _place_last(kept))
    ):
        return None
    if len(kept) == 1:
        return Named(kept[0], "", (), gender)
    if kept[0].casefold() in people.PARTICLES and not _is_vietnamese(kept):
        return Named("", " ".join(kept), (), gender)
    first, last = people.split(" ".join(kept))
    middle = tuple(kept[1 : len(kept) - len(last.split())])
    if capitals and capitals[0] == words[0] and not is_capitals(words[-1]) and len(capitals) < len(kept):  # DOE Jane
        first, middle, last = kept[len(capitals)], tuple(kept[len(capitals) + 1 :]), " ".join(kept[: len(capitals)])
    elif capitals and capitals[-1] == words[-1] and not is_capitals(words[0]):  # Jane Mary DOE
        if not is_first(kept[0]) and not is_listed(kept[-1]):  # Approve PHP
            return None
        first, middle, last = kept[0], tuple(kept[1 : -len(capitals)]), " ".join(kept[-len(capitals) :])
    elif _is_vietnamese(kept) or (len(kept) < 4 and _family_first(kept)):  # Tanaka Mei
        first, middle, last = kept[-1], tuple(kept[1:-1]), kept[0]
        gender = gender or VIETNAMESE.get(lexicon.key_of(kept[1]), "")
    if not last or any(re.fullmatch(r"(?:[A-Z]\.?){1,3}", word) for word in (first, last)):
        return None  # initials and a last name belong to a full name
    return Named(first, last, middle, gender, nick)


def _word_as_last(first: str, last: str) -> bool:
    """Whether an ordinary word follows a first name as its last name: *Daniel Rivers*, *Anna Lane*, *Ji-woo Park*."""
    named_so = is_first(first) or SYLLABLES.fullmatch(first)
    is_word = first.casefold() in lexicon.WORD_NAMES
    return bool(named_so) and last.casefold() not in (NEVER_NAMES | PLACES) - PLACE_LASTS and not is_word


def _place_last(words: Sequence[str]) -> bool:
    """Whether a name ends in a word such as *Lane*, behind first names and initials."""
    if len(words) < 2 or words[-1].casefold() not in PLACE_LASTS:
        return False
    given = all(is_first(word) or re.fullmatch(r"[A-Z]\.?", word) for word in words[1:-1])
    return given and _word_as_last(words[0], words[-1])


def _family_first(words: Sequence[str]) -> bool:
    """Whether a name begins with the last name, by what the words are known as."""
    known, end = evidence(words[0]), evidence(words[-1])
    syllables = all(_PINYIN.fullmatch(word) for word in words)
    if len(words) == 2 and syllables and known.last > max(2.4, 2 * known.first, 3 * end.last):  # Li Wei
        return True
    if not any(map(SYLLABLES.fullmatch, words[:-1])) and SYLLABLES.fullmatch(words[-1]):  # Kim Ji-woo
        return True
    if is_first(words[0]) or known.last <= 2 * known.first or not all(map(is_listed, words[1:-1])):
        return False
    return end.first > max(0.7, 2 * end.last)


def _is_vietnamese(words: Sequence[str]) -> bool:
    """Whether it is a name such as *Le Thi Hoa*, and not *Jan van Dyk*."""
    return (
        len(words) in (3, 4)
        and lexicon.key_of(words[1]) in VIETNAMESE
        and not (words[1].islower() or is_first(words[0]))
    )


def may_be_place(text: str, who: Named) -> bool:
    """Whether nothing in a text shows that a name such as *Anna Lane* is a person's and not a street's or a park's."""
    if who.last.casefold() not in PLACE_LASTS or not who.first:
        return False
    first, last, handle = map(re.escape, (who.first, who.last, people.handle(who.first)))
    titles = r"(?:M(?:r|rs|s|iss|x)|Dr|Prof)\.?[ ]"
    shown = (
        rf"\b{titles}{first}[ ]{last}(?![\w-]|[ ]\d)",
        rf"\b{handle}[._]?{last}\d*@",
        rf"\b(?:dear|hi|hello|my[ ]name[ ]is)[ ]{first}\b",
        rf"\b{first}(?:,[ ]who\b|[ ](?:{_DOES}|(?:is|was|has|had|will)\b)|['’]s[ ][a-z])",
        r"^[ \t]*(?:[\w' ]{0,15}\bname|patient|applicant|candidate|client|employee|tenant|from|to)[ \t]*:[ \t]*"
        rf"{first}\b",
    )
    if any(re.search(pattern, text, re.IGNORECASE | re.MULTILINE) for pattern in shown):
        return False
    middle = "".join(rf"{re.escape(word)}[ ]" for word in who.middle)
    found = list(re.finditer(rf"\b{first}[ ]{middle}{last}\b", text, re.IGNORECASE))
    free = [one for one in found if not lexicon.in_address(text[: one.start()], text[one.end() :])]
    if any(_OF_PEOPLE.search(text[: one.start()]) or _AS_PEOPLE.match(text, one.end()) for one in free):
        return False
    titled = re.search(rf"\b{titles}{last}(?![\w-]|[ ]\d)", text, re.IGNORECASE)
    signed = any(match[1].startswith(who.first) for match in SIGNED.finditer(text))
    return len(free) < len(found) or not (titled or signed)


def _runs(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Capitalised words one after another that make a full name."""
    # Names in addresses and file names, but not in hosts: those are companies.
    tokens = (token[0] for token in lexicon.tokens_in(lexicon.fold(text).lower()))
    parts = (part for token in tokens for part in re.findall(r"\S+(?=@)|/\S+|\S*_\S*", token))
    addresses = {word for part in parts for word in re.findall(r"[a-z]+", part)}
    for run in _RUN.finditer(text):
        words, start = [lexicon.bare(word) for word in run[0].split()], run.start()
        if re.search(rf"(?<![^\W_]){PARTICLE}$", text[:start]):  # the end of Ms. da Silva Santos
            continue
        first, last = (people.handle(word).lower() for word in (words[0], words[-1]))
        sure = {first, last} <= addresses or not addresses.isdisjoint(
            (first + last, first[:1] + last, last + first[:1])
        )
        while words and not sure and not could_be_name(words[0]) and not _is_gendered(words[0]):
            start += len(words.pop(0)) + 1
        while words and not sure and not (could_be_name(words[-1]) or _place_last(words)):
            if len(words) == 2 and _word_as_last(*words):
                break
            words.pop()
        known = words and (is_listed(in_name_case(words[0]).split("-")[0]) or _is_vietnamese(words))
        if len(words) > 2 and not sure and not known and is_first(words[1]):
            start += len(words.pop(0)) + 1  # File Jane Doe
        plain = [word for word in words if not _is_gendered(word)]
        company = _COMPANY.search(run[0]) or re.match(rf",?[ ]{_COMPANY.pattern}", text[run.end() :], re.IGNORECASE)
        if company or not 2 <= len(plain) <= 5:
            continue
        line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip(" #*\t").casefold()
        heads = start < 200 and re.match(rf"{re.escape(' '.join(words).casefold())}(?:,|$)", line) is not None
        tagged = any(left < run.end() and start < right and "\n" not in text[left:start] for left, right in entities)
        told = [evidence(in_name_case(word)) for word in plain]  # Hong Kong is two last names
        listed = all(map(is_listed, map(in_name_case, plain))) and any(one.first for one in told)
        if (
            sure
            or is_first(plain[0])
            or _place_last(plain)
            or _is_vietnamese(plain)
            or (listed and (len(plain) == 2 or heads))
            or (tagged and not is_capitals(run[0]))
        ):
            yield Told(named(words, sure=sure), start, 1.5 if heads else 0.0)
        elif not is_capitals(run[0]) and not any(map(lexicon.is_ordinary, plain)) and all(map(could_be_name, plain)):
            both, *again = (
                len(re.findall(rf"(?<!\w){re.escape(written)}(?!\w)", text))
                for written in (" ".join(words), plain[0], plain[-1])
            )
            family = evidence(plain[-1]).last >= WELL_KNOWN and again[0] > 1
            if evidence(plain[0]).last < WELL_KNOWN and (family or max(again) > both):  # one stands alone elsewhere
                yield Told(named(words), start)


def _is_gendered(word: str) -> bool:
    return word.casefold().strip(".") in GENDERED


def _places(text: str) -> Iterator[Told]:
    """Names by where they stand: in a form, a heading, a greeting, a signature, an address."""
    seen = set[str]()  # of two people in one form, the first is the one it is about
    for match in _FIELDS.finditer(text):
        first, last = (match["two"], match["one"]) if match["last"] else (match["one"], match["two"])
        if all(word[:1].isupper() for word in (first, last)) and len(first.split()) < 4 > len(last.split()):
            given = [in_name_case(word) for word in first.split()]
            whole = Named(given[0], " ".join(map(in_name_case, last.split())), tuple(given[1:]))
            yield Told(whole, match.start("one"), 0.0 if "fields" in seen else 3.0)
            seen.add("fields")
    for match in _LABEL.finditer(text):
        comma = None if _COMPANY.search(match[2]) else _COMMA.match(match[2])
        if comma and is_capitals(comma[2]) > is_capitals(comma[1]):  # Jane Doe, DOB 12 May
            comma = None
        if comma and " " in comma[1] and is_first(comma[1].split()[0]):  # Jane Doe, M.Sc.
            comma = None
        label = match[1].casefold()
        if _OF_ANOTHER.search(label):
            continue
        value = _REPLIED.sub("", match[2])
        words = [*comma[2].split(), *comma[1].split()] if comma else _VALUE_ENDS.split(value)[0].split()
        if who := _value(words, 5, "name" in label):
            weight = 3.0 if label in ("re", "regarding", "subject") else 6.0
            yield Told(who, match.start(2), 0.0 if label in seen else weight)
            seen.add(label)
    for match in _LISTED.finditer(text):
        given, family = match[2].split(), match[1].split()
        if ":" in match[0] and not is_capitals(match[1]):  # Present: Jane Doe, Ann Hill
            continue
        again = re.search(rf"(?<!\w){re.escape(given[0])}(?!\w)", text[match.end() :])
        known = is_first(given[0]) or (again and is_capitals(match[1]) and not is_capitals(given[0]))
        if known and all(map(could_be_name, family)) and not is_first(match[1]):
            yield Told(named([*given, *family]), match.start(1), 0.0 if ":" in match[0] else 1.5)
    for match in SIGNED.finditer(text):
        yield Told(_value(_VALUE_ENDS.split(match[1])[0].split(), 4), match.start(1))
    for line in _HEADER.finditer(text):
        for written in re.split(r"[,;][ ]*", re.sub(r"[<\[(][^>\])]*[>\])]?", "", line[1])):
            words = written.strip(' "').split()
            if 2 <= len(words) <= 4 and all(re.fullmatch(rf"{PART}|[A-Z]\.", word) for word in words):
                yield Told(named(words), text.index(words[0], line.start(1)))
    for match in (*_GREETED.finditer(text), *_I_AM.finditer(text)):
        words = re.match(rf"(?:{PART}[ ]?)*", match[1])[0].split()  # type: ignore[index]
        if words and all(map(could_be_name, words)) and is_first(words[0]):
            yield Told(named(words), match.start(1), 1.0)
    for match in _MAIL.finditer(text):
        words = [match[1].capitalize(), "-".join(word.capitalize() for word in match[2].split("-"))]
        if is_first(words[0]) and could_be_name(words[-1]) and (len(words[-1]) > 2 or is_listed(words[-1])):
            yield Told(named(words), match.start())


def _value(words: Sequence[str], most: int, is_name: bool = False) -> Named | None:
    """The name in a field of a form; a single word must be in the name lists, unless the field is for a name."""
    capitalised = all(word[:1].isupper() or word.split("-")[0].casefold() in people.PARTICLES for word in words)
    who = named(words) if 1 <= len(words) <= most and capitalised else None
    family = [word for word in words[1:] if not re.fullmatch(r"(?:[A-Z]\.?[ -]?)+", word)]
    if not who and capitalised and words and words[0].strip(".").casefold() in GENDERED and family:  # Mr. J. Doe
        who = Named("", " ".join(family), (), lexicon.gender_of_title(words[0]))
    return who if who and (who.last or is_listed(who.first) or is_name) else None


def _titled(text: str) -> Iterator[Told]:
    """Names behind a title."""
    for match in _TITLED.finditer(text):
        kept = list[str]()
        for word in match[2].split():
            name = lexicon.bare(word)
            is_last = name.casefold() in PLACE_LASTS and not re.match(r"[ ]\d", text[match.end(2) :])
            is_last = is_last and all(is_first(one) or re.fullmatch(r"[A-Z]\.", one) for one in kept)
            if not could_be_name(name.rstrip(".")) and not is_last and (kept or name.casefold() in NEVER_NAMES):
                break
            kept.append(name)
            if name != word:
                break
        end = match.start() + len(match[0].rstrip())
        is_relative = lexicon.RELATIVE_BEFORE.search(text[: match.start()]) or lexicon.RELATIVE_AFTER.match(text, end)
        particle = bool(kept) and kept[0].casefold() in people.PARTICLES and not _is_vietnamese(kept)
        is_last = len(kept) == 1 or particle
        gender = lexicon.gender_of_title(match[1])
        if is_last and is_relative and text.count(kept[-1]) > 1:
            gender = ""  # Mrs. Doe, his wife, tells nothing of Mr. Doe
        if is_last:
            yield Told(Named("", " ".join(map(in_name_case, kept))), match.start(2), 0.0, gender)
        elif kept:
            yield Told(named(kept), match.start(2), 0.0, gender)


def _alone(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Names of one word: what the recogniser marks, and well-known first names that no name stands beside."""
    for start, end in entities:
        words = re.sub(r"['’]s?$", "", text[start:end]).split()
        if (
            len(words) == 1
            and words[0][:1].isupper()
            and not words[0].isupper()
            and could_be_name(words[0])
            and is_listed(words[0])
        ):
            known = evidence(words[0])
            yield Told(Named(words[0], "") if known.first >= known.last else Named("", words[0]), start)
    for match in _ALONE.finditer(text):
        word = match[0]
        if not is_first(word) or not could_be_name(word) or is_capitals(word):
            continue
        before, after = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 30]
        if re.match(rf"[ ]{PART}|\.[ ]?\d", after) or re.search(rf"{PART}[ ]$", before):
            continue
        # A word is a name where it would have no capital otherwise.
        in_sentence = re.search(r"[^\W\d_][,;]?[ ]$|\($", before) or lexicon.PERSON_VERB.match(after)
        if (in_sentence or not lexicon.is_word_and_name(word)) and not lexicon.is_date(before, word, after):
            yield Told(Named(word, ""), match.start())
