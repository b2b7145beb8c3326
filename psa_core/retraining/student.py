"""A classifier that goes on learning: low-rank updates of its last layers, everything else as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from psa_core import atomic, models
from psa_core.errors import ModelError
from psa_core.models._transformers.adapter import scale_of
from psa_core.models.minilm import adapter_folder
from psa_core.retraining.recipe import Retraining
from psa_core.retraining.updates import SCALE, as_batch, with_updates


@dataclass(frozen=True, eq=False)
class Student:
    """A loaded classifier with new updates in it.

    Attributes
    ----------
    model_id : str
        As `models.load` takes it.
    scorer : Scorer
        Answers with the updates.
    """

    model_id: str
    scorer: Any

    @property
    def model(self) -> Any:
        """The peft model."""
        return self.scorer.model

    def logits(self, texts: Sequence[str], max_tokens: int) -> Any:
        """Logits of a batch with gradients: float tensor (B, L), of several classes without what all have in common."""
        import torch

        rows, pad = [ids[:max_tokens] for ids in self.scorer.tokenize(texts)], self.model.config.pad_token_id
        answers = []
        for batch in [rows] if pad is not None else [[row] for row in rows]:  # without padding one at a time
            ids, inside = as_batch(batch, pad=pad or 0, device=self.model.device)
            answers.append(self.model(input_ids=ids, attention_mask=inside.long()).logits.float())
        answer = torch.cat(answers)
        return answer - answer.mean(dim=1, keepdim=True) if answer.shape[1] > 1 else answer

    def id_with(self, folder: Path) -> str:
        """The id that loads the classifier with an adapter folder that it wrote."""
        if not self.model_id.startswith("hf:"):
            return f"minilm:{folder}"
        name, _, options = self.model_id.partition("?")
        return f"{name}?{options + '&' if options else ''}adapter={quote(str(folder))}"

    def save(self, folder: Path) -> None:
        """Write an adapter folder."""
        with atomic.disk_errors():
            if self.model_id.startswith("hf:"):
                self.model.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)
            else:
                _save_minilm(self.model, adapter_folder(self.model_id.removeprefix("minilm:")), folder)


def student(model_id: str, recipe: Retraining) -> Student:
    """Load a classifier anew and put fresh updates, which change nothing yet, into its last layers.

    Raises
    ------
    ModelError
        When it is neither an adapter on the packaged encoder nor a transformers classifier, or has no layers.
    """
    if not model_id.startswith(("minilm", "hf:")):
        raise ModelError("--model", got=repr(model_id[:120]), expected="minilm-…, minilm:FOLDER or hf:FOLDER")
    if model_id.startswith("hf:") and "adapter=" in model_id.partition("?")[2]:
        raise ModelError("--model", got="a classifier with an adapter", expected="one without, to train a new one on")
    scorer: Any = models.load(model_id)
    model = with_updates(scorer.model, recipe)
    return Student(model_id, replace(scorer, model=model, fingerprint=f"{scorer.fingerprint}+updates"))


def _save_minilm(model: Any, old: Path, folder: Path) -> None:
    """Write old and new updates of an adapter as one, side by side; zeros where there is no new one."""
    import torch
    from safetensors.torch import load_file, save_file

    if scale_of(old) != SCALE:
        raise ModelError("--model", got=f"an adapter of scale {scale_of(old):g}", expected=f"one of scale {SCALE:g}")
    weights = load_file(old / "adapter_model.safetensors")
    new = {name.replace(".default.", "."): value.detach().cpu() for name, value in model.named_parameters()}
    rank = next(value.shape[0] for name, value in new.items() if ".lora_A." in name)
    for name, value in weights.items():
        side = 0 if ".lora_A." in name else 1
        if ".lora_" in name:
            shape = (rank, value.shape[1]) if side == 0 else (value.shape[0], rank)
            weights[name] = torch.cat([value, new.get(name, torch.zeros(shape))], dim=side).contiguous()
    folder.mkdir(parents=True)
    with atomic.replacing(folder / "adapter_model.safetensors") as aside:
        save_file(weights, aside, metadata={"format": "pt"})
    config = json.loads((old / "adapter_config.json").read_text("utf-8"))
    config |= {"r": config["r"] + rank, "lora_alpha": int(SCALE * (config["r"] + rank))}
    atomic.write(folder / "adapter_config.json", json.dumps(config, indent=2, sort_keys=True) + "\n")
    content = json.loads((old / "labels.json").read_text("utf-8"))
    # What was measured of the old one is not said of the new one.
    content = {key: value for key, value in content.items() if key not in ("val", "test", "unseen", "command")}
    content |= {"retrained": True, "about": content.get("about", {})}
    content["about"]["title"] = f"{content['about'].get('title', 'Adapter')}, retrained"
    atomic.write(folder / "labels.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")
