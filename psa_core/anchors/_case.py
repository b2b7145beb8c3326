"""Decide whether *her* is an object or a possessive, with a small linear model over words and tags.

What closes a phrase (a full stop, a web address, tags to the end) makes it an object. Everything else is decided by the
words and part-of-speech tags around it, weighed as `research.training.pronoun_case` has learnt from *him* and *his*,
which stand in the same places and are never ambiguous. The tagger reads a cleaned passage: markup and emoji blanked,
the pronoun set apart, capitals lowered where everything is in capitals.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from psa_core.anchors import _spacy
from psa_core.anchors._base import Role
from psa_core.anchors._exclusions import plural
from psa_core.registry import ASSETS

Mention = tuple[str, int, int]
WEIGHTS = ASSETS / "anchors" / "case.en.tsv.gz"
BIAS = "bias"
_REACH = 80
_CLOSING = ".,;:!?)]}/\\&+=—–-…|"
_QUOTE_CLOSES = re.compile(r"'(?:\W|$)")
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W_]+)*")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,80}>|</?3+|[*_~^`\"“”«»<>|#]")
#: What a tweet ends with: nothing after it belongs to the sentence.
_TAIL = re.compile(r"[\s\"”*_~]*(?:https?://|www\.|RT\b|via @|@\w|(?:[#@]\w[\w-]*[\s,.!]*)+(?:$|\n|https?://))")
_VERBS = ("giving verb", "causing verb", "naming verb")
#: *She hurt her* would be *herself*: after *she*, *her* is more often an owner.
_SUBJECTS = frozenset(["i", "you", "u", "he", "she", "it", "we", "they", "who"])
#: How far the model must lean to overrule the tagger.
MIN_LEAN = 0.6


@cache
def words_of_kind(kind: str) -> list[str]:
    """Words of a kind that the model or its training knows, such as ``giving verb``."""
    return {row["kind"]: row["words"].split() for row in _rows("case-words")}[kind]


@cache
def _rules() -> list[tuple[re.Pattern[str], re.Pattern[str], Role]]:
    """What may stand before the pronoun, what after it, and the case that the two decide; the first that fits."""
    rows = _rows("case-rules")
    return [(re.compile(row["before"]), re.compile(row["after"]), row["case"]) for row in rows]  # type: ignore[misc]


def _rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader((ASSETS / "anchors" / f"{table}.en.csv").read_text(encoding="utf-8").splitlines()))


@cache
def cues() -> dict[str, Role]:
    """Words that decide the case of a pronoun before them: no noun phrase starts with *lol*; *ex* asks for an owner."""
    return {row["next_word"]: row["case"] for row in _rows("case")}  # type: ignore[misc]


def roles(mentions: Sequence[Mention]) -> list[Role]:
    """Case of each ambiguous pronoun (text, start, end): object or possessive."""
    decided: list[Role | None] = [_by_neighbours(mention) for mention in mentions]
    undecided = [mention for mention, role in zip(mentions, decided, strict=True) if role is None]
    weighed = iter(_weighed(undecided))
    return [next(weighed) if role is None else role for role in decided]


def plural_subjects(mentions: Sequence[Mention]) -> list[bool]:
    """Whether each *they* has a verb in the plural, which a name would not agree with: *they think*, *are they*."""
    around = _spacy.tags([_passage(mention, "they") for mention in mentions])
    return [_verb_after(tags) == "VBP" or plural(*mention) for tags, mention in zip(around, mentions, strict=True)]


def features(mention: Mention, tags: _spacy.Tags) -> list[str]:
    """What the model weighs: the words and tags around a mention, alone and in pairs, each as one string."""
    left, right = [("^", "^")] * 2 + list(tags.before), list(tags.after) + [("$", "$")] * 3
    (_, q2), (p1, q1) = left[-2:]
    (w1, t1), (w2, t2), (_, t3) = right[:3]
    w1 = "0" if w1.isdigit() else w1
    kind = "".join(kind[0].upper() for kind in _VERBS if p1 in words_of_kind(kind)) or q1
    soon = w1 in words_of_kind("time")
    edge, own, verb = _edge(mention), tags.own, _verb_after(tags)
    subject = next((word for word, _ in reversed(tags.before) if word in _SUBJECTS), "")
    parts = {
        "own": own, "p1": p1, "q1": q1, "w1": w1, "w2": w2, "t1": t1, "edge": edge, "kind": kind,
        "p1 w1": f"{p1} {w1}", "p1 t1": f"{p1} {t1}", "p1 t1 t2": f"{p1} {t1} {t2}", "t1 t2": f"{t1} {t2}",
        "t1 t2 t3": f"{t1} {t2} {t3}", "w1 t2": f"{w1} {t2}", "w1 w2": f"{w1} {w2}", "q1 t1": f"{q1} {t1}",
        "own t1": f"{own} {t1}", "own t1 t2": f"{own} {t1} {t2}", "own kind": f"{own} {kind}", "verb": f"{own} {verb}",
        "kind t1": f"{kind} {t1}", "kind t1 t2": f"{kind} {t1} {t2}", "kind w1": f"{kind} {w1}",
        "edge kind": f"{edge} {kind}", "edge t1": f"{edge} {t1}", "q2 q1": f"{q2} {q1}",
        "time": f"{soon} {w2 in words_of_kind('time')}", "time kind": f"{soon} {kind}",
        "left": str(min(len(tags.after), 3)), "end w1": f"{min(len(tags.after), 3)} {w1}",
        "subject": subject, "subject kind": f"{subject} {kind}", "subject t1": f"{subject} {t1}",
        "subject p1": f"{subject} {p1}", "kind w2": f"{kind} {w2}", "kind t1 w2": f"{kind} {t1} {w2}",
        "end kind t1": f"{min(len(tags.after), 3)} {kind} {t1}", "end": f"-{w1[-3:]} {kind}",
    }  # fmt: skip
    return [f"{name}={value}" for name, value in parts.items()]


def passages(mentions: Sequence[Mention]) -> list[_spacy.Tags]:
    """Words and tags around each mention."""
    return _spacy.tags([_passage(mention, "her") for mention in mentions])


@cache
def weights_digest() -> str:
    """Hash of the model's weights, rules and words, for fingerprints."""
    files = (WEIGHTS, *(ASSETS / "anchors" / f"{table}.en.csv" for table in ("case", "case-rules", "case-words")))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@cache
def _weights() -> dict[str, float]:
    """Weights of the features; positive speaks for an object."""
    with gzip.open(WEIGHTS, "rt", encoding="utf-8") as lines:
        return {name: int(weight) / 100 for name, weight in (line.rstrip("\n").split("\t") for line in lines)}


def _by_neighbours(mention: Mention) -> Role | None:
    """Decide by the words around, or leave it to the model (None)."""
    text, start, end = mention
    raw = text[end : end + _REACH]
    left, right = _plain(text[max(0, start - _REACH) : start]), _plain(raw)
    if not right or right[0] in _CLOSING or _QUOTE_CLOSES.match(right) or _TAIL.match(raw):
        return "object"
    rule = (
        role for before, after, role in _rules() if before.search(f"{left} " if left else "") and after.match(right)
    )
    word = _FIRST_WORD.match(right)
    return next(rule, cues().get(word.group()) if word else None)


def _weighed(mentions: Sequence[Mention]) -> Iterator[Role]:
    weights = _weights() if mentions else {}
    for mention, tags in zip(mentions, passages(mentions), strict=True):
        score = weights[BIAS] + sum(weights.get(feature, 0.0) for feature in features(mention, tags))
        tagged: Role = "possessive" if tags.own == "PRP$" and _verb_after(tags) != "VB" else "object"
        yield ("object" if score > 0 else "possessive") if abs(score) > MIN_LEAN else tagged


def _edge(mention: Mention) -> str:
    """What kind of sign stands right after the pronoun."""
    right = mention[0][mention[2] : mention[2] + 8].lstrip(' \t*_~"“”`')
    sign = right[:1]
    if not sign or sign in "\r\n":
        return "line"
    if sign.isalpha():
        return "word"
    return "emoji" if unicodedata.category(sign) in ("So", "Sk", "Cf") else "number" if sign.isdigit() else sign


def _verb_after(tags: _spacy.Tags) -> str:
    """Tag of the first word after it that is not an adverb."""
    return next((tag for _, tag in tags.after if tag != "RB"), "")


def _blank(text: str) -> str:
    """Replace markup and emoji by spaces."""
    plain = _MARKUP.sub(" ", text)
    return "".join(" " if unicodedata.category(character) in ("So", "Sk", "Cf") else character for character in plain)


def _plain(text: str) -> str:
    return " ".join(_blank(text).lower().replace("’", "'").split())


def _passage(mention: Mention, pronoun: str) -> tuple[str, int]:
    """A mention's surroundings, cleaned, with a plain pronoun in its place, and where that stands."""
    text, start, end = mention
    left, right = _blank(text[max(0, start - _REACH) : start]), _blank(text[end : end + _REACH])
    if (left + right).isupper():
        left, right = left.lower(), right.lower()
    left, right = " ".join(left.split()), " ".join(right.split())  # the tagger is thrown by double spaces
    if not left:
        return f"{pronoun.capitalize()} {right}", 0
    return f"{left} {pronoun} {right}", len(left) + 1
