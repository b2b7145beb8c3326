"""Which pronouns are the person's, by gender and by who is named nearest, and the verbs that agree with them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from psa_core.anchors._base import Anchor, Role, Undecided
from psa_core.anchors._person.about import FIRST_PERSON, Evidence
from psa_core.anchors._person.beside import ANOTHER, OTHER_NAME, PERHAPS
from psa_core.anchors._person.fields import SIGNED
from psa_core.anchors._person.grammar import Grammar, verbs_with
from psa_core.anchors._person.lexicon import (
    ANYBODY,
    KIN,
    PART,
    PERSON_VERB,
    TITLE,
    as_written,
    bare,
    could_be_name,
    gender_of_title,
    in_name_case,
    is_capitals,
    is_only_word,
    is_ordinary,
)
from psa_core.anchors._person.naming import Named
from psa_core.anchors._person.told import ACTS
from psa_core.inputs.gazetteers import is_listed

IN_SPEECH = "a pronoun in quoted words"
NEAR_ANOTHER, WRITER = "a pronoun nearer to another person", "a pronoun in a text that the person wrote"
OTHER_GENDER = "a pronoun of another gender than the person's"
UNKNOWN_GENDER = "a pronoun, and the person's gender is not known"
RUN_ON = "a pronoun without its apostrophe"
PERHAPS_THEY = "they, who may be the person or several"
_REFLEXIVE = {"himself": "male", "herself": "female"}
_REFLEXIVES = re.compile(r"(?<![\w/])(?:himself|herself)(?![\w/])", re.IGNORECASE)
#: *shes late*, and not the letters *HES*
_RUN_ONS = re.compile(r"(?<![\w/])(?:([Ss]he)|[Hh]e)s(?![\w/])")
_THEY = {"they": "he", "them": "him", "their": "his", "theirs": "hers", "themself": "himself", "themselves": "himself"}
_THEYS = re.compile(r"(?<![\w/])(?:they|them|their|theirs|themself|themselves)(?![\w/])", re.IGNORECASE)
_DECLARED = re.compile(r"\b(she|he|they)[ ]?/[ ]?(?:her|him|them)(?:[ ]?/[ ]?(?:hers|his|theirs))?\b", re.IGNORECASE)
_STATED = re.compile(r"\b(?:gender|sex)[ \t]*[:\-–][ \t]*(female|male|f|m|woman|man)\b", re.IGNORECASE)
_KIN_WORDS = re.compile(rf"(?<![\w-])(?:step)?({'|'.join(KIN)})(?:-in-law)?(?![\w-])", re.IGNORECASE)
_TOLD_OF = re.compile(r"[ ](?:is|was|has|had|will|can|\w+ed|led|ran|wrote|made|took|came|went|left)\b")
_ABSOLUTE = re.compile(
    r"[ ]*(?:[,;:!?)\n]|\.(?!\.)|$|(?:also|too|either|included|anyway|tbh)\b"
    r"|and\b(?![ ](?:\w+[ ]?){1,2}['’]s\b)"
    r"|(?:is|was|got|had|has|or|but|from|to|for|in|at|by|as|with|without|alone|until|not|if|when)\b)"
)
#: Behind *her* where it has nothing: *it's her.*
_OBJECT = re.compile(
    r"[ ]*(?:[,;:!?)]|\.(?!\.)|$|\n(?![ >]*(?-i:[a-z])))|[\"”]"
    r"|[ ](?:(?:again|so|too|anyway|because|forward|away|today|yesterday|tomorrow|tonight|line[ ]by[ ]line)\b"
    r"|(?:more|less)[ ]*[.,;!?\n]|(?:last|next|this)[ ](?:\w+day|week|month|year|night)\b"
    r"|(?:and|or)\b(?![ ](?:his|her|their)\b))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)(?<!\b[A-Z])[.!?]\s|\n")
#: A word for the person: *she is a 66-year-old woman*.
_IS_ONE = re.compile(r"(?:year[- ]old|\by/?o|\b(?:is|was) (?:an?|the))[ ](?:[\w-]+[ ]){0,2}$", re.IGNORECASE)
#: Around the name of who speaks in a transcript or a chat: the time, a role.
_SPEAKER_BEFORE, _SPEAKER_AFTER = (
    re.compile(r"[\W\d]*(?:[ap]m)?[\W\d]*", re.IGNORECASE),
    re.compile(r"\*{0,2}(?:[ ]\([^)\n]{1,40}\))?\*{0,2}:[ ]"),
)
_NEW_CLAUSE = re.compile(
    r"[.!?;:\n]\s|\b(?:that|because|since|who|and|but|if|when|whether|as|while|so|or|after|before|until|though|where)\b"
)
#: A verb or two between a subject and its object: *Aoife told*, *Mr. Ivanov then showed*.
_VERB_ONLY = re.compile(
    r"[ ](?:\w+ly[ ]|then[ ]|later[ ]|also[ ]|once[ ])?(?:(?:has|had|would|will|could|can)[ ])?[a-z]+[ ]"
)


class Rival(NamedTuple):
    """Where somebody else is named; the gender is empty where it is not known."""

    at: int
    gender: str


def rivals_in(
    text: str,
    entities: Sequence[tuple[int, int]],
    others: Iterable[Evidence],
    anchors: Sequence[Anchor],
    left: Sequence[Undecided],
) -> list[Rival]:
    """Where other people are named, or kin without a name, or a title stands before what was left.

    `entities` are a recogniser's people: those that nobody else's name explains may be of any gender.
    """
    own = [(one.start, one.end) for one in anchors]
    own += [(one.start, one.end) for one in left if not one.reason.startswith((OTHER_NAME, ANOTHER, PERHAPS))]
    rivals = list[Rival]()
    for other in others:
        for pattern in _names_of(other.named):
            for match in re.finditer(pattern, text):
                if not any(start < match.end() and match.start() < end for start, end in own):
                    rivals.append(Rival(match.start(), other.sure_gender))
    known = [*own, *((at, at + 1) for at, _ in rivals)]
    names = {word for one in anchors for word in re.findall(PART, text[one.start : one.end])}
    for start, end in entities:
        word = text[start:end].split()[0]
        is_name = word[0].isupper() and could_be_name(word) and not is_ordinary(word) and not is_capitals(word)
        if is_name and word not in names and not any(a < end and start < b for a, b in known):
            rivals.append(Rival(start, ""))
    for match in ACTS.finditer(text):  # a name that no list knows
        name = match[1]
        is_known = name in names or is_listed(name) or is_only_word(in_name_case(name))
        if bare(name) == name and could_be_name(name) and not is_known:
            rivals.append(Rival(match.start(), ""))
    for match in _KIN_WORDS.finditer(text):
        before = text[max(0, match.start() - 60) : match.start()]
        if match[1].casefold() not in ANYBODY or not _IS_ONE.search(before):
            rivals.append(Rival(match.start(), KIN[match[1].casefold()]))
    for one in left:
        title = re.search(rf"({TITLE})\s+$", text[: one.start]) or re.match(rf"({TITLE})\s", text[one.start : one.end])
        if title or one.reason.startswith(ANOTHER):
            rivals.append(Rival(one.start, gender_of_title(title[1]) if title else ""))
    return rivals


def _names_of(who: Named) -> Iterator[str]:
    """Patterns of what somebody is called, and of the initials behind which somebody speaks or acts: *RI said*."""
    for part in (who.first, who.last, who.nick):
        if len(part) > 1:
            yield rf"(?<!\w){re.escape(part)}(?!\w)"
    initials = [word[0].upper() for word in re.split("[ -]", " ".join(who.every)) if word]
    if len(initials) > 1:
        letters = r"\.?".join(map(re.escape, initials))
        yield rf"(?<![\w.]){letters}\b\.?(?=:|\)|{PERSON_VERB.pattern})"


def stated_gender(text: str) -> str:
    """The gender or sex that a form states."""
    stated = _STATED.search(text)
    return {"f": "female", "w": "female", "m": "male"}[stated[1][0].lower()] if stated else ""


def declared(text: str, anchors: Sequence[Anchor]) -> re.Match[str] | None:
    """The pronouns written behind the person's name, or after *Pronouns:*."""
    for match in _DECLARED.finditer(text):
        if any(0 <= match.start() - anchor.end <= 4 for anchor in anchors):
            return match
        if re.search(r"pronouns\W*$", text[: match.start()], re.IGNORECASE):
            return match
    return None


def gender_by_pronouns(
    text: str, anchors: Sequence[Anchor], found: Sequence[Anchor], rivals: Sequence[Rival], known: str, least: int
) -> str:
    """The gender of the pronouns that follow the person's mentions with nobody between; else the one `known`.

    Against what is known it takes `least` pronouns, and three times as many as of another kind. Empty: *they*.
    """
    starts = [anchor.start for anchor in anchors]
    counts = Counter[str]()
    they = [(match.start(), "") for match in _THEYS.finditer(text)]
    for at, gender in [*((one.start, one.gender) for one in found), *they]:
        before = bisect_right(starts, at) - 1
        if before >= 0 and not any(starts[before] < rival.at < at for rival in rivals):
            counts[gender] += 1
    (gender, most), *rest = counts.most_common() or [(known, 0)]
    needed = least if known else 1 if gender else 2
    return gender if most >= needed and most >= 3 * sum(count for _, count in rest) else known


def pronouns_of(
    text: str,
    grammar: Grammar,
    gender: str,
    declaration: re.Match[str] | None,
    anchors: Sequence[Anchor],
    found: Sequence[Anchor],
    rivals: Sequence[Rival],
) -> tuple[list[Anchor], list[Undecided]]:
    """The person's pronouns, and those that may be the person's or not.

    `anchors` are the person's names, and `found` every *he* and *she* of the text. Without a gender every pronoun is
    left, unless it is declared to be *they*.
    """
    they = declaration is not None and not gender
    spans: list[tuple[int, int, str, str, Role]]
    if they:
        spans = [(*m.span(), _THEY[m[0].casefold()], "", "object") for m in _THEYS.finditer(text)]
    else:
        spans = [(one.start, one.end, _form(text, one), one.gender, one.role) for one in found]
        spans += [(*m.span(), "himself", _REFLEXIVE[m[0].casefold()], "object") for m in _REFLEXIVES.finditer(text)]
    mine, left = list[Anchor](), list[Undecided]()
    if declaration:  # (she/her) behind the name changes with it
        words = re.finditer(r"[a-z]+", declaration[0], re.IGNORECASE)
        for word, form in zip(words, ("he", "him", "hers"), strict=False):
            start, end = declaration.start() + word.start(), declaration.start() + word.end()
            mine.append(Anchor(start, end, "object", "", "subject", as_written(form, word[0])))
        spans = [span for span in spans if not declaration.start() <= span[0] < declaration.end()]

    def with_verbs(anchor: Anchor) -> tuple[Anchor, ...]:
        return (anchor, *verbs_with(text, grammar, [anchor]))

    writes = _is_writer(text, anchors)
    others = [one for one in rivals if they or one.gender in (gender, "")]
    others += [Rival(at, "") for at in (*grammar.roles(), *(grammar.plurals() if they else ()))]
    nearest = _Nearest(text, grammar, anchors, sorted(others))
    strangers = [one for one in rivals if not gender or one.gender != gender]
    others_gender = _Nearest(text, grammar, anchors, sorted(strangers))
    quoted = [*_quotes(text, anchors), *_spoken(text, anchors)]
    for start, end, form, said, role in sorted(spans):
        reason, anchor = "", Anchor(start, end, role, gender, "subject", as_written(form, text[start:end]))
        if gender and said and said != gender:
            if others_gender.is_persons(start, form):
                left.append(Undecided(start, end, OTHER_GENDER, with_verbs(anchor)))
            continue
        if not gender and not they:
            reason = UNKNOWN_GENDER
        elif any(a <= start < b for a, b in quoted):
            reason = IN_SPEECH
        elif writes:
            reason = WRITER
        elif not nearest.is_persons(start, form):
            reason = NEAR_ANOTHER
        if reason in (NEAR_ANOTHER, IN_SPEECH):
            nearest.undecided.append(start)
        if reason:
            left.append(Undecided(start, end, reason, with_verbs(anchor)))
        else:
            mine.append(anchor)
            nearest.decided.append(start)
    for match in _RUN_ONS.finditer(text):
        if gender in ("", "female" if match[1] else "male"):
            left.append(Undecided(*match.span(), RUN_ON))
    if not mine and not writes:  # nobody calls the person he or she
        theys = _THEYS.finditer(text, anchors[0].start)
        for one in theys:
            anchor = Anchor(*one.span(), "object", gender, "subject", as_written(_THEY[one[0].casefold()], one[0]))
            left.append(Undecided(*one.span(), PERHAPS_THEY, with_verbs(anchor)))
    return mine, left


def _quotes(text: str, anchors: Sequence[Anchor]) -> Iterator[tuple[int, int]]:
    """Where somebody is quoted: until the person is named in it, *she* may be anybody."""
    starts = [anchor.start for anchor in anchors]
    for quote in re.finditer(r"[\"“]([^\"“”\n]+)[\"”]", text):
        named = bisect_left(starts, quote.start())
        yield quote.start(), min([quote.end(), *starts[named : named + 1]])


def _spoken(text: str, anchors: Sequence[Anchor]) -> Iterator[tuple[int, int]]:
    """What the person says in a transcript or a chat, behind the name and a colon: *she* is somebody else."""
    lines = list[tuple[int, int]]()
    for anchor in anchors:
        if not _SPEAKER_AFTER.match(text, anchor.end):
            continue
        begins = text.rfind("\n", 0, anchor.start) + 1
        if anchor.start - begins < 40 and _SPEAKER_BEFORE.fullmatch(text, begins, anchor.start):
            end = text.find("\n", anchor.end)
            lines.append((anchor.end, len(text) if end < 0 else end))
    return iter(lines if lines[1:] else ())


def _form(text: str, pronoun: Anchor) -> str:
    word = text[pronoun.start : pronoun.end].casefold()
    if word in ("he", "she"):
        return "he"
    if word == "her" and _OBJECT.match(text, pronoun.end):
        return "him"
    if word == "hers" or (word == "his" and _ABSOLUTE.match(text, pronoun.end)):
        return "hers"
    return "his" if pronoun.role == "possessive" else "him"


def _is_writer(text: str, anchors: Sequence[Anchor]) -> bool:
    """Whether the person writes in the first person: signs or heads a text that says *I*, and is not told of in it."""
    if len(FIRST_PERSON.findall(text)) < 2 or not anchors:
        return False
    if re.search(r"\b[Mm]y name is[ ]*$", text[: anchors[0].start]):
        return True
    told_of = sum(_TOLD_OF.match(text, anchor.end) is not None for anchor in anchors)
    last_line = text.rstrip().rfind("\n") + 1
    signed = [match.span(1) for match in SIGNED.finditer(text)] if told_of < 2 else []
    signed += [(last_line, last_line + 1)] if not told_of else []
    return any(start <= anchor.start < end for start, end in signed for anchor in anchors)


@dataclass(frozen=True)
class _Nearest:
    """Who is named nearest to a pronoun: the person, at `anchors`, or one of the `rivals`; both in order.

    `decided` are the person's pronouns so far, and `undecided` those that may be another's.
    """

    text: str
    grammar: Grammar
    anchors: Sequence[Anchor]
    rivals: Sequence[Rival]
    decided: list[int] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)

    @cached_property
    def _sentences(self) -> list[int]:
        """Where sentences begin."""
        return [0, *(match.end() for match in _SENTENCE_END.finditer(self.text))]

    def _sentence_of(self, at: int) -> int:
        return bisect_right(self._sentences, at) - 1

    def _counting(self, start: int) -> list[int]:
        """Where those are named who may be meant at a position.

        Not who was named in an earlier paragraph, nor who may be of another gender and was named before the last
        sentence.
        """
        paragraph, sentence = self._paragraph_of(start), self._sentence_of(start)
        here = self.rivals[bisect_left(self.rivals, paragraph, key=lambda one: one.at) :]
        here = here[: bisect_left(here, self._end_of(start), key=lambda one: one.at)]
        return [one.at for one in here if one.gender or self._sentence_of(one.at) >= sentence - 1]

    def _paragraph_of(self, start: int) -> int:
        """Where the paragraph begins: a short line without a full stop before it, as a name, belongs to it."""
        begins = self.text.rfind("\n", 0, start) + 1
        heading = re.search(r"(?:^|\n)([^\n]{1,60}[^\n.!?])\n$", self.text[max(0, begins - 65) : begins])
        return begins - len(heading[1]) - 1 if heading else begins

    def _end_of(self, paragraph: int) -> int:
        end = self.text.find("\n", paragraph)
        return len(self.text) if end < 0 else end

    def _follows_another(self, sentence: int, start: int, rivals: Sequence[int]) -> bool:
        """Whether the sentence before the one with the person and the pronoun is about somebody else only.

        Mrs. Barry is old. Aoife carried her coal: either may be meant.
        """
        if self._sentence_of(start) != sentence or self.text[: self._sentences[sentence]].endswith("\n\n"):
            return False
        own = any(self._sentence_of(anchor.start) == sentence - 1 for anchor in self.anchors)
        return not own and any(self._sentence_of(at) == sentence - 1 for at in rivals)

    def _is_bound(self, start: int, form: str) -> bool:
        """Whether the clause's subject rules the person out: *Aoife told her*, *the clerk, who hurt herself*."""
        clause = self.grammar.clause_of(start) if form in ("him", "himself") else None
        if clause is None:
            return False
        own = clause.at in self.decided or any(one.start <= clause.at < one.end for one in self.anchors)
        return own if form == "him" else not (own or clause.is_speaker)

    def is_persons(self, start: int, form: str) -> bool:
        """Whether the person is named before it with nobody else between, or just behind it in its sentence."""
        if self._is_bound(start, form):
            return False
        rivals = self._counting(start)
        at = bisect_right(self.anchors, start, key=lambda anchor: anchor.start)
        last = self.anchors[at - 1] if at else None
        between = [rival for rival in rivals if (last.start if last else -1) < rival < start]
        here = self._sentence_of(start) - 1
        if last and any(last.start < at and self._sentence_of(at) >= here for at in self.undecided):
            return False
        if last and not between:
            # Her sister asked for Aoife’s key. She: either may be meant.
            sentence = self._sentence_of(last.start)
            begins = max(self._sentences[sentence], self.text.rfind("\n", 0, start) + 1)
            if any(begins <= other < last.start for other in (*rivals, *self.undecided)):
                return False
            if self._follows_another(sentence, start, rivals):
                return False
            # Tom went white. Then Bob took his glass: whoever did something shortly before may be meant.
            recent = (at for at in rivals if at < last.start and self._sentence_of(at) >= here - 2)
            if any(map(self.grammar.is_subject, recent)):
                return False
            # Aoife told her: who does something to herself is no object of the verb.
            return not (form == "him" and _VERB_ONLY.fullmatch(self.text, last.end, start))
        if last and form == "him" and between[-1] - between[0] < 20:  # Dr. Osei saw him: nobody sees himself so
            clause = self.grammar.clause_of(start)
            if clause is None:
                return re.fullmatch(rf"\w+{_VERB_ONLY.pattern}", self.text[between[-1] : start]) is not None
            return clause.at in between and _NEW_CLAUSE.search(self.text, between[-1], start) is None
        if between:
            return False
        stop = re.search(r"[.!?](?:\s|$)", self.text[start:])
        end = start + stop.start() if stop else len(self.text)
        following = next((anchor.start for anchor in self.anchors[at:]), len(self.text) + 1)
        return following < end and not any(start < rival < following for rival in rivals)
