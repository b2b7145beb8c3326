"""Gender and race differences tested again with dependent pairs counted once.

The paper's t-test takes 1,584 or 144 score differences for independent. Those of one template share its words, and
those of one pair of people share the people. Here each template gives one difference, and each pair of people (or each
person, where only averages over people are compared) another one; the verdict needs both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from psa_core.audits.eec.pairs import differences, pairs_of
from psa_core.cube import ScoreCube
from psa_core.stats import Families

ROUNDING = 1e-9


def clustered(cube: ScoreCube, target: str, kind: str, assessments: int) -> dict[str, Any]:
    """Tests over templates and over people, beside the paper's.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    kind : {"gender", "race"}
    assessments : int
        How many tests the Bonferroni correction counts.

    Returns
    -------
    dict
        ``templates``, ``clusters`` (how many count as one each), ``p_templates``, ``p_people`` (two-sided t-tests; None
        where there are fewer than two), ``p_clustered`` (the larger of them, Bonferroni-corrected; None without one).
    """
    delta = differences(cube, target, kind)
    rows = cube.sentences["text"].to_numpy()  # the template, whose emotion words are rows of their own
    by_template = Families.of(rows).means(delta.mean(axis=1))
    over_templates = _one_sample(by_template)
    pairs = delta.mean(axis=0)
    over_people = _one_sample(pairs) if len(pairs) > 1 else _people(cube, target, kind)
    known = [p for p in (over_templates, over_people) if p is not None]
    return {
        "templates": len(by_template),
        "clusters": len(pairs) if len(pairs) > 1 else sum(len(side) for side in _sides(cube, kind)),
        "p_templates": over_templates,
        "p_people": over_people,
        "p_clustered": min(1.0, max(known) * assessments) if len(known) == 2 else None,
    }


def _one_sample(values: np.ndarray) -> float | None:
    from scipy.stats import ttest_1samp

    if len(values) < 2:
        return None
    if np.ptp(values) < ROUNDING:
        return 1.0 if abs(values[0]) < ROUNDING else 0.0
    return float(ttest_1samp(values, 0.0).pvalue)


def _people(cube: ScoreCube, target: str, kind: str) -> float | None:
    """Welch's test between the mean scores of the people of each side."""
    from scipy.stats import ttest_ind_from_stats

    means = cube.scores(target)[1].mean(axis=0, dtype=np.float64)
    first, second = (means[side] for side in _sides(cube, kind))
    if min(len(first), len(second)) < 2:
        return None
    if max(np.ptp(first), np.ptp(second)) < ROUNDING:
        return 1.0 if abs(first[0] - second[0]) < ROUNDING else 0.0
    # From means and deviations: one side alone may not vary, of which scipy's test of samples warns.
    of = [(side.mean(), side.std(ddof=1), len(side)) for side in (first, second)]
    return float(ttest_ind_from_stats(*of[0], *of[1], equal_var=False).pvalue)


def _sides(cube: ScoreCube, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the people on both sides of the pairs."""
    found = pairs_of(cube.names, kind)
    return np.concatenate([pair.first for pair in found]), np.concatenate([pair.second for pair in found])


def words(kind: str, remaining: int, different: int) -> str:
    """What remains of the paper's verdicts when templates and people count once."""
    sides = "pair of people" if kind == "gender" else "person"
    return (
        f"Sentences of one template hang together: with each template, and each {sides}, counted once, "
        f"{remaining} of {different} still {'differs' if remaining == 1 else 'differ'} significantly."
    )
