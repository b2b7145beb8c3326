"""Where a known person's names stand in a text: every form of them, and what may be one but cannot be decided."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from psa_core.anchors._base import Anchor, Undecided
from psa_core.anchors._forms import place_role
from psa_core.anchors._handles import handles_of
from psa_core.anchors._name_words import (
    GENDERED,
    GERMAN,
    MASS_NOUNS,
    NEVER_NAMES,
    PART,
    PERSON_VERB,
    PLACE_LASTS,
    PLACES,
    WORD_NAMES,
    could_be_name,
    fold,
    in_address,
    in_name_case,
    is_capitals,
    is_date,
    is_ordinary,
    is_slip,
    nicknames,
)
from psa_core.anchors._own_pronouns import Rival
from psa_core.anchors._persons import language_of
from psa_core.anchors._subject import Evidence, Named, gender_told
from psa_core.inputs import people
from psa_core.inputs.gazetteers import evidence, is_listed

SHARED, OTHER_NAME, FAMILY = "a name that two people share", "part of another name", "a family's name"
PERHAPS, ANOTHER = "perhaps the same person", "another person"
A_WORD, SHORT, NEAR = "a word that may be no name", "letters that may be initials", "nearly the person's name"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|MR|MRS|MS|MISS)\b\.?)"
#: A title that stays whoever bears the name.
_OTHER_TITLE = re.compile(r"\b(?:Dr|Prof|Professor|Nurse|Sister)\b\.?[ ]$")
_FAMILY = re.compile(r"s?[ ](?:family|household|brothers|sisters|siblings|couple|twins)\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"[ ]&[ ]|[ ]and[ ](?:sons?|daughters?|co|partners|brothers|associates)\b"
    r"|,?[ ](?:inc|ltd|llc|llp|gmbh|plc|corp|a/s)\b",
    re.IGNORECASE,
)
_ABBREVIATIONS = re.compile(r"AM|PM|US|UK|EU|IT|HR|CV|ID|TV|PC|OK|AI|MD|RN|BA|MA|BS|MS|GP|PR|QA")
_BEFORE_NAME = re.compile(rf"(?<![\w.])({PART}\.?)[ ]$")
_LINE_START = re.compile(r"(?:^|[.!?:;\n\"“(•*|–—>-])[ \t]*$")

#: Start, end and form of a mention, and instead of a form the reason why it is left.
_Mention = tuple[int, int, str, str]


def mentions_of(text: str, who: Named, gender: str, named: Iterable[Evidence]) -> tuple[list[Anchor], list[Undecided]]:
    """Every mention of a person by name, and what looks like one but cannot be decided."""
    others = [replace(other.named, gender=gender_told(other)) for other in named]
    finder = _Finder(text, fold(text), who, gender, tuple(others))
    taken, anchors, left = bytearray(len(text)), list[Anchor](), list[Undecided]()
    found = (
        finder.handles(),
        finder.other_people(),
        finder.both_names(),
        finder.titled(),
        finder.initials(),
        finder.alone(),
        finder.near(),
    )
    for mentions in found:
        for start, end, form, reason in mentions:
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            if form:
                anchors.append(_anchor(text, start, end, form, gender))
            elif reason:
                left.append(Undecided(start, end, reason))
    return sorted(anchors), sorted(left, key=lambda one: one.start)


def perhaps_others(text: str, left: Iterable[Undecided]) -> Iterator[Rival]:
    """Where a mention behind a title was left: a pronoun after it may be somebody else's."""
    for one in left:
        title = re.search(rf"({_TITLE})\s+$", text[: one.start]) or re.match(
            rf"({_TITLE})\s", text[one.start : one.end]
        )
        if title:
            yield Rival(one.start, GENDERED[title[1].casefold().strip(".")])


def _anchor(text: str, start: int, end: int, form: str, gender: str) -> Anchor:
    """A mention; an apostrophe alone makes a possessive of a name in -s (*James' wife*), unless it closes a quote."""
    bare = text[end - 1 : end] in "sS" and text[end : end + 2] in ("' ", "’ ") and text[end + 2 : end + 3].isalpha()
    if bare and not re.search(r"(?<!\w)['‘]", text[max(0, start - 200) : start]):
        return Anchor(start, end + 1, "possessive", gender, "subject", form)
    return Anchor(start, end, place_role(text, start), gender, "subject", form)


def _either(name: str) -> str:
    """A pattern for a name as it is written or in capitals, with any space, hyphen or capital of *van der*."""
    written = []
    german = name.translate(GERMAN)
    for spelling in dict.fromkeys((fold(name), fold(name).upper(), fold(german), fold(german).upper())):
        words = re.split(r"([ -])", spelling)
        parts = (
            f"(?i:{re.escape(word)})" if word.casefold() in people.PARTICLES else re.escape(word) for word in words
        )
        written.append("".join(r"[ -]?" if part == r"\-" else r"\s+" if part == r"\ " else part for part in parts))
    return f"(?:{'|'.join(written)})"


def _middle(who: Named) -> str:
    """A pattern for what may stand between first and last name: initials, middle names, a short form in quotes."""
    names = "".join(f"|{_either(word)}" for word in who.middle if len(word.rstrip(".")) > 1)
    return rf"(?:[ ]+(?:[A-Z]\.?|[\"“(][\w-]+[\"”)]{names}))*"


def _halves(last: str) -> list[str]:
    """The two parts of a double last name such as *García López*, of which either may stand for it."""
    parts = last.split()
    return parts if len(parts) == 2 and all(part[:1].isupper() for part in parts) else []


@dataclass(frozen=True)
class _Finder:
    """Looks for one person's names in a text; `plain` is the text without accents, position by position."""

    text: str
    plain: str
    who: Named
    gender: str
    others: tuple[Named, ...]

    def _sharing(self, part: str) -> list[Named]:
        """Who else has the same first or last name."""
        own = fold(getattr(self.who, part)).casefold()
        same = [other for other in self.others if own and fold(getattr(other, part)).casefold() == own]
        return [other for other in same if other.key != self.who.key]

    @property
    def _family(self) -> str:
        return f"(?:{'|'.join(map(_either, [self.who.last, *_halves(self.who.last)]))})(?!-[^\\W\\d_])"

    def handles(self) -> Iterator[_Mention]:
        """In addresses and file names."""
        yield from handles_of(self.text, self.who, shared=bool(self._sharing("last")))

    def other_people(self) -> Iterator[_Mention]:
        """Other people's full names, which may hold a part of this one's; listed where they do."""
        own = {*re.split(r"[ -]", " ".join(self.who.key))}
        for other in self.others:
            if other.first and other.last:
                first, last = _either(other.first), _either(other.last)
                whole = (
                    rf"(?<![\w@])(?:{first}{_middle(other)}[ ]+{last}|(?<!\w[ ]){last},?[ ]+{first}(?![ ]{last}))(?!\w)"
                )
                for match in re.finditer(whole, self.plain):
                    if own & {*re.split(r"[\s,-]+", match[0].casefold())}:
                        yield *match.span(), "", f"{OTHER_NAME}: {' '.join(match[0].split())}"
            elif not (self.who.first and self.who.last):  # a text with Ravi and with Mr. Menon, and no full name
                part = other.last if not self.who.last else other.first
                if part and not (self.gender and other.gender and self.gender != other.gender):
                    for match in re.finditer(rf"(?<!\w)(?:{_TITLE}[ ]+)?{_either(part)}(?!\w)", self.plain):
                        yield *match.span(), "", PERHAPS

    def both_names(self) -> Iterator[_Mention]:
        """First and last name together, in any order, either of them perhaps an initial."""
        who = self.who
        if not (who.first and who.last):
            return
        family, middle = self._family, _middle(who)
        given = f"(?:{'|'.join(map(_either, filter(None, (who.first, who.nick))))})"
        between = "".join(rf"(?:{_either(word)}\s+)?" for word in who.middle)  # Nguyen Thi Huong
        initial = rf"{fold(who.first)[0]}(?:\.(?:[ -]?[A-Z]\.|-[a-z]\.)*|[A-Z]?\b)"
        spellings = (
            ("first", "last", rf"(?P<one>{given}){middle}(?P<sep>\s+)(?P<two>{family})"),
            ("first", "last", rf"(?P<one>{re.escape(' '.join(who.key))})(?P<sep>)(?P<two>)"),
            ("last", "first", rf"(?P<one>{family})(?P<sep>,?\s+){between}(?P<two>{given}){middle}"),
            ("last", "f", rf"(?P<one>{family})(?P<sep>,[ ]|[ ](?=[A-Z]+(?:[.,;:)\n]|$)))(?P<two>{initial})"),
            ("f", "last", rf"(?P<one>{initial})(?P<sep>[ ]|(?<=\.))(?P<two>{family})"),
            ("first", "l", rf"(?P<one>{given})(?P<sep>[ ])(?P<two>{_initial(who.last)}(?:\.|(?=[,;:)\n]|$)))"),
        )  # fmt: skip
        for one, two, pattern in spellings:
            for match in re.finditer(rf"(?<![\w@-])(?:(?P<title>{_TITLE})\s+)?{pattern}(?!\w)", self.plain):
                titled = match["title"] or ""
                alike = [other for other in self._sharing("last") if fold(other.first)[:1] == fold(who.first)[0]]
                if titled and GENDERED[titled.casefold().strip(".")] not in (self.gender, ""):
                    yield *match.span(), "", f"{ANOTHER}: {' '.join(match[0].split())}"
                elif two == "f" and match["two"].startswith("D.C"):  # Washington, D.C.
                    yield *match.span(), "", f"{OTHER_NAME}: {match[0]}"
                elif reason := (SHARED if "f" in (one, two) and alike else self._beside(*match.span(), whole=True)):
                    yield *match.span(), "", reason
                else:
                    yield *match.span(), _spelling(match, one, two), ""

    def titled(self) -> Iterator[_Mention]:
        """A title and the last name."""
        if not self.who.last:
            return
        for match in re.finditer(rf"(?<!\w){_TITLE}[ ]+(?:and|&)[ ]+{_TITLE}[ ]+{self._family}(?!\w)", self.plain):
            yield *match.span(), "", FAMILY
        # Who is Mr. Doe before another Doe is named is Mr. Doe in all of the text.
        sharing = [re.search(rf"(?<!\w){_either(other.first)}", self.plain) for other in self._sharing("last")]
        others_at = min((found.start() for found in sharing if found), default=len(self.plain))
        first = False
        for match in re.finditer(rf"(?<!\w)({_TITLE})\s+{self._family}(?!\w)", self.plain):
            first = first or match.start() < others_at
            own = GENDERED[match[1].casefold().strip(".")]
            if (own and self.gender and own != self.gender) or re.match(
                r"[ ](?:senior|junior|sr|jr)\b", self.plain[match.end() :], re.IGNORECASE
            ):
                yield *match.span(), "", f"{ANOTHER}: {' '.join(match[0].split())}"
            elif any(other.gender in (own, "") for other in self._sharing("last") if other.first) and not first:
                yield *match.span(), "", SHARED
            else:
                yield (
                    *match.span(),
                    "TITLE" if is_capitals(match[0]) else "title",
                    self._beside(*match.span(), whole=True),
                )

    def initials(self) -> Iterator[_Mention]:
        """*J.D.* and *(JD)*; letters that may be something else are left."""
        who = self.who
        if not (who.first and who.last):
            return
        words = [word for word in re.split(r"[ -]", fold(" ".join((who.first, *who.middle, who.last)))) if word]
        first, last = words[0][0], _initial(who.last)
        for match in re.finditer(
            rf"(?<![\w.])(?:{first}\.(?:[ -]?[A-Z]\.)+)(?!\w)(?![ ][A-Z][a-z]+[ ][a-z])", self.plain
        ):
            letters = re.findall(r"[A-Z]", match[0])
            gap = " " if ". " in match[0] else ""
            whole = letters in ([first, last], [first, *(word[0] for word in who.middle), last])
            yield *match.span(), *((f"name=F.{gap}L.", "") if whole else ("", SHORT))
        every = "".join(word[0] for word in words)
        for match in re.finditer(rf"(?<![\w./@-])(?:{first}[A-Z]?{last}|{every.upper()})(?![\w.@-])", self.plain):
            line = self.plain[self.plain.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip(" -–—")
            marked = self.plain[: match.start()][-1:] in ("(", "[", "/") or self.plain[match.end() :][:1] == ":"
            if marked or line == match[0]:
                yield *match.span(), "name=FL", ""
            elif not _ABBREVIATIONS.fullmatch(match[0]):
                yield *match.span(), "", SHORT

    def alone(self) -> Iterator[_Mention]:
        """First or last name alone, and what stands for it: both first names, a short form, half of a double name."""
        who, taken = self.who, {other.first.casefold() for other in self.others}
        short = [name.capitalize() for name in sorted(nicknames().get(who.first.casefold(), ())) if name not in taken]
        firsts = [" ".join((who.first, *who.middle)), *([who.nick] if who.nick else []), *short, who.first]
        for form, names in (("first", firsts if who.first else []), ("last", [who.last, *_halves(who.last)])):
            shared = SHARED if self._sharing(form) else ""
            for name in filter(None, names):
                found = [*re.finditer(rf"(?<![\w@]){_either(name)}(?!\w)", self.plain)]
                for match in found:
                    reason = self._beside(*match.span()) or shared or self._as_word(*match.span())
                    if name in short and re.search(r"\b(?:named|called)[ ]$", self.plain[: match.start()]):  # a dog
                        reason = PERHAPS
                    written = form.upper() if is_capitals(match[0]) else form
                    yield *match.span(), "" if reason else written, reason
                lower = fold(name).lower()
                if not found and len(lower) > 3 and not (lower in WORD_NAMES or is_ordinary(lower)):
                    for match in re.finditer(rf"(?<![\w@.-]){re.escape(lower)}(?![\w@.-])", self.plain):
                        yield *match.span(), "" if shared else form, shared

    def near(self) -> Iterator[_Mention]:
        """Whatever else is like a part of the name, in any spelling: no mention stays unseen."""
        names = fold(" ".join((self.who.first, *self.who.middle, self.who.last, self.who.nick))).casefold()
        every = f"{names} {' '.join((self.who.first, self.who.last)).translate(GERMAN).casefold()}"
        parts = {part for part in re.split(r"[ .-]", fold(every)) if len(part) > 1 and part not in people.PARTICLES}
        known = {word for other in self.others for word in " ".join(other.key).split()}
        for match in re.finditer(r"[^\W\d_]+", self.plain):
            word, (start, end) = match[0].casefold(), match.span()
            if word in parts:
                yield start, end, "", NEAR if match[0][0].isupper() else A_WORD
            elif any(len(part) > 2 and part in word for part in parts) and self._in_address(start):
                yield start, end, "", NEAR
            elif match[0][0].islower():
                continue
            elif len(word) == 1:  # an initial that stands alone
                alone = re.match(r"[.,)]*\s*(?:\n|$|[(/,])", self.plain[end : end + 4])
                if word == names[:1] and alone and self.plain[start - 1 : start] in ("", "\n", " ", "(", ">", "-"):
                    yield start, end, "", SHORT
            elif word.rstrip("s") in parts:
                yield start, end, "", FAMILY
            elif could_be_name(word):
                first = fold(self.who.first).casefold()
                shortened = len(word) < len(first) and (first[:3] == word[:3] or first.endswith(word))
                holds = any(len(part) > 3 and part in word for part in parts)
                slip = word not in known and any(is_slip(word, part) for part in parts)
                if holds or slip or (shortened and len(word) > 2):
                    yield start, end, "", NEAR
                elif not self.who.last and evidence(word).last >= 0.3 and not is_ordinary(word):
                    yield start, end, "", PERHAPS  # a last name that never stands next to the first

    def _in_address(self, at: int) -> bool:
        token = re.search(r"\S*$", self.plain[:at])[0] + re.match(r"\S*", self.plain[at:])[0]  # type: ignore[index]
        return re.search(r"[@/_\\]|\w\.\w", token) is not None

    def _beside(self, start: int, end: int, *, whole: bool = False) -> str:
        """Why a mention may be part of a longer name, by the words beside it; empty where it is none."""
        before, after = self.plain[max(0, start - 40) : start], self.plain[end : end + 60]
        if _FAMILY.match(after):
            return FAMILY
        around = f"{OTHER_NAME}: {_around(self.text, start, end)}"
        is_titled = re.match(rf"{_TITLE}[ ]", self.plain[start:end]) or _OTHER_TITLE.search(before)
        hyphen = (after[:1] == "-" and after[1:2].isalpha()) or (before[-1:] == "-" and before[-2:-1].isalpha())
        if hyphen or _COMPANY.match(after) or before.endswith(" & "):
            return around
        if self.who.key[1] in PLACE_LASTS and not is_titled and in_address(before, after):
            return around
        own = {*" ".join((*self.who.key, *self.who.middle)).casefold().split()}
        if re.match(r"'s[ ][A-Z]", after):  # Lan's Corner, the Hartley's Harvest line
            place = re.match(r"\w+", after[3:])[0].casefold() in PLACES  # type: ignore[index]
            is_last = self.who.first and self.plain[start:end].casefold() == self.who.key[1]
            if place or is_last or before.casefold().endswith("the "):
                return around
        capitals = is_capitals(self.plain[start:end])
        following = re.match(rf"[ ]({PART})", after)
        word = following[1].casefold() if following else ""
        if word in PLACES and not (capitals and whole):
            return around
        if (
            not whole and re.search(r"[A-Z]\w+,[ ]$", before) and re.match(r"[ ]*(?:\n|$|\d)", after)
        ):  # Seattle, Washington
            return around
        is_name = not whole or evidence(in_name_case(word)).last >= 0.3
        if word and word not in own and not capitals and is_name and not _is_plain(following[1]):  # type: ignore[index]
            return around
        preceding = _BEFORE_NAME.search(before)
        word = preceding[1].casefold().rstrip(".") if preceding else ""
        if not word or word in own or word in GENDERED or (len(word) > 1 and preceding[1][-1] == "."):  # type: ignore[index]
            return ""
        if len(word) == 1:
            return "" if word == "i" and preceding[1] == "I" else around  # type: ignore[index]
        if word in PLACES:
            return around
        if _is_plain(preceding[1]) or word in language_of().kin:  # type: ignore[index]
            return ""
        starts = _LINE_START.search(before[: preceding.start()].rstrip(" ")) is not None  # type: ignore[union-attr]
        is_name = evidence(in_name_case(word)).first >= 0.3
        return around if is_name or not (starts or whole or self.plain[start:end].casefold() == self.who.key[0]) else ""

    def _as_word(self, start: int, end: int) -> str:
        """Whether a name that is also a word may be the word here: at a sentence's start, and nothing shows a name."""
        word, before, after = self.plain[start:end].casefold(), self.plain[:start], self.plain[end:]
        if not (word in WORD_NAMES or word in PLACE_LASTS or is_ordinary(word)):
            return ""
        if word == self.who.key[1] and word in PLACE_LASTS:
            titled = _OTHER_TITLE.search(before)
            possessive = re.match(r"['’]s[ ][a-z]", after) and not re.search(r"\bthe[ ]$", before, re.IGNORECASE)
            begins = _LINE_START.search(before[-40:]) and PERSON_VERB.match(after) and word not in {"best", "march"}
            return "" if titled or possessive or begins else A_WORD
        line = before.rpartition("\n")[2].strip()
        if is_date(before, word, after) or (not line and re.match(r"(?:[ ][a-z]+){1,3}:", after)):  # Grant requested:
            return A_WORD
        if re.match(r"'s\b|,(?![ ](?:and|or)\b)|[ ]*\n|$", after) or not _LINE_START.search(before[-40:]):
            return ""
        auxiliary = re.match(r"[ ](?:is|was|has|had|will|can|does|did)\b", after)
        return A_WORD if (auxiliary and word in MASS_NOUNS) or not PERSON_VERB.match(after) else ""


def _initial(last: str) -> str:
    return next((word[0] for word in fold(last).split() if word[0].isupper()), fold(last)[:1]).upper()


def _spelling(match: re.Match[str], one: str, two: str) -> str:
    """The form of both names as they are written here."""
    capitals = {part: is_capitals(match[group]) for part, group in ((one, "one"), (two, "two"))}
    if {one, two} == {"first", "last"} and "," not in match["sep"] and len(set(capitals.values())) == 1:
        form = "title_full" if match["title"] else "full"
        return form.upper() if capitals[one] else form
    words = []
    for part, group in ((one, "one"), (two, "two")):
        dot = "." if len(part) == 1 and "." in match[group] else ""
        words.append((part.upper() if capitals[part] or len(part) == 1 else part.capitalize()) + dot)
    title = "Title " if match["title"] else ""
    separator = re.sub(r"\s+", " ", match["sep"])
    return f"name={title}{words[0]}{separator}{words[1]}"


def _is_plain(word: str) -> bool:
    """Whether a word with a capital is no part of a name: of the language, a title, a heading."""
    plain = re.sub(r"['’].*$", "", word).casefold().strip(".")
    named = is_listed(plain) or plain in WORD_NAMES
    return (
        plain in NEVER_NAMES or plain in {"i", *language_of().titles, *GENDERED} or (is_ordinary(plain) and not named)
    )


def _around(text: str, start: int, end: int) -> str:
    """A mention with the words beside it, for a reader."""
    left, right = re.search(r"\S*[ ]?$", text[:start]), re.match(r"[ -]?\S*", text[end:])
    words = f"{left[0] if left else ''}{text[start:end]}{right[0] if right else ''}"
    return " ".join(words.split()).strip(",.;:()")[:60]
