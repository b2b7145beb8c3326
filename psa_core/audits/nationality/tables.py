"""Predicted classes, sentiment and perplexity by the nationality of the names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.stats import labels_at

OVERALL = "Overall"
SUM_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Class:
    """One class that a model may predict; `predicted` maps scores (..., T) to a boolean array (...)."""

    name: str
    target: str
    predicted: Callable[[np.ndarray], np.ndarray]


def classes(cube: ScoreCube) -> list[Class]:
    """The classes of a model: the largest of probabilities that sum to one, else each target at its threshold.

    A signed target such as sentiment is no class: those are ``sentiment ≥ 0`` and ``sentiment < 0``.
    """
    unit = [t for t, target in enumerate(cube.targets) if (target.low, target.high) == (0, 1)]
    total = cube.original[:, unit].sum(axis=1)
    if len(unit) > 1 and np.abs(total - 1).max() < SUM_TOLERANCE:
        return [_largest(cube, unit, position) for position in range(len(unit))]
    return [side for t in range(len(cube.targets)) for side in _at_threshold(cube, t)]


def _largest(cube: ScoreCube, unit: list[int], position: int) -> Class:
    name = cube.targets[unit[position]].name
    return Class(name, name, lambda scores: scores[..., unit].argmax(axis=-1) == position)


def _at_threshold(cube: ScoreCube, t: int) -> tuple[Class, Class]:
    target = cube.targets[t]
    limit = target.default_threshold
    sides = _label_names(target.name)
    taken = sides[1] in (other.name for other in cube.targets)
    names = (f"{target.name} ≥ {limit:g}", f"{target.name} < {limit:g}") if target.low < 0 or taken else sides
    return (
        Class(names[0], target.name, lambda scores: labels_at(scores[..., t], limit)),
        Class(names[1], target.name, lambda scores: ~labels_at(scores[..., t], limit)),
    )


def _label_names(target: str) -> tuple[str, str]:
    return target, f"not {target}"


def country_table(cube: ScoreCube) -> pd.DataFrame:
    """Table 1 of the paper, long: one row a country and class, and one a country and other target.

    Returns
    -------
    DataFrame
        ``country, iso3, target, original_count, perturbed_count, change_percent, delta, delta_low, delta_high``.
        Counts are sentences predicted as the class (of the perturbed: mean over draws); the change is in percent of
        the original count and empty when that is 0. ``delta`` is the mean change of the score over sentences with
        its 95 % t interval, in units of the target, signed; for ``not …`` classes it is empty.
    """
    found = classes(cube)
    named = {item.name for item in found}
    rows = []
    for country, columns in _columns_of(cube).items():
        scores = cube.perturbed[:, columns]
        rows += [
            {"country": country, "target": item.name, **_counts(cube, scores, item), **_delta(cube, columns, item.name)}
            for item in found
        ]
        others = [target.name for target in cube.targets if target.name not in named]
        rows += [{"country": country, "target": name, **_delta(cube, columns, name)} for name in others]
    table = pd.DataFrame(rows)
    codes = cube.names.drop_duplicates("country").set_index("country")["iso3"]
    table.insert(1, "iso3", table["country"].map(codes))
    return table


def _columns_of(cube: ScoreCube) -> dict[str, np.ndarray]:
    countries = cube.names["country"].to_numpy()
    return {country: np.flatnonzero(countries == country) for country in dict.fromkeys(countries)}


def _counts(cube: ScoreCube, scores: np.ndarray, item: Class) -> dict[str, float | None]:
    original = int(item.predicted(cube.original).sum())
    perturbed = float(item.predicted(scores).mean(axis=1).sum())
    change = 100 * (perturbed - original) / original if original else None
    return {"original_count": original, "perturbed_count": perturbed, "change_percent": change}


def _delta(cube: ScoreCube, columns: np.ndarray, target: str) -> dict[str, float | None]:
    if target not in {item.name for item in cube.targets}:
        return {"delta": None, "delta_low": None, "delta_high": None}
    original, perturbed = cube.scores(target)
    change = perturbed[:, columns].mean(axis=1, dtype=np.float64) - original
    low, high = _interval(change)
    return {"delta": float(change.mean()), "delta_low": low, "delta_high": high}


def _interval(values: np.ndarray) -> tuple[float | None, float | None]:
    from scipy.stats import ttest_1samp

    if len(values) < 2:
        return None, None
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    low, high = ttest_1samp(values, 0.0).confidence_interval(0.95)
    return float(low), float(high)


def correlation_table(cube: ScoreCube, log_perplexity: tuple[np.ndarray, np.ndarray]) -> pd.DataFrame:
    """Tables 2-5 of the paper: Pearson correlation between scores and log-perplexity.

    Parameters
    ----------
    cube : ScoreCube
    log_perplexity : (S,) and (S, N) arrays
        Of the originals and of the perturbed sentences.

    Returns
    -------
    DataFrame
        ``country, target, global_r, global_p, local_r, local_p, sentences``, and in the overall rows ``original_r,
        original_p``: over the originals alone, which no name of ours has touched. *Global*: over all texts of the
        country (overall: the originals too). *Local*: among the counterfactuals of one sentence, averaged over the
        ``sentences`` where both vary; its p-value is a t-test of those correlations (Fisher z) against zero. Empty
        where there is nothing to correlate.
    """
    original, perturbed = (np.asarray(values, np.float64) for values in log_perplexity)
    every = np.arange(cube.shape[1])
    rows = []
    for country, columns in {**_columns_of(cube), OVERALL: every}.items():
        for target in cube.targets:
            before, after = cube.scores(target.name)
            x, y = after[:, columns].astype(np.float64), perturbed[:, columns]
            all_x, all_y = x.ravel(), y.ravel()
            if country == OVERALL:
                all_x, all_y = np.append(all_x, before), np.append(all_y, original)
            alone = _global(before.astype(np.float64), original) if country == OVERALL else {}
            row = {"country": country, "target": target.name, **_global(all_x, all_y), **_local(x, y)}
            rows.append(row | {f"original_{key[-1]}": value for key, value in alone.items()})
    return pd.DataFrame(rows)


def _global(x: np.ndarray, y: np.ndarray) -> dict[str, float | None]:
    from scipy.stats import pearsonr

    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return {"global_r": None, "global_p": None}
    result = pearsonr(x, y)
    return {"global_r": float(result.statistic), "global_p": float(result.pvalue)}


def _local(x: np.ndarray, y: np.ndarray) -> dict[str, float | int | None]:
    from scipy.stats import ttest_1samp

    dx, dy = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0) & (x.shape[1] > 2)
    dx, dy = dx[varies], dy[varies]
    if not len(dx):
        return {"local_r": None, "local_p": None, "sentences": 0}
    r = (dx * dy).sum(axis=1) / np.sqrt((dx**2).sum(axis=1) * (dy**2).sum(axis=1))
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))
    p = float(ttest_1samp(z, 0.0).pvalue) if len(z) > 1 and np.ptp(z) > 0 else None
    return {"local_r": float(r.mean()), "local_p": p, "sentences": len(r)}
