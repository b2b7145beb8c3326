"""What an anchor is: the span of a sentence that a name replaces, with its grammatical role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from psa_core.inputs import people

#: Why a text is not used, with a sentence for its reader and what to do.
UNKNOWN_SLOT, NO_PERSON, NOT_NAMED = "with an unknown slot", "without a person", "without the person named"
TWO_OF_A_NAME, UNCLEAR = "with two people of one name", "that may be about two people"
REASONS: Mapping[str, tuple[str, str]] = {
    UNKNOWN_SLOT: ("It has an unknown slot.", f"Known are {people.KNOWN_SLOTS}."),
    NO_PERSON: (
        "The software finds no person in it.",
        "Write {name}, {first}, {he} … where the person stands.",
    ),
    NOT_NAMED: ("The person you chose is not in it.", "Leave the name out to use the person named most often."),
    TWO_OF_A_NAME: (
        "Two people in it have that name.",
        "Choose one by the full name, or write {name} where the person stands.",
    ),
    UNCLEAR: ("It may be about either of two people.", "Choose one of them (on the command line: --subjects)."),
}
#: Reasons that no longer hold once a reader says whom the text is about.
CHOOSABLE = (NO_PERSON, NOT_NAMED, TWO_OF_A_NAME, UNCLEAR)
Role = Literal["subject", "object", "possessive"]


@dataclass(frozen=True, order=True)
class Anchor:
    """A referring expression: ``text[start:end]`` of the text it was found in.

    Attributes
    ----------
    start, end : int
        Character positions in the text, end exclusive.
    role : {"subject", "object", "possessive"}
        A possessive takes the possessive form of the name; the others take the name.
    gender : str
        ``female``, ``male`` or empty: what the expression itself says, used to balance the sample.
    referent : str
        Equal for anchors of one text that stand for the same person or thing, as far as can be told.
    form : str
        What of a person stands there: see `inputs.people.Person.form`. Empty: the name as the list has it.
    """

    start: int
    end: int
    role: Role
    gender: str = ""
    referent: str = ""
    form: str = ""


def is_verb(anchor: Anchor) -> bool:
    """Whether it is a verb that agrees with a pronoun, whose form is a pair such as *is/are*."""
    return "/" in anchor.form


@dataclass(frozen=True)
class Undecided:
    """``text[start:end]`` may belong to the one who is replaced, but stays as it is, for a reason in words.

    `anchors` are what is replaced where a reader says that it does belong: it and the verbs that agree with it; empty
    where that cannot be said.
    """

    start: int
    end: int
    reason: str
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True)
class Found:
    """The anchors of one text, and how many expressions in it look like one but are none, by reason.

    `undecided` are those of them that a reader should look at; `reason` says why a text is not to be used; `people` are
    the names of those whom it may be about, the likeliest first.
    """

    anchors: tuple[Anchor, ...] = ()
    masked: Mapping[str, int] = field(default_factory=dict)
    undecided: tuple[Undecided, ...] = ()
    reason: str = ""
    people: tuple[str, ...] = ()


def fill_slots(text: str, slots: Sequence[Anchor], filler: str) -> tuple[str, tuple[Anchor, ...]]:
    """Put the filler into each slot, in the slot's form; returns the text and where the fillers stand in it.

    >>> fill_slots("I hate {name}.", (Anchor(7, 13, "object"),), "this person")[0]
    'I hate this person.'
    """
    pieces, spans, end, length, neutral = [], [], 0, 0, people.Person.of(filler)  # with *they*
    for slot in slots:
        words = neutral.form(slot.form)
        if text[slot.end : slot.end + 1] == ".":  # one full stop ends initials and the sentence
            words = words.removesuffix(".")
        pieces += [text[end : slot.start], words]
        length += slot.start - end + len(words)
        spans.append(replace(slot, start=length - len(words), end=length))
        end = slot.end
    return "".join([*pieces, text[end:]]), tuple(spans)


class AnchorFinder(Protocol):
    """Finds the anchors of texts.

    Attributes
    ----------
    spec : str
        The specification that builds this finder again.
    fingerprint : str
        Changes when the anchors found would (version of the pipeline or the table).
    filler : str
        Empty when the sentence itself is the original; else the neutral words that fill a slot to make it one.
    """

    @property
    def spec(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def filler(self) -> str: ...

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Anchors of each text, by position, not overlapping; an empty tuple where there is none."""
        ...


def search(finder: AnchorFinder, texts: Sequence[str]) -> list[Found]:
    """Anchors of each text with what was left out; of a finder without a ``search`` of its own the anchors alone."""
    own = getattr(finder, "search", None)
    return own(texts) if own else [Found(anchors) for anchors in finder.find(texts)]


@dataclass(frozen=True)
class AnchorPlugin:
    """What each file in ``anchors/`` defines as ``ANCHOR``.

    Attributes
    ----------
    id : str
        The part of a specification before the colon.
    build : callable
        Takes what follows the colon (may be empty) and returns a finder, or raises `AnchorError`.
    argument : str
        What follows the colon, in words; empty when nothing does.
    example : str
        An argument to start with, where it does not go without one.
    choices : tuple of str
        What the argument may list, separated by commas; empty where that is open.
    is_default : bool
        Whether it is the kind that is used where none is named: one of them all.
    people : str
        The argument with which it finds people by their names; empty where it does not.
    has_original : bool
        Whether the sentence as it stands is the original; else a neutral filler stands in for one.
    caution : str
        What is known of how often it errs, in sentences; shown where it is chosen and in the report.
    marks : callable, optional
        Whether a text is written for this kind of anchor, and for no other.
    max_words : int or None
        The longest text that is taken where nobody says another limit; None: any.
    together : bool
        Whether all mentions in a text are replaced, whatever the option `mentions` is.
    """

    id: str
    title: str
    summary: str
    build: Callable[[str], AnchorFinder]
    argument: str = ""
    example: str = ""
    choices: tuple[str, ...] = ()
    is_default: bool = False
    people: str = ""
    has_original: bool = True
    caution: str = ""
    marks: Callable[[str], bool] | None = None
    max_words: int | None = None
    together: bool = False
