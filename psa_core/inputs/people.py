"""People: a row of a name list, the forms that a text may mention a person by, and the slots that stand for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from psa_core.errors import AnchorError

if TYPE_CHECKING:
    import pandas as pd

#: Headers of the columns that a person is made of; of each the first that a table has.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "first": ("first", "first name", "first_name", "firstname", "given name", "given_name", "forename"),
    "last": ("last", "last name", "last_name", "lastname", "surname", "family name", "family_name"),
    "gender": ("gender", "sex"),
    "title": ("title",),
}
GENDERS: Mapping[str, str] = {
    "female": "female", "f": "female", "woman": "female", "women": "female", "girl": "female",
    "male": "male", "m": "male", "man": "male", "men": "male", "boy": "male",
}  # fmt: skip
TITLES: Mapping[str, str] = {"female": "Ms.", "male": "Mr."}
#: Form to what it is for a woman, for a man, and for a person whose gender is not known.
PRONOUNS: Mapping[str, tuple[str, str, str]] = {
    "he": ("she", "he", "they"),
    "him": ("her", "him", "them"),
    "his": ("her", "his", "their"),
    "hers": ("hers", "his", "theirs"),
    "himself": ("herself", "himself", "themselves"),
}
#: What `Person.form` knows, in words; beside these a pair such as ``is/are``, and a spelling such as ``name=Last, F.``.
FORMS: Mapping[str, str] = {
    "full": "full name",
    "first": "first name",
    "last": "last name",
    "title": "title and last name",
    "title_full": "title and full name",
    "initials": "initials",
    "email": "e-mail's part before the @",
    **dict.fromkeys(PRONOUNS, "pronoun"),
}
PAIR = "verb"
#: Ways to name people without their names: everybody is *X*, or has initials; see `Person.hidden`.
HIDDEN = ("removed", "initials")
#: Other words that people write in slots.
_ALIASES: Mapping[str, str] = {
    "full": "name", "full name": "name", "first name": "first", "last name": "last",
    "she": "he", "they": "he", "he/she": "he", "she/he": "he",
    "them": "him", "him/her": "him", "their": "his", "his/her": "his",
    "her/his": "his", "theirs": "hers", "his/hers": "hers",
    "herself": "himself", "themselves": "himself", "themself": "himself", "himself/herself": "himself",
    "e-mail": "email",
}  # fmt: skip
SLOTS = ("name", "first", "last", "title", "initials", "email", *PRONOUNS)
KNOWN_SLOTS = f"{', '.join(f'{{{slot}}}' for slot in SLOTS)} and pairs such as {{is/are}}, which agree with {{he}}"
_PAIR = re.compile(r"[a-z’']+/[a-z’']+")
#: Braces with a word or two: a slot, or a slip of the pen.
_BRACES = re.compile(r"\{\s*([A-Za-z](?:[A-Za-z_’'/-]| (?=[A-Za-z/])){0,30})\s*\}")
#: Slots that are one mention together: a title is written once, and some people have one name only.
_TOGETHER = re.compile(r"\{(title|first)\}( )\{(first|last|name)\}(?: \{(last)\})?", re.IGNORECASE)
_SPELLED = re.compile(r"first|last|[fl]", re.IGNORECASE)
_SUFFIX = re.compile(r",?\s+(?:jr|sr|ii|iii|iv|phd|ph\.d|md|esq)\.?$", re.IGNORECASE)
PARTICLES = frozenset({
    "van", "von", "de", "der", "den", "del", "della", "delle", "di", "da", "das", "dos", "du", "la", "le", "lo",
    "el", "al", "ap", "bin", "bint", "ibn", "ben", "ter", "ten", "te", "st", "zu", "zur", "af", "av", "st.",
    "mac", "ní", "ni", "nic", "uí", "ó", "mhic", "v.d.", "y", "dela", "delos", "do",
})  # fmt: skip
_HONOURS = frozenset({
    "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "rev", "reverend", "sir", "dame", "lord",
    "lady", "king", "queen", "prince", "princess", "pope", "saint", "judge", "president", "senator", "governor",
    "captain", "sgt"
})  # fmt: skip
#: Letters that have no plain letter inside.
_PLAIN = str.maketrans({
    "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE",
    "œ": "oe", "ı": "i", "þ": "th", "ð": "d",
})  # fmt: skip


@dataclass(frozen=True)
class Person:
    """Somebody of a name list.

    `name` is in full, as the list has it; `first` and `last` are empty where the person has one name only: then that
    stands for either. `gender` is ``female``, ``male`` or empty: they. Without a `title` of the list it is Ms. or Mr.,
    and none where no gender is known.

    >>> person = Person.of("Lakisha Washington", "female")
    >>> [person.form(form) for form in ("first", "title", "initials", "email", "He", "was/were", "name=LAST, First")]
    ['Lakisha', 'Ms. Washington', 'L.W.', 'lakisha.washington', 'She', 'was', 'WASHINGTON, Lakisha']
    >>> [Person.of("Kim Lee").form(form) for form in ("title", "he", "was/were")]
    ['Kim Lee', 'they', 'were']
    """

    name: str
    first: str = ""
    last: str = ""
    gender: str = ""
    title: str = ""

    @classmethod
    def of(cls, name: str, gender: str = "", title: str = "") -> Person:
        """A person whose first and last name are told by rule; see `split`."""
        first, last = split(name)
        return cls(name, first, last, GENDERS.get(gender.strip().casefold(), ""), title)

    def hidden(self, way: str) -> Person:
        """The same person without a name: *X* where it is ``removed``, *L.W.* for ``initials``; empty: as they are.

        Gender and title stay, so pronouns do.

        >>> person = Person.of("Lakisha Washington", "female")
        >>> [person.hidden("removed").form(form) for form in ("", "title", "email", "he")]
        ['X', 'Ms. X', 'x', 'she']
        >>> [person.hidden("initials").form(form) for form in ("", "first", "title", "email")]
        ['L.W.', 'L.', 'Ms. W.', 'l.w']
        """
        if not way:
            return self
        if way == "removed":
            return replace(self, name="X", first="X", last="")
        first, last = (f"{_initial(word)}." if word else "" for word in (self.first or self.name, self.last))
        return replace(self, name=self._spelled("F.L."), first=first, last=last)

    def form(self, form: str) -> str:
        """The words of a mention; a form that begins with a capital or is all capitals is written so.

        It is one of `FORMS`; a pair as ``is/are``, the first word for *he* and *she*, the second for *they*; or
        ``name=`` or ``handle=`` and a spelling of *first*, *last*, *f* and *l*, such as ``name=Last, F.``, ``name=Title
        F. Last`` or ``handle=flast``; a handle has plain letters only. Empty: the name as the list has it. Raises
        `AnchorError` for any other.
        """
        if not form:
            return self.name
        kind, _, spelling = form.partition("=")
        if spelling:
            return self._spelled(spelling, plain=kind == "handle")
        key = form.lower()
        if key in PRONOUNS:
            words = PRONOUNS[key][{"female": 0, "male": 1}.get(self.gender, 2)]
        elif _PAIR.fullmatch(key):
            words = key.split("/")[self.gender == ""]
        elif key in FORMS:
            words = self._named(key)
        else:
            expected = f"one of {', '.join(FORMS)}, a pair such as is/are, or a spelling such as name=Last, F."
            raise AnchorError("form", got=repr(form[:60]), expected=expected)
        if len(form) > 1 and form.isupper():
            return words.upper()
        return words[:1].upper() + words[1:] if form[:1].isupper() else words

    def _named(self, form: str) -> str:
        if form == "full":
            return self.name
        if form in ("first", "last"):
            return getattr(self, form) or self.first or self.name
        if form in ("title", "title_full"):
            title = self.title or TITLES.get(self.gender, "")
            return f"{title} {(form == 'title' and self.last) or self.name}" if title else self.name
        return self._spelled("F.L.") if form == "initials" else self._spelled("first.last", plain=True)

    def _spelled(self, spelling: str, *, plain: bool = False) -> str:
        """Names in the order and with the signs of a spelling; who has one name has it once."""
        if spelling.startswith("Title "):
            title = self.title or TITLES.get(self.gender, "")
            return f"{title} {self._spelled(spelling.removeprefix('Title '))}".lstrip()
        first, last = self.first or self.name, self.last
        if plain:
            first, last = handle(first), handle(last)
        if not last:
            parts = _SPELLED.findall(spelling)
            if all(len(part) == 1 for part in parts) and len(parts) > 1:  # initials: those of each word
                sign = spelling[spelling.index(parts[0]) + 1 : spelling.rindex(parts[-1])]
                end = spelling[spelling.rindex(parts[-1]) + 1 :]
                return sign.join(_like(parts[0], word[:1]) for word in first.split()) + end
            return _like(max(parts, key=len), first, plain=plain)

        def written(part: re.Match[str]) -> str:
            word = first if part[0][0] in "fF" else last
            short = len(part[0]) == 1
            return _like(part[0], _initial(word) if short else word, plain=plain or short)

        return _SPELLED.sub(written, spelling)


def _initial(word: str) -> str:
    """The first letter, of a name with a particle that of the name: *van der Berg* is B."""
    return next((part[:1] for part in word.split() if part.casefold() not in PARTICLES), word[:1])


def _like(example: str, word: str, *, plain: bool = False) -> str:
    """A word in capitals where the example is, and in small letters where a handle's is."""
    if example.isupper():
        return word.upper()
    if plain:
        return word.lower() if example.islower() else word[:1].upper() + word[1:]
    return word


def handle(name: str) -> str:
    """The plain letters and digits of a name; where there are none, the name without its spaces."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_PLAIN))
    plain = "".join(letter for letter in decomposed if letter.isascii() and letter.isalnum())
    return plain or "".join(name.split())


@cache
def split(name: str) -> tuple[str, str]:
    """First and last name by rule; the last is empty for one name only, and for what is no name (*the carpenter*).

    Titles and endings as *Jr.* belong to neither. A last name begins at a particle (*van*, *de la*), has two words
    where the gazetteers know the middle one as a last name, and stands before a comma.

    >>> split("Ludwig van Beethoven"), split("Gabriel García Márquez"), split("Doe, Jane"), split("Rihanna")
    (('Ludwig', 'van Beethoven'), ('Gabriel', 'García Márquez'), ('Jane', 'Doe'), ('Rihanna', ''))
    """
    plain = _SUFFIX.sub("", name.strip())
    last, comma, first = plain.partition(",")
    if comma and first.strip() and last.strip():
        return first.strip(), last.strip()
    words = plain.split()
    while len(words) > 1 and words[0].casefold().rstrip(".") in _HONOURS:
        words.pop(0)
    has_case = any(letter.isupper() or letter.islower() for letter in plain)
    begins_small = has_case and words and not words[0][:1].isupper()
    if len(words) < 2 or begins_small:
        return " ".join(words), ""
    inner = enumerate(words[1:-1], 1)
    particle = next((at for at, word in inner if word.casefold() in PARTICLES and word != "Y"), 0)  # Y is an initial
    at = particle or len(words) - 1
    if words[at].casefold() in ("bin", "bint", "ibn"):  # behind the father's name the family's: bin Saleh al-Harthy
        at = next((later for later in range(at, len(words)) if re.match("(?:al|el)-", words[later], re.IGNORECASE)), at)
    elif at > 1 and (words[at] == "y" or _is_last(words[at - 1])):
        at -= 1
    return words[0], " ".join(words[at:])


def _is_last(word: str) -> bool:
    from psa_core.inputs.gazetteers import evidence

    known = evidence(word)
    return known.last > known.first


def people_of(table: pd.DataFrame) -> tuple[Person, ...]:
    """The people of a name list: from its columns (`COLUMNS`), and by `split` where it has no first and last name.

    >>> import pandas as pd
    >>> people_of(pd.DataFrame({"name": ["Ann Lee"], "gender": ["F"]}))
    (Person(name='Ann Lee', first='Ann', last='Lee', gender='female', title=''),)
    """
    own = {part: column for part in COLUMNS if (column := column_of(table, part))}
    people = []
    for row in table[["name", *own.values()]].astype(str).to_dict("records"):
        parts = {part: row[column].strip() for part, column in own.items()}
        person = Person.of(row["name"], parts.get("gender", ""), parts.get("title", ""))
        if parts.get("first") or parts.get("last"):  # what the list says wins
            person = replace(person, first=parts.get("first", ""), last=parts.get("last", ""))
        people.append(person)
    return tuple(people)


def column_of(table: Any, part: str) -> str:
    """The column of a table that holds a part of a person; empty where none does."""
    by_key = {str(column).strip().casefold(): str(column) for column in reversed(list(table.columns))}
    return next((by_key[header] for header in COLUMNS[part] if header in by_key), "")


def with_names(table: pd.DataFrame) -> pd.DataFrame:
    """A table of people with a column ``name``: made of first and last name where it has none."""
    first, last = column_of(table, "first"), column_of(table, "last")
    if any(str(column).strip().casefold() == "name" for column in table.columns) or not (first and last):
        return table
    parts = table[[first, last]].astype(object).where(table[[first, last]].notna(), "").astype(str)
    table = table.copy()
    table.insert(0, "name", (parts[first].str.strip() + " " + parts[last].str.strip()).str.strip())
    return table


@dataclass(frozen=True)
class Slot:
    """A slot of a text: ``text[start:end]`` stands for a form of a person."""

    start: int
    end: int
    form: str


def slots_in(text: str) -> tuple[Slot, ...]:
    """The slots of a text, by position; raises `AnchorError` for one that is not known or stands inside a word.

    Slots that are one mention are one slot: ``{first} {last}`` is the full name, ``{title} {last}`` is ``{title}``.

    >>> [slot.form for slot in slots_in("{Title} {last} said {he} {has/have} left {name}'s car.")]
    ['title', 'he', 'has/have', '']
    """
    slots, wrong = find_slots(text)
    if wrong:
        raise AnchorError("a slot", got=wrong[0], expected=KNOWN_SLOTS, fix="Correct it, or write it without braces.")
    return slots


def find_slots(text: str) -> tuple[tuple[Slot, ...], tuple[str, ...]]:
    """The slots of a text, and what looks like one but is not known, or stands inside a word."""
    found, wrong, end = [], [], 0
    for braces in _BRACES.finditer(text):
        if braces.start() < end:
            continue
        if form := _form_of(braces[1]):
            end, own = braces.end(), form.removesuffix("name")
            if together := _TOGETHER.match(text, braces.start()):
                parts = [part.casefold() for part in together.group(1, 3, 4) if part]
                joined = "title_full" if parts[0] == "title" else "full"
                joined = "title" if parts == ["title", "last"] else joined
                end, own = together.end(), joined.upper() if together[1].isupper() else joined
            found.append(Slot(braces.start(), end, own))
        word = re.search(r"[A-Za-zÀ-ɏ]*\Z", text[: braces.start()])[0] + braces[0]  # type: ignore[index]
        if not form or word != braces[0]:
            wrong.append(braces[0] if not form else f"{word}, inside a word")
    return tuple(found), tuple(wrong)


def _form_of(written: str) -> str:
    """The form that a slot asks for, with its capitals; *name* is as the list has it. Empty where there is none."""
    key = re.sub(r"\s*/\s*", "/", written.casefold().replace("_", " ").strip())
    form = _ALIASES.get(key, key)
    if form == "name":
        return "FULL" if written in ("FULL", "FULL NAME") else "name"
    if form not in SLOTS:  # an article depends on the word behind it, which differs by name
        form = key if _PAIR.fullmatch(key) and key not in (*_ALIASES, "a/an", "an/a") else ""
    if written.isupper():
        return form.upper()
    has_capital = written[0].isupper() and form != "title"  # which has a capital of its own
    return form.capitalize() if has_capital else form


def fill(text: str, person: Person) -> str:
    """A text with each slot filled by a person; raises `AnchorError` for a slot that is not known.

    >>> fill("{First} said {he} {was/were} late. {His} boss knew {him}.", Person.of("Ann Lee", "female"))
    'Ann said she was late. Her boss knew her.'
    """
    pieces, end = [], 0
    for slot in slots_in(text):
        words = person.form(slot.form)
        if text[slot.end : slot.end + 1] == ".":  # one full stop ends initials and the sentence
            words = words.removesuffix(".")
        pieces += [text[end : slot.start], words]
        end = slot.end
    return "".join([*pieces, text[end:]])


def label(form: str) -> str:
    """What a form is, in words: ``full name``, ``pronoun``, ``verb`` …

    >>> label("He"), label("is/are"), label("name=Last, F."), label("")
    ('pronoun', 'verb', 'full name', 'full name')
    """
    if "=" in form:
        return FORMS["email"] if form.startswith("handle=") else FORMS["full"]
    return PAIR if "/" in form else FORMS.get(form.lower(), FORMS["full"])


def is_name(form: str) -> bool:
    """Whether a form takes a possessive ending; pronouns and verbs have forms of their own.

    >>> is_name("first"), is_name("his")
    (True, False)
    """
    return label(form) not in (PAIR, "pronoun")
