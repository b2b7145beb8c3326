"""Which pronouns of a text are one person's: by gender, by who is named nearest, and by who can be meant."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from psa_core.anchors._base import Anchor, Role, Undecided
from psa_core.anchors._name_words import as_written
from psa_core.anchors._subject import SIGNED, Evidence, gender_told

IN_SPEECH = "a pronoun in the person's own words"
NEAR_ANOTHER, WRITER = "a pronoun nearer to another person", "a pronoun in a text that the person wrote"
OTHER_GENDER = "a pronoun of another gender than the person's"
UNKNOWN_GENDER = "a pronoun, and the person's gender is not known"
_REFLEXIVE = {"himself": "male", "herself": "female"}
_REFLEXIVES = re.compile(r"(?<![\w/])(?:himself|herself)(?![\w/])", re.IGNORECASE)
THEY = {"they": "he", "them": "him", "their": "his", "theirs": "hers", "themself": "himself", "themselves": "himself"}
_THEYS = re.compile(r"(?<![\w/])(?:they|them|their|theirs|themself|themselves)(?![\w/])", re.IGNORECASE)
_DECLARED = re.compile(r"\b(she|he|they)[ ]?/[ ]?(?:her|him|them)(?:[ ]?/[ ]?(?:hers|his|theirs))?\b", re.IGNORECASE)
_STATED = re.compile(r"\b(?:gender|sex)[ \t]*[:\-–][ \t]*(female|male|f|m|woman|man)\b", re.IGNORECASE)
#: People without a name whom a pronoun may stand for.
_KIN = {
    "mother": "female", "sister": "female", "daughter": "female", "wife": "female", "girlfriend": "female",
    "aunt": "female", "grandmother": "female", "woman": "female", "girl": "female", "lady": "female", "mum": "female",
    "mom": "female", "niece": "female", "widow": "female", "landlady": "female", "father": "male", "brother": "male",
    "son": "male", "husband": "male", "boyfriend": "male", "uncle": "male", "grandfather": "male", "man": "male",
    "boy": "male", "gentleman": "male", "dad": "male", "nephew": "male", "grandson": "male", "widower": "male",
}  # fmt: skip
_ANYBODY = frozenset({"woman", "girl", "lady", "man", "boy", "gentleman", "widow", "widower"})
_KIN_WORDS = re.compile(rf"(?<![\w-])(?:step)?({'|'.join(_KIN)})(?:-in-law)?(?![\w'’-])", re.IGNORECASE)
_SAYING = "said|says|told|asked|wrote|writes|added|replied|reports?|reported|stated|explained"
_SAYS = re.compile(rf"(\w+)[ ](?:{_SAYING})(?:[ ](?:me|us|to[ ]me))?[,:]?[ ]$", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"(?<![\w])(?:I|I'm|I’m|I've|I’ve|my|My|me)(?![\w])")
_THIRD_PERSON = re.compile(r"\b(?:she|her|hers|herself|he|him|his|himself)\b", re.IGNORECASE)
_TOLD_OF = re.compile(r"[ ](?:is|was|has|had|will|can|\w+ed|led|ran|wrote|made|took|came|went|left)\b")
_ABSOLUTE = re.compile(r"[ ]*(?:[.,;:!?)\n]|$|(?:is|was|and|or|but)\b)")
_SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)(?<!\b[A-Z])[.!?]\s|\n")
#: A word for the person: *she is a 66-year-old woman*.
_IS_ONE = re.compile(r"(?:year[- ]old|\by/?o|\b(?:is|was) (?:an?|the))[ ](?:[\w-]+[ ]){0,2}$", re.IGNORECASE)
_NEW_CLAUSE = re.compile(r"[.!?;:\n]\s|\b(?:that|because|who|and|but|if|when|whether|as|while|so|or)\b")
#: A verb or two between a subject and its object: *Aoife told*, *Mr. Ivanov then showed*.
_VERB_ONLY = re.compile(
    r"[ ](?:\w+ly[ ]|then[ ]|later[ ]|also[ ]|once[ ])?(?:(?:has|had|would|will|could|can)[ ])?[a-z]+[ ]"
)


@dataclass(frozen=True)
class Rival:
    """Where somebody else is named; the gender is empty where it is not known."""

    at: int
    gender: str


def rivals_in(text: str, others: Iterable[Evidence], own: Sequence[tuple[int, int]]) -> Iterator[Rival]:
    """Where other people are named, or kin without a name."""
    for other in others:
        gender = gender_told(other)
        for part in (other.named.first, other.named.last, other.named.nick):
            if len(part) > 1:
                for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text):
                    if not any(start < match.end() and match.start() < end for start, end in own):
                        yield Rival(match.start(), gender)
    for match in _KIN_WORDS.finditer(text):
        if match[1].casefold() in _ANYBODY and _IS_ONE.search(text[max(0, match.start() - 60) : match.start()]):
            continue
        yield Rival(match.start(), _KIN[match[1].casefold()])


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


def gender_by_pronouns(anchors: Sequence[Anchor], found: Sequence[Anchor], rivals: Sequence[Rival], listed: str) -> str:
    """The gender of the pronouns that follow the person's mentions with nobody between; empty where they differ.

    Against a list of names that says otherwise it takes two.
    """
    starts = [anchor.start for anchor in anchors]
    counts = Counter[str]()
    for pronoun in found:
        before = bisect_right(starts, pronoun.start) - 1
        if before >= 0 and not any(starts[before] < rival.at < pronoun.start for rival in rivals):
            counts[pronoun.gender] += 1
    if not counts:
        return ""
    (gender, most), *rest = counts.most_common()
    return gender if most >= (2 if listed else 1) and most >= 3 * sum(count for _, count in rest) else ""


def pronouns_of(
    text: str, gender: str, *, they: bool, anchors: Sequence[Anchor], found: Sequence[Anchor], rivals: Sequence[Rival]
) -> tuple[list[Anchor], list[Undecided]]:
    """The person's pronouns, and those that may be the person's or not.

    Parameters
    ----------
    gender : str
        The person's; with none, and without `they`, every pronoun is left.
    they : bool
        Whether the person's pronouns are declared as *they*.
    anchors, found : sequence of Anchor
        The person's names, and every *he* and *she* of the text.
    """
    spans: list[tuple[int, int, str, str, Role]]
    if they:
        spans = [(*m.span(), THEY[m[0].casefold()], "", "object") for m in _THEYS.finditer(text)]
    else:
        spans = [(one.start, one.end, _form(text, one), one.gender, one.role) for one in found]
        spans += [(*m.span(), "himself", _REFLEXIVE[m[0].casefold()], "object") for m in _REFLEXIVES.finditer(text)]
    mine, left = list[Anchor](), list[Undecided]()
    declaration = declared(text, anchors)
    if declaration:  # (she/her) behind the name changes with it
        words = re.finditer(r"[a-z]+", declaration[0], re.IGNORECASE)
        for word, form in zip(words, ("he", "him", "hers"), strict=False):
            start, end = declaration.start() + word.start(), declaration.start() + word.end()
            mine.append(Anchor(start, end, "object", "", "subject", as_written(form, word[0])))
        spans = [span for span in spans if not declaration.start() <= span[0] < declaration.end()]
    writes = _is_writer(text, anchors)
    nearest = _Nearest(text, anchors, [one for one in rivals if one.gender in (gender, "") or they])
    others_gender = _Nearest(text, anchors, [one for one in rivals if one.gender != gender or not gender])
    quoted = list(_own_words(text, anchors, gender))
    others_at = list[int]()
    for start, end, form, said, role in sorted(spans):
        if gender and said and said != gender:
            if others_gender.is_persons(start, form):
                left.append(Undecided(start, end, OTHER_GENDER))
            continue
        reason = "" if gender or they else UNKNOWN_GENDER
        reason = reason or (IN_SPEECH if any(a <= start < b for a, b in quoted) else "")
        reason = reason or (WRITER if writes else "" if nearest.is_persons(start, form, others_at) else NEAR_ANOTHER)
        if reason:
            others_at += [start] if reason == NEAR_ANOTHER else []
            left.append(Undecided(start, end, reason))
        else:
            mine.append(Anchor(start, end, role, gender, "subject", as_written(form, text[start:end])))
    return mine, left


def _own_words(text: str, anchors: Sequence[Anchor], gender: str) -> Iterator[tuple[int, int]]:
    """Where the person speaks: *she* in her own words is another."""
    ends = {anchor.end for anchor in anchors}
    pronoun = {"female": "she", "male": "he"}.get(gender, "they")
    for quote in re.finditer(r"[\"“]([^\"“”\n]+)[\"”]", text):
        before = _SAYS.search(text[: quote.start()])
        after = re.match(rf",?[ ](?:(?:{_SAYING})[ ])?(\w+)", text[quote.end() :])
        speaks = before and (before[1].casefold() == pronoun or before.end(1) in ends)
        if speaks or (after and (after[1] == pronoun or quote.end() + after.end(1) in ends)):
            yield quote.span()


def _form(text: str, pronoun: Anchor) -> str:
    word = text[pronoun.start : pronoun.end].casefold()
    if word in ("he", "she"):
        return "he"
    if word == "hers" or (word == "his" and _ABSOLUTE.match(text, pronoun.end)):
        return "hers"
    return "his" if pronoun.role == "possessive" else "him"


def _is_writer(text: str, anchors: Sequence[Anchor]) -> bool:
    """Whether the person writes in the first person: signs or heads a text that says *I*, and is not told of in it."""
    if len(_FIRST_PERSON.findall(text)) < 2 or not anchors:
        return False
    if re.search(r"\b[Mm]y name is[ ]*$", text[: anchors[0].start]):
        return True
    told_of = sum(_TOLD_OF.match(text, anchor.end) is not None for anchor in anchors)
    last_line = text.rstrip().rfind("\n") + 1
    signed = [match.span(1) for match in SIGNED.finditer(text)] if told_of < 2 else []
    signed += [(last_line, last_line + 1)] if not told_of else []
    return any(start <= anchor.start < end for start, end in signed for anchor in anchors)


def writer_of(text: str, named: Sequence[Evidence]) -> Evidence | None:
    """Who signs a text that says *I* much more often than *he* or *she*: an application, and no reference."""
    if len(_FIRST_PERSON.findall(text)) <= 2 * len(_THIRD_PERSON.findall(text)) + 1:
        return None
    signed = [match[1].casefold() for match in SIGNED.finditer(text)]
    return next(
        (one for words in signed for one in named if one.named.last and one.named.words.casefold() in words), None
    )


def pronouns_after(text: str, named: Sequence[Evidence]) -> Counter[tuple[str, str]]:
    """How many pronouns have each person for the last one of their gender that is named before them."""
    places = sorted(
        (match.start(), gender_told(one), one.named.key)
        for one in named
        for match in re.finditer(rf"(?<!\w){re.escape(one.named.first or one.named.last)}(?!\w)", text)
    )
    counts = Counter[tuple[str, str]]()
    for pronoun in _THIRD_PERSON.finditer(text):
        gender = "male" if pronoun[0][:2].casefold() == "hi" or pronoun[0].casefold() == "he" else "female"
        before = [key for at, told, key in places if at < pronoun.start() and told in (gender, "")]
        counts.update(before[-1:])
    return counts


class _Nearest:
    """Who is named nearest to a pronoun."""

    def __init__(self, text: str, anchors: Sequence[Anchor], rivals: Sequence[Rival]) -> None:
        self.text = text
        self.named = sorted(anchor.start for anchor in anchors)
        self.ends = {anchor.start: anchor.end for anchor in anchors}
        self.rivals = sorted(rival.at for rival in rivals)

    def is_persons(self, start: int, form: str, others_at: Sequence[int] = ()) -> bool:
        """Whether the person is named before it with nobody else between, or just behind it in its sentence.

        At `others_at` stand pronouns before it that may be another's.
        """
        before = bisect_right(self.named, start) - 1
        last = self.named[before] if before >= 0 else -1
        between = [at for at in self.rivals if last < at < start]
        if last >= 0 and not between:
            end = self.ends[last]
            # Her sister asked for Aoife’s key. She: either may be meant.
            sentence = max((m.end() for m in _SENTENCE_END.finditer(self.text, 0, last)), default=0)
            if any(sentence <= at < last for at in (*self.rivals, *others_at)):
                return False
            # Aoife told her: who does something to herself is no object of the verb.
            return not (form == "him" and _VERB_ONLY.fullmatch(self.text, end, start))
        if last >= 0 and form == "him" and between[-1] - between[0] < 20:  # Dr. Osei saw him: nobody sees himself so
            return _NEW_CLAUSE.search(self.text, between[0], start) is None
        if between:
            return False
        stop = re.search(r"[.!?](?:\s|$)", self.text[start:])
        end = start + stop.start() if stop else len(self.text)
        following = min((at for at in self.named if at > start), default=len(self.text) + 1)
        return following < end and not any(start < at < following for at in self.rivals)
