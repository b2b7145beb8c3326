"""Load a transformers model from a folder, with a clear message for each kind of damage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.models._transformers import foreign, foreign_rules, import_transformers, reason_of
from psa_core.models._transformers.classifier import best_device, quietly
from psa_core.models._transformers.hub import PICKLED_WEIGHTS, TOKENIZER_FILES
from psa_core.models._transformers.vetting import check_indexes

#: More than any model has of what a configuration counts and its program makes one by one.
MOST = {"layer": 1_000, **dict.fromkeys(("label", "expert", "block", "group", "stage", "depth", "head"), 100_000)}
#: Numbers that a loaded model may hold beyond a byte each in its files.
SPARE_NUMBERS = 2**26
KIND_WORDS = {
    "AutoModelForSequenceClassification": "a text classifier (…ForSequenceClassification)",
    "AutoModelForMaskedLM": "a masked language model (…ForMaskedLM)",
    "AutoModelForCausalLM": "a causal language model (…ForCausalLM)",
}


def load_checkpoint(folder: Path, kind: str, *, allow_pickle: bool = False) -> tuple[Any, Any]:
    """A model in float32 and evaluation mode on the best device, and its tokenizer; runs no code of the model's own.

    `kind` is a transformers auto class: ``AutoModelForSequenceClassification`` …; without `allow_pickle` weights are
    safetensors only. Raises `ModelError` when a file is missing or damaged, or the model is of another kind.
    """
    configuration = check_folder(folder, allow_pickle=allow_pickle)
    from transformers import AutoTokenizer

    with quietly():
        model = _load_model(folder, kind, configuration)
        fix = "Save it again with tokenizer.save_pretrained."
        with foreign("tokenizer", "files that do not load", "a tokenizer.json", fix):
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        with foreign_rules():  # settings of another kind are met at the first text
            len(tokenizer), tokenizer("a", return_token_type_ids=True)
    if any(tokenizer("a", return_token_type_ids=True).get("token_type_ids") or ()):
        got = f"a model of the kind {configuration['model_type']!r}, which numbers the segments of a text"
        raise ModelError("model", got=got, expected="one that reads a text as one segment", fix="Use http:<url>.")
    rows = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > rows:
        got = f"{len(tokenizer)} tokens, but a model for {rows}, in {_named(folder)}"
        raise ModelError("tokenizer", got=got, expected="the tokenizer that the model was trained with")
    if trust.current() >= trust.Origin.VISITOR:
        model.name_or_path = model.config._name_or_path = ""  # a retrained adapter would tell it
    return model.to(best_device()).eval(), tokenizer


def check_folder(folder: Path, *, allow_pickle: bool = False) -> dict[str, Any]:
    """Content of ``config.json`` of a folder that has all files that a model needs.

    Raises `ModelError` when a file is missing or damaged, only pickled weights are there and they are not allowed, or
    the installed transformers does not know this kind of model.
    """
    file = folder / "config.json"
    if not file.is_file():
        fix = f"For an adapter of this project, use minilm:{folder}." if (folder / "labels.json").is_file() else ""
        got = f"no config.json in {_named(folder)}"
        raise ModelError("model folder", got=got, expected="a transformers model", fix=fix)
    with foreign("config.json", "a damaged file", "a configuration with a model_type"):
        configuration = json.loads(file.read_text("utf-8"))
        kind = str(configuration["model_type"])
        ", ".join(configuration.get("architectures") or ())
        if too_many := next(_too_many(configuration), ""):
            raise ValueError(too_many)
    import_transformers()
    from transformers import CONFIG_MAPPING

    if kind not in CONFIG_MAPPING:
        own = "auto_map" in configuration
        got = f"the kind {kind!r}, which brings its own program" if own else f"the unknown kind {kind!r}"
        fix = "Programs of a model are never run here; serve it and use http:<url>." if own else ""
        raise ModelError("model", got=got, expected="a kind that transformers itself knows", fix=fix)
    what, expected = "model weights", "model.safetensors"
    if not any(folder.glob("*.safetensors")):
        if not any(found for pattern in PICKLED_WEIGHTS for found in folder.glob(pattern)):
            raise ModelError(what, got=f"no weights in {_named(folder)}", expected=expected, fix="Fetch it whole.")
        if not allow_pickle:
            got = "only a pickle (pytorch_model.bin), which can hide a program"
            fix = "If you trust its source, add ?allow_pickle=1 to the model's id."
            raise ModelError(what, got=got, expected=expected, fix=fix)
    check_indexes(folder)
    if not any(found for pattern in TOKENIZER_FILES for found in folder.glob(pattern)):
        fix = "Save the tokenizer beside the model."
        raise ModelError("tokenizer", got=f"none in {_named(folder)}", expected="tokenizer.json", fix=fix)
    return dict(configuration)


def _too_many(value: Any) -> Iterator[str]:
    """What a configuration, or one inside of it, counts beyond `MOST`."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        most = min((most for part, most in MOST.items() if part in key), default=None)
        if most is not None and isinstance(inner, int | float) and inner > most:
            yield f"{key[:60]} = {inner!r:.30}"
        yield from _too_many(inner)


def _load_model(folder: Path, kind: str, configuration: dict[str, Any]) -> Any:
    import torch

    import_transformers()
    import transformers

    stored = sum(path.stat().st_size for name in ("*.safetensors", "*.bin") for path in folder.glob(name))
    numbers, safe = 0, {"local_files_only": True, "trust_remote_code": False}
    # What the files lack would be made up, in memory; a model that cannot be laid out here says below why.
    with suppress(Exception), torch.device("meta"), quietly():
        config = transformers.AutoConfig.from_pretrained(folder, **safe)
        laid_out = getattr(transformers, kind).from_config(config)
        numbers = sum(tensor.numel() for tensor in (*laid_out.parameters(), *laid_out.buffers()))
    if numbers > stored + SPARE_NUMBERS:
        got = f"a model of {numbers:,} numbers whose files have {stored:,} bytes"
        raise ModelError("config.json", got=got, expected="the configuration of these weights", fix="Fetch it whole.")
    options = {"dtype": torch.float32, "use_safetensors": any(folder.glob("*.safetensors")), **safe}
    try:
        model, report = getattr(transformers, kind).from_pretrained(folder, output_loading_info=True, **options)
    except MemoryError:
        raise
    except Exception as error:  # transformers raises whatever it meets
        raise _fault(error, kind, str(configuration["model_type"])) from error
    if report["missing_keys"]:
        # transformers would fill these with random numbers and go on
        got = ", ".join(configuration.get("architectures") or ["a model that does not say what it is"])
        fix = f"Choose a model that was trained for this; {folder.name} has no trained head of that kind."
        raise ModelError("model", got=got, expected=KIND_WORDS[kind], fix=fix)
    return model


def _fault(error: Exception, kind: str, model_type: str) -> ModelError:
    """The sentence for what transformers raised; the order matters, for some of these are kinds of each other."""
    import pickle

    from safetensors import SafetensorError

    what, expected = "model weights", "whole weights"
    if isinstance(error, pickle.UnpicklingError):
        got = "a damaged pickle, or one that holds more than weights"
        return ModelError(what, got=got, expected="weights only", fix="Do not trust its source.")
    if isinstance(error, SafetensorError | EOFError):
        got = f"a damaged file ({reason_of(error)})"
        return ModelError(what, got=got, expected=expected, fix="Fetch or copy them again.")
    if isinstance(error, RuntimeError) and "mismatched_sizes" in str(error):
        got = "weights of other sizes than config.json says"
        expected = "weights and config.json of the same model (id2label: one label per output)"
        return ModelError(what, got=got, expected=expected)
    if "Unrecognized configuration class" in str(error):
        return ModelError("model", got=f"a model of the kind {model_type!r}", expected=KIND_WORDS[kind])
    got = f"files that do not load ({reason_of(error)})"
    return ModelError("model", got=got, expected="a model of the transformers library")


def _named(folder: Path) -> str:
    """A folder as messages call it: a visitor is not told where the server keeps its models."""
    return "its files" if trust.current() >= trust.Origin.VISITOR else str(folder)
