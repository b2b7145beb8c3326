"""Low-rank updates of a transformer's last layers: where they go, and the steps that train them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from psa_core.errors import ModelError
from psa_core.retraining.tuning import Tuning

#: Factor of every update, alpha / r.
SCALE = 2.0
_LAYER = re.compile(r"\.(?:\w*layers?|h|blocks?)\.(\d+)\.")


def last_linears(model: Any, layers: int, *, field: str = "--model") -> list[str]:
    """Names of the linear maps of the last so many layers of a transformer.

    Raises
    ------
    ModelError
        When it has none; `field` is what the message is about.
    """
    import torch

    linear = [name for name, module in model.named_modules() if isinstance(module, (torch.nn.Linear, _turned()))]
    numbers = {name: int(found[1]) for name in linear if (found := _LAYER.search(f".{name}."))}
    if not numbers:
        raise ModelError(
            field, got="a model without numbered layers of linear maps", expected="a transformer with such layers"
        )
    first = max(numbers.values()) + 1 - layers
    return [name for name, number in numbers.items() if number >= first]


def _turned() -> type:
    """The linear map that GPT-2 has, whose weights lie the other way round."""
    from transformers.pytorch_utils import Conv1D

    return Conv1D


def with_updates(model: Any, tuning: Tuning, *, field: str = "--model") -> Any:
    """The peft model with fresh updates, which change nothing yet; see `last_linears` for what is raised."""
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(tuning.seed)
    targets = last_linears(model, tuning.layers, field=field)
    turned = any(isinstance(model.get_submodule(name), _turned()) for name in targets)
    config = LoraConfig(
        r=tuning.rank, lora_alpha=int(SCALE * tuning.rank), target_modules=targets, fan_in_fan_out=turned
    )
    with warnings.catch_warnings():
        # peft still asks transformers for an attribute by its old name.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
        return get_peft_model(model, config)


def stepper(model: Any, tuning: Tuning) -> Callable[[Any], None]:
    """A function that takes a loss and changes the updates by one step of AdamW."""
    import torch

    trained = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=tuning.learning_rate, weight_decay=0.01)
    rising = max(1, tuning.steps // 10)
    falling = max(1, tuning.steps - rising)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (tuning.steps - step) / falling)
    )

    def step(loss: Any) -> None:
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()

    return step


def as_batch(rows: Sequence[Sequence[int]], *, pad: int, device: Any) -> tuple[Any, Any]:
    """Token ids of rows of any length, filled on the right, and where they are the rows' own: int64 and bool (B, L)."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], device=device)
    inside = torch.tensor([[True] * len(row) + [False] * (width - len(row)) for row in rows], device=device)
    return ids, inside


def open_to_others(folder: Path) -> None:
    """Let everybody read an adapter's files: they are written for their owner only, and adapters are for sharing."""
    for path in folder.iterdir():
        path.chmod(0o644)
