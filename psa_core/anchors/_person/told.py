"""Everybody whom a text names: by runs of capitals, by where a name stands, by titles, and alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from psa_core.anchors import _spacy
from psa_core.anchors._person import lexicon
from psa_core.anchors._person.fields import COMPANY, SIGNED, Told, in_places
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
    is_only_word,
)
from psa_core.anchors._person.naming import Named, is_vietnamese, named, place_last, word_as_last
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
#: A word with a capital that does what people do.
ACTS = re.compile(rf"(?<![\w@./-])({PART})(?:{lexicon.PERSON_VERB.pattern})")
_TITLED = re.compile(
    rf"(?<!\w)({TITLE}|{OTHER_TITLE})\s"
    rf"((?:{PARTICLE}*(?:[A-Z]\.|St\.|{PART})[ ]?){{1,4}})"
)


def told_in(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Every name in a text; `entities` are the people that a recogniser marks in it."""
    return chain(_runs(text, entities), in_places(text), _titled(text), _alone(text, entities))


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


def is_town(text: str, who: Named) -> bool:
    """Whether a name of one word is in the dictionary, something is *in* it, and it does nothing: *in Florence*."""
    word = "" if who.first and who.last else who.words
    if (
        not word
        or word.casefold() not in _spacy.dictionary()
        or not re.search(rf"\b[Ii]n[ ]{re.escape(word)}(?!\w)", text)
    ):
        return False
    return all(match[1] != word for match in ACTS.finditer(text)) and not re.search(
        rf"{TITLE}[ ]{re.escape(word)}", text
    )


def _runs(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Capitalised words one after another that make a full name."""
    addresses = _words_in_addresses(text)
    for run in _RUN.finditer(text):
        words, start = [lexicon.bare(word) for word in run[0].split()], run.start()
        if re.search(rf"(?<![^\W_]){PARTICLE}$", text[:start]):  # the end of Ms. da Silva Santos
            continue
        if re.match(r"I['’]", words[0]):  # I'm Jane's tutor
            start += len(words.pop(0)) + 1
        tagged = any(left < run.end() and start < right and "\n" not in text[left:start] for left, right in entities)
        are_words = all(map(is_only_word, words)) or _is_job(words)  # Data Analyst, Assistant Harbour Pilot
        is_never = words[0].casefold() in NEVER_NAMES  # On 12 January Jane Doe
        sure = _is_in_address(words, addresses)
        sure = sure or (tagged and not (are_words or is_never) and _is_never_word(text, words[0]))
        if not sure:
            words, start = _trimmed(text, words, start)
        plain = [word for word in words if not _is_gendered(word)]
        if len(plain) == 1 and tagged and not is_first(plain[0]) and text[:start].endswith("Said "):
            yield Told(Named("", plain[0]), start)
        company = COMPANY.search(run[0]) or re.match(rf",?[ ]{COMPANY.pattern}", text[run.end() :], re.IGNORECASE)
        if company or not 2 <= len(plain) <= 5 or _is_thing(text, plain, sure=sure):
            continue
        heads = _heads(text, words, start)
        if sure or (tagged and not is_capitals(run[0])) or _is_known(text[:start], plain, heads=heads):
            yield Told(named(words, sure=sure), start, 1.5 if heads else 0.0)
        elif not is_capitals(run[0]) and _is_used_as_name(text, words, plain):
            yield Told(named(words), start, 1.5 if heads else 0.0)


def _words_in_addresses(text: str) -> set[str]:
    """The words of addresses and file names, but not of hosts: those are companies."""
    tokens = (token[0] for token in lexicon.tokens_in(lexicon.fold(text).lower()))
    parts = (part for token in tokens for part in re.findall(r"\S+(?=@)|/\S+|\S*_\S*", token))
    return {word for part in parts for word in re.findall(r"[a-z]+", part)}


def _is_in_address(words: Sequence[str], addresses: set[str]) -> bool:
    """Whether an address has the first and the last of some words: *jane.doe@*, *jdoe@*."""
    first, last = (people.handle(word).lower() for word in (words[0], words[-1]))
    joined = {first + last, first[:1] + last, last + first[:1]}
    return not is_only_word(words[0]) and ({first, last} <= addresses or not addresses.isdisjoint(joined))


def _trimmed(text: str, words: list[str], start: int) -> tuple[list[str], int]:
    """The words of a run that may be a name, and where they begin, without words before and behind it."""
    while words and not _begins_name(text, start, words[0]):
        start += len(words.pop(0)) + 1
    while words and not (could_be_name(words[-1]) or place_last(words)):
        if len(words) == 2 and word_as_last(*words):
            break
        words.pop()
    known = words and (is_listed(in_name_case(words[0]).split("-")[0]) or is_vietnamese(words))
    known = known or (words and not lexicon.is_ordinary(words[0]) and text.count(words[0]) > 1)
    if len(words) > 2 and not known and is_first(words[1]):
        start += len(words.pop(0)) + 1  # File Jane Doe
    while (
        len(words) > 1
        and is_only_word(words[0])
        and is_first(words[1])
        and not is_vietnamese(words)
        and not _is_never_word(text, words[0], 1)
    ):
        start += len(words.pop(0)) + 1  # Woke Emi
    return words, start


def _is_thing(text: str, words: Sequence[str], *, sure: bool) -> bool:
    """Whether words with capitals are a place or a job, and nobody's name."""
    if words[-1].casefold() in PLACES - PLACE_LASTS and not is_listed(words[-1]):  # Marine Terrace
        return True
    if not PLACES.isdisjoint(word.casefold() for word in words[1:-1]):
        return True
    if sure:
        return False
    ends_in_word = not is_first(words[0]) and is_only_word(words[-1])
    return all(map(is_only_word, words)) or _is_job(words) or (ends_in_word and not _stands_alone(text, words))


def _heads(text: str, words: Sequence[str], start: int) -> bool:
    """Whether a name is one of the first lines of a text, alone or before a comma."""
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip(" #*\t").casefold()
    is_near = start < 200 and text.count("\n", 0, start) < 4
    return is_near and re.match(rf"{re.escape(' '.join(words).casefold())}(?:,|$)", line) is not None


def _is_known(before: str, words: Sequence[str], *, heads: bool) -> bool:
    """Whether the lists know words as a name, or they begin the text as nothing else does."""
    told = [evidence(in_name_case(word)) for word in words]  # Hong Kong is two last names
    listed = all(map(is_listed, map(in_name_case, words))) and any(one.first for one in told)
    begins = heads and not before.strip() and all(word[0].isupper() and not is_only_word(word) for word in words)
    known = is_first(words[0]) or place_last(words) or is_vietnamese(words)
    return known or begins or (listed and (len(words) == 2 or heads))


def _is_used_as_name(text: str, words: Sequence[str], plain: Sequence[str]) -> bool:
    """Whether the first or the last of words that no list knows stands alone elsewhere, as a name does."""
    if any(map(lexicon.is_ordinary, plain)) or not all(map(could_be_name, plain)):
        return False
    both, *again = (
        len(re.findall(rf"(?<!\w){re.escape(written)}(?!\w)", text))
        for written in (" ".join(words), plain[0], plain[-1])
    )
    family = evidence(plain[-1]).last >= WELL_KNOWN and again[0] > 1
    return evidence(plain[0]).last < WELL_KNOWN and (family or max(again) > both)


def _is_job(words: Sequence[str]) -> bool:
    """Whether words begin with a role, or end with one behind no first name: *Driver CDL*, *Tanker Driver*."""
    begins, ends = (word.casefold() in lexicon.ROLES and evidence(word).last < 1 for word in (words[0], words[-1]))
    return begins or (ends and not is_first(words[0]))


def _stands_alone(text: str, words: Sequence[str]) -> bool:
    """Whether the first of some words also stands without the others."""
    first, whole = (len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) for name in (words[0], " ".join(words)))
    return first > whole


def _begins_name(text: str, start: int, word: str) -> bool:
    """Whether a word with a capital at this position may begin a name: no ordinary word, and no month of a date."""
    before, after = text[max(0, start - 30) : start], text[start + len(word) :]
    is_verb = word in ("Said", "Can") and re.search(r"(?:^|[.!?]\s+|\n)$", before)  # Said Doe "can run a line"
    could_be = could_be_name(word) or _is_name_here(text, word)
    return _is_gendered(word) or (could_be and not is_verb and not lexicon.is_date(before, word, after))


@lru_cache(maxsize=512)
def _is_name_here(text: str, word: str) -> bool:
    """Whether a first name that is an ordinary word too is never one in a text: *River*, and nowhere *river*."""
    if not is_first(word) or word.casefold() in NEVER_NAMES:
        return False
    acts = any(match[1] == word for match in ACTS.finditer(text))
    return _is_never_word(text, word, 1 if acts else 2)


def _is_never_word(text: str, word: str, least: int = 2) -> bool:
    """Whether a word stands with its capital inside of sentences, and never without it."""
    inside = re.findall(rf"[a-z,;][ ]{re.escape(word)}(?!\w)", text)
    return len(inside) >= least and not re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text)


def _is_gendered(word: str) -> bool:
    return word.casefold().strip(".") in GENDERED


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
        particle = bool(kept) and kept[0].casefold() in people.PARTICLES and not is_vietnamese(kept)
        is_last = len(kept) == 1 or particle
        gender = lexicon.gender_of_title(match[1])
        if is_last and is_relative and text.count(kept[-1]) > 1:
            gender = ""  # Mrs. Doe, his wife, tells nothing of Mr. Doe
        if is_last:
            yield Told(Named("", " ".join(map(in_name_case, kept))), match.start(2), 0.0, gender)
        elif kept and re.fullmatch(r"[A-Z]\.?", kept[0]):  # Miss B. Doe
            family = [name for name in kept if not re.fullmatch(r"[A-Z]\.?", name)]
            yield Told(Named("", " ".join(map(in_name_case, family))) if family else None, match.start(2), 0.0, gender)
        elif kept:
            yield Told(named(kept), match.start(2), 0.0, gender)


def _alone(text: str, entities: Sequence[tuple[int, int]]) -> Iterator[Told]:
    """Names of one word: what the recogniser marks, and well-known first names that no name stands beside."""
    acting = Counter(match[1] for match in ACTS.finditer(text))
    marked = [(start, re.sub(r"['’]s?$", "", text[start:end])) for start, end in entities]
    times = Counter(words for _, words in marked)
    for start, word in marked:
        if not re.fullmatch(PART, word) or word.isupper() or word.casefold() in lexicon.ROLES:
            continue
        is_always_name = times[word] > 2 and acting[word] and _is_never_word(text, word, 0)  # Wren, but no wren
        is_unknown = times[word] > 1 and not is_only_word(word) and not lexicon.is_ordinary(word)
        if could_be_name(word) and (is_listed(word) or is_always_name or is_unknown):
            yield Told(_lone(text, word), start)
    for match in re.finditer(rf"(?<![\w@./-])({PART})[ ]\(\d{{1,2}}[,) ]", text):  # Bridie (14)
        if (
            could_be_name(match[1])
            and not is_only_word(match[1])
            and not re.search(rf"{PART}[ ]$", text[max(0, match.start() - 40) : match.start()])
        ):
            yield Told(Named(match[1], ""), match.start(1))
    words = Counter(match[0] for match in _ALONE.finditer(text))
    for match in _ALONE.finditer(text):
        word = match[0]
        # A name that no list knows stands more than once, and does what people do.
        is_word = is_listed(word) or lexicon.is_ordinary(word) or is_only_word(word)
        is_unlisted = acting[word] and words[word] > 1 and not (is_word or word.isupper() or "'" in word)
        is_role = word.casefold() in lexicon.ROLES
        is_name = could_be_name(word) or _is_name_here(text, word)
        if not (is_first(word) or is_unlisted) or not is_name or word.isupper() or is_role:
            continue
        before, after = text[max(0, match.start() - 30) : match.start()], text[match.end() : match.end() + 30]
        preceding = re.search(rf"({PART})[ ]$", before)
        if re.match(rf"[ ]{PART}|\.?[ ]?\d", after) or (preceding and not is_only_word(preceding[1])):
            continue
        if re.search(r"\b(?:in|near)[ ]$", before):  # Scotland
            continue
        # A word is a name where it would have no capital otherwise.
        in_sentence = re.search(r"[^\W\d_][,;]?[ ]$|\($", before) or lexicon.PERSON_VERB.match(after)
        if (in_sentence or not lexicon.is_word_and_name(word)) and not lexicon.is_date(before, word, after):
            yield Told(_lone(text, word) if is_unlisted else Named(word, ""), match.start())


@lru_cache(maxsize=512)
def _lone(text: str, word: str) -> Named:
    """A name of one word: the first, unless it or its halves are better known as the last, or follow an initial."""
    if not is_first(word) and re.search(rf"(?<![\w.])[A-Z]\.[ ]{re.escape(word)}(?!\w)", text):
        return Named("", word)
    known = [evidence(part) for part in {word, *word.split("-")}]
    is_last = sum(one.last for one in known) > sum(one.first for one in known)
    return Named("", word) if is_last else Named(word, "")
