"""One row per name: effect, interval, test and label changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from psa_core import anchors, stats
from psa_core.cube import ScoreCube
from psa_core.stats.families import MIN_FAMILIES
from psa_core.tables.labels import about, labelled, metrics_per, sample_size, threshold_of


def name_table(
    cube: ScoreCube,
    target: str,
    *,
    baseline: stats.Baseline = "original",
    correction: str = "holm",
    threshold: float | None = None,
    effects: Mapping[str, np.ndarray] | None = None,
) -> pd.DataFrame:
    """Mean effect of each name with interval, test, effect size and label changes.

    Parameters
    ----------
    baseline : {"original", "names"}
        What `score_sens` is measured against: the original score (the paper), or the typical name (the median over
        names of their mean scores). Labels are compared with the original ones in both cases.
    correction : {"none", "bonferroni", "holm", "fdr_bh"}
        Over the names of the list.
    effects : mapping, optional
        What `effect_columns` gave for this target, baseline and correction, so that names are not tested again.

    Returns
    -------
    DataFrame
        N rows in the order of the list: ``name``, group columns, ``score_sens`` (signed), ``ci_low``, ``ci_high``
        (95 %), ``p_value`` (paired t; against the names see `stats.name_effects`), ``p_adjusted`` (against the original
        see `stats.original_p`, which asks the other names too), ``effect_size`` (d_z), ``label_dist``, ``flips_up``,
        ``flips_down`` (sentences), ``n`` (sentences), ``families`` (how many they come in, where they do), one column
        for every other plug-in with one value per name
        (``flip_share`` …). NaN where one sentence cannot tell. Under six sentences no name is sure against the
        original: so few can agree by chance.

    Raises
    ------
    CubeError, OptionError
        When the target, the baseline or the correction is unknown.
    """
    original, perturbed = cube.scores(target)
    level = threshold_of(cube, target, threshold)
    plug_ins = metrics_per("name", cube, target, threshold=level)
    labels = stats.threshold_grid(original, perturbed, level)
    quantities = {
        **(effect_columns(cube, target, baseline=baseline, correction=correction) if effects is None else effects),
        "label_dist": labels.label_dist[:, 0],
        "flips_up": labels.flips_up[:, 0],
        "flips_down": labels.flips_down[:, 0],
        **sample_size(cube, len(cube.names)),
    }
    quantities |= {name: values for name, values in plug_ins.items() if name not in quantities}
    means = stats.mean_by_name(perturbed)
    before = float(stats.nan_mean(original) if baseline == "original" else np.nanmedian(means))
    return about(cube, target, labelled("name", cube, quantities), before=before)


def effect_columns(
    cube: ScoreCube, target: str, *, baseline: stats.Baseline = "original", correction: str = "holm"
) -> dict[str, np.ndarray]:
    """The columns of `name_table` that no threshold changes, float64 (N,): effects with their tests, which take long.

    ``score_sens``, ``ci_low``, ``ci_high``, ``p_value``, ``p_adjusted``, ``effect_size``.
    """
    original, perturbed = cube.scores(target)
    families = cube.families
    differences = stats.baseline_differences(original, perturbed, baseline=baseline)
    if baseline == "names":
        effect = stats.name_effects(families.rows(perturbed))
        value, low, high, p_value, standardised = effect[:5]
        adjusted = stats.adjust(p_value, correction)
    else:
        value, low, high = stats.mean_interval(differences, families=families)
        units = families.rows(differences)
        p_value, standardised = stats.paired_t_p(units), stats.standardised_effect(differences)
        adjusted = stats.original_p(units, correction)
        if len(units) < MIN_FAMILIES:
            adjusted = np.maximum(adjusted, 2.0 ** (1 - len(units)))
    columns = {"score_sens": value, "ci_low": low, "ci_high": high, "p_value": p_value}
    return columns | {"p_adjusted": adjusted, "effect_size": standardised}


def default_baseline(cube: ScoreCube) -> stats.Baseline:
    """The default baseline of effects.

    Sentences with a slot have no original, only a neutral filler, so there names are compared with names.
    """
    has_original = anchors.kind(str(cube.asked.get("anchors", ""))).has_original
    return "original" if has_original or len(cube.names) == 1 else "names"


def name_file_table(cube: ScoreCube, target: str) -> pd.DataFrame:
    """Both baselines side by side, as in ``names.csv``.

    As `name_table`, with ``score_sens_size`` for its ``effect_size``, and ``effect``, ``effect_low``, ``effect_high``,
    ``effect_p_adjusted``, ``effect_size``: the same against the typical name, Holm-corrected. Missing for a list of one
    name.
    """
    columns = ["effect", "effect_low", "effect_high", "effect_p_adjusted", "effect_size"]
    # A reader's own column that is called like one of these; `name_table` has seen to ``effect_size``.
    taken = {*columns, "score_sens_size"} - {"effect_size"}
    groups = {column: f"{column} (group)" for column in cube.names.columns if column in taken}
    table = name_table(cube, target).rename(columns={"effect_size": "score_sens_size"} | groups)
    if len(table) < 2:
        return table.assign(**dict.fromkeys(columns, np.nan))
    against_names = name_table(cube, target, baseline="names")
    measured = against_names[["score_sens", "ci_low", "ci_high", "p_adjusted", "effect_size"]]
    return table.assign(**dict(zip(columns, measured.to_numpy().T, strict=True)))


def name_test_table(
    cube: ScoreCube,
    target: str,
    *,
    baseline: stats.Baseline = "original",
    correction: str = "holm",
    margin: float | None = None,
) -> pd.DataFrame:
    """Further tests of each name's effect: second opinions by ranks, and equivalence to no effect within a margin.

    Arguments are those of `name_table`; `margin` is the largest mean difference that would not matter, on the scale of
    the target.

    Returns
    -------
    DataFrame
        N rows: ``name``, group columns; ``families`` (how many the sentences come in, where they do); ``p_rank``,
        ``p_rank_adjusted`` (against the original the sign test, against the names a permutation test of ranks within
        sentences); ``p_signed_rank``, ``p_signed_rank_adjusted``
        (Wilcoxon's test: NaN against the names and wherever differences are not symmetric, as it presumes). With a
        margin also ``p_equivalence``, ``p_equivalence_adjusted``, ``equivalent`` (at 5 %) and ``needed`` (sentences
        that it takes at least to show equivalence).

    Raises as `name_table`; `OptionError` when the margin is not positive.
    """
    original, perturbed = cube.units(target)
    differences = stats.effect_differences(original, perturbed, baseline=baseline)
    ranks = stats.second_opinion_p(original, perturbed, baseline=baseline)
    signed = np.full(len(ranks), np.nan) if baseline == "names" else stats.signed_rank_p(differences)
    quantities = {
        **{column: counts for column, counts in sample_size(cube, len(ranks)).items() if column == "families"},
        "p_rank": ranks,
        "p_rank_adjusted": stats.adjust(ranks, correction),
        "p_signed_rank": signed,
        "p_signed_rank_adjusted": stats.adjust(signed, correction),
    }
    if margin is not None:
        declared = cube.targets[cube.target_index(target)]
        score_range = float(declared.high - declared.low)
        error = stats.name_effects(perturbed).error if baseline == "names" else None
        widest = score_range * cube.families.largest_share
        p_values = stats.equivalence_p(differences, margin, score_range=widest, error=error)
        adjusted = stats.adjust(p_values, correction)
        needed = stats.equivalence_sentences(margin, score_range, len(p_values))
        quantities |= {
            "p_equivalence": p_values,
            "p_equivalence_adjusted": adjusted,
            "equivalent": adjusted < stats.SIGNIFICANT,
            "needed": np.full(len(p_values), needed),
        }
    return labelled("name", cube, quantities)
