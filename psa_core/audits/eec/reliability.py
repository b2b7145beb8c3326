"""Reliability of the first names' order, and what it is associated with; a template counts as one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.tables.factors import FactorAnalysis, factor_regression
from psa_core.tables.replicability import Replicability, order_replicability

FACTORS = ("frequency", "word", "gender", "race")


def by_template(cube: ScoreCube) -> ScoreCube:
    """The first names' scores, the mean over the emotion words of each template: what shares words is no new evidence.

    Raises
    ------
    CubeError
        When the design has no people with a race, as first names have.
    """
    race = cube.names["race"] if "race" in cube.names else pd.Series("", index=cube.names.index)
    named = (race.notna() & (race.astype(str).str.strip() != "")).to_numpy()
    if not named.any():
        raise CubeError("people", got="none with a race", expected="first names with gender and race")
    column = "template" if "template" in cube.sentences else "text"
    templates = cube.sentences[column].astype(str).to_numpy()
    distinct = list(dict.fromkeys(templates))
    rows = [templates == template for template in distinct]
    kept = cube.rows(np.array([np.flatnonzero(row)[0] for row in rows]))
    return replace(
        kept,
        names=cube.names[named].reset_index(drop=True),
        original=np.stack([cube.original[row].mean(axis=0) for row in rows]),
        perturbed=np.stack([cube.perturbed[row][:, named].mean(axis=0) for row in rows]),
    )


def people_table(systems: Mapping[str, ScoreCube]) -> pd.DataFrame:
    """One row a system and target: whether the first names' order repeats, and what their scores go with.

    Returns
    -------
    DataFrame
        ``system``, ``target``, ``templates``, ``reliability``, ``low``, ``high`` (between halves of the templates,
        stepped up; see `stats.reliability`), ``goes with`` (factors with a sure coefficient and their shares; empty
        without any), ``r_squared``.

    Raises
    ------
    CubeError
        As `by_template`.
    """
    rows = []
    for system, whole in systems.items():
        cube = by_template(whole)
        for target in cube.targets:
            again: Replicability = order_replicability(cube, target.name)
            value, low, high = again.reliability
            why = _why(cube, target.name)
            significant = why.shares[why.shares["is_significant"]] if why else pd.DataFrame(columns=["factor", "share"])
            rows.append(
                {
                    "system": system,
                    "target": target.name,
                    "templates": again.sentences,
                    "reliability": value,
                    "low": low,
                    "high": high,
                    "goes with": ", ".join(f"{row.factor} {100 * row.share:.0f} %" for row in significant.itertuples()),
                    "r_squared": why.r_squared if why else float("nan"),
                }
            )
    return pd.DataFrame(rows)


def _why(cube: ScoreCube, target: str) -> FactorAnalysis | None:
    """None where the names' scores do not differ, or the names are too few."""
    factors = [factor for factor in FACTORS if factor not in ("gender", "race") or cube.names[factor].nunique() > 1]
    try:
        return factor_regression(cube, target, factors)
    except CubeError:
        return None
