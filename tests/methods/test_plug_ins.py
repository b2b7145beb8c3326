"""What every metric must do, whichever it is: a new file in ``methods/`` is tested here without another edit."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import get_args

import numpy as np
import pytest

from psa_core.errors import CubeError
from psa_core.methods import Axis, Method, plugins

ORIGINAL = np.array([0.2, 0.6, 0.9], dtype=np.float32)
PERTURBED = np.array([[0.1, 0.5], [0.7, 0.4], [0.9, 0.8]], dtype=np.float32)


@pytest.fixture(params=plugins().values(), ids=plugins().keys())
def method(request: pytest.FixtureRequest) -> type[Method]:
    return request.param


def test_declares_itself(method: type[Method]) -> None:
    assert method.id and method.title and method.summary.endswith(".")
    assert method.axis in get_args(Axis)
    assert is_dataclass(method)
    with pytest.raises(FrozenInstanceError):
        method().id = "other"  # type: ignore[misc]
    assert not {"id", "title", "summary", "axis"} & {field.name for field in fields(method)}


def test_answers_float64_along_its_axis(method: type[Method]) -> None:
    answer = method()(ORIGINAL, PERTURBED)
    assert answer.shape == ({"name": 2, "sentence": 3}[method.axis],)
    assert answer.dtype == np.float64


def test_leaves_its_input_alone(method: type[Method]) -> None:
    original, perturbed = ORIGINAL.copy(), PERTURBED.copy()
    method()(original, perturbed)
    assert (original == ORIGINAL).all()
    assert (perturbed == PERTURBED).all()


def test_same_for_a_strided_view_of_a_cube(method: type[Method]) -> None:
    cube = np.stack([PERTURBED, 1 - PERTURBED], axis=2)
    assert (method()(ORIGINAL, cube[:, :, 0]) == method()(ORIGINAL, PERTURBED)).all()


@pytest.mark.parametrize(
    ("original", "perturbed"),
    [
        (np.zeros(0), np.zeros((0, 2))),
        (np.zeros(2), np.zeros((2, 0))),
        (np.zeros(2), np.zeros((3, 2))),
        (np.zeros((2, 1)), np.zeros((2, 2))),
        (np.zeros(2), np.zeros(2)),
        (np.array([np.nan, np.nan]), np.zeros((2, 2))),
        (np.zeros(2), np.array([[0.0, np.inf], [0.0, 0.0]])),
    ],
    ids=["no sentence", "no name", "other length", "original 2-d", "perturbed 1-d", "all missing", "infinite"],
)
def test_never_answers_for_scores_it_cannot_use(
    method: type[Method], original: np.ndarray, perturbed: np.ndarray
) -> None:
    with pytest.raises(CubeError):
        method()(original, perturbed)
