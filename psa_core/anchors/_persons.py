"""People in a text: the name inside an entity, its form and gender, and which entities are the same person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, cast

from psa_core.anchors._base import Anchor
from psa_core.anchors._person.lexicon import ENGLISH, SUFFIXES, Language, language_of
from psa_core.inputs.gazetteers import UNKNOWN, Gender, evidence, figure_gender, gender_of, is_listed

Form = Literal["first", "last", "full"]
_WORD = re.compile(r"[^\W\d_][\w'’.-]*", re.UNICODE)
_POSSESSIVE = re.compile(r"['’]s?$")
_NOT_A_NAME = re.compile(r"[\d_]")
_TAGGED = re.compile(r"[@#\w]$")
_WORD_BEFORE = re.compile(r"\b(\w+)\s+$")
#: A word of the text that is no part of a handle, a tag or a compound.
_SPOKEN = re.compile(r"(?<![\w@#/-])[^\W\d_]+(?![\w/-])")
_LOWER_BEFORE = re.compile(r"[^\W\d_A-Z][,;]?\s+[\W_]*$")
#: A word of an entity with its position in the text.
Word = tuple[int, str]


@dataclass(frozen=True)
class NamedPerson:
    """One mention: ``text[start:end]`` is the name without title, suffix or possessive ending.

    A replacement must be of the same `form`: a first name, a last name, or both. The gender is told by title, first
    name or the text's pronouns; where none tells it is empty, and first names of both are drawn; a last name alone
    needs none. `identity` is equal for mentions of one person in a text, as far as their words tell. `bare_possessive`:
    an apostrophe alone makes it a possessive (*James' wife*), which most other names need an s for.
    """

    start: int
    end: int
    form: Form
    gender: Gender
    identity: int = 0
    bare_possessive: bool = False


def persons(text: str, spans: Sequence[Anchor], code: str = ENGLISH) -> tuple[NamedPerson, ...]:
    """The people behind PERSON entities, in order; entities without a name-like word are left out."""
    language = language_of(code)
    mentions = [mention for span in spans if (mention := _mention(text, span, language)) is not None]
    words = [tuple(text[mention.start : mention.end].casefold().split()) for mention in mentions]
    known: dict[str, int] = {}
    identities, genders = [0] * len(mentions), dict[int, Gender]()
    for number in sorted(range(len(mentions)), key=lambda n: len(words[n]) == 1):  # full names tell whose the parts are
        key = f"{words[number][0]} {words[number][-1]}" if len(words[number]) > 1 else words[number][0]
        identity = identities[number] = known.get(key, len(genders))
        for name in (key, *words[number]):
            known.setdefault(name, identity)
        genders[identity] = genders.get(identity) or mentions[number].gender
    if len(genders) == 1 and not genders[0]:  # the pronouns are the only person's, unless they are of both genders
        pronoun_genders = {
            language.pronouns[word] for word in _SPOKEN.findall(text.lower()) if word in language.pronouns
        }
        genders[0] = pronoun_genders.pop() if len(pronoun_genders) == 1 else ""
    return tuple(
        replace(mention, identity=identity, gender=genders[identity])
        for mention, identity in zip(mentions, identities, strict=True)
    )


def _mention(text: str, anchor: Anchor, language: Language) -> NamedPerson | None:
    """The person whom an entity names, without titles, suffixes and what a tagger takes for a part of the name."""
    words = _name_words(text, anchor)
    leading = text[: anchor.start].split()
    titles = [leading[-1].casefold().rstrip(".")] if leading else []
    while len(words) > 1 and (_key(words[0]) in language.titles or _is_word(words[0], language)):
        titles.append(_key(words.pop(0)))
    known = [title for title in titles if title in language.titles]
    is_capitalised = bool(words) and words[0][1][:1].isupper()
    while len(words) > 1 and (_key(words[-1]) in SUFFIXES or (is_capitalised and _is_lower_case(words[-1]))):
        words.pop()
    if not any(_like_a_name(word) for _, word in words) or (len(words) == 1 and _is_word(words[0], language)):
        return None
    before = text[: words[0][0]]
    article = _WORD_BEFORE.search(before)
    is_of = article is not None and article[1].lower() in language.articles
    if _TAGGED.search(before) or (not known and (is_of or not _supported(before, words, language))):
        return None
    start, last = words[-1]
    last = re.sub(r"[.]$", "", _POSSESSIVE.sub("", last)) or last
    end, form = start + len(last), cast(Form, "full")
    if len(words) == 1:  # a last name, unless it is better known as a first name: Trump, Clinton; but Paul
        strength = evidence(last)
        form = "first" if strength.first > strength.last and not known else "last"
    gender = language.titles[known[-1]] if known else ""
    gender = gender or figure_gender(text[words[0][0] : end])
    if not gender and form != "last":
        gender = gender_of(words[0][1] if len(words) > 1 else last)
    no_s = text[end : end + 1] in ("'", "’") and text[end + 1 : end + 2] != "s"
    return NamedPerson(words[0][0], end, form, gender, bare_possessive=anchor.role == "possessive" and no_s)


def _name_words(text: str, anchor: Anchor) -> list[Word]:
    """The words of an entity up to the first thing that cannot be inside a name: *Marine Le Pen - whereas*."""
    found = [(m.start() + anchor.start, m.group()) for m in _WORD.finditer(text[anchor.start : anchor.end])]
    kept = found[:1]
    for (start, word), following in pairwise(found):
        if text[start + len(word) : following[0]].strip() or _NOT_A_NAME.search(following[1]):
            break
        kept.append(following)
    return [] if kept and _NOT_A_NAME.search(kept[0][1]) else kept


def _supported(before: str, words: Sequence[Word], language: Language) -> bool:
    """Whether the lists know a word of the name, or it is capitalised within a sentence (*Tryna* is not)."""
    plain = [_POSSESSIVE.sub("", word).rstrip(".") for _, word in words]
    if any(evidence(word) != UNKNOWN for word in plain) or all(word.lower() == word.upper() for word in plain):
        return True
    in_a_sentence = bool(_LOWER_BEFORE.search(before)) and all(word[:1].isupper() for word in plain)
    return in_a_sentence and not any(word.casefold().removesuffix("s") in language.ordinary for word in plain)


def _key(word: Word) -> str:
    return word[1].casefold().strip(".,")


def _is_lower_case(word: Word) -> bool:
    """A lower-case word that no country knows as a name."""
    plain = _POSSESSIVE.sub("", word[1])
    return plain == plain.lower() != plain.upper() and not is_listed(plain)


def _is_word(word: Word, language: Language) -> bool:
    """Whether it is a word of the text and no part of a name (*Screw* Romney): it must stay, with its feeling."""
    plain = _POSSESSIVE.sub("", word[1]).casefold()
    is_ordinary = plain in language.ordinary and not is_listed(plain)
    return plain in language.kin or _is_lower_case(word) or is_ordinary


def _like_a_name(word: str) -> bool:
    """Taggers find people in shouted and in lower-case words of noisy text; those must be known as names."""
    plain = _POSSESSIVE.sub("", word).rstrip(".")
    has_no_case = plain.lower() == plain.upper()
    is_capitalised = plain[:1].isupper() and not (plain.isupper() and len(plain) > 2)
    return has_no_case or is_capitalised or is_listed(plain)
