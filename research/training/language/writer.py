"""A language model that goes on learning: low-rank updates of its last layers, everything else as it was."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from psa_core import generators
from psa_core.errors import ModelError
from psa_core.generators.lm import multiplies_bf16
from psa_core.models._transformers.language_models import as_tensors
from psa_core.retraining.student import with_updates
from research.training.language.recipe import LanguageRecipe

#: What an id may not have: it would be another model, or another way to sample.
OWN_OPTIONS = ("adapter=", "match=", "precision=")


class Places(NamedTuple):
    """Of n places: ``logits`` (n, V), ``features`` (n, D), and ``so_far`` (n, D), the mean of those up to the place."""

    logits: Any
    features: Any
    so_far: Any


class Read(NamedTuple):
    """What a model makes of a batch: ``logits`` (B, L, V), ``features`` (B, L, D), ``inside`` bool (B, L)."""

    logits: Any
    features: Any
    inside: Any

    def at(self, places: Any) -> Places:
        """Of places (n, 2), as row and column."""
        import torch

        rows, columns = places.unbind(dim=1)
        counts = torch.arange(1, self.features.shape[1] + 1, device=places.device)[:, None]
        so_far = self.features.cumsum(dim=1) / counts
        return Places(self.logits[rows, columns], self.features[rows, columns], so_far[rows, columns])


@dataclass(frozen=True, eq=False)
class Writer:
    """A loaded language model (`lm` as `generators.load` takes it) with new updates in it, with which it samples."""

    lm: str
    generator: Any

    @property
    def model(self) -> Any:
        """The peft model."""
        return self.generator.model

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer."""
        return self.generator.tokenizer

    def ids(self, text: str, *, first: bool = True) -> list[int]:
        """Token ids of a text; of one that comes `first` as a prompt has them."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=first, verbose=False)["input_ids"]
        return ids[:-1] if first and len(ids) > 1 and ids[-1] == self.tokenizer.eos_token_id else ids

    def read(self, rows: Sequence[Sequence[int]]) -> Read:
        """Read a batch, with gradients where they are asked for.

        Features are the mean of the last two layers' hidden states (Huang et al. 2020, section 4).
        """
        import torch

        model = self.model
        ids, inside = as_tensors(rows, 0, device=model.device)
        with torch.autocast(model.device.type, torch.bfloat16, enabled=multiplies_bf16(model.device)):
            answer = model(input_ids=ids, attention_mask=inside.long(), output_hidden_states=True, use_cache=False)
        *_, before, last = answer.hidden_states
        return Read(answer.logits.float(), (before.float() + last.float()) / 2, inside)

    def save(self, folder: Path) -> None:
        """Write ``adapter_model.safetensors`` and ``adapter_config.json``."""
        self.model.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)
        (folder / "adapter_model.safetensors").chmod(0o644)  # it is written for its owner only
        path = folder / "adapter_config.json"
        # peft notes the absolute path where the base model was found; the adapter must load on other machines.
        config = json.loads(path.read_text("utf-8")) | {"base_model_name_or_path": Path(self.lm).name}
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")


def writer(lm: str, recipe: LanguageRecipe) -> Writer:
    """Load a language model anew and put fresh updates, which change nothing yet, into its last layers.

    Raises `ModelError` when it is no language model on this machine, has an adapter already, or has no layers of linear
    maps.
    """
    if not lm.startswith("lm:") or any(option in lm for option in OWN_OPTIONS):
        expected = "a language model on this machine, lm:FOLDER, without an adapter"
        raise ModelError("--lm", got=repr(lm[:120]), expected=expected)
    generator: Any = generators.load(f"{lm}{'&' if '?' in lm else '?'}precision=float32")
    model = with_updates(copy.deepcopy(generator.model), recipe, field="--lm").eval()
    return Writer(lm, replace(generator, model=model))  # dropout would make two values differ by chance
