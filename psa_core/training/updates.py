"""Where low-rank updates go: the linear maps of a transformer's last layers."""

from __future__ import annotations

import re
from typing import Any

from psa_core.errors import ModelError

#: Factor of every update, alpha / r.
SCALE = 2.0
_LAYER = re.compile(r"\.(?:layers?|h|blocks?)\.(\d+)\.")


def last_linears(model: Any, layers: int, *, field: str = "--model") -> list[str]:
    """Names of the linear maps of the last so many layers of a transformer.

    Raises
    ------
    ModelError
        When it has none; `field` is what the message is about.
    """
    import torch

    linear = [name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    numbers = {name: int(found[1]) for name in linear if (found := _LAYER.search(f".{name}."))}
    if not numbers:
        raise ModelError(field, got="a model without numbered layers of linear maps", expected="a transformer")
    first = max(numbers.values()) + 1 - layers
    return [name for name, number in numbers.items() if number >= first]
