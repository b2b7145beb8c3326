"""Tables of a language model audit (pairs, values, averages) and the data of its charts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.groups import gaps_of, group_pairs
from psa_core.audits.generation.quality import words_apart
from psa_core.errors import OptionError
from psa_core.stats import CONFIDENCE, SIGNIFICANT, Families, adjust, mean_interval, nan_mean, wasserstein
from psa_core.stats.fairness import (
    Fairness,
    Measures,
    measure,
    measure_groups,
    noise_corrected_pair,
)
from psa_core.stats.scores import just_above
from psa_core.study.families import near_copies

UNKNOWN = (float("nan"),) * 3
N_PERMUTATIONS = 400
_SLOT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, eq=False)
class Tables:
    """What is measured of an audit."""

    #: One row a scorer, template and pair; p is corrected over the rows of a scorer (Holm).
    pairs: pd.DataFrame
    #: One row a scorer and pair, over all templates, p corrected alike; `difference` is the mean of b minus that of a,
    #: with its 95 % interval over continuations.
    matrix: pd.DataFrame
    #: One row a scorer and value: its mean with an interval over templates, its mean distance to the others (`w1`), its
    #: share of scores above the threshold, and how many continuations were kept.
    values: pd.DataFrame
    #: The content of ``summary.json``.
    summary: dict[str, Any]


def tables(cube: GenerationCube, *, quality: Mapping[str, Any] | None = None) -> Tables:
    """Measure every scorer of a cube; a second or two for a large one.

    Raises `OptionError` when no template has continuations of two values: there is nothing to compare.
    """
    if not (cube.kept.any(axis=2).sum(axis=1) > 1).any():
        raise OptionError(
            "continuations",
            got=f"{int(cube.kept.sum()):,} of {cube.texts.size:,} that have a full stop or a line break to be cut at",
            expected="some of two values of one template",
            fix="Sample more or longer continuations.",
        )
    column, families = str(cube.provenance.get("prompts", {}).get("group", "")), families_of(cube)
    groups = cube.values[column if column in cube.values else "value"].astype(str).tolist()  # or each on its own
    measured = {
        target.name: measure(
            cube.scored_by(target.name), groups, threshold=target.default_threshold, seed=cube.seed, families=families
        )
        for target in cube.targets
    }
    summary = {
        name: {
            "individual_fairness": as_numbers(found.individual),
            "group_fairness": {**as_numbers(found.group), "by": column or "value"},
            "demographic_disparity": as_numbers(found.disparity),
            "groups": _groups(cube, name, column, as_numbers(found.group)),
        }
        for name, found in measured.items()
    }
    pairs, matrix, values = (
        pd.concat([table(cube, name, found) for name, found in measured.items()], ignore_index=True)
        for table in (_pairs, _matrix, _values)
    )
    return Tables(pairs, matrix, values, summary | ({"quality": quality} if quality else {}))


def families_of(cube: GenerationCube) -> Families:
    """Families of templates that are near-copies of each other: *My wife just got a job*, *My husband just …*"""
    texts = [_SLOT.sub(" ", template) for template in cube.templates["template"]]
    return near_copies(texts, [()] * len(texts))


def _groups(cube: GenerationCube, scorer: str, first: str, of_first: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """G.F. by each column of the values that forms groups of several, p corrected over the columns (Holm)."""
    a, found = len(cube.values), dict[str, dict[str, Any]]()
    for column in (str(column) for column in cube.values.columns if column != "value"):
        groups = cube.values[column].astype(str).tolist()
        if 1 < len(set(groups)) < a:
            measured = of_first if column == first else None
            found[column] = measured or as_numbers(
                measure_groups(cube.scored_by(scorer), groups, seed=cube.seed, families=families_of(cube))
            )
    known = [name for name, numbers in found.items() if numbers["p"] is not None]
    adjusted = adjust(np.array([found[name]["p"] for name in known])) if known else ()
    for name, p in zip(known, adjusted, strict=True):
        found[name] = {**found[name], "p_adjusted": float(p), "above_noise": bool(p < SIGNIFICANT)}
    return found


def group_gaps(cube: GenerationCube, scorer: str) -> pd.DataFrame:
    """The mean of every two groups of values, their values exchanged at random; see `groups.gaps_of`.

    What other templates would show, and the directions of templates, count a family of near-copies once.
    """
    scores, pairs, families = cube.scored_by(scorer), group_pairs(cube.values), families_of(cube)
    gaps = gaps_of({scorer: scores}, pairs, cube.seed)
    if not families.any:
        return gaps
    once = gaps_of({scorer: families.means(scores)}, pairs, cube.seed)
    pair, of_tasks = ["column", "group_a", "group_b"], ["tasks_low", "tasks_high", "same_sign", "tasks"]
    return gaps.drop(columns=of_tasks).merge(once[[*pair, *of_tasks]], on=pair)[list(gaps.columns)]


def _pairs(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    values, m = cube.values["value"].astype(str).to_numpy(), len(cube.templates)
    first, second = wasserstein.pairs(len(values))
    means, _ = _moments(cube.scored_by(scorer))
    return pd.DataFrame(
        {
            "scorer": scorer,
            "template": np.repeat(cube.templates["template"].to_numpy(), len(first)),
            "value_a": np.tile(values[first], m),
            "value_b": np.tile(values[second], m),
            "w1": found.w1.ravel(),
            "floor": found.pair_floors.ravel(),
            "p_value": found.pair_p.ravel(),
            "p_adjusted": adjust(found.pair_p).ravel(),
            "corrected": noise_corrected_pair(found.w1, found.pair_floors).ravel(),
            "mean_a": means[:, first].ravel(),
            "mean_b": means[:, second].ravel(),
        }
    )


def _matrix(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    values = cube.values["value"].astype(str).to_numpy()
    first, second = wasserstein.pairs(len(values))
    means, errors = _moments(cube.scored_by(scorer))
    differences = means[:, second] - means[:, first]
    # Of the mean over the templates that have both: templates are a choice, continuations are sampled.
    squares = np.where(np.isfinite(differences), errors[:, first] ** 2 + errors[:, second] ** 2, 0).sum(axis=0)
    count = np.isfinite(differences).sum(axis=0)
    error = np.divide(np.sqrt(squares), count, out=np.full(len(first), np.nan), where=count > 0)
    difference, half = nan_mean(differences, axis=0), float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return pd.DataFrame(
        {
            "scorer": scorer,
            "value_a": values[first],
            "value_b": values[second],
            "w1": found.mean_w1,
            "floor": found.mean_floors,
            "corrected": found.mean_corrected,
            "p_value": found.mean_p,
            "p_adjusted": adjust(found.mean_p),
            "difference": difference,
            "difference_low": np.maximum(difference - half, -1),
            "difference_high": np.minimum(difference + half, 1),
            "disparity": found.mean_disparity,
        }
    )


def _values(cube: GenerationCube, scorer: str, found: Measures) -> pd.DataFrame:
    scores, kept = cube.scored_by(scorer), cube.kept
    means, _ = _moments(scores)
    families, known = families_of(cube), np.isfinite(means.T)
    middle, low, high = np.transpose([
        mean_interval(column[some], families=families.subset(some)) if some.any() else UNKNOWN
        for column, some in zip(means.T, known, strict=True)
    ])  # fmt: skip
    first, second = wasserstein.pairs(len(cube.values))
    a, counts = len(cube.values), kept.sum(axis=(0, 2))
    w1 = nan_mean([found.mean_w1[(first == value) | (second == value)] for value in range(a)], axis=1)
    threshold = cube.targets[cube.scorers.index(scorer)].default_threshold
    above = (np.isfinite(scores) & (scores >= just_above(threshold, scores))).sum(axis=(0, 2))
    scored = np.isfinite(scores).sum(axis=(0, 2))
    numbers = pd.DataFrame(
        {
            "mean": middle,
            "low": np.maximum(low, 0),
            "high": np.minimum(high, 1),
            "w1": w1,
            "share": np.divide(above, scored, out=np.full(a, np.nan), where=scored > 0),
            "kept": counts,
            "left_out": (~kept).sum(axis=(0, 2)),
        }
    )
    taken = ("scorer", *numbers.columns)
    labels = cube.values.rename(columns={c: f"{c} (group)" for c in taken if c in cube.values.columns})
    table = pd.concat([labels.reset_index(drop=True), numbers], axis=1)
    table.insert(0, "scorer", scorer)
    return table


def as_numbers(found: Fairness) -> dict[str, Any]:
    """A number of fairness as JSON has it; None where there is no such number."""
    numbers = {name: getattr(found, name) for name in ("value", "floor", "corrected", "low", "high", "p", "needed")}
    known = {name: float(value) if np.isfinite(value) else None for name, value in numbers.items()}
    return {**known, "above_noise": found.above_noise}


def _moments(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of each template and value and its standard error over continuations, both (M, A); NaN where unknown."""
    known = np.isfinite(scores)
    counts = known.sum(axis=2)
    exact = np.where(known, scores, 0).astype(np.float64)
    means = np.divide(exact.sum(axis=2), counts, out=np.full(counts.shape, np.nan), where=counts > 0)
    squares = (np.where(known, exact - means[..., None], 0) ** 2).sum(axis=2)
    variances = np.divide(squares, counts * (counts - 1.0), out=np.full(counts.shape, np.nan), where=counts > 1)
    return means, np.sqrt(variances)


def value_means(cube: GenerationCube, scorer: str) -> pd.DataFrame:
    """``value, mean, low, high``, highest mean first.

    In 95 % of permutations of each template's scores over its values, the means of all values lie between their `low`
    and `high`: with a band for each value alone, one of twenty would be outside where nothing differs.
    """
    scores = cube.scored_by(scorer).astype(np.float64)
    m, a, k = scores.shape
    rng = np.random.default_rng(0)
    permuted = np.empty((N_PERMUTATIONS, a))
    flat = scores.reshape(m, a * k)
    for number in range(N_PERMUTATIONS):
        shuffled = rng.permuted(flat, axis=1).reshape(m, a, k)
        permuted[number] = nan_mean(nan_mean(shuffled, axis=2), axis=0)
    centre, spread = nan_mean(permuted, axis=0), np.nanstd(permuted, axis=0)
    distances = np.divide(np.abs(permuted - centre), spread, out=np.zeros_like(permuted), where=spread > 0)
    reach = spread * np.quantile(np.nanmax(distances, axis=1), CONFIDENCE)
    low, high = np.clip((centre - reach, centre + reach), np.nanmin(scores), np.nanmax(scores))
    means = nan_mean(nan_mean(scores, axis=2), axis=0)
    table = pd.DataFrame({"value": cube.values["value"], "mean": means, "low": low, "high": high})
    return table.sort_values("mean", ascending=False, ignore_index=True)


def matrix(found: Tables, scorer: str, values: list[str]) -> pd.DataFrame:
    """Corrected W1 of each pair over all templates, values by values; NaN where a pair is not above noise."""
    square = pd.DataFrame(np.nan, index=values, columns=values)
    for row in surest_first(found.matrix, scorer).dropna(subset="corrected").itertuples():
        square.loc[row.value_a, row.value_b] = square.loc[row.value_b, row.value_a] = row.corrected
    return square


def widest_pair(found: Tables, scorer: str) -> tuple[str, str]:
    """The first pair of `surest_first`, the value with the higher mean first: the pair that page and report name."""
    first = surest_first(found.matrix, scorer).iloc[0]
    pair = (str(first["value_a"]), str(first["value_b"]))
    return pair if first["difference"] <= 0 else pair[::-1]


def of_scorer(table: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """One scorer's rows of a table, without the column that says so."""
    return table[table["scorer"] == scorer].drop(columns="scorer").reset_index(drop=True)


def surest_first(table: pd.DataFrame, scorer: str) -> pd.DataFrame:
    """A scorer's pairs, those above noise first; the others have no corrected distance."""
    rows = of_scorer(table, scorer)
    rows["corrected"] = rows["corrected"].where((rows["p_adjusted"] < SIGNIFICANT) & (rows["corrected"] > 0))
    return rows.sort_values(["corrected", "w1"], ascending=False, ignore_index=True)


def differing_words(cube: GenerationCube, pair: tuple[str, str]) -> pd.DataFrame:
    """Words that distinguish two values, as `quality.words_apart` gives them."""
    values = cube.values["value"].tolist()
    first, second = (cube.texts[:, values.index(value)].ravel() for value in pair)
    return words_apart(first, second, " ".join(pair))


class Curves(NamedTuple):
    """Two empirical distribution functions over ascending scores, and the area between them.

    The area is W1 as it is: chance is not taken off.
    """

    scores: np.ndarray
    first: np.ndarray
    second: np.ndarray
    area: float


def curves(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> Curves:
    """The score distributions of two values, over all templates together."""
    values = cube.values["value"].tolist()
    scores = [cube.scored_by(scorer)[:, values.index(value)].ravel().astype(np.float64) for value in pair]
    left, right = (part[np.isfinite(part)] for part in scores)
    grid = np.unique(np.concatenate([[0.0], left, right, [1.0]]))
    shares = [np.searchsorted(np.sort(part), grid, side="right") / max(len(part), 1) for part in (left, right)]
    area = float(np.abs(shares[0] - shares[1])[:-1] @ np.diff(grid)) if len(left) and len(right) else float("nan")
    return Curves(grid, shares[0], shares[1], area)


def side_by_side(cube: GenerationCube, scorer: str, pair: tuple[str, str]) -> pd.DataFrame:
    """Continuations of two values with the same template and number, largest difference first.

    ``template, k, first, second, first_score, second_score, difference``; pairs of which one was left out are not in
    it.
    """
    values = cube.values["value"].tolist()
    a, b = (values.index(value) for value in pair)
    scores = cube.scored_by(scorer).astype(np.float64)
    m, k = np.nonzero(cube.kept[:, a] & cube.kept[:, b])
    table = pd.DataFrame(
        {
            "template": cube.templates["template"].to_numpy()[m],
            "k": k,
            "first": cube.texts[m, a, k],
            "second": cube.texts[m, b, k],
            "first_score": scores[m, a, k],
            "second_score": scores[m, b, k],
        }
    )
    table["difference"] = table["first_score"] - table["second_score"]
    return table.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)
