"""Metrics of the corpus with their intervals over sentences; sentences, and which of them are name-sensitive."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.stats.associations import word_odds
from psa_core.tables.floors import control_floor, flips_by_chance, repeat_floors
from psa_core.tables.labels import about, labelled, metrics_per, threshold_of

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
PLACES = ("first third", "second third", "last third")
LENGTHS = ("1 to 10 words", "11 to 20 words", "21 to 30 words", "more than 30 words")
UNDEFINED = dict.fromkeys(("value", "low", "high"), np.nan)
Metrics = dict[str, dict[str, Any]]
Summary = dict[str, Metrics]


def summary(cube: ScoreCube) -> Summary:
    """Corpus metrics of every target, as in ``summary.json``: ``{target: metrics}``; see `target_summary`."""
    return {target.name: target_summary(cube, target.name) for target in cube.targets}


def target_summary(cube: ScoreCube, target: str, *, threshold: float | None = None) -> Metrics:
    """Corpus metrics of one target, at its own threshold where none is given.

    Returns
    -------
    dict
        ``{metric: {"value", "low", "high"}}`` for every plug-in with one value per sentence (``score_dev``,
        ``score_range``, ``mean_abs_delta`` …: the mean over sentences), ``label_dist`` (with its ``threshold``), and
        ``flips`` (share of cells, with ``threshold`` and the cells ``up`` and ``down``). Where scores are means of
        sampled answers, ``score_dev``, ``score_range``, ``label_dist`` and ``flips`` have ``floor``, ``corrected`` and
        ``p`` (`stats.repeat_floors`). ``sensitivity_correlation`` has ``r, p, low, high``, ``sensitivity_trend`` the
        ``shape`` of that relation (`stats.trend_shape`); ``controls``, where edits about nobody were scored, has the
        spreads ``names`` and ``edits`` with their ``ratio, low, high, p`` and how many ``edits_a_text``; ``size`` has
        ``sentences``, ``names`` and, where there are some, ``families``. Plain floats, ints and words; None where a
        value is not defined (an interval over one sentence), never NaN: valid JSON.
    """
    threshold = threshold_of(cube, target, threshold)
    original, perturbed = stats.paired_scores(*cube.scores(target))
    families = cube.families
    metrics: Metrics = {
        method_id: stats.bootstrap_interval(values, families=families)._asdict()
        if np.isfinite(values).any()
        else UNDEFINED
        for method_id, values in metrics_per("sentence", cube, target, threshold=threshold).items()
    }
    distance = stats.label_dist_interval(original, perturbed, threshold, families=families)
    metrics["label_dist"] = {name: bound[0] for name, bound in distance._asdict().items()} | {"threshold": threshold}
    labels = stats.threshold_grid(original, perturbed, threshold)
    differ = stats.labels_differ(original, perturbed, threshold)
    share = stats.nan_mean(np.where(stats.known_pairs(original, perturbed), differ, np.nan), axis=1)
    flipped = stats.bootstrap_interval(share, families=families)
    metrics["flips"] = flipped._asdict() | {
        "high": min(flipped.high, 1.0),
        "threshold": threshold,
        "up": int(labels.flips_up.sum()),
        "down": int(labels.flips_down.sum()),
    }
    for metric, floor in repeat_floors(cube, target, threshold=threshold).items():
        metrics[metric] = {**metrics[metric], "floor": floor.floor, "corrected": floor.corrected, "p": floor.p}
    moved = stats.sensitivities(original, perturbed)
    correlation = stats.sentence_correlation(moved, original, families=families)
    metrics["sensitivity_correlation"] = correlation._asdict()
    metrics["sensitivity_trend"] = {"shape": stats.trend_shape(original, moved)}
    if cube.controls is not None:
        metrics["controls"] = control_floor(cube, target)._asdict() | {"edits_a_text": cube.controls.shape[1] - 1}
    metrics["size"] = {"sentences": len(original), "names": perturbed.shape[1]}
    if families.any:
        metrics["size"]["families"] = families.count
    # Python numbers instead of NumPy's, and None instead of NaN, which JSON does not have.
    return {
        metric: {
            name: number if isinstance(number, int | str) else (float(number) if np.isfinite(number) else None)
            for name, number in numbers.items()
        }
        for metric, numbers in metrics.items()
    }


def sentence_table(cube: ScoreCube, target: str, *, threshold: float | None = None) -> pd.DataFrame:
    """Original score, perturbed scores in summary, and flips.

    Returns
    -------
    DataFrame
        S rows in the order of the cube: ``sentence_id``, group columns, ``original``, ``mean`` (over names), one column
        for every plug-in with one value per sentence (``mean_abs_delta``, ``score_dev``, ``score_range`` …),
        ``flips_up``, ``flips_down``, ``flips`` (names), ``lowest_name``, ``highest_name`` (the first at a tie).
    """
    level = threshold_of(cube, target, threshold)
    base, perturbed = stats.paired_scores(*cube.scores(target))
    before = stats.labels_at(base, level)
    flips = np.count_nonzero(stats.labels_differ(base, perturbed, level), axis=1)
    names = cube.names["name"].to_numpy()
    quantities = {
        "original": base,
        "mean": stats.nan_mean(perturbed, axis=1),
        **metrics_per("sentence", cube, target, threshold=level),
        "flips_up": np.where(before, 0, flips),
        "flips_down": np.where(before, flips, 0),
        "flips": flips,
        "lowest_name": names[np.where(np.isnan(perturbed), np.inf, perturbed).argmin(axis=1)],
        "highest_name": names[np.where(np.isnan(perturbed), -np.inf, perturbed).argmax(axis=1)],
    }
    counts = {"cells": int(stats.known_pairs(base, perturbed).sum())} | flips_by_chance(cube, target, level)
    return about(cube, target, labelled("sentence", cube, quantities), **counts)


def sentence_words(cube: ScoreCube) -> list[frozenset[str]]:
    """The distinct words of each sentence other than its anchor, in lower case."""
    found = []
    for text, start, end in cube.sentences[["text", "start", "end"]].itertuples(index=False):
        beside = f"{text[: int(start)]} {text[int(end) :]}"
        found.append(frozenset(word.casefold() for word in WORD.findall(beside)))
    return found


def word_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Words typical of the more name-sensitive half of the sentences; `CubeError` for an unknown target.

    One row a word of five sentences or more, largest log-odds first: ``word``, ``sentences``, ``log_odds``, ``low``,
    ``high`` (95 %), ``p_adjusted`` (Holm over the words), ``sensitivity`` (mean over its sentences of the mean change
    of the score). A sentence without a score, or without one for its original, is in neither half.
    """
    families = cube.families
    moved = families.means(stats.sensitivities(*cube.scores(target)))
    words = sentence_words(cube)
    if families.any:  # a word counts once a family, as it does once a sentence
        words = [frozenset().union(*own) for _, own in pd.Series(words).groupby(families.labels)]
    known = np.isfinite(moved)
    words, moved = [own for own, is_known in zip(words, known, strict=True) if is_known], moved[known]
    odds = word_odds(words, moved > np.median(moved))
    means = [float(moved[[word in own for own in words]].mean()) for word in odds.words]
    return pd.DataFrame(odds._asdict()).rename(columns={"words": "word"}).assign(sensitivity=means)


def place_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """How far names move sentences, by the anchor's role, its place in the sentence, and the sentence's length.

    ``what``, ``value``, ``sentences``, ``mean`` (of the mean change of the score, over those that have one), ``low``,
    ``high`` (95 %; NaN for one sentence).
    """
    moved = stats.sensitivities(*cube.scores(target))
    texts = cube.sentences["text"].astype(str)
    through = (cube.sentences["start"] / texts.str.len().clip(lower=1)).to_numpy(float)
    lengths = texts.str.split().str.len().to_numpy()
    labels = {
        "role": cube.sentences["role"].astype(str).to_numpy(),
        "place": np.array(PLACES)[np.minimum(2, (3 * through).astype(int))],
        "length": np.array(LENGTHS)[np.digitize(lengths, (11, 21, 31))],
    }
    own_order = {value: place for place, value in enumerate((*PLACES, *LENGTHS))}
    rows = []
    for what, values in labels.items():
        for value in sorted(set(values), key=lambda value: (own_order.get(value, 0), value)):
            own = moved[values == value]
            interval = stats.mean_interval(own[:, None], families=cube.families.subset(values == value))
            bounds = {"low": float(interval.low[0]), "high": float(interval.high[0])}
            mean = float(stats.nan_mean(own))
            rows.append({"what": what, "value": value, "sentences": len(own), "mean": mean, **bounds})
    return pd.DataFrame(rows)
