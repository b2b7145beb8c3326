"""Named entities by spaCy label."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from psa_core.anchors import _spacy
from psa_core.anchors._base import Anchor, AnchorFinder, AnchorPlugin, Found, Role
from psa_core.anchors._exclusions import masked, reason_at
from psa_core.anchors._forms import RULES, possessive_end
from psa_core.errors import AnchorError

#: What pipelines of most other languages call the same.
ELSEWHERE = {"PERSON": "PER", "GPE": "LOC"}
#: Markup that hides a name from the tokenizer; a space of the same length keeps every position.
_EMPHASIS = str.maketrans(dict.fromkeys("*_~`", " "))
_ARTICLE = re.compile(r"\b(?:a|an)\s+$", re.IGNORECASE)
_ABBREVIATED = re.compile(r"(?:\b(?:Jr|Sr|Inc|Corp|Ltd|Co|St|[A-Za-z])|\.\w+)$")
CAUTION = (
    "spaCy's small English model makes many mistakes. In online comments it found 46 % of the people and places, and "
    "63 % of what it marked really was one. Its makers report 84 % for both on OntoNotes 5. Other kinds of text and "
    "other pipelines were not measured. Check the anchors."
)
#: What the recogniser often takes for a name in comments and chats.
_EXCLAIMED = frozenset({"lol", "lmao", "lmfao", "rofl", "omg", "wtf", "smh", "tbh", "btw"})
_SENTENCE_ENDS = re.compile(r"[!?]\s*\w|\n")
_EDGES = "\ufe0f\u20e3 \t\r\n*_~^`\"“”‘’'#<>()[]{}.,;:!?&-–—"


@dataclass(frozen=True)
class EntityFinder:
    """Finds named entities; the sentence with its own entity is the original.

    A possessive ending stays in the text, and so does *the* before a noun that the entity modifies (*the Obama
    speech*); the article that belongs to the entity goes with it (*the United States*, *the FBI*). An entity right
    after *a* or *an* is no anchor, since the article would have to follow the name. Entities with the same words share
    their referent, and so does one word that begins or ends the full name of a person mentioned before. `pipeline` is
    another spaCy pipeline than the default.
    """

    spec: str
    labels: tuple[str, ...]
    filler: str = ""
    pipeline: str = ""

    @property
    def language(self) -> str:
        """Code of the pipeline's language."""
        return _spacy.pipeline(self.pipeline).language if self.pipeline else "en"

    @property
    def fingerprint(self) -> str:
        """Hash of the labels and the pipeline's version."""
        parts = ("entities", RULES, _spacy.pipeline_version(self.pipeline), self.labels)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Entities of each text, by position; a text without a capital letter has none."""
        return [found.anchors for found in self.search(texts)]

    def search(self, texts: Sequence[str]) -> list[Found]:
        """Entities of each text, and how many stand where nothing is an anchor."""
        likely = [number for number, text in enumerate(texts) if text != text.lower()]
        plain = [texts[number].translate(_EMPHASIS) for number in likely]
        spans = _spacy.entities(plain, frozenset(self.labels), self.pipeline)
        found = [Found()] * len(texts)
        for number, entities in zip(likely, spans, strict=True):
            found[number] = _anchors(texts[number], entities, after_article=self.language != "en")
        return found


def _anchors(text: str, entities: list[tuple[int, int, bool]], *, after_article: bool) -> Found:
    hidden = masked(text) if entities else []
    anchors: list[Anchor] = []
    known: dict[str, str] = {}
    left = Counter[str]()
    for start, end, subject in entities:
        start, end = _trimmed(text, start, end)
        if reason := start < end and reason_at(hidden, start, end):
            left[reason.value] += 1
        one_of_many = not after_article and _ARTICLE.search(text[max(0, start - 4) : start])
        words = text[start:end].casefold()
        has_letters = any(map(str.isalnum, words)) and "So" not in map(unicodedata.category, words)
        can_name = has_letters and words not in _EXCLAIMED and not _SENTENCE_ENDS.search(words)
        if not can_name or reason or one_of_many:
            continue
        referent = known.get(words, words)
        parts = words.split()
        for alias in (words, parts[0], parts[-1]):
            known.setdefault(alias, referent)
        closed = possessive_end(text, start, end)
        role: Role = "possessive" if closed > end else "subject" if subject else "object"
        anchors.append(Anchor(start, closed, role, "", referent))
    return Found(tuple(anchors), dict(left))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out spaces, quotes, markup and emoji at the edges, but not the full stop of an abbreviation (*U.S.*)."""
    span = "".join(" " if unicodedata.category(sign) in ("So", "Sk", "Cf") else sign for sign in text[start:end])
    left = len(span) - len(span.lstrip(_EDGES))
    right = len(span.rstrip(_EDGES))
    if text[start + right : start + right + 1] == "." and _ABBREVIATED.search(span[:right]):
        right += 1
    return start + left, start + right


def _build(argument: str) -> AnchorFinder:
    listed, _, option = argument.partition("?")
    labels = tuple(dict.fromkeys(part.strip().upper() for part in listed.split(",") if part.strip())) or ("PERSON",)
    unknown = [label for label in labels if label not in _spacy.LABELS]
    if unknown:
        raise AnchorError("anchors", got=f"entities:{unknown[0]}", expected=f"one of {', '.join(_spacy.LABELS)}")
    if "?" not in argument:
        return EntityFinder(f"entities:{','.join(labels)}", labels)
    key, _, name = map(str.strip, option.partition("="))
    if key != "pipeline" or not name:
        example = "pipeline= and an installed spaCy pipeline, such as entities:PERSON?pipeline=en_core_web_lg"
        raise AnchorError("anchors", got=f"entities:…?{option[:80]}", expected=example)
    _spacy.permit(name)
    known = _spacy.pipeline(name).labels
    called = [label if label in known else ELSEWHERE.get(label, label) for label in labels]
    missing = [label for label, own in zip(labels, called, strict=True) if own not in known]
    if missing:
        got = f"{name[:120]}, whose entities have no label {', '.join(missing)}"
        raise AnchorError("anchors", got=got, expected="a pipeline with these labels")
    return EntityFinder(f"entities:{','.join(labels)}?pipeline={name}", tuple(dict.fromkeys(called)), pipeline=name)


ANCHOR = AnchorPlugin(
    id="entities",
    title="People and places",
    summary="People, organisations, places and peoples that spaCy recognises.",
    build=_build,
    argument="labels",
    choices=_spacy.LABELS,
    people="PERSON",
    caution=CAUTION,
)
