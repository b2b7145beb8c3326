"""Random numbers keyed by template, continuation and step."""

from __future__ import annotations

import numpy as np

from psa_core.generators._noise import uniforms


def test_numbers_belong_to_their_key_alone() -> None:
    all_ten = uniforms(0, "t", range(10), 6)
    assert np.array_equal(uniforms(0, "t", [7, 2], 4), all_ten[[7, 2], :4])
    for other in (uniforms(1, "t", range(10), 6), uniforms(0, "u", range(10), 6)):
        assert not (other == all_ten).any()


def test_numbers_are_uniform_and_no_two_streams_overlap() -> None:
    numbers = uniforms(3, "t", range(400), 50)
    assert len(np.unique(numbers)) == numbers.size
    assert abs(numbers.mean() - 0.5) < 0.01 and abs(numbers.var() - 1 / 12) < 0.002
