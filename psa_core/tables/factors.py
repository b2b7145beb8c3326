"""What a name's effect may go with: its length, how rare its words are, whether one is a word, its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, OptionError
from psa_core.plurals import verb
from psa_core.stats.explanation import NAMES_PER_COLUMN, Explanation, explain
from psa_core.tables.groups import group_columns
from psa_core.tables.name_measures import measured_factors

#: Factors that are measured, and their columns.
MEASURED = {
    "length": {"letters": "letters", "subwords": "subwords"},
    "frequency": {"frequency": "how frequent its rarest word is"},
    "word": {"word": "a part of it is also a word"},
    "perplexity": {"perplexity": "how unexpected it is in the sentence"},
}
OF_THE_NAME = ("length", "frequency", "word")
MIN_GROUP_SIZE = 3
POOLED = "other"


@dataclass(frozen=True, eq=False)
class FactorAnalysis:
    """What the names' effects go with, and what that leaves.

    Attributes
    ----------
    coefficients : DataFrame
        One row a column: ``factor``, ``label``, ``coefficient``, ``low``, ``high`` (standard deviations of the names'
        effects for one standard deviation, or for being in it; 95 % HC3), ``p_adjusted`` (Holm), ``in_score`` (the
        coefficient on the score's scale). NaN where a column could not be told from the others.
    shares : DataFrame
        One row a factor: ``factor``, ``share`` (of the variance of the names' effects, in [0, 1]), ``is_significant``
        (has a column whose corrected p-value is below 5 %), largest share first.
    unexplained : DataFrame
        One row a name: ``name``, ``effect`` (against the typical name), ``expected``, ``residual``, ``p_adjusted``;
        what is furthest from what the factors say first. The p-value is the larger of that of the residual over names
        and that of the name's effect over sentences, each Holm-corrected.
    r_squared, adjusted : float
    names : int
    """

    coefficients: pd.DataFrame
    shares: pd.DataFrame
    unexplained: pd.DataFrame
    r_squared: float
    adjusted: float
    names: int

    @property
    def warning(self) -> str:
        """Where the names are too few for what is asked of them; empty where they are enough."""
        asked = int(self.coefficients["coefficient"].notna().sum())
        if self.names >= NAMES_PER_COLUMN * asked:
            return ""
        return (
            f"{self.names} names are few for {asked} coefficients: with fewer than ten names for each, shares come out "
            f"too large and intervals jump. Choose fewer factors, or run a list of {NAMES_PER_COLUMN * asked} names."
        )


def group_factors(cube: ScoreCube) -> list[str]:
    """Group columns that can be a factor: at least two groups of three names, once small groups are pooled."""
    return [column for column in group_columns(cube) if _levels(cube.names[column])]


def first_choice(cube: ScoreCube) -> list[str]:
    """Factors to begin with: what is measured of the names, then groups, as far as ten names a column go."""
    chosen, columns = list(OF_THE_NAME), sum(len(MEASURED[factor]) for factor in OF_THE_NAME)
    for column in sorted(group_factors(cube), key=lambda column: len(_levels(cube.names[column]))):
        columns += len(_levels(cube.names[column]))
        if columns * NAMES_PER_COLUMN <= len(cube.names):
            chosen.append(column)
    return chosen


def factor_regression(
    cube: ScoreCube, target: str, factors: Sequence[str], *, perplexity: Mapping[str, float] | None = None
) -> FactorAnalysis:
    """Regress the names' mean scores on the factors chosen.

    Parameters
    ----------
    cube : ScoreCube
    target : str
    factors : sequence of str
        Keys of `MEASURED`, and group columns of the name list.
    perplexity : mapping of str to float, optional
        Each name's log-perplexity in the sentences, needed for that factor; the mean over sentences.

    Raises
    ------
    CubeError, OptionError
        As `stats.explanation.explain`; for an unknown target or factor, and for perplexity that was not measured.
    """
    _, perturbed = cube.units(target)
    means = perturbed.mean(axis=0, dtype=np.float64)
    columns = factor_columns(cube, factors, perplexity=perplexity)
    found = explain(means, np.column_stack(list(columns.values())), [factor for factor, _ in columns])
    over_sentences = stats.adjust(stats.name_effects(perturbed).p_value, "holm")
    return _labelled(cube, means, list(columns), found, over_sentences)


def factor_columns(
    cube: ScoreCube, factors: Sequence[str], *, perplexity: Mapping[str, float] | None = None
) -> dict[tuple[str, str], np.ndarray]:
    """The numbers (N,) of each column of the factors chosen, by factor and label; groups against the largest one."""
    names = cube.names["name"].tolist()
    measured = measured_factors(names) if set(factors) & set(OF_THE_NAME) else None
    columns: dict[tuple[str, str], np.ndarray] = {}
    for factor in dict.fromkeys(factors):
        if factor in OF_THE_NAME and measured is not None:
            for column, label in MEASURED[factor].items():
                columns[factor, label] = measured[column].to_numpy(np.float64)
        elif factor == "perplexity":
            columns[factor, MEASURED[factor][factor]] = _measured_perplexity(names, perplexity)
        elif factor in cube.names.columns and factor != "name":
            columns |= _indicators(cube.names[factor], factor)
        else:
            expected = ", ".join([*MEASURED, *group_columns(cube)])
            raise OptionError("factor", got=repr(factor), expected=f"one of {expected}")
    if not columns:
        raise OptionError("factors", got="none that varies", expected="at least one")
    return columns


def why_finding(why: FactorAnalysis, target: str) -> str:
    """In one sentence: how much of the variance between names the factors explain, and which explains most."""
    leading = why.shares[why.shares["is_significant"]]
    if leading.empty:
        return f"We found no factor that explains how {why.names:,} names differ in {target}."
    row = leading.iloc[0]
    words = f"{row['factor']}: {_percent(row['share'])}"
    more = ", ".join(f"{other.factor} {_percent(other.share)}" for other in leading.iloc[1:].itertuples())
    return (
        f"These factors explain {_percent(why.r_squared)} of the variance between {why.names:,} names in {target}, "
        f"most of it {words}{f' (then {more})' if more else ''}. Correlation is not causation."
    )


def unexplained_finding(why: FactorAnalysis) -> str:
    """Which names differ significantly from the prediction."""
    far = why.unexplained[why.unexplained["p_adjusted"] < stats.SIGNIFICANT]["name"].tolist()
    if not far:
        return "No name differs significantly from the prediction."
    named = ", ".join(far[:5]) + (f" and {len(far) - 5} more" if len(far) > 5 else "")
    return f"{named} {verb(len(far), 'stand')} out even after these factors."


def _labelled(
    cube: ScoreCube,
    means: np.ndarray,
    columns: list[tuple[str, str]],
    found: Explanation,
    over_sentences: np.ndarray,
) -> FactorAnalysis:
    factors, labels = zip(*columns, strict=True)
    adjusted = stats.adjust(found.p_value, "holm")
    coefficients = pd.DataFrame(
        {
            "factor": factors,
            "label": labels,
            "coefficient": found.coefficient,
            "low": found.low,
            "high": found.high,
            "p_adjusted": adjusted,
            "in_score": found.coefficient * found.spread,
        }
    )
    significant = coefficients[coefficients["p_adjusted"] < stats.SIGNIFICANT]["factor"].unique()
    shares = pd.DataFrame({"factor": list(found.shares), "share": list(found.shares.values())})
    shares = shares.assign(is_significant=shares["factor"].isin(significant)).sort_values(
        "share", ascending=False, kind="stable"
    )
    effect = means - np.median(means)
    unexplained = pd.DataFrame(
        {
            "name": cube.names["name"].to_numpy(),
            "effect": effect,
            "expected": effect - found.residual,
            "residual": found.residual,
            "p_adjusted": np.maximum(found.unexplained, over_sentences),
        }
    ).sort_values("residual", key=np.abs, ascending=False, kind="stable")
    tables = coefficients, shares.reset_index(drop=True), unexplained.reset_index(drop=True)
    return FactorAnalysis(*tables, found.r_squared, found.adjusted, len(means))


def _measured_perplexity(names: Sequence[str], perplexity: Mapping[str, float] | None) -> np.ndarray:
    if perplexity is None or any(name not in perplexity for name in names):
        raise CubeError("perplexity", got="not measured for every name", expected="a number for each name")
    return np.array([perplexity[name] for name in names], np.float64)


def _indicators(values: pd.Series, factor: str) -> dict[tuple[str, str], np.ndarray]:
    """A column of 0 and 1 for each group but the largest, which the others are held against."""
    pooled = _pooled(values)
    largest, *levels = pooled.value_counts().index.tolist()
    return {
        (factor, f"{factor}: {level} against {largest}"): (pooled == level).to_numpy(np.float64) for level in levels
    }


def _levels(values: pd.Series) -> list[str]:
    """Groups of a column that get a coefficient."""
    return _pooled(values).value_counts().index[1:].tolist()


def _pooled(values: pd.Series) -> pd.Series:
    """Groups as text; those of fewer than three names are pooled, and with the largest where they stay fewer."""
    text = values.astype(str).where(values.notna() & (values.astype(str).str.strip() != ""), POOLED)
    counts = text.value_counts()
    if counts.min() >= MIN_GROUP_SIZE:
        return text
    text = text.where(text.map(counts) >= MIN_GROUP_SIZE, POOLED)
    counts = text.value_counts()
    return text.where(text.map(counts) >= MIN_GROUP_SIZE, counts.index[0])


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
