"""The parts of a name alone in the anchor's place: how much of its effect does one of them explain?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.stats.associations import shares_of_variance
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation

WHOLE, FIRST, REST, LOWER, INITIALS = "the whole name", "first part", "the rest", "lower case", "initials"
VARIANTS = (WHOLE, FIRST, REST, LOWER, INITIALS)
SENTENCES, NAMES = 20, 100
MIN_NAMES = 6
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PartPlan:
    """Which texts have to be scored: sampled sentences, ``rows`` (R,) of the cube, with every variant of every name.

    The ``names`` are those of two words or more; ``texts`` are R × (names × variants).
    """

    rows: np.ndarray
    names: tuple[str, ...]
    texts: Perturbation


def variants(name: str) -> dict[str, str]:
    """A name, its first word, the rest of it, the name in lower case, and its initials.

    Examples
    --------
    >>> variants("Dick Cheney")["first part"], variants("Dick Cheney")["initials"]
    ('Dick', 'D. C.')
    """
    words = name.split()
    initials = " ".join(f"{word[0].upper()}." for word in words)
    forms = (name, words[0], " ".join(words[1:]), name.lower(), initials)
    return {variant: form for variant, form in zip(VARIANTS, forms, strict=True) if form}


def plan_parts(
    cube: ScoreCube, target: str = "", *, sentences: int = SENTENCES, names: Sequence[str] | None = None
) -> PartPlan:
    """Sample sentences of a study, and list the texts to score for the parts of its names, under a target's condition.

    Without a `target` it is the first. Raises `CubeError` when no name has two words.
    """
    target = target or cube.targets[0].name
    given = cube.names["name"].tolist() if names is None else list(names)
    several = tuple(name for name in given if len(name.split()) > 1)[:NAMES]
    if not several:
        raise CubeError("names", got="single names only", expected="first and last names, such as Dick Cheney")
    answered = np.flatnonzero(~np.isnan(cube.scores(target)[1]).all(axis=1))
    rows = np.sort(np.random.default_rng(0).permutation(answered)[:sentences])
    forms = tuple(form for name in several for form in variants(name).values())
    full = perturbation_of(cube, target)
    texts = replace(
        full, texts=tuple(full.texts[r] for r in rows), spans=tuple(full.spans[r] for r in rows), names=forms
    )
    return PartPlan(rows, several, texts)


def part_table(cube: ScoreCube, target: str, plan: PartPlan, scores: np.ndarray) -> pd.DataFrame:
    """Effects of the variants of each name in the sampled sentences, against the study's typical name there.

    `scores` (R, names × variants) are those of ``plan.texts`` for this target. One row a name: ``name``, ``first
    part``, ``the rest`` (texts), then the effects ``whole``, ``first_alone``, ``rest_alone``, ``lower_case``,
    ``initials``; ``interaction`` (the whole less both parts) with ``interaction_low`` and ``interaction_high`` (95 %
    over sentences); ``first_share`` (what the first part alone does over what the whole does, signed).
    """
    effects = _part_effects(cube, target, plan, scores)
    families = cube.families.subset(plan.rows)
    interaction = stats.mean_interval(effects[..., 0] - effects[..., 1] - effects[..., 2], families=families)
    means = effects.mean(axis=0)
    table = pd.DataFrame(means, columns=["whole", "first_alone", "rest_alone", "lower_case", "initials"])
    table.insert(0, "name", list(plan.names))
    table.insert(1, FIRST, [variants(name)[FIRST] for name in plan.names])
    table.insert(2, REST, [variants(name)[REST] for name in plan.names])
    return table.assign(
        interaction=interaction.value,
        interaction_low=interaction.low,
        interaction_high=interaction.high,
        first_share=np.divide(
            means[:, 1], means[:, 0], out=np.full(len(means), np.nan), where=np.abs(means[:, 0]) > ROUNDING
        ),
    )


def because_table(cube: ScoreCube, target: str, plan: PartPlan, scores: np.ndarray) -> pd.DataFrame:
    """The effects of a plan's first name, of its first word alone, and of the rest alone, each with its interval.

    One row a form (`WHOLE`, `FIRST`, `REST`): ``variant``, ``text``, ``effect`` (against the study's typical name in
    the same sentences), ``low``, ``high`` (95 % over sentences, corrected for three forms), ``p_adjusted`` (Holm),
    ``n`` (sentences).
    """
    forms = variants(plan.names[0])
    effects = _part_effects(cube, target, plan, scores)[:, 0, :3]
    families = cube.families.subset(plan.rows)
    interval = stats.mean_interval(effects, confidence=1 - stats.SIGNIFICANT / 3, families=families)
    p_adjusted = stats.adjust(stats.paired_t_p(families.rows(effects)), "holm")
    rows = {"variant": VARIANTS[:3], "text": [forms[variant] for variant in VARIANTS[:3]]}
    numbers = {"effect": interval.value, "low": interval.low, "high": interval.high, "p_adjusted": p_adjusted}
    return pd.DataFrame(rows | numbers | {"n": len(plan.rows)})


def _part_effects(cube: ScoreCube, target: str, plan: PartPlan, scores: np.ndarray) -> np.ndarray:
    """Effects of the variants against the study's typical name in each sampled sentence: (R, names, variants)."""
    _, perturbed = stats.paired_scores(*cube.scores(target))
    perturbed = perturbed[plan.rows]
    typical = np.nanmedian(stats.mean_by_name(perturbed))
    # Each sentence's own level: that of its names, which are typical on average.
    level = stats.nan_mean(perturbed, axis=1)[:, None] - stats.nan_mean(perturbed) + typical
    return (np.asarray(scores, np.float64) - level).reshape(len(plan.rows), len(plan.names), len(VARIANTS))


def part_shares(table: pd.DataFrame) -> dict[str, float]:
    """Shares of the variance between full names by ``first part`` or ``the rest`` alone, and by ``the two together``.

    They sum to 1. Empty for under six names, or names that do not differ.
    """
    if len(table) < MIN_NAMES or not np.ptp(table["whole"]) > ROUNDING:
        return {}
    full_name, first, rest = (
        table[[column]].to_numpy() - table[column].mean() for column in ("whole", "first_alone", "rest_alone")
    )
    of_first, of_rest = shares_of_variance(full_name[:, 0], [first, rest]).tolist()
    return {FIRST: of_first, REST: of_rest, "the two together": max(0.0, 1 - of_first - of_rest)}


def one_name(name: str, score: dict[str, float], filler: float) -> pd.DataFrame:
    """The variants of one name in one sentence: ``variant``, ``text``, ``score``, ``change`` (from the filler)."""
    forms = variants(name)
    rows = [{"variant": key, "text": form, "score": score[key]} for key, form in forms.items()]
    table = pd.DataFrame(rows)
    return table.assign(change=table["score"] - filler)
