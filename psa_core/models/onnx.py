"""onnx: a text classifier in ONNX format, run by ONNX Runtime without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.models._base import ModelPlugin, digest, digest_of_files
from psa_core.models._options import split_options
from psa_core.models._transformers import foreign
from psa_core.models._transformers.classifier import (
    DEFAULT_MAX_TOKENS,
    DEVICE_LOCKS,
    NO_LIMIT,
    TransformersScorer,
    fast_encoder,
    ids_and_mask,
)
from psa_core.models._transformers.heads import Head, head_of

MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "model_quantized.onnx")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MAX_LABELS = 100_000
# These count positions from the padding's id on, so their position tables are longer than what they can read.
POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet", "xlm-roberta-xl", "longformer")


@dataclass(eq=False)
class OnnxScorer(TransformersScorer):
    """The same with an ONNX session as the `model`, and a tokenizer of the tokenizers library; needs no torch."""

    pad: int = 0

    def __post_init__(self) -> None:
        self._encode = fast_encoder(self.tokenizer, self.max_tokens, self.pad)

    @property
    def device(self) -> str:
        return "cpu"

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        # Rows and width that the file was written for; a name where it takes any.
        rows, width = self.model.get_inputs()[0].shape
        if isinstance(rows, int) and rows != len(token_ids):
            # A file that was written for one size of batch: fill the last one with copies.
            filled = [*token_ids, *[token_ids[-1]] * (-len(token_ids) % rows)]
            parts = [self.forward(filled[start : start + rows]) for start in range(0, len(filled), rows)]
            return np.concatenate(parts)[: len(token_ids)]
        ids, mask = ids_and_mask(token_ids, self.pad, width=width if isinstance(width, int) else 0)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        inputs = [known.name for known in self.model.get_inputs()]
        with DEVICE_LOCKS[self.device]:
            answer = self.model.run(None, {name: given[name] for name in inputs})[0]
        return np.asarray(answer, np.float32)


def load(argument: str) -> OnnxScorer:
    """Load a folder with ``model.onnx``, ``tokenizer.json`` and ``config.json``, or the .onnx file in it.

    After ``?`` may follow ``head``, ``targets`` and ``range`` as for ``hf``. Raises `ModelError` when ONNX Runtime is
    not installed, or a file is missing, damaged, or of another kind of model.
    """
    from tokenizers import Tokenizer

    name, options = split_options(argument, ("head", "targets", "range"))
    given = path_of(name)
    files = [given] if given.suffix == ".onnx" else [given / name for name in MODEL_FILES]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        raise ModelError("onnx", got=f"no model.onnx in {given}", expected="a folder with an exported classifier")
    configuration = _json(_beside(file, "config.json"))
    session = _session(file)
    more = _json(_beside(file, "tokenizer_config.json", needed=False))
    with foreign("config.json", "a damaged file", "the configuration of a text classifier"):
        head = _head(session, configuration, options)
        shape = session.get_inputs()[0].shape  # of rows and tokens, where the file was written for so many
        width = shape[1] if len(shape) == 2 and isinstance(shape[1], int) else NO_LIMIT
        positions = configuration.get("max_position_embeddings")
        if positions and configuration.get("model_type") in POSITIONS_AFTER_PADDING:
            positions -= int(configuration.get("pad_token_id", 1)) + 1
        limits = [positions, more.get("model_max_length")]
        known = [int(limit) for limit in limits if limit and 0 < limit < NO_LIMIT]
        limit = min(min(known, default=DEFAULT_MAX_TOKENS), width or NO_LIMIT)
        pad = int(configuration.get("pad_token_id") or 0)
    rules = _beside(file, "tokenizer.json") or file
    with foreign("tokenizer.json", "a file that does not load", "a tokenizer"):
        tokenizer = Tokenizer.from_file(str(rules))
    weights = sorted(path for path in file.parent.iterdir() if path.name.startswith(file.name))
    fingerprint = f"onnx:{digest([digest_of_files([*weights, rules]), repr((*head.described, limit))])}"
    about = f"{head.words}; reads at most {limit} tokens of a text"
    scorer = OnnxScorer(session, tokenizer, head.targets, head.reduce, fingerprint, limit, about, pad)
    unanswered = f"{file.name}, which does not answer a text"
    with foreign("onnx", unanswered, "a text classifier with its own tokenizer"):
        scorer.score(["He is here."])
    return scorer


def _head(session: Any, configuration: Mapping[str, Any], options: Mapping[str, str]) -> Head:
    outputs = session.get_outputs()[0].shape or []
    labels = configuration.get("id2label") or {}
    count = next((size for size in outputs[1:] if isinstance(size, int)), len(labels))
    if len(outputs) != 2 or not 0 < count <= MAX_LABELS:
        got = f"outputs of shape {outputs}"
        raise ModelError("onnx", got=got, expected="a text classifier: one row per text, one number per label")
    kind = configuration.get("problem_type")
    return head_of(SimpleNamespace(problem_type=kind, id2label=labels, num_labels=count), options)


def _beside(file: Path, name: str, *, needed: bool = True) -> Path | None:
    """A file beside the model's, or in the folder above, where exports to ``onnx/`` leave it."""
    found = next((path for path in (file.parent / name, file.parent.parent / name) if path.is_file()), None)
    if found is None and needed:
        got = f"no {name} beside {file.name}"
        raise ModelError("onnx", got=got, expected="model.onnx, config.json, tokenizer.json")
    return found


def _json(path: Path | None) -> Mapping[str, Any]:
    if path is None:
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(path.name, got="a damaged file", expected="JSON") from error
    return content if isinstance(content, dict) else {}


def _session(file: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        fix = "Run: pip install onnxruntime"
        raise ModelError("onnx", got="no installed package onnxruntime", expected="it", fix=fix) from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with foreign("onnx", f"{file.name}, which does not load", "a whole file"):
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    names = [known.name for known in session.get_inputs()]
    if "input_ids" not in names or not set(names) <= set(INPUTS):
        raise ModelError("onnx", got=f"the inputs {', '.join(names)}", expected=f"some of {', '.join(INPUTS)}")
    return session


MODEL = ModelPlugin(
    id="onnx",
    title="ONNX classifier",
    summary="A text classifier in ONNX format with its tokenizer.json and config.json.",
    load=load,
    argument="folder",
    takes=trust.MODEL,
)
