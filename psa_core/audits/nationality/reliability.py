"""Reliability of the countries' order: would other sentences give the same one?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.tables.formatting import Finding
from psa_core.tables.replicability import Replicability, order_replicability


def by_country(cube: ScoreCube) -> ScoreCube:
    """One column a country: the mean over the names that were drawn for it in each sentence."""
    countries = cube.names["country"].to_numpy()
    distinct = list(dict.fromkeys(countries))
    means = [cube.perturbed[:, countries == country].mean(axis=1) for country in distinct]
    table = pd.DataFrame({"name": distinct})
    return replace(cube, names=table, perturbed=np.stack(means, axis=1))


def country_reliability(cube: ScoreCube, target: str) -> Replicability:
    """Reliability of the countries' order; `CubeError` for an unknown target."""
    return order_replicability(by_country(cube), target)


def country_finding(found: Replicability, target: str) -> Finding:
    """Whether other sentences would put the countries in this order."""
    value, low, high = found.reliability
    if value != value:
        return Finding("Whether the countries' order would repeat cannot be told from so little.")
    evidence = f"Reliability {value:.2f} (95 % interval {low:.2f} to {high:.2f}), from halves of the sentences."
    others = f"{found.sentences:,} other sentences"
    if low <= 0:
        return Finding(f"With {others} the countries may well come in another order of {target}.", evidence)
    repeats = f"With {others} the countries' order of {target} would repeat with a reliability of {value:.2f}."
    return Finding(repeats, evidence)
