"""What a parser tells of a text about a person: who is a subject, who is named by a role only, which verbs agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from psa_core.anchors import _spacy
from psa_core.anchors._base import Anchor
from psa_core.anchors._person.lexicon import ROLES, SUBJECT_ROLES, as_written

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_NAMED_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
#: Where a noun names somebody, and does not say what somebody is: *a nurse rang*, *with a nurse*, but not *she is a
#: nurse*, *as a nurse*.
_NAMES_SOMEBODY = frozenset({*_NAMED_SUBJECTS, "dobj", "dative"})
_BEFORE_SOMEBODY = frozenset({"with", "to", "from", "by"})
_INDEFINITE = frozenset({"a", "an", "another", "one", "second", "other", "my", "our", "his", "her", "their"})
_SPEAKERS = frozenset({"i", "you", "we", "it"})
_PRESENT, _PAST = frozenset({"VBZ", "VBP"}), frozenset({"was", "were"})
_CONTRACTED = re.compile(r"['’]s\b")
_HAS = re.compile(
    r"['’]s[ ](?:\w+ly[ ]|also[ ]|never[ ]|always[ ])?"
    r"(?:been|got|had|become|made|done|gone|taken|given|shown|worked|led|written)\b"
)
_IRREGULAR = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "'s": "'re", "’s": "’re"}


class Clause(NamedTuple):
    """The subject of a pronoun's own clause: where it stands, and whether it is the writer, the reader or a thing."""

    at: int
    is_speaker: bool


@dataclass(frozen=True)
class Grammar:
    """The words of one text, with what each is to another."""

    words: Sequence[_spacy.Word]

    @classmethod
    def of(cls, text: str) -> Grammar:
        """Parse a text."""
        return cls(_spacy.parse(text))

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        children = defaultdict(list)
        for number, word in enumerate(self.words):
            if word.head != number:
                children[word.head].append(number)
        return children

    @cached_property
    def _number_at(self) -> dict[int, int]:
        return {word.at: number for number, word in enumerate(self.words)}

    def clause_of(self, at: int) -> Clause | None:
        """The subject of the clause in which an object at a position stands; of *who*, the noun before it."""
        if at not in self._number_at:
            return None
        own = number = self._number_at[at]
        while self.words[number].head != number:
            number = self.words[number].head
            subject = next((c for c in self._children[number] if self.words[c].relation in _NAMED_SUBJECTS), own)
            if subject < own and not any("\n" in word.text for word in self.words[subject:own]):
                if self.words[number].relation == "relcl" and self.words[subject].tag in ("WP", "WDT"):
                    subject = self.words[number].head
                word = self.words[subject]
                return Clause(word.at, word.text.casefold() in _SPEAKERS)
        return None

    def is_subject(self, at: int) -> bool:
        """Whether a name that begins at a position is the subject of a clause."""
        number = self._number_at.get(at)
        if number is not None and self.words[number].relation == "compound":
            number = self.words[number].head
        return number is not None and self.words[number].relation in _NAMED_SUBJECTS

    def roles(self) -> Iterator[int]:
        """Where somebody is named by a role: *a colleague*, *the engineer*, *her manager*.

        A role that documents have for their subject (*the patient*) counts where the text introduces another: *a
        patient*.
        """
        found = [number for number, word in enumerate(self.words) if word.text.casefold() in ROLES]
        beside = {number: {self.words[child].text.casefold() for child in self._children[number]} for number in found}
        introduced = {self.words[number].text.casefold() for number in found if beside[number] & _INDEFINITE}
        for number in found:
            word = self.words[number]
            is_other = word.text.casefold() not in SUBJECT_ROLES or word.text.casefold() in introduced
            is_behind = word.relation == "pobj" and self.words[word.head].text.casefold() in _BEFORE_SOMEBODY
            if is_other and (is_behind or word.relation in _NAMES_SOMEBODY):
                yield word.at

    def plurals(self) -> Iterator[int]:
        """Where several people or things are named, whom *they* may stand for."""
        return (word.at for word in self.words if word.tag in ("NNS", "NNPS"))

    def _joined(self, number: int) -> Iterator[int]:
        """A verb and those that are joined to it by *and*."""
        while self.words[number].relation == "conj" and self.words[number].head != number:
            number = self.words[number].head
        waiting = [number]
        while waiting:
            number = waiting.pop()
            yield number
            waiting += [child for child in self._children[number] if self.words[child].relation == "conj"]

    def verbs_of(self, subjects: Collection[int]) -> list[tuple[int, int]]:
        """The finite verbs, in the present or *was*, of the subjects that start at these positions: start and end."""
        spans = set[tuple[int, int]]()
        for number in [self._number_at[at] for at in subjects if at in self._number_at]:
            word = self.words[number]
            verbs = [number + 1] if number + 1 < len(self.words) else []  # where the parser knows none
            spans |= {self._span(one) for one in verbs if self.words[one].text in ("'s", "’s")}  # she's, in any case
            if word.relation in _SUBJECTS:
                others = (one for one in self._joined(word.head) if one != word.head and not self._has_subject(one))
                verbs = [self._finite(verb, number) for verb in (word.head, *others)]
            for one in verbs:
                if self.words[one].tag in _PRESENT or self.words[one].text.casefold() in _PAST:
                    spans.add(self._span(one))
        return sorted(spans)

    def _has_subject(self, verb: int) -> bool:
        return any(self.words[child].relation in _SUBJECTS for child in self._children[verb])

    def _finite(self, verb: int, subject: int) -> int:
        """The auxiliary of a verb, or the verb."""
        auxiliaries = (child for child in self._children[verb] if self.words[child].relation in ("aux", "auxpass"))
        return next((child for child in auxiliaries if child != subject), verb)

    def _span(self, number: int) -> tuple[int, int]:
        return self.words[number].at, self.words[number].at + len(self.words[number].text)


def verbs_with(text: str, grammar: Grammar, anchors: Sequence[Anchor]) -> list[Anchor]:
    """The verbs that agree with the person's *he* or *she*, so that *they* gets the plural."""
    pronouns = (one for one in anchors if one.form.casefold() == "he" and text[one.end : one.end + 1] != "/")
    subjects = tuple(one.start for one in pronouns)
    verbs = []
    for start, end in grammar.verbs_of(subjects):
        word = text[start:end]
        singular, plural = word.casefold(), plural_verb(word.casefold())
        if _CONTRACTED.match(word) and _HAS.match(text, start):
            plural = f"{word[0]}ve"
        if text[subjects[0] :][:4].casefold() == "they":  # the verb is plural already
            singular, plural = singular_verb(singular), singular
        if singular != plural:
            pair = f"{singular}/{plural}"
            verbs.append(Anchor(start, end, "object", anchors[0].gender, "subject", as_written(pair, word)))
    return verbs


def plural_verb(verb: str) -> str:
    """The verb form for *they*.

    >>> [plural_verb(verb) for verb in ("is", "manages", "teaches", "carries", "goes", "says")]
    ['are', 'manage', 'teach', 'carry', 'go', 'say']
    """
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if re.search(r"(?:sh|ch|x|ss|zz)es$", verb):
        return verb[:-2]
    return verb.removesuffix("s")


def singular_verb(verb: str) -> str:
    """The verb form for *he* and *she*.

    >>> [singular_verb(verb) for verb in ("are", "manage", "teach", "carry", "'ve")]
    ['is', 'manages', 'teaches', 'carries', "'s"]
    """
    back = {plural: singular for singular, plural in _IRREGULAR.items()} | {"'ve": "'s", "’ve": "’s"}
    if verb in back:
        return back[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:sh|ch|x|s|z|o)$", verb) else f"{verb}s"
