"""The person whom a document is about, with all mentions: names in every form, e-mail, pronouns."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from psa_core.anchors import _mentions, _own_pronouns, _spacy, _subject
from psa_core.anchors._base import (
    NO_PERSON,
    NOT_NAMED,
    TWO_OF_A_NAME,
    Anchor,
    AnchorFinder,
    AnchorPlugin,
    Found,
)
from psa_core.anchors._forms import RULES, FormFinder, pronoun_tables
from psa_core.anchors._subject import Evidence
from psa_core.inputs import people

_CONTRACTED = re.compile(r"['’](s)\b")
_HAS = re.compile(
    r"['’]s[ ](?:\w+ly[ ]|also[ ]|never[ ]|always[ ])?"
    r"(?:been|got|had|become|made|done|gone|taken|given|shown|worked|led|written)\b"
)
_IRREGULAR = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "'s": "'re", "’s": "’re"}


@dataclass(frozen=True)
class PersonFinder:
    """Finds all mentions of one person in each text: of the one named most, or of the one whose name is given.

    Names are found by spaCy, by titles, by labels such as *Patient:* and by lists of names; once the person is known,
    every exact form of the name is looked for in the whole text. A pronoun is the person's if it has the person's
    gender, and nobody else of that gender, or of a gender that is not known, is named between the person's last mention
    and the pronoun. What cannot be decided stays, and is listed as undecided.
    """

    spec: str
    chosen: str = ""
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the name, the rules and the pipeline's version."""
        parts = ("person", RULES, 4, self.chosen, _spacy.pipeline_version())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Mentions of each text's subject, by position."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Mentions of each text's subject, and what was left; a text without one has a reason."""
        entities = _spacy.entities(list(texts), frozenset({"PERSON"}))
        named = [
            _subject.find_people(text, [(start, end) for start, end, _ in spans])
            for text, spans in zip(texts, entities, strict=True)
        ]
        forms = tuple(form for table in pronoun_tables().values() for form in table if form.gender)
        pronoun_anchors = FormFinder("he and she", "", forms).find(texts)
        drafts = [
            _found(text, someone, found, self.chosen)
            for text, someone, found in zip(texts, named, pronoun_anchors, strict=True)
        ]
        return [_with_verbs(text, draft) for text, draft in zip(texts, drafts, strict=True)]


def _found(text: str, named: list[Evidence], pronoun_anchors: Sequence[Anchor], chosen: str) -> Found:
    """The mentions in one text."""
    subject, reason = _choose(text, named, chosen)
    if subject is None:
        return Found(reason=reason)
    others = [one for one in named if one is not subject]
    gender = _subject.gender_told(subject)
    gender = ((chosen or not others) and _own_pronouns.stated_gender(text)) or gender
    anchors, left = _mentions.mentions_of(text, subject.named, gender, others)
    if not anchors:
        return Found(reason=reason or NO_PERSON)
    own = [(one.start, one.end) for one in anchors] + [(one.start, one.end) for one in left]
    rivals = list(_own_pronouns.rivals_in(text, others, own))
    rivals += _mentions.perhaps_others(text, left)
    declared = _own_pronouns.declared(text, anchors)
    if declared:
        gender = {"she": "female", "he": "male"}.get(declared[1].casefold(), "")
    elif not subject.genders.keys() - {""}:  # no title told it: the pronouns may know better than the list of names
        gender = _own_pronouns.gender_by_pronouns(anchors, pronoun_anchors, rivals, gender) or gender
    more, also_left = _own_pronouns.pronouns_of(
        text, gender, they=bool(declared) and not gender, anchors=anchors, found=pronoun_anchors, rivals=rivals
    )
    spans = _apart([*(replace(one, gender=gender) for one in anchors), *more])
    every = sorted([*left, *also_left], key=lambda one: one.start)
    return Found(tuple(spans), dict(Counter(one.reason.partition(":")[0] for one in every)), tuple(every))


def _apart(anchors: Iterable[Anchor]) -> list[Anchor]:
    """In order; of two that overlap the first."""
    kept: list[Anchor] = []
    for anchor in sorted(anchors):
        if not kept or anchor.start >= kept[-1].end:
            kept.append(anchor)
    return kept


def _choose(text: str, named: list[Evidence], chosen: str) -> tuple[Evidence | None, str]:
    if not chosen:
        if not named:
            return None, NO_PERSON
        name = rf"\b{re.escape(named[0].named.words)},?[ ]"
        if re.search(rf"{name}(?:Sr|Senior)\b", text) and re.search(rf"{name}(?:Jr|Junior)\b", text):
            return None, TWO_OF_A_NAME
        writer = _own_pronouns.writer_of(text, named)
        pronouns = _own_pronouns.pronouns_after(text, named)

        def weight(one: Evidence) -> float:
            return _weight(text, one, named) + max(0.0, 0.25 * pronouns[one.named.key] - 0.25) + 3 * (one is writer)

        return min(named, key=lambda one: (-weight(one), one.first_at)), ""
    wanted = chosen.casefold().split()
    exact = [one for one in named if one.named.words.casefold() == " ".join(wanted)]
    parts = [one for one in named if set(wanted) & set(one.named.words.casefold().split())] if len(wanted) == 1 else []
    fitting = exact or parts
    if len(fitting) > 1:
        return None, TWO_OF_A_NAME
    if fitting:
        return fitting[0], ""
    whole = re.search(rf"(?<!\w){re.escape(chosen)}(?!\w)", text, re.IGNORECASE)
    who = _subject.named(chosen.split())
    return (Evidence(who, 1.0, whole.start()), "") if whole and who else (None, NOT_NAMED)


def _weight(text: str, one: Evidence, named: Sequence[Evidence]) -> float:
    """How much a text is about somebody: how often the names occur, and where.

    A last name that others have too counts with the first, or behind a title of the person's gender.
    """
    who = one.named
    shared = any(other.named.key[1] == who.key[1] and other is not one for other in named)
    title = {"female": r"(?:Mrs|Ms|Miss)\.? ", "male": r"Mr\.? "}.get(_subject.gender_told(one), "") if shared else ""
    first = "|".join(map(re.escape, filter(None, (who.first, who.nick))))
    lasts = (who.last, people.handle(who.last), people.handle(who.first[:1] + who.last))
    last = "|".join(map(re.escape, lasts)) if who.last and (title or not shared) else ""
    choices = [f"(?:{first})[ ._-]+(?:{last})"] if first and last else []
    choices += [part for part in (first, last and f"{title}(?:{last})") if part]
    mentions = re.findall(rf"(?<![^\W_])(?<!-)(?:{'|'.join(choices)})(?![^\W_]|-\w)", text, re.IGNORECASE)
    return len(mentions) + one.weight + (0.5 if first and last else 0.0)


def _with_verbs(text: str, found: Found) -> Found:
    """Add the verbs that agree with the person's *he* or *she*, so that *they* gets the plural."""
    subjects = tuple(anchor.start for anchor in found.anchors if anchor.form.casefold() == "he")
    if not subjects:
        return found
    # Where the person is they, the verb is plural already.
    is_plural = text[subjects[0] :][:4].casefold() in _own_pronouns.THEY
    verbs = []
    for start, end in _spacy.verbs_of(text, subjects):
        word = text[start:end]
        singular = word.casefold()
        plural = (
            ("'ve" if word[0] == "'" else "’ve")
            if _CONTRACTED.match(word) and _HAS.match(text, start)
            else plural_verb(singular)
        )
        if is_plural:
            singular, plural = singular_verb(singular), singular
        pair = f"{singular}/{plural}"
        if singular != plural:
            form = pair.capitalize() if word[:1].isupper() else pair
            verbs.append(Anchor(start, end, "object", found.anchors[0].gender, "subject", form))
    return replace(found, anchors=tuple(_apart([*found.anchors, *verbs])))


def plural_verb(verb: str) -> str:
    """The verb form for *they*.

    Examples
    --------
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

    Examples
    --------
    >>> [singular_verb(verb) for verb in ("are", "manage", "teach", "carry", "'ve")]
    ['is', 'manages', 'teaches', 'carries', "'s"]
    """
    back = {plural: singular for singular, plural in _IRREGULAR.items()} | {"'ve": "'s", "’ve": "’s"}
    if verb in back:
        return back[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:sh|ch|x|s|z|o)$", verb) else f"{verb}s"


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
