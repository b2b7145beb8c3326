"""Who is named in a document, and how much of it is about each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from psa_core.anchors._name_words import (
    GENDERED,
    GERMAN,
    NEVER_NAMES,
    PART,
    PERSON_VERB,
    PLACE_LASTS,
    WORD_NAMES,
    could_be_name,
    fold,
    in_address,
    in_name_case,
    is_capitals,
    is_date,
    is_first,
    is_ordinary,
    is_slip,
    nicknames,
)
from psa_core.anchors._persons import SUFFIXES, language_of
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, gender_of, is_listed

_PARTICLE = r"(?:(?i:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ten|ter|ní|nic)[ ]|(?:al|el)-)"
_GIVEN = rf"(?:[A-Z]\.|{PART})"
_NICK = rf"(?:[\"“(]{PART}[\"”)][ ])?"
#: What is said of people and not of places, before and after a name.
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
_RUN = re.compile(rf"(?<![\w@./-]){_GIVEN}[ ]{_NICK}(?:{_PARTICLE}*{_GIVEN}[ ])*{_PARTICLE}*{PART}(?![\w@])")
_ALONE = re.compile(rf"(?<![\w@./-]){PART}(?![\w@/])")
_MAIL = re.compile(r"(?<![\w.])([a-z]{2,})[._]([a-z]{2,}(?:-[a-z]{2,})*)\d*@", re.IGNORECASE)
_TITLED = re.compile(
    rf"(?<!\w)((?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Rev|Reverend|MR|MRS|MS|DR|Sister|Nurse)\b\.?)\s"
    rf"((?:{_PARTICLE}*(?:[A-Z]\.|St\.|{PART})[ ]?){{1,4}})"
)
_LABEL = re.compile(
    r"^[ \t]*((?:[\w' ]{0,15}\bname|patient|applicant|candidate|client|re|subject|employee|tenant|borrower|"
    r"student|member|resident|regarding|pt)(?:[ ](?:\d|name))?)(?:[ ]\([^)\n]*\))?[ \t]*[:\-–][ \t]*(.+)$",
    re.IGNORECASE | re.MULTILINE,
)
#: A Chinese name of one or two syllables in Latin letters.
_PINYIN = re.compile(
    r"(?:(?:[zcs]h|[b-df-hj-np-tw-z])?(?:[aeo]|[aeo]i|[ao][ou]|[aeiu]ng?|ong|iu?|ia[no]?g?|iong|ie|u[aeio]?|ua[in]g?)){1,2}",
    re.IGNORECASE,
)
#: The two halves of a name on two lines of a form.
_FIELDS = re.compile(
    r"^[ \t]*(?:(?P<last>(?:last|family)[ ]name|surname)|(?P<first>(?:first|given)[ ]names?|forenames?))[ \t:]+"
    r"(?P<one>\S.*?)[ \t]*\n+[ \t]*(?:(?:last|family|first|given)[ ]names?|surname|forenames?)[ \t:]+"
    r"(?P<two>\S.*?)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_COMMA = re.compile(rf"({_PARTICLE}*{PART}(?:[ -]{PART})?),[ ]({PART}(?:[ ]{PART}\.?)?)(?!\w)")
_LISTED = re.compile(rf"^[ \t]*{_COMMA.pattern}[ \t]*(?:$|[,(;])", re.MULTILINE)
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
_KNOWN_AS = re.compile(
    rf"\b(?i:known[ ](?:[^.\n,]{{0,40}}[ ])?as|go(?:es)?[ ]by|nicknamed|nickname:?|preferred[ ]name:?|to[ ]be[ ]called"
    rf")[ ][\"“‘']?({PART})(?![ ]{PART})"
)
_COMPANY = re.compile(r"\b(?:inc|ltd|llc|corp|gmbh)\b", re.IGNORECASE)
_VALUE_ENDS = re.compile(r"[,;|(–]| - |\t|  |[ ](?:DOB|MRN|age|aged|born)\b")


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
        return fold(self.first).casefold(), fold(self.last).casefold()

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self.first, self.last)))


@dataclass
class Evidence:
    """How often a person is named, with what their titles say."""

    named: Named
    weight: float = 0.0
    first_at: int = 1 << 30
    genders: Counter[str] = field(default_factory=Counter)

    def take(self, other: Evidence) -> None:
        """Add the mentions of a shorter form of the same name."""
        self.weight += other.weight
        self.first_at = min(self.first_at, other.first_at)
        self.genders += other.genders


def _word_as_last(first: str, last: str) -> bool:
    """Whether an ordinary word follows a first name as its last name: *Daniel Rivers*, *Anna Lane*, *Ji-woo Park*."""
    named_so = is_first(first) or re.fullmatch(r"[A-Z][a-z]+-[a-z]+", first)
    return bool(named_so) and last.casefold() not in NEVER_NAMES - PLACE_LASTS and first.casefold() not in WORD_NAMES


def _place_last(words: Sequence[str]) -> bool:
    """Whether a name ends in a word such as *Lane*, behind first names and initials."""
    given = all(is_first(word) or re.fullmatch(r"[A-Z]\.?", word) for word in words[1:-1])
    return words[-1].casefold() in PLACE_LASTS and len(words) > 1 and given and _word_as_last(words[0], words[-1])


def _may_be_place(text: str, who: Named) -> bool:
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
    free = [one for one in found if not in_address(text[: one.start()], text[one.end() :])]
    if any(_OF_PEOPLE.search(text[: one.start()]) or _AS_PEOPLE.match(text, one.end()) for one in free):
        return False
    titled = re.search(rf"\b{titles}{last}(?![\w-]|[ ]\d)", text, re.IGNORECASE)
    signed = any(match[1].startswith(who.first) for match in SIGNED.finditer(text))
    return len(free) < len(found) or not (titled or signed)


def _family_first(words: Sequence[str]) -> bool:
    """Whether a name begins with the last name, by what the words are known as."""
    known = evidence(words[0])
    syllables = all(_PINYIN.fullmatch(word) for word in words)
    if len(words) == 2 and syllables and known.last > max(2.4, 2 * known.first, 3 * evidence(words[1]).last):  # Li Wei
        return True
    if is_first(words[0]) or known.last <= 2 * known.first or not all(map(is_listed, words[1:-1])):
        return False
    return evidence(words[-1]).first > max(0.7, 2 * evidence(words[-1]).last)


def named(words: Sequence[str], gender: str = "", *, sure: bool = False) -> Named | None:
    """A person of the words of a full name, without titles and suffixes; None where they are no name.

    `sure`: that it is a name is known from elsewhere, so ordinary words are no reason against it.
    """
    kept = [word for word in words if word]
    titles = {*language_of().titles, *GENDERED, "rev", "reverend", "nurse", "sister"}
    while kept and kept[0].casefold().strip(".") in titles:
        gender = gender or GENDERED.get(kept.pop(0).casefold().strip("."), "")
    while kept and kept[-1].casefold().strip(".,") in SUFFIXES:
        kept.pop()
    nick = next((word.strip('"“”()') for word in kept[1:] if word[0] in '"“('), "")
    kept = [word for word in kept if word[0] not in '"“(']
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
    if kept[0].casefold() in people.PARTICLES:
        return Named("", " ".join(kept), (), gender)
    first, last = people.split(" ".join(kept))
    middle = tuple(kept[1 : len(kept) - len(last.split())])
    if capitals and capitals[0] == words[0] and not is_capitals(words[-1]) and len(capitals) < len(kept):  # DOE Jane
        first, middle, last = kept[len(capitals)], tuple(kept[len(capitals) + 1 :]), " ".join(kept[: len(capitals)])
    elif capitals and capitals[-1] == words[-1] and not is_capitals(words[0]):  # Jane Mary DOE
        first, middle, last = kept[0], tuple(kept[1 : -len(capitals)]), " ".join(kept[-len(capitals) :])
    elif len(kept) < 4 and _family_first(kept):  # Tanaka Mei
        first, middle, last = kept[-1], tuple(kept[1:-1]), kept[0]
    if not last or any(re.fullmatch(r"[A-Z]{1,3}\.?", word) for word in (first, last)):
        return None  # initials and a last name belong to a full name
    return Named(first, last, middle, gender, nick)


#: What a text says of somebody: who, where, how much it counts, and the gender that a title tells.
_Told = tuple[Named | None, int, float, str]


def _runs(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[_Told]:
    """Capitalised words one after another that make a full name."""
    # Names in addresses and file names, but not in hosts: those are companies.
    addresses = set(re.findall(r"[a-z]+", " ".join(re.findall(r"\S+(?=@)|/\S+|\S*_\S*", fold(text).lower()))))
    for run in _RUN.finditer(text):
        words, start = [re.sub(r"['’]s$", "", word) for word in run[0].split()], run.start()
        if re.search(rf"{_PARTICLE}$", text[:start]):  # the end of Ms. da Silva Santos
            continue
        first, last = (people.handle(word).lower() for word in (words[0], words[-1]))
        sure = {first, last} <= addresses or not addresses.isdisjoint(
            (first + last, first[:1] + last, last + first[:1])
        )
        while words and not sure and not could_be_name(words[0]) and words[0].casefold().strip(".") not in GENDERED:
            start += len(words.pop(0)) + 1
        while (
            words
            and not sure
            and not (could_be_name(words[-1]) or _place_last(words) or (len(words) == 2 and _word_as_last(*words)))
        ):
            words.pop()
        if len(words) > 2 and not sure and not is_listed(in_name_case(words[0])) and is_first(words[1]):
            start += len(words.pop(0)) + 1  # File Jane Doe
        plain = [word for word in words if word.casefold().strip(".") not in GENDERED]
        if not 2 <= len(plain) <= 5 or re.match(rf",?[ ]{_COMPANY.pattern}", text[run.end() :], re.IGNORECASE):
            continue
        line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip(" #*\t").casefold()
        heads = start < 200 and re.match(rf"{re.escape(' '.join(words).casefold())}(?:,|$)", line) is not None
        tagged = any(left < run.end() and start < right and "\n" not in text[left:start] for left, right in entities)
        listed = all(is_listed(in_name_case(word)) for word in plain)
        if (
            sure
            or is_first(plain[0])
            or _place_last(plain)
            or (listed and (len(plain) == 2 or heads))
            or (tagged and not is_capitals(run[0]))
        ):
            yield named(words, sure=sure), start, 1.5 if heads else 0.0, ""
        elif not is_capitals(run[0]) and not any(map(is_ordinary, plain)) and all(map(could_be_name, plain)):
            again = [len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", text)) for word in (plain[0], plain[-1])]
            family = evidence(plain[-1]).last >= 0.3 and again[0] > 1
            if evidence(plain[0]).last < 0.3 and (family or max(again) > min(again)):  # one stands alone elsewhere
                yield named(words), start, 0.0, ""


def _places(text: str) -> Iterator[_Told]:
    """Names by where they stand: in a form, a heading, a greeting, a signature, an address."""
    seen = set[str]()  # of two people in one form, the first is the one it is about
    for match in _FIELDS.finditer(text):
        first, last = (match["two"], match["one"]) if match["last"] else (match["one"], match["two"])
        if all(word[:1].isupper() for word in (first, last)) and len(first.split()) < 4 > len(last.split()):
            given = [in_name_case(word) for word in first.split()]
            whole = Named(given[0], " ".join(map(in_name_case, last.split())), tuple(given[1:]))
            yield whole, match.start("one"), 0.0 if "fields" in seen else 3.0, ""
            seen.add("fields")
    for match in _LABEL.finditer(text):
        comma = None if _COMPANY.search(match[2]) else _COMMA.match(match[2])
        if comma and is_capitals(comma[2]) > is_capitals(comma[1]):  # Jane Doe, DOB 12 May
            comma = None
        value = _VALUE_ENDS.split(match[2])[0].strip()
        words = [*comma[2].split(), *comma[1].split()] if comma else value.split()
        if 1 <= len(words) <= 5 and all(word[:1].isupper() or word.casefold() in people.PARTICLES for word in words):
            who = named(words)
            if who and (who.last or is_listed(who.first) or "name" in match[1].casefold()):
                weight = 3.0 if match[1].casefold() in ("re", "regarding", "subject") else 6.0
                yield who, match.start(2), 0.0 if match[1].casefold() in seen else weight, ""
                seen.add(match[1].casefold())
    for match in _LISTED.finditer(text):
        first, last = match[2].split(), match[1].split()
        if is_first(first[0]) and all(map(could_be_name, last)) and not is_first(match[1]):
            yield named([*first, *last]), match.start(), 1.5, ""
    for match in SIGNED.finditer(text):
        words = _VALUE_ENDS.split(match[1])[0].split()
        if 1 <= len(words) <= 4 and all(word[:1].isupper() or word.casefold() in people.PARTICLES for word in words):
            who = named(words)
            if who and (who.last or is_listed(who.first)):
                yield who, match.start(1), 0.0, ""
    for line in _HEADER.finditer(text):
        for written in re.split(r"[,;][ ]*", re.sub(r"[<\[(][^>\])]*[>\])]?", "", line[1])):
            words = written.strip(' "').split()
            if 2 <= len(words) <= 4 and all(re.fullmatch(rf"{PART}|[A-Z]\.", word) for word in words):
                yield named(words), text.index(words[0], line.start(1)), 0.0, ""
    for pattern in (_GREETED, _I_AM):
        for match in pattern.finditer(text):
            words = re.match(rf"(?:{PART}[ ]?)*", match[1])[0].split()  # type: ignore[index]
            if words and all(map(could_be_name, words)) and is_first(words[0]):
                yield named(words), match.start(1), 1.0, ""
    for match in _MAIL.finditer(text):
        words = [match[1].capitalize(), "-".join(word.capitalize() for word in match[2].split("-"))]
        if is_first(words[0]) and could_be_name(words[-1]) and (len(words[-1]) > 2 or is_listed(words[-1])):
            yield named(words), match.start(), 0.0, ""


def _titled(text: str) -> Iterator[_Told]:
    """Names behind a title."""
    for match in _TITLED.finditer(text):
        kept = list[str]()
        for word in match[2].split():
            bare = re.sub(r"['’]s$", "", word)
            is_last = bare.casefold() in PLACE_LASTS and not re.match(r"[ ]\d", text[match.end(2) :])
            is_last = is_last and all(is_first(one) or re.fullmatch(r"[A-Z]\.", one) for one in kept)
            if not could_be_name(bare.rstrip(".")) and not is_last and (kept or bare.casefold() in NEVER_NAMES):
                break
            kept.append(bare)
            if bare != word:
                break
        gender = GENDERED.get(match[1].casefold().strip("."), "")
        if len(kept) == 1 or (kept and kept[0].casefold() in people.PARTICLES):
            yield Named("", " ".join(map(in_name_case, kept))), match.start(2), 0.0, gender
        elif kept:
            yield named(kept), match.start(2), 0.0, gender


def _alone(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[_Told]:
    """Names of one word: what the recogniser marks, and well-known first names that no name stands beside."""
    for start, end in entities:
        words = re.sub(r"['’]s?$", "", text[start:end]).split()
        if len(words) == 1 and not words[0].isupper() and could_be_name(words[0]) and is_listed(words[0]):
            known = evidence(words[0])
            who = Named(words[0], "") if known.first >= known.last else Named("", words[0])
            yield who, start, 0.0, ""
    for match in _ALONE.finditer(text):
        word = match[0]
        if not is_first(word) or not could_be_name(word) or is_capitals(word):
            continue
        before, after = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 30]
        if re.match(rf"[ ]{PART}|\.[ ]?\d", after) or re.search(rf"{PART}[ ]$", before):
            continue
        is_word = word.casefold() in WORD_NAMES or is_ordinary(word)  # a name where the word would have no capital
        if is_word and not (re.search(r"[^\W\d_][,;]?[ ]$|\($", before) or PERSON_VERB.match(after)):
            continue
        if is_date(before, word, after):
            continue
        yield Named(word, ""), match.start(), 0.0, ""


def find_people(text: str, entities: Sequence[tuple[int, int]]) -> list[Evidence]:
    """Everybody whom a text names by a full name, a title or alone, by how much the text is about them."""
    found: dict[tuple[str, ...], Evidence] = {}
    told = (*_runs(text, entities), *_places(text), *_titled(text), *_alone(text, entities))
    for who, at, weight, gender in told:
        if who is None or _may_be_place(text, who):
            continue
        one = found.setdefault((*who.key, "" if who.first else gender), Evidence(who))
        if len(who.middle) > len(one.named.middle) or (who.nick and not one.named.nick):
            one.named = who
        one.take(Evidence(who, weight, at, Counter([gender or who.gender] if gender or who.gender else [])))
    _with_short_forms(text, list(found.values()))
    _in_order(list(found.values()))
    return _merged(text, list(found.values()))


def _in_order(found: Sequence[Evidence]) -> None:
    """A title tells which half of a name is the last: *Mr. Pruitt* is no *D'Angelo*."""
    titled = {fold(one.named.last).casefold() for one in found if one.genders and not one.named.first}
    titled -= {one.named.key[1] for one in found if one.named.first}
    for one in found:
        if one.named.last and one.named.key[0] in titled and evidence(one.named.first).first < 1:
            one.named = replace(one.named, first=one.named.last, last=one.named.first)


def _merged(text: str, found: list[Evidence]) -> list[Evidence]:
    """Shorter forms of a name go to the full name that has them; where several do, to none."""
    full = [one for one in found if one.named.first and one.named.last]
    lone = [one for one in found if one not in full]
    for given, titled in product(lone, lone):  # Harold, Mr. Finch and H. Finch
        first, last = given.named.first, titled.named.last
        if not first or not last or given.named.last or gender_told(given) != gender_told(titled):
            continue
        owners = [one for one in full if _has_part(one.named, given.named) or _has_part(one.named, titled.named)]
        initial = re.search(rf"(?<!\w)(?<!\w[ ]){first[0]}\.?[ ]{re.escape(last)}(?!\w)", text)
        if initial and all(gender_told(given) != gender_told(one) != "" for one in owners):
            given.named = replace(given.named, last=last)
    full = [one for one in found if one.named.first and one.named.last]
    for short in sorted(full, key=lambda one: one.weight):
        longer = next((other for other in full if other is not short and _extends(other.named, short.named)), None)
        if longer:
            longer.take(short)
            full.remove(short)
            if short.named.key[0] in nicknames().get(longer.named.key[0], ()):  # Bob Young
                longer.named = replace(longer.named, nick=short.named.first)
    rest = list[Evidence]()
    for one in (one for one in found if not (one.named.first and one.named.last)):
        owners = [other for other in full if _has_part(other.named, one.named)]
        if one.named.last and one.genders:
            owners = [other for other in owners if gender_told(other) in (next(iter(one.genders)), "")]
        same = [other for other in rest if one.named.words.casefold() == other.named.words.casefold()]
        same = [
            other for other in same if not (one.genders and other.genders) or one.genders.keys() == other.genders.keys()
        ]
        if len(owners) == 1 or (same and not owners):
            owner = (owners or same)[0]
            owner.take(one)
            if owner.named.last and owner.named.key[0] in nicknames().get(one.named.key[0], ()):  # Ed Stone, and Edward
                owner.named = replace(owner.named, first=one.named.first, nick=owner.named.first)
        elif not owners:
            rest.append(one)
    return sorted([*full, *rest], key=lambda one: (-one.weight, one.first_at))


def _has_part(long: Named, part: Named) -> bool:
    """Whether a name of one word is the full name's first or last, a half of it or its short form."""
    word = (part.first or part.last).casefold()
    lasts = long.last.casefold()
    shorts = {long.nick.casefold(), *nicknames().get(long.first.casefold(), ())} if part.first else set()
    if fold(long.first).casefold() in nicknames().get(part.first.casefold(), ()):
        return True
    return fold(word) in {*map(fold, (long.first.casefold(), lasts, *lasts.split("-"), *lasts.split(), *shorts))}


def _extends(long: Named, short: Named) -> bool:
    """Whether one name is the other with more words, a slip, a short form or in the other order.

    *Ana María García López* has *Ana García*, *Anna García* and *García Ana*.
    """
    first, last = short.key
    plain = [fold(one.words.translate(GERMAN)).casefold() for one in (long, short)]
    if plain[0] == plain[1]:  # Müller, and Mueller
        return long.words.translate(GERMAN) != long.words
    if long.key == (last, first):
        ranks = [(evidence(one.first).first - evidence(one.first).last, "-" in one.first) for one in (long, short)]
        return ranks[0] > ranks[1]
    if long.key[1] == last and len(first) > 5 and is_slip(long.key[0], first):
        return gender_of(long.first) in (gender_of(short.first), "")
    if f"{first} {last}" == long.key[1] or (long.key[1] == last and first in nicknames().get(long.key[0], ())):
        return True
    every = [long.key[0], *(fold(word).casefold() for word in long.middle), *long.key[1].split()]
    words = f"{first} {last}".split()
    return len(every) > len(words) and every[0] == words[0] and " ".join(words[1:]) in " ".join(every[1:])


def gender_told(who: Evidence) -> str:
    """The gender that a person's title says, else that of the first name."""
    counted = [gender for gender, _ in who.genders.most_common() if gender]
    return counted[0] if counted else gender_of(in_name_case(who.named.first).split()[0] if who.named.first else "")


def _with_short_forms(text: str, found: list[Evidence]) -> None:
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
    whole = [one for one in found if one.named.first and one.named.last]
    for match in _KNOWN_AS.finditer(text):
        word = re.sub(r"['’]s$", "", match[1])
        last = max(whole, key=lambda one: _last_at(text[: match.start()], one.named), default=None)
        if last and word[0].isupper() and could_be_name(word) and word.casefold() not in taken:
            last.named = replace(last.named, nick=last.named.nick or word)


def _last_at(text: str, who: Named) -> int:
    """Where a person is named last."""
    return max(text.casefold().rfind(name.casefold()) for name in (who.first, who.last))
