"""Fingerprints: short digests of everything that a model's answers depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DIGITS = 16
# Parts of a configuration that say where a model came from or how it was trained, not how it answers.
NO_MATTER = {
    "_name_or_path", "_commit_hash", "architectures", "dtype", "torch_dtype", "transformers_version", "label2id",
    "id2label", "problem_type", "finetuning_task", "use_cache", "output_attentions", "output_hidden_states",
    "return_dict", "initializer_range", "gradient_checkpointing",
}  # fmt: skip


def digest(parts: Iterable[str]) -> str:
    """Short digest of some texts in their order."""
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def digest_of_files(paths: Iterable[Path]) -> str:
    """Short digest of the contents of files, in the order given; their names do not matter."""
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:DIGITS]


def digest_of_model(model: Any) -> str:
    """Short digest of a loaded torch model: its weights as they are in memory, and how it computes with them.

    Two files of the same weights (one shard or many, safetensors or not) have one digest.
    """
    import torch

    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        contiguous = tensor.detach().cpu().contiguous()
        total.update(f"{name} {tuple(contiguous.shape)} {contiguous.dtype}".encode())
        if contiguous.numel():
            total.update(memoryview(contiguous.reshape(-1).view(torch.uint8).numpy()))
    config = model.config.to_dict()
    kept = {key: value for key, value in config.items() if key not in NO_MATTER and "dropout" not in key}
    total.update(json.dumps(kept, sort_keys=True, default=str).encode())
    return total.hexdigest()[:DIGITS]


def digest_of_tokenizer(tokenizer: Any) -> str:
    """Short digest of how a transformers tokenizer turns texts into ids; its padding and truncation do not matter."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return digest([type(tokenizer).__name__, json.dumps(sorted(tokenizer.get_vocab().items()))])
    rules = json.loads(backend.to_str())
    rules.pop("padding", None)
    rules.pop("truncation", None)
    return digest([json.dumps(rules, sort_keys=True), tokenizer.truncation_side])
