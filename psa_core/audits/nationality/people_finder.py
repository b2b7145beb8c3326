"""Find the people in a text with spaCy: the paper's multilingual pipeline, or the English one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from psa_core import anchors
from psa_core.anchors import Anchor, AnchorFinder
from psa_core.errors import AnchorError

if TYPE_CHECKING:
    from spacy.language import Language

MULTILINGUAL = "xx_ent_wiki_sm"
MULTILINGUAL_LABEL = "PER"
MAX_CHARACTERS = 100_000
_lock = Lock()


@dataclass(frozen=True)
class MultilingualFinder:
    """Finds people with spaCy's small multilingual pipeline, the one of Barriere & Cifuentes (2024)."""

    version: str
    spec: str = MULTILINGUAL
    filler: str = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the pipeline's name and version."""
        return hashlib.sha256(f"{self.spec}-{self.version}".encode()).hexdigest()[:16]

    def find(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """People of each text, by position."""
        with _lock:
            documents = _pipeline().pipe((text[:MAX_CHARACTERS] for text in texts), batch_size=256)
            return [
                tuple(
                    Anchor(entity.start_char, entity.end_char, "object")
                    for entity in document.ents
                    if entity.label_ == MULTILINGUAL_LABEL
                )
                for document in documents
            ]


def people_finder(spec: str = "") -> AnchorFinder:
    """The finder that nationality audits use on this machine, or the one that somebody chose.

    Raises
    ------
    AnchorError
        When the one chosen is not there, or finds no entities.
    """
    kind = anchors.plugins().get(spec.partition(":")[0])
    if kind and kind.people:
        return anchors.finder(spec)
    if spec:
        example = f"{anchors.people()}?pipeline= and a spaCy pipeline"
        raise AnchorError("--people", got=repr(spec[:80]), expected=example)
    version = _installed_version()
    return MultilingualFinder(version) if version else anchors.finder(anchors.people())


def _installed_version() -> str:
    """Version of the multilingual pipeline, read without importing it; empty when it is not installed."""
    spec = find_spec(MULTILINGUAL)
    if spec is None or spec.origin is None:
        return ""
    return str(json.loads((Path(spec.origin).parent / "meta.json").read_text(encoding="utf-8"))["version"])


@cache
def _pipeline() -> Language:
    import spacy

    return spacy.load(MULTILINGUAL)
