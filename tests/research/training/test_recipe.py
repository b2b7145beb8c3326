from __future__ import annotations

from typing import Any

import pytest

from psa_core.errors import OptionError
from research.training.recipe import Recipe


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epochs", 0),
        ("batch_size", 0),
        ("rank", -1),
        ("learning_rate", 0.0),
        ("max_tokens", 3),
        ("dropout", 1.0),
        ("label_smoothing", -0.1),
        ("weight_decay", float("nan")),
        ("metric", "bleu"),
        ("precision", "int8"),
    ],
)
def test_values_out_of_range_are_named(field: str, value: Any) -> None:
    with pytest.raises(OptionError, match=field):
        Recipe(**{field: value})
