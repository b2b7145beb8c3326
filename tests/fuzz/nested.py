"""Whatever reads JSON, and JSON that is nested so deeply that a reader may run out of stack."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pages.ui.results import retrain_results
from psa_core import anchors, models
from psa_core.asking import endpoint as _endpoint
from psa_core.audits.generation.journal import Journal
from psa_core.cli import _from_manifest
from psa_core.folders import cube_file, manifest, writing
from psa_core.inputs import corpus
from psa_core.models import minilm
from psa_core.models._judges.question_file import FOLDER, read_question
from research.training.command import _about
from tests.fuzz import model_files
from tests.fuzz.mutation import nested

Draw = random.Random
Read = Callable[[Path], object]
MANIFEST: dict[str, Any] = {"targets": [], "study": {}, "setting": "0"}


def deep(draw: Draw, folder: Path) -> object:
    """One of the files that something of ours reads as JSON."""
    name, read = draw.choice([(name, read) for name, readers in READERS.items() for read in readers])
    content = _whole(name, read)
    for other, there in content.items():
        (folder / other).write_bytes(nested(draw, json.loads(there)) if other == name else there)
    return read(folder)


def _whole(name: str, read: Read) -> dict[str, bytes]:
    """The undamaged files of a folder."""
    if read is _transformers:
        return model_files.classifier()
    if read is _onnx:
        return model_files.onnx()
    if read is _adapter:
        return {file: (model_files.WHOLE / file).read_bytes() for file in minilm.FILES}
    if read is _question:
        return {name: (FOLDER / "loan.json").read_bytes()}
    return {name: json.dumps(MANIFEST).encode()}


def _transformers(folder: Path) -> object:
    return models.load(f"hf:{folder}")


def _onnx(folder: Path) -> object:
    return models.load(f"onnx:{folder}")


def _adapter(folder: Path) -> object:
    return minilm.fingerprint(folder)


def _question(folder: Path) -> object:
    return read_question(str(folder / "question.json"))


def _named(folder: Path) -> object:
    return _from_manifest.Asked({}, folder / "manifest.json").spec()


def _arrays(folder: Path) -> object:
    scores = np.zeros((1, 1), np.float32)
    labels = (folder / "labels").read_text()
    np.savez(folder / "cube.npz", original=scores, perturbed=scores[:, None], labels=labels)
    return cube_file.load(folder / "cube.npz")


def _skops(folder: Path) -> object:
    with zipfile.ZipFile(folder / "p.skops", "w") as archive:
        archive.write(folder / "schema.json", "schema.json")
    return models.load(f"skops:{folder / 'p.skops'}")


READERS: dict[str, tuple[Read, ...]] = {
    "manifest.json": (
        lambda folder: manifest.read(folder / "manifest.json"),
        writing.check_target,
        _named,
        lambda folder: Journal(folder, "0").known(),
    ),
    "question.json": (_question,),
    "labels.json": (_adapter,),
    "adapter_config.json": (_adapter,),
    "config.json": (_transformers, _onnx),
    "tokenizer_config.json": (_transformers, _onnx),
    "tokenizer.json": (_transformers, _onnx),
    "schema.json": (_skops,),
    "meta.json": (lambda folder: anchors.finder(f"entities:PERSON?pipeline={folder}"),),
    "retraining.json": (retrain_results.read,),
    "a.jsonl": (lambda folder: corpus.parse("a.jsonl", (folder / "a.jsonl").read_bytes()),),
    "about.json": (lambda folder: _about(folder / "about.json"),),
    "answer": (lambda folder: _endpoint._json((folder / "answer").read_bytes()),),
    "labels": (_arrays,),
}
