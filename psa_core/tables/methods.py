"""Plug-in metrics as columns, so that a new file in ``methods/`` is shown and written without another edit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.methods import Axis, plugins


def metrics_per(axis: Axis, cube: ScoreCube, target: str, *, threshold: float) -> dict[str, np.ndarray]:
    """Every plug-in metric that has one value per name, or per sentence, by id: float64 arrays (N,) or (S,).

    A metric with a field ``threshold`` is given the threshold; one that is not defined for these scores gives NaN.
    """
    found = {}
    for method_id, method in plugins().items():
        if method.axis == axis:
            has_threshold = "threshold" in {field.name for field in fields(method)}  # type: ignore[arg-type]
            measure = method(threshold=threshold) if has_threshold else method()  # type: ignore[call-arg]
            try:
                found[method_id] = measure(*cube.scores(target))
            except CubeError:
                found[method_id] = np.full(cube.shape[axis == "name"], np.nan)
    return found
