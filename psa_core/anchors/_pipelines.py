"""spaCy pipelines other than the default: an installed package, or a folder named on the command line."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from psa_core import trust
from psa_core.errors import AnchorError
from psa_core.trust import Kind, Need

_PACKAGE = re.compile(r"[a-z][a-z0-9_]*")
FIX = "Install it, such as: python -m spacy download en_core_web_lg; or leave ?pipeline= out."


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
    """Look a package or a folder up.

    Raises
    ------
    AnchorError
        When it is not there, or no spaCy pipeline.
    """
    packaged = _PACKAGE.fullmatch(name) is not None
    folder = _package_folder(name) if packaged else Path(name)
    try:
        if folder is None:
            raise KeyError(name)
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        version = f"{name}-{meta['version']}" if packaged else f"folder-{_digest(folder)}"
        return Pipeline(version, _labels(meta), str(meta["lang"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        got = f"pipeline={name[:120]}, which is not here or no spaCy pipeline"
        raise AnchorError("anchors", got=got, expected="an installed spaCy pipeline", fix=FIX) from error


def _package_folder(name: str) -> Path | None:
    try:
        distribution(name)
    except PackageNotFoundError:  # a folder that lies in the way may have any name
        return None
    spec = find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _labels(meta: Any) -> frozenset[str]:
    """What its entity recogniser, or its list of entities, tells apart; nothing without one."""
    parts = (meta["labels"].get(part, ()) for part in ("ner", "entity_ruler"))
    return frozenset(chain.from_iterable(parts)) if meta["lang"] else frozenset()


def _digest(folder: Path) -> str:
    """Hash of a folder's files: its version says nothing of what was trained since."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(repr(path.relative_to(folder).as_posix()).encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
