"""Where a known person's names stand in a text: every form of them, and what may be one but cannot be decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from psa_core.anchors._base import Anchor, Undecided
from psa_core.anchors._forms import place_role, possessive_end
from psa_core.anchors._person import lexicon
from psa_core.anchors._person.about import Evidence
from psa_core.anchors._person.addresses import Mention, handles_in
from psa_core.anchors._person.lexicon import (
    KIN,
    PART,
    PLACE_LASTS,
    PLACES,
    RELATIVE_AFTER,
    RELATIVE_BEFORE,
    TITLE,
    fold,
    is_capitals,
    key_of,
)
from psa_core.anchors._person.naming import Named
from psa_core.anchors._person.spelling import between_names, either, form_of, halves, initial_of, middle_names
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed

SHARED, OTHER_NAME, FAMILY = "a name that two people share", "part of another name", "a family's name"
PERHAPS, ANOTHER = "perhaps the same person", "another person"
A_WORD, SHORT, NEAR = "a word that may be no name", "letters that may be initials", "nearly the person's name"
#: A title that stays whoever bears the name.
_OTHER_TITLE = re.compile(rf"\b{lexicon.OTHER_TITLE}[ ]$")
_FAMILY = re.compile(r"s?[ ](?:family|household|brothers|sisters|siblings|couple|twins)\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"[ ]&[ ]|[ ]and[ ](?:sons?|daughters?|co|partners|brothers|associates)\b"
    r"|,?[ ](?:inc|ltd|llc|llp|gmbh|plc|corp|a/s)\b",
    re.IGNORECASE,
)
#: Behind a name, and no *Senior Analyst*; its full stop may end the sentence.
_GENERATION = re.compile(
    rf",?[ ](?!(?i:junior|senior)[ ][A-Z])(?i:{'|'.join(map(fold, lexicon.GENERATIONS))})\b(?:\.(?!\s+[A-Z]))?"
)
#: In a text about a child, whose title and last name may be a parent's.
_CHILD = re.compile(
    r"^[ \t]*(?:pupil|child|parents?)\b[^:\n]{0,20}:|\b(?:pupil|year[ ]group|(?:year|grade|class|yr)[ ]\d\d?[A-Z]?)\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Before the name of a namesake: *another Jane Doe*, *his cousin, also Jane*.
_NAMESAKE = re.compile(r"\b(?:another|also|also[ ](?:named|called))[ ]$", re.IGNORECASE)
_ABBREVIATIONS = re.compile(r"AM|PM|US|UK|EU|IT|HR|CV|ID|TV|PC|OK|AI|MD|RN|BA|MA|BS|MS|GP|PR|QA")
#: Between two names: a line may end there, and a paragraph does not.
_SPACE = r"(?:[ \t]+\n?|\n)[ \t]*"
#: The field of a form that holds half of the person's name.
_FIELD = re.compile(
    r"(?:^|[ ]{2}|\t)[ \t]*(?:(?:last|family|first|given)[ ]names?|surname|forenames?)(?:\(s\))?[ \t:]+$", re.I | re.M
)
#: A name that somebody had before; whose it is, is not known.
_ONCE = re.compile(rf"\b(?:nee|formerly|maiden[ ]name:?)[ ]({PART})")
#: *My brother Kamau*, *Auntie Pat*.
_KIN_BEFORE = re.compile(rf"\b({'|'.join(KIN)})(?:-in-law)?,?[ ]$", re.IGNORECASE)
#: What the person may be called by relatives: *Dad is not eating*.
_KIN_NAME = re.compile(
    r"\b(?:Mum(?:my)?|Mom(?:my)?|Mamm?a|Dad(?:dy)?|Papa|Gran(?:ny|d?dad|dma|dpa)?|Aunt(?:ie|y)|Nana)\b(?![ ][A-Z])"
)
#: In a letter's first line: who is written to.
_GREETS = re.compile(r"^[ \t>]*(?:dear|dearest|hi|hello|hey)\b[^\n]*$", re.IGNORECASE | re.MULTILINE)
#: What may be several behind an ordinary word: *Young patients like*.
_PLURAL = re.compile(r"[ ](?!(?:is|has|was|does)\b)\w+s\b(?![ ](?:an?|the|her|his|that)\b)")
_BEFORE_NAME = re.compile(rf"(?<![\w.])({PART}\.?)[ ]$")
_IN_ADDRESS = re.compile(r"[@/_\\]|\w\.\w")
_LINE_START = re.compile(r"(?:^|[.!?:;\n\"“(•*|–—>-])[ \t]*$")


def mentions_of(text: str, who: Named, gender: str, named: Iterable[Evidence]) -> tuple[list[Anchor], list[Undecided]]:
    """Every mention of a person by name, and what looks like one but cannot be decided; the first that fits wins."""
    others = tuple(replace(other.named, gender=other.gender) for other in named)
    finder = _Finder(text, fold(text), who, gender, others)
    taken, anchors, left = bytearray(len(text)), list[Anchor](), list[Undecided]()
    whole = [*finder.other_people(), *(finder.both_names() if who.first and who.last else ())]
    whole.sort(key=lambda one: one[0] - one[1])  # Ali bin Omar Said is not Omar Said
    found = [handles_in(finder.plain, who, finder.sharing("last")), whole]
    if who.last:
        found += [finder.titled()]
    if who.first and who.last:
        found += [finder.initials()]
    for start, end, form, reason in chain(*found, finder.alone(), finder.near()):
        if any(taken[start:end]):
            continue
        taken[start:end] = b"\1" * (end - start)
        if form:
            closed = possessive_end(text, start, end)
            role = "possessive" if closed > end else place_role(text, start)
            anchors.append(Anchor(start, closed, role, gender, "subject", form))
        elif reason:
            left.append(Undecided(start, end, reason))
    return sorted(anchors), sorted(left, key=lambda one: one.start)


@dataclass(frozen=True)
class _Finder:
    """Looks for one person's names in a text; `plain` is the text without accents, position by position."""

    text: str
    plain: str
    who: Named
    gender: str
    others: tuple[Named, ...]

    def _in_other(self, name: str) -> bool:
        """Whether half of the person's double last name is in another's: *Ortega*, with *Ruiz Ortega*."""
        words = {*re.split("[ -]", key_of(name))} - people.PARTICLES
        return key_of(name) != self.who.key[1] and any(words & {*re.split("[ -]", one.key[1])} for one in self.others)

    def sharing(self, part: str) -> list[Named]:
        """Who else has the same first or last name."""
        own = key_of(getattr(self.who, part))
        same = [other for other in self.others if own and key_of(getattr(other, part)) == own]
        return [other for other in same if other.key != self.who.key]

    @property
    def _family(self) -> str:
        return rf"{either(self.who.last, *halves(self.who.last))}(?!-[^\W\d_])"

    def other_people(self) -> Iterator[Mention]:
        """Other people's full names, which may hold a part of this one's; listed where they do."""
        own = {*re.split(r"[ -]", " ".join(self.who.key))}
        for other in self.others:
            if other.first and other.last:
                first, last = either(other.first), either(other.last)
                turned = rf"(?<!\w[ ]){last},?[ ]+{between_names(other)}{first}(?![ ]{last})"
                whole = rf"(?<![\w@])(?:{first}{middle_names(other)}[ ]+{last}|{turned})(?!\w)"
                for match in re.finditer(whole, self.plain):
                    if own & {*re.split(r"[\s,-]+", match[0].casefold())}:
                        yield *match.span(), "", f"{OTHER_NAME}: {' '.join(match[0].split())}"
            elif not (self.who.first and self.who.last):  # a text with Ravi and with Mr. Menon, and no full name
                part = other.last if not self.who.last else other.first
                if part and not (self.gender and other.gender and self.gender != other.gender):
                    for match in re.finditer(rf"(?<!\w)(?:{TITLE}[ ]+)?{either(part)}(?!\w)", self.plain):
                        yield *match.span(), "", PERHAPS

    def both_names(self) -> Iterator[Mention]:
        """First and last name together, in any order, either of them perhaps an initial."""
        who, family, middle = self.who, self._family, middle_names(self.who)
        end = middle_names(self.who, at_end=True)
        given = either(*filter(None, (who.first, who.nick)))
        initial = rf"{fold(who.first)[0]}(?:\.(?:[ -]?[A-Z]\.|-[a-z]\.)*|[A-Z]?\b)"
        spellings = (
            ("last", "first", rf"(?P<one>{family})(?P<sep>,{_SPACE}){between_names(who)}(?P<two>{given}){end}"),
            ("first", "last", rf"(?P<one>{given}){middle}(?P<sep>{_SPACE})(?P<two>{family})"),
            ("first", "last", rf"(?P<one>{re.escape(' '.join(who.key))})(?P<sep>)(?P<two>)"),
            ("last", "first", rf"(?P<one>{family})(?P<sep>{_SPACE}){between_names(who)}(?P<two>{given}){end}"),
            ("last", "f", rf"(?P<one>{family})(?P<sep>,[ ]|[ ](?=[A-Z]+(?:[.,;:)\n]|$)))(?P<two>{initial})"),
            ("f", "last", rf"(?P<one>{initial})(?P<sep>[ ]|(?<=\.))(?P<two>{family})"),
            ("first", "l", rf"(?P<one>{given})(?P<sep>[ ])(?P<two>{initial_of(who.last)}(?:\.|(?=[,;:)\n]|$)))"),
        )  # fmt: skip
        alike = any(fold(other.first)[:1] == fold(who.first)[0] for other in self.sharing("last"))
        found = [
            (match, one, two)
            for one, two, pattern in spellings
            for match in re.finditer(rf"(?<![\w@-])(?:(?P<title>{TITLE})\s+)?{pattern}(?!\w)", self.plain)
        ]
        for match, one, two in found:
            has_other_title = match["title"] and lexicon.gender_of_title(match["title"]) not in (self.gender, "")
            generation = _GENERATION.match(self.plain, match.end())
            if has_other_title or self._is_others(*match.span()):
                yield *match.span(), "", f"{ANOTHER}: {' '.join(match[0].split())}"
            elif two == "f" and match["two"].startswith("D.C"):  # Washington, D.C.
                yield *match.span(), "", f"{OTHER_NAME}: {match[0]}"
            elif reason := (SHARED if "f" in (one, two) and alike else self._beside(*match.span(), whole=True)):
                yield *match.span(), "", reason
            else:
                yield match.start(), (generation or match).end(), form_of(match, one, two), ""

    @cached_property
    def _is_told_of(self) -> bool:
        """Whether the text speaks of somebody of the person's gender to others."""
        words = {"female": "she|her", "male": "he|him|his"}.get(self.gender, "she|her|he|him|his")
        return len(re.findall(rf"\b(?:{words})\b", self.plain, re.IGNORECASE)) > 3

    def _generation(self, end: int) -> str:
        """What stands behind a name that ends there, as *jr* or *iii*."""
        behind = _GENERATION.match(self.plain, end)
        return behind[0].strip(" ,.").casefold() if behind else ""

    @cached_property
    def _begins(self) -> tuple[int, str]:
        """Where the full name stands first, and the generation behind it."""
        given, last = either(*filter(None, (self.who.first, self.who.nick))), self._family
        whole = (
            rf"(?<!\w)(?:{given}{middle_names(self.who)}\s+{last}|{last},?\s+{between_names(self.who)}{given})(?!\w)"
        )
        match = re.search(whole, self.plain)
        return (match.start(), self._generation(match.end())) if match else (0, "")

    def _is_others(self, start: int, end: int) -> bool:
        """Whether a mention is a relative's: of another generation, or *her mother, Mrs. Doe*."""
        begins, generation = self._begins
        if self._generation(end) not in ("", generation):
            return True
        before = self.plain[max(0, start - 40) : start]
        is_relative = RELATIVE_BEFORE.search(before) and not re.search(
            r"\b(?:my|our)[ ][\w-]+,?[ ]$", before, re.IGNORECASE
        )
        return start > begins and bool(is_relative or RELATIVE_AFTER.match(self.plain, end))

    def titled(self) -> Iterator[Mention]:
        """A title and the last name."""
        for match in re.finditer(rf"(?<!\w){TITLE}[ ]+(?:and|&)[ ]+{TITLE}[ ]+{self._family}(?!\w)", self.plain):
            yield *match.span(), "", FAMILY
        # Who is Mr. Doe before another Doe is named is Mr. Doe in all of the text.
        sharing = self.sharing("last")
        places = [re.search(rf"(?<!\w){either(other.first)}", self.plain) for other in sharing]
        others_at = min((place.start() for place in places if place), default=len(self.plain))
        comes_first, gender, is_child = False, self.gender, _CHILD.search(self.plain) is not None
        initials = "" if self.who.first else r"(?:[A-Z]\.[ -]?)*"
        for match in re.finditer(rf"(?<!\w)({TITLE})\s+{initials}({self._family})(?!\w)", self.plain):
            told = lexicon.gender_of_title(match[1])
            generation = _GENERATION.match(self.plain, match.end())
            if (told and gender and told != gender) or self._is_others(*match.span()):
                yield *match.span(), "", f"{ANOTHER}: {' '.join(match[0].split())}"
                continue
            comes_first = comes_first or match.start() < others_at
            greeted = self._is_told_of and _GREETS.search(self.plain[: match.start()].rpartition("\n")[2])
            if (
                is_child
                or greeted
                or self._in_other(match[2])
                or (not comes_first and any(other.gender in (told, "") for other in sharing if other.first))
            ):
                yield *match.span(), "", SHARED
            else:
                gender = gender or told
                reason, end = self._beside(*match.span(), whole=True), (generation or match).end()
                yield match.start(), end, "" if reason else "TITLE" if is_capitals(match[0]) else "title", reason

        given = [name for name in (self.who.first, self.who.nick) if name]
        for match in re.finditer(rf"(?<!\w)({TITLE})\s+{either(*given)}(?!\w)", self.plain) if given else ():
            reason = self._beside(*match.span()) or (SHARED if self.sharing("first") else "")
            if lexicon.gender_of_title(match[1]) in (self.gender, "") or not self.gender:
                yield *match.span(), "" if reason else "name=Title First", reason

    def initials(self) -> Iterator[Mention]:
        """*J.D.* and *(JD)*; letters that may be something else are left."""
        names = fold(" ".join((self.who.first, *self.who.middle, self.who.last)))
        words = list(filter(None, re.split(r"[ -]", names)))
        first, last = words[0][0], initial_of(self.who.last)
        whole = ([first, last], [first, *(word[0] for word in self.who.middle), last])
        for match in re.finditer(rf"(?<![\w.])(?:{first}\.(?:[ -]?[A-Z]\.)+)(?!\w)", self.plain):
            gap = " " if ". " in match[0] else ""
            following = re.match(rf"[ ]({PART})", self.plain[match.end() :])
            word = following[1] if following else ""
            is_word = lexicon.is_only_word(word) or lexicon.is_ordinary(word)
            goes_on = word and lexicon.could_be_name(word) and not is_word
            is_whole = re.findall(r"[A-Z]", match[0]) in whole and not goes_on
            yield *match.span(), *((f"name=F.{gap}L.", "") if is_whole else ("", SHORT))
        every = "".join(word[0] for word in words)
        for match in re.finditer(rf"(?<![\w./@-])(?:{first}[A-Z]?{last}|{every.upper()})(?![\w.@-])", self.plain):
            line = self.plain[self.plain.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip(" -–—")
            speaks = len(match[0]) == 2 and self.plain[match.end() :][:1] == ":"
            closed = {"(": ")", "[": "]", "/": ""}.get(self.plain[: match.start()][-1:])
            marked = speaks or (closed is not None and self.plain[match.end() :].startswith(closed))
            if (marked or line == match[0]) and not (speaks and _ABBREVIATIONS.fullmatch(match[0])):
                yield *match.span(), "name=FL", ""
            elif not _ABBREVIATIONS.fullmatch(match[0]):
                yield *match.span(), "", SHORT

    def alone(self) -> Iterator[Mention]:
        """First or last name alone, and what stands for it: both first names, a short form, half of a double name."""
        who, taken = self.who, {other.first.casefold() for other in self.others}
        short = [name.capitalize() for name in sorted(lexicon.shorts_of(who.first)) if name not in taken]
        together = " ".join((*who.middle[-1:], who.first))  # Minh Chau, of Nguyen Thi Minh Chau
        firsts = [" ".join((who.first, *who.middle)), together, who.nick, *short, who.first]
        for form, names in (("first", firsts if who.first else []), ("last", [who.last, *halves(who.last)])):
            for name in filter(None, names):
                shared = SHARED if self.sharing(form) or (form == "last" and self._in_other(name)) else ""
                found = [*re.finditer(rf"(?<![\w@]){either(name)}(?!\w)", self.plain)]
                for match in found:
                    generation = _GENERATION.match(self.plain, match.end())
                    in_field = _FIELD.search(self.plain[max(0, match.start() - 40) : match.start()])
                    reason = "" if generation else shared
                    reason = self._beside(*match.span()) or reason or self._as_word(*match.span())
                    reason = "" if in_field else reason
                    kin = _KIN_BEFORE.search(self.plain[max(0, match.start() - 40) : match.start()])
                    other_kin = kin and (form == "last" or {KIN[kin[1].casefold()], self.gender} == {"female", "male"})
                    if other_kin or (form == "last" and self._is_others(*match.span())):
                        reason = f"{ANOTHER}: {match[0]}"
                    if name in (*short, who.nick) and re.search(
                        r"\b(?:named|called)[ ]$", self.plain[: match.start()]
                    ):  # a dog
                        reason = PERHAPS
                    written = form.upper() if is_capitals(match[0]) else form
                    yield match.start(), ((not reason and generation) or match).end(), "" if reason else written, reason
                lower = fold(name).lower()
                if not found and len(lower) > 3 and not lexicon.is_word_and_name(lower):
                    for match in re.finditer(rf"(?<![\w@.-]){re.escape(lower)}(?![\w@.-])", self.plain):
                        yield *match.span(), "" if shared else form, shared

    def near(self) -> Iterator[Mention]:
        """Whatever else is like a part of the name, in any spelling: no mention stays unseen."""
        names = key_of(" ".join((self.who.first, *self.who.middle, self.who.last)))
        first, german = key_of(self.who.first), fold(self.who.words.translate(lexicon.GERMAN).casefold())
        spelled = re.split(r"[ .-]", f"{names} {key_of(self.who.nick)} {german}")
        parts = {part for part in spelled if len(part) > 1} - people.PARTICLES
        known = {word for other in self.others for word in " ".join(other.key).split()}
        tokens = re.finditer(r"\S+", self.plain)
        addresses = [token.span() for token in tokens if _IN_ADDRESS.search(token[0])]
        letters = [word[0] for word in re.split(r"[ -]", names) if word]
        initials = {"".join(letters), "".join([letters[-1], *letters[:-1]])}
        last = people.handle(self.who.last).casefold()
        given = "".join(letters[: -len(re.split("[ -]", self.who.last))])
        logins = {f"{one}{last}" for one in (first, first[:1], given)} | {f"{last}{first[:1]}", f"{first}{last[:1]}"}
        logins -= {"", first}
        for match in _ONCE.finditer(self.plain):
            yield *match.span(1), "", PERHAPS
        for match in _KIN_NAME.finditer(self.plain):
            if {KIN[match[0].casefold()], self.gender} != {"female", "male"}:
                yield *match.span(), "", PERHAPS
        for match in re.finditer(r"[^\W\d_]+", self.plain):
            word, (start, end) = match[0].casefold(), match.span()
            if word in logins:
                yield start, end, "", NEAR
            elif word in parts:
                yield start, end, "", NEAR if match[0][0].isupper() else A_WORD
            elif any(len(part) > 2 and part in word for part in parts) and any(a <= start < b for a, b in addresses):
                yield start, end, "", NEAR
            elif any(a <= start < b for a, b in addresses) and len(word) > 3 and first.startswith(word):
                yield start, end, "", NEAR  # thandi@, of Thandiwe
            elif (len(word) > 2 and word == "".join(letters) and match[0][-1].isupper()) or (  # MVdE
                word in initials and any(a <= start < b and (a == start or end - start > 2) for a, b in addresses)
            ):
                yield start, end, "", SHORT
            elif match[0][0].islower():
                continue
            elif len(word) == 1:  # an initial that stands alone
                alone = re.match(r"[.,)]*\s*(?:\n|$|[(/,])|\.(?:'s)?[ ][a-z]", self.plain[end : end + 5])
                begins = self.plain[start - 1 : start] in ("", "\n", " ", "(", ">", "-")
                titled = re.search(rf"{TITLE}[ ]$", self.plain[max(0, start - 15) : start])
                if (word == names[:1] and alone and begins) or (titled and word in (letters[0], letters[-1])):
                    yield start, end, "", SHORT
            elif word.rstrip("s") in parts:
                yield start, end, "", FAMILY
            elif lexicon.could_be_name(word):
                shortened = 2 < len(word) < len(first) and (first[:3] == word[:3] or first.endswith(word))
                holds = any(len(part) > 3 and part in word for part in parts)
                slip = word not in known and any(lexicon.is_slip(word, part) for part in parts)
                if holds or slip or shortened:
                    yield start, end, "", NEAR
                elif not self.who.last and evidence(word).last >= lexicon.WELL_KNOWN and not lexicon.is_ordinary(word):
                    yield start, end, "", PERHAPS  # a last name that never stands next to the first

    def _beside(self, start: int, end: int, *, whole: bool = False) -> str:
        """Why a mention may be part of a longer name, by the words beside it; empty where it is none.

        `whole`: the mention is a title and a name, or both names.
        """
        name, before, after = self.plain[start:end], self.plain[max(0, start - 40) : start], self.plain[end : end + 60]
        after = _GENERATION.sub("", after, count=1) if _GENERATION.match(after) else after
        if _NAMESAKE.search(before) or self._generation(end) not in ("", self._begins[1]):
            return f"{ANOTHER}: {_around(self.text, start, end)}"
        if _FAMILY.match(after):
            return FAMILY
        own = {*" ".join((*self.who.key, *self.who.middle)).casefold().split()}
        begins = re.match(rf"{TITLE}\s", name)  # nothing before a title belongs to the name
        if self._goes_on(name, before, after, own, whole) or (not begins and self._began(name, before, own, whole)):
            return f"{OTHER_NAME}: {_around(self.text, start, end)}"
        return ""

    def _goes_on(self, name: str, before: str, after: str, own: set[str], whole: bool) -> bool:
        """Whether the words behind a name make it part of another: *Jane Doe-Hall*, *Doe & Co*, *Doe Street*."""
        if re.match(r"-(?!(?:san|sama|sensei|ssi|nim)\b)[^\W\d_]", after) or _COMPANY.match(after):
            return True
        is_titled = re.match(rf"{TITLE}[ ]", name) or _OTHER_TITLE.search(before)
        if self.who.key[1] in PLACE_LASTS and not is_titled and lexicon.in_address(before, after):
            return True
        if place := re.match(r"'s[ ]([A-Z]\w*)", after):  # Lan's Corner, the Hartley's Harvest line
            is_last = self.who.first and name.casefold() == self.who.key[1]
            if place[1].casefold() in PLACES or is_last or before.casefold().endswith("the "):
                return True
        following = re.match(rf"[ ]({PART})", after)
        word, capitals = following[1].casefold() if following else "", is_capitals(name)
        if word in PLACES and not (capitals and whole):
            return True
        is_listed_behind = re.search(r"[A-Z]\w+,[ ]$", before) and re.match(r"[ ]*(?:\n|$|\d)", after)
        if is_listed_behind and not whole:  # Seattle, Washington
            return True
        if not word or word in own or capitals or _is_plain(word):
            return False
        return not whole or evidence(word).last >= lexicon.WELL_KNOWN

    def _began(self, name: str, before: str, own: set[str], whole: bool) -> bool:
        """Whether the words before a name make it part of another: *Hall-Doe*, *Smith & Doe*, *Lake Doe*."""
        follows_company = before.endswith(" & ") and not re.search(r"\b[A-Z]\. & $", before)  # not Lee, E. & Doe, J.
        if follows_company or (before[-1:] == "-" and before[-2:-1].isalpha()):
            return True
        preceding = _BEFORE_NAME.search(before)
        if preceding is None:
            of = re.search(rf"({PART})[ ](?:{'|'.join(people.PARTICLES)})[ ]$", before)
            return of is not None and of[1].casefold() not in own and not _is_plain(of[1])
        written, word = preceding[1], preceding[1].casefold().rstrip(".")
        if lexicon.is_date(before[: preceding.start()], word, before[preceding.end() :]):  # on 11 May Jane left
            return False
        if word in own or word in lexicon.GENDERED or (len(word) > 1 and written[-1] == "."):
            return False
        if len(word) == 1:
            return written != "I"
        if word in PLACES:
            return True
        if _is_plain(word) or word in lexicon.language_of().kin:
            return False
        starts = _LINE_START.search(before[: preceding.start()].rstrip(" "))
        is_name = evidence(word).first >= lexicon.WELL_KNOWN
        return is_name or not (starts or whole or name.casefold() == self.who.key[0])

    def _as_word(self, start: int, end: int) -> str:
        """Whether a name that is also a word may be the word here: at a sentence's start, and nothing shows a name."""
        word, before, after = self.plain[start:end].casefold(), self.plain[:start], self.plain[end:]
        if not (lexicon.is_word_and_name(word) or word in PLACE_LASTS):
            return ""
        begins = _LINE_START.search(before[-40:])
        if begins and word == self.who.key[1] and _PLURAL.match(after):
            return A_WORD
        if word == self.who.key[1] and word in PLACE_LASTS:
            possessive = re.match(r"['’]s[ ][a-z]", after) and not re.search(r"\bthe[ ]$", before, re.IGNORECASE)
            acts = begins and lexicon.PERSON_VERB.match(after) and word not in {"best", "march"}
            return "" if _OTHER_TITLE.search(before) or possessive or acts else A_WORD
        line = before.rpartition("\n")[2].strip()
        if lexicon.is_date(before, word, after) or (not line and re.match(r"(?:[ ][a-z]+){1,3}:", after)):
            return A_WORD  # Grant requested:
        if re.match(r"'s\b|,(?![ ](?:and|or)\b)|[ ]*\n|$", after) or not begins:
            return ""
        auxiliary = re.match(r"[ ](?:is|was|has|had|will|can|does|did)\b", after)
        return A_WORD if (auxiliary and word in lexicon.MASS_NOUNS) or not lexicon.PERSON_VERB.match(after) else ""


def _is_plain(word: str) -> bool:
    """Whether a word with a capital is no part of a name: of the language, a title, a heading."""
    plain = re.sub(r"['’].*$", "", word).casefold().strip(".")
    is_word = plain in lexicon.NEVER_NAMES or plain in {"i", *lexicon.language_of().titles, *lexicon.GENDERED}
    is_word = is_word or (lexicon.is_ordinary(plain) and not is_listed(plain) and plain not in lexicon.WORD_NAMES)
    return is_word and evidence(plain).first < 1


def _around(text: str, start: int, end: int) -> str:
    """A mention with the words beside it, for a reader."""
    left, right = re.search(r"\S*[ ]?$", text[:start]), re.match(r"[ -]?\S*", text[end:])
    words = f"{left[0] if left else ''}{text[start:end]}{right[0] if right else ''}"
    return " ".join(words.split()).strip(",.;:()")[:60]
