"""Folders of models: adapters with their weights, what transformers and ONNX Runtime load; skops files."""

from __future__ import annotations

import copy
import io
import json
import random
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from psa_core import models
from psa_core.models import minilm
from psa_core.models._transformers import adapter as weights_of
from psa_core.registry import ASSETS
from tests.fuzz.mutation import damaged, odd_file, odd_json

Draw = random.Random
WHOLE = ASSETS / "models" / "minilm-emotion"
RANK, SIDE = 2, 16


def adapter(draw: Draw, folder: Path) -> object:
    """The description and the configuration of an adapter, one of them odd."""
    for name in minilm.FILES[:2]:
        content = odd_json(json.loads((WHOLE / name).read_text("utf-8")), draw)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    kept = draw.choice(minilm.FILES[:2])
    shutil.copy(WHOLE / kept, folder / kept)
    (folder / minilm.FILES[2]).write_bytes(b"no weights")
    description = minilm.read_description(folder)
    minilm.reduction(description)
    return minilm.fingerprint(folder)


def adapter_weights(draw: Draw, folder: Path) -> object:
    """Weights of an adapter whose header or body is damaged, on a base model of a few numbers."""
    content = _weights()
    size = struct.unpack("<Q", content[:8])[0]
    header, body = json.loads(content[8 : 8 + size]), content[8 + size :]
    if draw.random() < 0.6:
        told = json.dumps(odd_json(header, draw)).encode()
        content = struct.pack("<Q", len(told)) + told + body
    else:
        content = damaged(content, draw)
    for name in minilm.FILES[:2]:
        shutil.copy(WHOLE / name, folder / name)
    (folder / minilm.FILES[2]).write_bytes(content)
    with (
        mock.patch.object(weights_of, "bare_classifier", lambda *_: copy.deepcopy(_base())),
        mock.patch("transformers.AutoTokenizer.from_pretrained"),
    ):
        return weights_of.load_merged(folder, ["a", "b"])


@cache
def _base() -> Any:
    import torch

    model = torch.nn.Module()
    model.name_or_path = "tiny"
    model.layer, model.classifier = torch.nn.Linear(SIDE, SIDE), torch.nn.Linear(SIDE, 2)
    return model


@cache
def _weights() -> bytes:
    import torch
    from safetensors.torch import save

    lora = {"lora_A": torch.ones(RANK, SIDE), "lora_B": torch.ones(SIDE, RANK)}
    named = {f"base_model.model.layer.{name}.weight": value for name, value in lora.items()}
    head = {"classifier.weight": torch.ones(2, SIDE), "classifier.bias": torch.ones(2)}
    return save(named | {f"base_model.model.{name}": value for name, value in head.items()})


def model_folder(draw: Draw, folder: Path) -> object:
    """A folder of the transformers library with odd settings, or a damaged file."""
    _one_damaged(draw, classifier(), folder)
    return models.load(f"hf:{folder}").score(["he is good"])


@cache
def classifier() -> dict[str, bytes]:
    from tests.tiny_models import tiny_classifier

    return _made(tiny_classifier)


def onnx_folder(draw: Draw, folder: Path) -> object:
    """A folder with an ONNX classifier, odd settings, or a damaged file."""
    _one_damaged(draw, onnx(), folder)
    return models.load(f"onnx:{folder}").score(["he is good"])


@cache
def onnx() -> dict[str, bytes]:
    from tests.tiny_models import tiny_onnx

    return _made(tiny_onnx)


def skops_file(draw: Draw, folder: Path) -> object:
    """A skops file whose description of the pipeline is odd, or with damaged numbers."""
    with zipfile.ZipFile(io.BytesIO(_skops())) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    name = "schema.json" if draw.random() < 0.8 else draw.choice(sorted(parts))
    parts[name] = odd_file(draw, name, parts[name])
    with zipfile.ZipFile(folder / "p.skops", "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    if draw.random() < 0.1:
        (folder / "p.skops").write_bytes(damaged((folder / "p.skops").read_bytes(), draw))
    return models.load(f"skops:{folder / 'p.skops'}").score(["he is good"])


@cache
def _skops() -> bytes:
    from tests.tiny_models import tiny_pipeline

    with tempfile.TemporaryDirectory() as place:
        return tiny_pipeline(Path(place) / "p.skops").read_bytes()


def _made(make: Callable[[Path], Path]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        return {path.name: path.read_bytes() for path in make(Path(place) / "tiny").iterdir()}


def _one_damaged(draw: Draw, files: Mapping[str, bytes], folder: Path) -> None:
    changed = draw.choice(sorted(files))
    for name, content in files.items():
        (folder / name).write_bytes(odd_file(draw, name, content) if name == changed else content)
