"""Create adapters with peft and save them for the ``minilm`` models."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psa_core import atomic
from psa_core.errors import ModelError
from psa_core.models._transformers.adapter import BASE, bare_classifier, base_folder
from psa_core.models.minilm import read_description
from research.training.recipe import Recipe


@dataclass(frozen=True)
class Origin:
    """Where training starts.

    `base` is the folder of a transformers encoder (None: the packaged all-MiniLM-L6-v2), `start` that of another
    adapter on it whose updates, not its head, are the first ones here, so that a small task profits from a large one
    (Phang et al. 2018, intermediate-task training).
    """

    base: Path | None = None
    start: Path | None = None


def new_adapter(origin: Origin, labels: Sequence[str], recipe: Recipe) -> tuple[Any, Any]:
    """A base model that is frozen but for low-rank updates of all its linear layers and a new head; and its tokenizer.

    The recipe's seed decides the first weights of head and updates. Raises `ModelError` when the base model is missing
    or incomplete, or the adapter to start from does not fit it.
    """
    import torch
    from peft import LoraConfig, TaskType, get_peft_model
    from transformers import AutoTokenizer

    folder = origin.base or base_folder()
    missing = [file for file in ("config.json", "model.safetensors", "tokenizer.json") if not (folder / file).is_file()]
    if missing:
        raise ModelError(
            "--base", got=f"no {', '.join(missing)} in {folder}", expected="a transformers encoder's folder"
        )
    torch.manual_seed(recipe.seed)
    config = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=recipe.rank,
        lora_alpha=2 * recipe.rank,
        lora_dropout=recipe.dropout,
        target_modules="all-linear",
    )
    with warnings.catch_warnings():
        # peft still asks transformers for an attribute by its old name.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
        model = get_peft_model(bare_classifier(folder, labels), config)
    if origin.start is not None:
        _start_from(model, origin.start)
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


def _start_from(model: Any, start: Path) -> None:
    """Copy the low-rank updates of an adapter folder into a new adapter of the same rank."""
    import torch
    from safetensors.torch import load_file

    read_description(start)
    updates = {name: value for name, value in load_file(start / "adapter_model.safetensors").items() if "lora_" in name}
    own = {name.replace(".default.", "."): value for name, value in model.named_parameters() if "lora_" in name}
    if {name: value.shape for name, value in own.items()} != {name: value.shape for name, value in updates.items()}:
        raise ModelError(
            "--start-from",
            got=f"updates in {start} of other layers or another rank",
            expected="an adapter on the same base model, of the same rank",
        )
    with torch.no_grad():
        for name, value in own.items():
            value.copy_(updates[name])


def save_adapter(model: Any, folder: Path, origin: Origin) -> None:
    """Write ``adapter_model.safetensors`` (updates and head, float32) and ``adapter_config.json`` into a folder."""
    model.save_pretrained(str(folder), safe_serialization=True)
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text("utf-8"))
    # peft notes the absolute path where the base model was found; the adapter must load on other machines.
    config["base_model_name_or_path"] = str(origin.base.resolve()) if origin.base else BASE
    atomic.write(path, json.dumps(config, indent=2, sort_keys=True) + "\n")
