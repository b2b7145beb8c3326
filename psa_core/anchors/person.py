"""The person whom a document is about, with all mentions: names in every form, e-mail, pronouns."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from psa_core.anchors import _spacy
from psa_core.anchors._base import NO_PERSON, NOT_NAMED, Anchor, AnchorFinder, AnchorPlugin, Found, Undecided
from psa_core.anchors._forms import RULES, FormFinder, pronoun_tables
from psa_core.anchors._person import pronouns
from psa_core.anchors._person.beside import ANOTHER
from psa_core.anchors._person.grammar import Grammar, verbs_with
from psa_core.anchors._person.mentions import mentions_of
from psa_core.anchors._person.subject import choose, find_people

#: How many people of a text a reader can choose from.
LISTED = 6


@dataclass(frozen=True)
class PersonFinder:
    """Finds all mentions of one person in each text: of the one named most, or of the one whose name is given.

    Where somebody else is nearly as likely, the text has nobody, and the reason `UNCLEAR`.

    Names are found by spaCy, by titles, by labels such as *Patient:* and by lists of names; once the person is known,
    every exact form of the name is looked for in the whole text. A pronoun is the person's if it has the person's
    gender, and nobody else of that gender, or of a gender that is not known, is named between the person's last mention
    and the pronoun. What cannot be decided stays, and is listed as undecided. Each step is a file of `_person`.
    """

    spec: str
    chosen: str = ""
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the name, the rules and the pipeline's version."""
        parts = ("person", RULES, 13, self.chosen, _spacy.pipeline_version())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Mentions of each text's subject, by position."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Mentions of each text's subject, and what was left; a text without one has a reason."""
        entities = _spacy.entities(list(texts), frozenset({"PERSON"}))
        forms = tuple(form for table in pronoun_tables().values() for form in table if form.gender)
        he_and_she = FormFinder("he and she", "", forms).find(texts)
        return [
            _found(text, [(start, end) for start, end, _ in spans], found, self.chosen)
            for text, spans, found in zip(texts, entities, he_and_she, strict=True)
        ]


def _found(text: str, entities: Sequence[tuple[int, int]], he_and_she: Sequence[Anchor], chosen: str) -> Found:
    """The mentions in one text."""
    people = find_people(text, entities)
    subject, reason = choose(text, people, chosen)
    listed = tuple(dict.fromkeys(one.named.words for one in people[:LISTED]))
    if subject is None:
        return Found(reason=reason, people=listed)
    others = [one for one in people if one is not subject]
    gender = ((chosen or not others) and pronouns.stated_gender(text)) or subject.gender
    names, left = mentions_of(text, subject.named, gender, others)
    if not names:
        return Found(reason=NOT_NAMED if chosen else NO_PERSON, people=listed)
    rivals = pronouns.rivals_in(text, entities, others, names, left)
    declared = pronouns.declared(text, names)
    if declared:
        gender = {"she": "female", "he": "male"}.get(declared[1].casefold(), "")
        if not gender:  # who is Mr. or Ms. is somebody else
            titled = [one for one in names if one.form.casefold() == "title"]
            names = [one for one in names if one not in titled]
            left += [Undecided(one.start, one.end, ANOTHER) for one in titled]
    else:  # the pronouns may know better than the list of names, and even than a title, which may be a relative's
        least = 3 if subject.genders else 2
        told = pronouns.gender_by_pronouns(text, names, he_and_she, rivals, gender, least)
        if told != gender:
            gender = told
            names, left = mentions_of(text, subject.named, gender, others)
            rivals = pronouns.rivals_in(text, entities, others, names, left)
    grammar = Grammar.of(text)
    more, also_left = pronouns.pronouns_of(text, grammar, gender, declared, names, he_and_she, rivals)
    spans = _apart([*(replace(one, gender=gender) for one in names), *more])
    spans = _apart([*spans, *verbs_with(text, grammar, spans)])
    every = sorted([*left, *also_left], key=lambda one: one.start)
    masked = Counter(one.reason.partition(":")[0] for one in every)
    return Found(tuple(spans), dict(masked), tuple(every), people=listed)


def _apart(anchors: Iterable[Anchor]) -> list[Anchor]:
    """In order; of two that overlap the first."""
    kept: list[Anchor] = []
    for anchor in sorted(anchors):
        if not kept or anchor.start >= kept[-1].end:
            kept.append(anchor)
    return kept


def _build(argument: str) -> AnchorFinder:
    chosen = " ".join(argument.split())
    return PersonFinder(f"person:{chosen}" if chosen else "person", chosen)


ANCHOR = AnchorPlugin(
    id="person",
    title="The person in a document",
    summary=(
        "Everything that names the person whom a document is about: full, first and last name, title, initials, "
        "e-mail, pronouns. Other people stay."
    ),
    build=_build,
    argument="the person's name, if not the one named most",
    together=True,
)
