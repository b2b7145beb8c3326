from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import OptionError
from psa_core.methods.flip_share import FlipShare

ORIGINAL = np.array([0.5, 0.25])
PERTURBED = np.array([[0.5, 0.25, 0.0], [0.0, 0.5, 0.25]])


@pytest.mark.parametrize(
    ("direction", "expected"), [("both", [0.0, 1.0, 0.5]), ("up", [0.0, 0.5, 0.0]), ("down", [0.0, 0.5, 0.5])]
)
def test_two_sentences_three_names_by_hand(direction: str, expected: list[float]) -> None:
    assert FlipShare(threshold=0.5, direction=direction)(ORIGINAL, PERTURBED).tolist() == expected


def test_unknown_direction_is_refused() -> None:
    with pytest.raises(OptionError, match="sideways"):
        FlipShare(direction="sideways")  # type: ignore[arg-type]
