"""Does the ranking of names replicate with other sentences, another model, another corpus?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.stats.reliability import TopStability, order_agreement, order_reliability, top_stability


@dataclass(frozen=True)
class Replicability:
    """How well the ranking of the names replicates.

    ``reliability`` is the rank correlation with the order in another study of as many sentences, see
    `stats.reliability`; ``families`` is None where the sentences come in none.
    """

    reliability: stats.Interval
    stability: TopStability
    sentences: int
    families: int | None = None


@dataclass(frozen=True)
class Agreement:
    """The Spearman correlation of two studies' effects over their shared names.

    ``names`` counts these; ``is_reliable``: both studies rank them beyond what chance gives (see `order_reliability`).
    """

    order: stats.Correlation
    names: int
    is_reliable: bool


def order_replicability(cube: ScoreCube, target: str) -> Replicability:
    """Estimate how well the names' ranking replicates; `CubeError` when the target is unknown."""
    _, perturbed = cube.units(target)
    sentences = len(cube.sentences)
    stability = top_stability(perturbed)
    each = sentences / len(perturbed)
    if each > 1:  # a family is one unit of so many sentences
        stability = stability._replace(sentences=stability.sentences * each)
    families = cube.families.count if cube.families.any else None
    return Replicability(order_reliability(perturbed), stability, sentences, families)


def order_in_both(first: ScoreCube, second: ScoreCube, targets: tuple[str, str]) -> Agreement | None:
    """Whether two studies, of any sentences and models, rank their shared names alike; None if they share none."""
    effects = [
        pd.Series(stats.mean_by_name(cube.scores(target)[1]), index=cube.names["name"].to_numpy())
        for cube, target in zip((first, second), targets, strict=True)
    ]
    shared = [name for name in effects[0].index if name in effects[1].index]
    if not shared:
        return None
    # Names may move together, as women's do; then two orders of pure chance agree, or are opposite, far too often.
    is_reliable = all(
        order_reliability(cube.units(target)[1][:, cube.names["name"].isin(shared).to_numpy()]).low > 0
        for cube, target in zip((first, second), targets, strict=True)
    )
    return Agreement(order_agreement(effects[0][shared], effects[1][shared]), len(shared), is_reliable)
