"""Predicted classes, sentiment and perplexity by the nationality of the names, and the sentences behind one number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from psa_core.cube import ScoreCube
from psa_core.report import Piece
from psa_core.stats import (
    Families,
    adjust,
    labels_at,
    mean_interval,
    original_p,
    pearson,
    sentence_correlation,
    sign_test_p,
)

OVERALL = "Overall"
SUM_TOLERANCE = 1e-3
COUNT_COLUMNS = ("original_count", "perturbed_count", "change_percent", "change_low", "change_high", "p_adjusted")
DELTA_COLUMNS = ("delta", "delta_low", "delta_high", "delta_p_adjusted")


class Class(NamedTuple):
    """One class that a model may predict: whether it does, before (S,) and after (S, N) the names were exchanged."""

    name: str
    target: str
    before: np.ndarray
    after: np.ndarray


def classes(cube: ScoreCube) -> list[Class]:
    """The classes of a model: the largest of probabilities that sum to one, else each target at its threshold.

    A signed target such as sentiment is no class: those are ``sentiment ≥ 0`` and ``sentiment < 0``.
    """
    unit = [t for t, target in enumerate(cube.targets) if (target.low, target.high) == (0, 1)]
    total = cube.original[:, unit].sum(axis=1)
    if len(unit) > 1 and np.abs(total - 1).max() < SUM_TOLERANCE:
        names = [cube.targets[t].name for t in unit]
        before, after = (scores[..., unit].argmax(axis=-1) for scores in (cube.original, cube.perturbed))
        return [Class(name, name, before == position, after == position) for position, name in enumerate(names)]
    found, taken = [], {target.name for target in cube.targets}
    for t, target in enumerate(cube.targets):
        limit, name = target.default_threshold, target.name
        names = [name, f"not {name}"]
        if target.low < 0 or names[1] in taken:
            names = [f"{name} ≥ {limit:g}", f"{name} < {limit:g}"]
        before, after = (labels_at(scores[..., t], limit) for scores in (cube.original, cube.perturbed))
        found += [Class(names[0], name, before, after), Class(names[1], name, ~before, ~after)]
    return found


def by_country(cube: ScoreCube) -> ScoreCube:
    """One column a country: the mean over the names that were drawn for it in each sentence."""
    columns = _columns_of(cube)
    means = [cube.perturbed[:, drawn].mean(axis=1) for drawn in columns.values()]
    return replace(cube, names=pd.DataFrame({"name": list(columns)}), perturbed=np.stack(means, axis=1))


def country_table(cube: ScoreCube) -> pd.DataFrame:
    """Table 1 of the paper, long: one row a country and class, and one a country and other target.

    Counts are sentences predicted as the class (of the perturbed: mean over draws), the change is in percent of the
    original count and empty when that is 0; ``change_low, change_high`` is the 95 % t interval of the change in
    sentences. ``delta`` is the mean change of the score over sentences with its 95 % t interval, in units of the
    target, signed; for ``not …`` classes it is empty. p-values are two-sided and corrected over the countries and
    columns of a kind (Holm); near-copies count once. A change is beyond chance where they are below 0.05.
    """
    columns = _columns_of(cube)
    found, targets = classes(cube), [target.name for target in cube.targets]
    rows: dict[tuple[str, str], dict[str, object]] = {
        (country, name): {} for country in columns for name in dict.fromkeys([*(item.name for item in found), *targets])
    }
    for item in found:
        changes = _changes(item.before.astype(float), item.after, columns)
        units = cube.families.rows(changes)
        # A class is entered and left in whole sentences: so few of them may agree by chance, which a t-test ignores.
        p_values = np.maximum(original_p(units, "none"), sign_test_p(units))
        _, low, high = len(changes) * np.array(mean_interval(changes, families=cube.families))
        count = int(item.before.sum())
        for n, country in enumerate(columns):
            now = count + float(changes[:, n].sum())
            percent = 100 * (now - count) / count if count else None
            numbers = (count, now, percent, low[n], high[n], p_values[n])
            rows[country, item.name] |= dict(zip(COUNT_COLUMNS, numbers, strict=True))
    for name in targets:
        before, after = cube.scores(name)
        changes = _changes(before.astype(float), after, columns)
        p_values = original_p(cube.families.rows(changes), "none")
        deltas = zip(*mean_interval(changes, families=cube.families), p_values, strict=True)
        for country, delta in zip(columns, deltas, strict=True):
            rows[country, name] |= dict(zip(DELTA_COLUMNS, delta, strict=True))
    table = pd.DataFrame([{"country": country, "target": name, **row} for (country, name), row in rows.items()])
    table = table.reindex(columns=["country", "target", *COUNT_COLUMNS, *DELTA_COLUMNS])
    for column in ("p_adjusted", "delta_p_adjusted"):
        table[column] = adjust(table[column].astype(float))
    codes = cube.names.drop_duplicates("country").set_index("country")["iso3"]
    table.insert(1, "iso3", table["country"].map(codes))
    return table


def _columns_of(cube: ScoreCube) -> dict[str, np.ndarray]:
    countries = cube.names["country"].to_numpy()
    return {country: np.flatnonzero(countries == country) for country in dict.fromkeys(countries)}


def _changes(before: np.ndarray, after: np.ndarray, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Mean change over the draws of each sentence and country, float64 (S, countries)."""
    return np.stack([after[:, drawn].mean(axis=1, dtype=np.float64) - before for drawn in columns.values()], axis=1)


def correlation_table(cube: ScoreCube, log_perplexity: tuple[np.ndarray, np.ndarray]) -> pd.DataFrame:
    """Tables 2-5 of the paper: Pearson correlation of scores with log-perplexity: (S,) originals and (S, N) texts.

    *Global*: over all texts of the country (overall: the originals too). *Local*: among the counterfactuals of one
    sentence, averaged over the ``sentences`` where both vary; its p-value is a t-test of those correlations (Fisher z)
    against zero. Overall rows have ``original_r, original_p`` as well: over the originals alone, which no name of ours
    has touched. A family of sentences counts once. Empty where there is nothing to correlate.
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
            overall = pearson(all_x, all_y)
            row = {"country": country, "target": target.name, "global_r": overall.r, "global_p": overall.p}
            row |= _local(x, y, cube.families)
            if country == OVERALL:
                alone = pearson(before, original)
                if cube.families.any:
                    alone = sentence_correlation(before, original, families=cube.families)
                row |= {"original_r": alone.r, "original_p": alone.p}
            rows.append(row)
    return pd.DataFrame(rows)


def _local(x: np.ndarray, y: np.ndarray, families: Families) -> dict[str, float | int | None]:
    from scipy.stats import pearsonr, ttest_1samp

    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0) & (x.shape[1] > 2)
    if not varies.any():
        return {"local_r": None, "local_p": None, "sentences": 0}
    r = pearsonr(x[varies], y[varies], axis=1).statistic
    z = families.subset(varies).rows(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)))
    p = float(ttest_1samp(z, 0.0).pvalue) if len(z) > 1 and np.ptp(z) > 0 else None
    return {"local_r": float(r.mean()), "local_p": p, "sentences": len(r)}


def changed_draws(cube: ScoreCube, country: str, target: str) -> pd.DataFrame:
    """The draws of one country in which a sentence enters or leaves a class, largest change of the score first.

    Where the target is no class, every draw is listed, without a change. ``sentence_position, name_position, change``
    (``enters`` or ``leaves``), ``original, perturbed, delta``; the scores are those of the class's target.
    """
    columns = np.flatnonzero((cube.names["country"] == country).to_numpy())
    found = next((item for item in classes(cube) if item.name == target), None)
    before, after = cube.scores(found.target if found else target)
    after = after[:, columns]
    if found:
        was, is_now = found.before[:, None], found.after[:, columns]
        s, n = np.nonzero(was != is_now)
        change = np.where(is_now[s, n], "enters", "leaves")
    else:
        s, n = (index.ravel() for index in np.indices(after.shape))
        change = np.full(len(s), "")
    table = pd.DataFrame({"sentence_position": s, "name_position": columns[n], "change": change})
    table = table.assign(original=before[s].astype(float), perturbed=after[s, n].astype(float))
    table["delta"] = table["perturbed"] - table["original"]
    return table.iloc[np.argsort(-table["delta"].abs().to_numpy(), kind="stable")].reset_index(drop=True)


def pieces(text: str, entities: str, perturbed: str) -> list[Piece]:
    """A drawn text beside its original, cut where a name has taken an entity's place (``start:end`` each).

    The pieces ``same`` and ``gone`` together are the original, ``same`` and ``come`` the draw.

    Examples
    --------
    >>> [piece.text for piece in pieces("I met Susan.", "6:11", "I met Chloé.")]
    ['I met ', 'Susan', 'Chloé', '.']
    """
    spans = [tuple(int(edge) for edge in span.split(":")) for span in entities.split()]
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    kept = [re.escape(text[left:right]) for left, right in zip(edges[::2], edges[1::2], strict=True)]
    names = re.fullmatch("(.+?)".join(kept), perturbed, re.DOTALL)
    if names is None:
        return [Piece("gone", text), Piece("come", perturbed)]
    found: list[Piece] = []
    at = 0
    for (start, end), name in zip(spans, names.groups(), strict=True):
        found += [Piece("same", text[at:start]), Piece("gone", text[start:end]), Piece("come", name)]
        at = end
    return [piece for piece in [*found, Piece("same", text[at:])] if piece.text]
