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
from psa_core.anchors._person.beside import ANOTHER, FAMILY, OTHER_NAME, PERHAPS, SHARED, SHORT, Surroundings
from psa_core.anchors._person.lexicon import KIN, PART, TITLE, fold, is_capitals, key_of
from psa_core.anchors._person.naming import Named
from psa_core.anchors._person.near import near
from psa_core.anchors._person.spelling import between_names, either, form_of, halves, initial_of, middle_names
from psa_core.inputs import people

#: In a text about a child, whose title and last name may be a parent's.
_CHILD = re.compile(
    r"^[ \t]*(?:pupil|child|parents?)\b[^:\n]{0,20}:|\b(?:pupil|year[ ]group|(?:year|grade|class|yr)[ ]\d\d?[A-Z]?)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ABBREVIATIONS = re.compile(r"AM|PM|US|UK|EU|IT|HR|CV|ID|TV|PC|OK|AI|MD|RN|BA|MA|BS|MS|GP|PR|QA")
#: Between two names: a line may end there, and a paragraph does not.
_SPACE = r"(?:[ \t]+\n?|\n)[ \t]*"
#: The field of a form that holds half of the person's name.
_FIELD = re.compile(
    r"(?:^|[ ]{2}|\t)[ \t]*(?:(?:last|family|first|given)[ ]names?|surname|forenames?)(?:\(s\))?[ \t:]+$", re.I | re.M
)
#: *My brother Kamau*, *Auntie Pat*.
_KIN_BEFORE = re.compile(rf"\b({'|'.join(KIN)})(?:-in-law)?,?[ ]$", re.IGNORECASE)
#: In a letter's first line: who is written to.
_GREETS = re.compile(r"^[ \t>]*(?:dear|dearest|hi|hello|hey)\b[^\n]*$", re.IGNORECASE | re.MULTILINE)


def mentions_of(text: str, who: Named, gender: str, named: Iterable[Evidence]) -> tuple[list[Anchor], list[Undecided]]:
    """Every mention of a person by name, and what looks like one but cannot be decided; the first that fits wins."""
    others = tuple(replace(other.named, gender=other.gender) for other in named)
    plain = fold(text)
    finder = _Finder(plain, who, gender, others, Surroundings(text, plain, who))
    taken, anchors, left = bytearray(len(text)), list[Anchor](), list[Undecided]()
    whole = [*finder.other_people(), *(finder.both_names() if who.first and who.last else ())]
    whole.sort(key=lambda one: one[0] - one[1])  # Ali bin Omar Said is not Omar Said
    found = [handles_in(plain, who, finder.sharing("last")), whole]
    if who.last:
        found += [finder.titled()]
    if who.first and who.last:
        found += [finder.initials()]
    for start, end, form, reason in chain(*found, finder.alone(), near(plain, who, gender, others)):
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

    plain: str
    who: Named
    gender: str
    others: tuple[Named, ...]
    around: Surroundings

    def _in_other(self, name: str) -> bool:
        """Whether half of the person's double last name is in another's: *Ortega*, with *Ruiz Ortega*."""
        words = {*re.split("[ -]", key_of(name))} - people.PARTICLES
        return key_of(name) != self.who.key[1] and any(words & {*re.split("[ -]", one.key[1])} for one in self.others)

    def sharing(self, part: str) -> list[Named]:
        """Who else has the same first or last name."""
        own = key_of(getattr(self.who, part))
        same = [other for other in self.others if own and key_of(getattr(other, part)) == own]
        return [other for other in same if other.key != self.who.key]

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
        who, family, middle = self.who, self.around.family, middle_names(self.who)
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
            generation = self.around.generation(match.end())
            if has_other_title or self.around.is_anothers(*match.span()):
                yield *match.span(), "", f"{ANOTHER}: {' '.join(match[0].split())}"
            elif two == "f" and match["two"].startswith("D.C"):  # Washington, D.C.
                yield *match.span(), "", f"{OTHER_NAME}: {match[0]}"
            elif reason := (SHARED if "f" in (one, two) and alike else self.around.part_of(*match.span(), whole=True)):
                yield *match.span(), "", reason
            else:
                yield match.start(), (generation or match).end(), form_of(match, one, two), ""

    @cached_property
    def _is_told_of(self) -> bool:
        """Whether the text speaks of somebody of the person's gender to others."""
        words = {"female": "she|her", "male": "he|him|his"}.get(self.gender, "she|her|he|him|his")
        return len(re.findall(rf"\b(?:{words})\b", self.plain, re.IGNORECASE)) > 3

    def titled(self) -> Iterator[Mention]:
        """A title and the last name."""
        for match in re.finditer(rf"(?<!\w){TITLE}[ ]+(?:and|&)[ ]+{TITLE}[ ]+{self.around.family}(?!\w)", self.plain):
            yield *match.span(), "", FAMILY
        # Who is Mr. Doe before another Doe is named is Mr. Doe in all of the text.
        sharing = self.sharing("last")
        places = [re.search(rf"(?<!\w){either(other.first)}", self.plain) for other in sharing]
        others_at = min((place.start() for place in places if place), default=len(self.plain))
        comes_first, gender, is_child = False, self.gender, _CHILD.search(self.plain) is not None
        initials = "" if self.who.first else r"(?:[A-Z]\.[ -]?)*"
        for match in re.finditer(rf"(?<!\w)({TITLE})\s+{initials}({self.around.family})(?!\w)", self.plain):
            told = lexicon.gender_of_title(match[1])
            generation = self.around.generation(match.end())
            if (told and gender and told != gender) or self.around.is_anothers(*match.span()):
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
                reason, end = self.around.part_of(*match.span(), whole=True), (generation or match).end()
                yield match.start(), end, "" if reason else "TITLE" if is_capitals(match[0]) else "title", reason

        given = [name for name in (self.who.first, self.who.nick) if name]
        for match in re.finditer(rf"(?<!\w)({TITLE})\s+{either(*given)}(?!\w)", self.plain) if given else ():
            reason = self.around.part_of(*match.span()) or (SHARED if self.sharing("first") else "")
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
                    generation = self.around.generation(match.end())
                    in_field = _FIELD.search(self.plain[max(0, match.start() - 40) : match.start()])
                    reason = "" if generation else shared
                    reason = self.around.part_of(*match.span()) or reason or self.around.as_word(*match.span())
                    reason = "" if in_field else reason
                    kin = _KIN_BEFORE.search(self.plain[max(0, match.start() - 40) : match.start()])
                    other_kin = kin and (form == "last" or {KIN[kin[1].casefold()], self.gender} == {"female", "male"})
                    if other_kin or (form == "last" and self.around.is_anothers(*match.span())):
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
