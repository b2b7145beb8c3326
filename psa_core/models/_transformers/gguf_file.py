"""GGUF files: quantised weights are expanded once and kept in the cache folder, since it takes many seconds."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from psa_core import atomic, cache_dir
from psa_core.errors import ModelError
from psa_core.inputs.limits import GRAPHS
from psa_core.models._answers import reason
from psa_core.models._fingerprint import digest, digest_of_files, digest_of_model, digest_of_tokenizer
from psa_core.models._transformers import import_transformers
from psa_core.models._transformers.checkpoint import load_checkpoint
from psa_core.models._transformers.classifier import best_device, quietly

KIND = "AutoModelForCausalLM"


def load_gguf(file: Path) -> tuple[Any, Any]:
    """A causal language model in float32 from a GGUF file, its quantised weights expanded, and its tokenizer.

    Raises
    ------
    ModelError
        When there is no such file, it is damaged, or of a kind that transformers cannot read.
    """
    if not file.is_file():
        raise ModelError("model", got=f"no file at {str(file)!r}", expected="a .gguf file")
    kept = _place_of(file)
    if kept is not None and kept.is_dir():
        with suppress(ModelError, OSError):
            found = load_checkpoint(kept, KIND)
            os.utime(kept)  # it is in use: see `storage.shrink`
            return found
        shutil.rmtree(kept, ignore_errors=True)  # damaged
    model, tokenizer = _expanded(file)
    if kept is not None:
        _keep(model, tokenizer, kept)
    return model.to(best_device()).eval(), tokenizer


def _place_of(file: Path) -> Path | None:
    """Where the expanded weights of a file are kept, by its content and the versions that expand it."""
    try:
        versions = [f"{package} {version(package)}" for package in ("transformers", "gguf", "torch")]
        return cache_dir.room("weights") / digest([digest_of_files([file]), *versions])
    except OSError:
        return None


def _keep(model: Any, tokenizer: Any, path: Path) -> None:
    """Keep what was expanded, if it reads back as the same model; where there is no room or no right to, do not."""
    size = sum(weights.numel() * weights.element_size() for weights in model.parameters())
    with suppress(OSError):
        # A disk that would be left with less than as much again is not written to.
        if size > GRAPHS.value or shutil.disk_usage(path.parent).free < 2 * size:
            return
        with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as aside, quietly(), atomic.disk_errors():
            whole = Path(aside) / "whole"
            model.hf_quantizer = None  # its weights are plain ones by now, which the library would not believe
            model.save_pretrained(whole)
            tokenizer.save_pretrained(whole)
            with suppress(ModelError):
                if _fingerprint(*load_checkpoint(whole, KIND)) == _fingerprint(model, tokenizer):
                    atomic.close_to_others(whole)
                    os.rename(whole, path)
        cache_dir.shrink(path.parent, GRAPHS.value)


def _fingerprint(model: Any, tokenizer: Any) -> tuple[Any, ...]:
    """Everything about a language model that its users read."""
    ends = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.chat_template)
    return digest_of_model(model), digest_of_tokenizer(tokenizer), model.generation_config.eos_token_id, *ends


def _expanded(file: Path) -> tuple[Any, Any]:
    import struct

    import torch

    import_transformers()
    from transformers import AutoModelForCausalLM, AutoTokenizer, modeling_gguf_pytorch_utils

    modeling_gguf_pytorch_utils.tqdm = lambda tensors, **_: tensors  # a progress bar that heeds no setting
    place: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True, "trust_remote_code": False}
    try:
        with quietly():
            tokenizer = AutoTokenizer.from_pretrained(file.parent, **place)
            return AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **place), tokenizer
    except (struct.error, ValueError, OSError, LookupError, TypeError, RuntimeError, ImportError) as error:
        got = f"{file.name}, which does not load ({reason(error)})"
        raise ModelError("model", got=got, expected="a GGUF file of a language model") from error
