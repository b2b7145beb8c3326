"""Run a model in ONNX Runtime, from a graph exported once and kept beside the cache."""

from __future__ import annotations

import copy
import hashlib
import os
import warnings
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from psa_core import atomic
from psa_core.cache_dir import room, shrink
from psa_core.inputs.limits import GRAPHS
from psa_core.scoring.backends.forward import SplitForward, Way

# Raise when the export below changes, so that graphs kept from before are not used.
_EXPORT = 1
_OPSET = 17


def is_installed() -> bool:
    return find_spec("onnxruntime") is not None and find_spec("onnx") is not None


def onnx_forward(scorer: Any) -> SplitForward:
    """The scorer's model in ONNX Runtime on the CPU, one thread for each part of a batch.

    So computed, a text's logits are bit for bit the same whatever shares its batch; torch's are not.
    """
    session = _session(scorer)
    return SplitForward(scorer, lambda ids, mask: session.run(None, {"input_ids": ids, "attention_mask": mask})[0])


def failures() -> tuple[type[Exception], ...]:
    """What exporting a model or loading its graph may raise where ONNX cannot express or run it."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    runtime = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NotImplemented)
    python = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, OSError, MemoryError)
    return (*runtime, state.RuntimeException, *python)


ONNX = Way("onnx", lambda scorer: onnx_forward(scorer), failures=failures)


def _session(scorer: Any) -> Any:
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidProtobuf

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    path, providers = exported(scorer), ["CPUExecutionProvider"]
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=providers)
    except (Fail, InvalidProtobuf):
        path.unlink(missing_ok=True)  # damaged since it was kept; if not, the second try says so
        return onnxruntime.InferenceSession(str(exported(scorer)), options, providers=providers)


def exported(scorer: Any) -> Path:
    """The scorer's graph as a file, made if it is not there yet; another process never sees half of one."""
    import onnxruntime
    import transformers

    versions = (str(_EXPORT), torch.__version__, transformers.__version__, onnxruntime.__version__)
    name = hashlib.blake2b("\n".join((scorer.fingerprint, *versions)).encode(), digest_size=12).hexdigest()
    path = room("onnx") / f"{name}.onnx"
    if path.exists():
        with suppress(OSError):
            os.utime(path)
        return path
    with atomic.replacing(path, durable=False) as fresh:
        _export(scorer.model, fresh)
    shrink(path.parent, GRAPHS.value)
    return path


def _export(model: Any, path: Path) -> None:
    # Everything below changes the model it is given, and others may be scoring with this one.
    own = copy.deepcopy(model).eval()
    # Attention written out as products and a softmax: the runtime fuses that form, and it has no hidden branches.
    own.set_attn_implementation("eager")

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = own

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    # Two rows, one of them padded, so that the trace has a mask to keep.
    first = 10 if own.config.vocab_size > 20 else 0
    ids = torch.arange(first, first + 10).reshape(2, 5)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    axes = {"input_ids": {0: "texts", 1: "tokens"}, "attention_mask": {0: "texts", 1: "tokens"}, "logits": {0: "texts"}}
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's notes about constants; the graph is verified before it is used
        torch.onnx.export(
            Logits().eval(),
            (ids, mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=_OPSET,
            dynamo=False,
        )
