"""The parts of a name alone in the anchor's place: how much of its effect goes with one of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.plurals import counted
from psa_core.stats.explanation import shares_of_variance
from psa_core.study import perturbation_of
from psa_core.study.perturbation import Perturbation

WHOLE, FIRST, REST, LOWER, INITIALS = "the whole name", "first part", "the rest", "lower case", "initials"
VARIANTS = (WHOLE, FIRST, REST, LOWER, INITIALS)
SENTENCES, NAMES = 20, 100
MIN_NAMES = 6
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PartPlan:
    """Which texts have to be scored.

    Attributes
    ----------
    rows : int array (R,)
        Positions of the sampled sentences in the cube.
    names : tuple of str
        Names of two words or more.
    texts : Perturbation
        The sampled sentences with every variant of every name: R × (names × variants).
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
    cube: ScoreCube, *, sentences: int = SENTENCES, names: Sequence[str] | None = None, seed: int = 0
) -> PartPlan:
    """Draw sentences of a study, and say what has to be scored for the parts of its names.

    Raises
    ------
    CubeError
        When no name has two words.
    """
    given = cube.names["name"].tolist() if names is None else list(names)
    several = tuple(name for name in given if len(name.split()) > 1)[:NAMES]
    if not several:
        raise CubeError("names", got="single names only", expected="first and last names, such as Dick Cheney")
    count = min(sentences, len(cube.sentences))
    rows = np.sort(np.random.default_rng(seed).permutation(len(cube.sentences))[:count])
    forms = tuple(form for name in several for form in variants(name).values())
    whole = perturbation_of(cube)
    texts = replace(
        whole, texts=tuple(whole.texts[r] for r in rows), spans=tuple(whole.spans[r] for r in rows), names=forms
    )
    return PartPlan(rows, several, texts)


def part_table(cube: ScoreCube, target: str, plan: PartPlan, scores: np.ndarray) -> pd.DataFrame:
    """Effects of the variants of each name in the sampled sentences, against the study's typical name there.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    plan : PartPlan
    scores : array (R, names × variants)
        Scores of ``plan.texts`` for this target.

    Returns
    -------
    DataFrame
        One row a name: ``name``, ``first part``, ``the rest`` (texts), then the effects ``whole``, ``first_alone``,
        ``rest_alone``, ``lower_case``, ``initials``; ``interaction`` (the whole less both parts) with
        ``interaction_low`` and ``interaction_high`` (95 % over sentences); ``first_share`` (what the first part alone
        does over what the whole does, signed).
    """
    _, perturbed = stats.paired_scores(*cube.scores(target))
    perturbed = perturbed[plan.rows]
    typical = np.median(perturbed.mean(axis=0))
    # Each sentence's own level: that of its names, which are typical on average.
    level = perturbed.mean(axis=1, keepdims=True) - perturbed.mean() + typical
    effects = (np.asarray(scores, np.float64) - level).reshape(len(plan.rows), len(plan.names), len(VARIANTS))
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


def part_shares(table: pd.DataFrame) -> dict[str, float]:
    """Shares of the differences between whole names that go with each part alone, and with neither.

    Returns
    -------
    dict
        ``first part``, ``the rest``, ``the two together``; they sum to 1. Empty for under six names, or names
        that do not differ.
    """
    if len(table) < MIN_NAMES or not np.ptp(table["whole"]) > ROUNDING:
        return {}
    whole, first, rest = (
        table[[column]].to_numpy() - table[column].mean() for column in ("whole", "first_alone", "rest_alone")
    )
    of_first, of_rest = shares_of_variance(whole[:, 0], [first, rest]).tolist()
    return {FIRST: of_first, REST: of_rest, "the two together": max(0.0, 1 - of_first - of_rest)}


def part_finding(table: pd.DataFrame, target: str, *, sentences: int) -> str:
    """In one sentence: how much goes with one part, over all names or for the furthest one."""
    furthest = table.loc[table["whole"].abs().idxmax()]
    one = (
        f"{furthest['name']} moves {target} by {_signed(furthest['whole'])}, {furthest[FIRST]} alone by "
        f"{_signed(furthest['first_alone'])}, {furthest[REST]} alone by {_signed(furthest['rest_alone'])}"
    )
    shares = part_shares(table)
    drawn = counted(sentences, "sampled sentence")
    if not shares:
        return f"In {drawn}, {one}."
    most = max(shares, key=lambda part: shares[part])
    part = {FIRST: "the first part alone", REST: "the rest of the name alone"}.get(most, "neither part alone")
    return (
        f"In {drawn}, {100 * shares[most]:.0f} % of the differences between {len(table):,} names in {target} go with "
        f"{part}; {one}."
    )


def one_name(name: str, score: dict[str, float], filler: float) -> pd.DataFrame:
    """The variants of one name in one sentence.

    Parameters
    ----------
    name : str
    score : dict
        The score of each variant.
    filler : float
        The score with the neutral filler.

    Returns
    -------
    DataFrame
        ``variant``, ``text``, ``score``, ``change`` (from the filler).
    """
    forms = variants(name)
    rows = [{"variant": key, "text": form, "score": score[key]} for key, form in forms.items()]
    table = pd.DataFrame(rows)
    return table.assign(change=table["score"] - filler)


def one_finding(table: pd.DataFrame, target: str) -> str:
    """In one sentence, what the parts of one name do in one sentence; `table` by `one_name`."""
    by_variant = table.set_index("variant")
    whole = by_variant.loc[WHOLE]
    if REST not in by_variant.index:
        return f"{whole['text']} has one part; it moves {target} by {_signed(whole['change'])}."
    first, rest = by_variant.loc[FIRST], by_variant.loc[REST]
    both = whole["change"] - first["change"] - rest["change"]
    return (
        f"{whole['text']} moves {target} by {_signed(whole['change'])}: {first['text']} alone by "
        f"{_signed(first['change'])}, {rest['text']} alone by {_signed(rest['change'])}; the two words together add "
        f"{_signed(both)}."
    )


def _signed(number: float) -> str:
    text = f"{number:+.3f}"
    return text.lstrip("+-") if not text.strip("+-0.") else text.replace("-", "−")
