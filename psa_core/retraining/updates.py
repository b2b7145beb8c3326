"""Low-rank updates of a transformer's last layers: where they go, and the steps that train them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from psa_core.errors import ModelError
from psa_core.retraining.recipe import Retraining

#: Factor of every update, alpha / r.
SCALE = 2.0
_LAYER = re.compile(r"\.(?:\w*layers?|h|blocks?)\.(\d+)\.")


def last_linears(model: Any, layers: int, *, field: str = "--model") -> list[str]:
    """Names of the linear maps of the last so many layers of a transformer.

    Raises `ModelError` about `field` when it has none.
    """
    import torch
    from transformers.pytorch_utils import Conv1D

    linear = [name for name, module in model.named_modules() if isinstance(module, (torch.nn.Linear, Conv1D))]
    numbers = {name: int(found[1]) for name in linear if (found := _LAYER.search(f".{name}."))}
    if not numbers:
        expected = "a transformer with such layers"
        raise ModelError(field, got="a model without numbered layers of linear maps", expected=expected)
    first = max(numbers.values()) + 1 - layers
    return [name for name, number in numbers.items() if number >= first]


def with_updates(model: Any, recipe: Retraining, *, field: str = "--model") -> Any:
    """The peft model with fresh updates, which change nothing yet; see `last_linears` for what is raised."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers.pytorch_utils import Conv1D

    torch.manual_seed(recipe.seed)
    targets = last_linears(model, recipe.layers, field=field)
    # GPT-2's linear maps keep their weights transposed.
    transposed = any(isinstance(model.get_submodule(name), Conv1D) for name in targets)
    alpha = int(SCALE * recipe.rank)
    config = LoraConfig(r=recipe.rank, lora_alpha=alpha, target_modules=targets, fan_in_fan_out=transposed)
    with warnings.catch_warnings():
        # peft still asks transformers for an attribute by its old name.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
        return get_peft_model(model, config)


def stepper(model: Any, recipe: Retraining) -> Callable[[Any], None]:
    """A function that takes a loss and changes the updates by one step of AdamW."""
    import torch

    trained = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=recipe.learning_rate, weight_decay=0.01)
    rising = max(1, recipe.steps // 10)
    falling = max(1, recipe.steps - rising)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (recipe.steps - step) / falling)
    )

    def step(loss: Any) -> None:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()

    return step


def open_to_others(folder: Path) -> None:
    """Let everybody read an adapter's files: they are written for their owner only, and adapters are for sharing."""
    for path in folder.iterdir():
        path.chmod(0o644)
