"""The same study before and after a change of the model: what became of each name and each sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.methods.score_dev import ScoreDev
from psa_core.tables.flips import Flips, find_flips
from psa_core.tables.labels import labelled_names

SAME_SENTENCE = ("sentence_id", "text", "start", "end")


@dataclass(frozen=True, eq=False)
class MatchedCubes:
    """The shared sentences, names and targets of two cubes, each in the same order.

    Attributes
    ----------
    unmatched_sentences, unmatched_names : int
        How many of the later cube have no counterpart in the earlier one.
    """

    now: ScoreCube
    before: ScoreCube
    unmatched_sentences: int
    unmatched_names: int


def paired(now: ScoreCube, before: ScoreCube) -> MatchedCubes:
    """The common part of two cubes; a sentence is the same when its id, text and anchor are.

    Raises
    ------
    CubeError
        When they have no sentence, no name or no target in common.
    """
    keys = [pd.MultiIndex.from_frame(cube.sentences[list(SAME_SENTENCE)].astype(str)) for cube in (now, before)]
    sentences = _shared("sentences", keys[0], keys[1])
    names = _shared("names", pd.Index(now.names["name"]), pd.Index(before.names["name"]))
    known = {target.name for target in before.targets}
    targets = tuple(target for target in now.targets if target.name in known)
    if not targets:
        got = f"{', '.join(target.name for target in now.targets)}, and before {', '.join(sorted(known))}"
        raise CubeError("targets of the two results", got=got, expected="at least one in common")
    return MatchedCubes(
        _part(now, sentences[0], names[0], targets),
        _part(before, sentences[1], names[1], targets),
        now.shape[0] - len(sentences[0]),
        now.shape[1] - len(names[0]),
    )


def change_table(
    pair: MatchedCubes, target: str, *, limit: float, baseline: stats.Baseline = "original", tests: int = 1
) -> pd.DataFrame:
    """Effect of each name before and now, and whether it grew by more than the limit.

    Parameters
    ----------
    limit : float
        How much further from 0 a name's effect may be than before, on the scale of the target.
    tests : int
        How many targets are judged.

    Returns
    -------
    DataFrame
        N rows: ``name``, group columns; ``before``, ``now`` (effects), ``change`` with ``low`` and ``high`` (95 %),
        ``p_change`` (paired t-test of any change, Holm-corrected), ``p_above`` (`stats.increase_p`, corrected over
        names and targets), ``above`` (at 5 %). Missing p-values, for one sentence, are never above.
    """
    families = pair.now.families
    each = [stats.effect_differences(*cube.scores(target), baseline=baseline) for cube in (pair.now, pair.before)]
    change, low, high = stats.mean_interval(each[0] - each[1], families=families)
    later, earlier = map(families.rows, each)
    p_above = stats.increase_p(later, earlier, limit, tests=tests)
    quantities = {
        "before": earlier.mean(axis=0),
        "now": later.mean(axis=0),
        "change": change,
        "low": low,
        "high": high,
        "p_change": stats.adjust(stats.paired_t_p(later - earlier), "holm"),
        "p_above": p_above,
        "above": p_above < stats.SIGNIFICANT,
    }
    return labelled_names(pair.now, quantities)


def limit_table(cube: ScoreCube, target: str, *, limit: float, baseline: stats.Baseline = "original") -> pd.DataFrame:
    """Which names of one result significantly move the mean score by more than a limit, on the scale of the target.

    Returns
    -------
    DataFrame
        N rows: ``name``, group columns, ``score_sens``, ``p_above`` (corrected over names and all targets of the cube),
        ``above`` (at 5 %). Missing p-values, for one sentence or too few families, are never above.
    """
    differences = stats.effect_differences(*cube.units(target), baseline=baseline)
    tests = len(cube.targets)
    over_limit = stats.increase_p(differences, np.zeros_like(differences), limit, tests=tests)
    if baseline == "original":
        over_zero = np.minimum(1.0, stats.original_p(differences) * tests)
    else:
        effects = stats.name_effects(cube.units(target)[1])
        over_zero = np.minimum(1.0, stats.adjust(effects.p_value, "holm") * tests)
    p_above = np.maximum(over_limit, over_zero)
    quantities = {"score_sens": differences.mean(axis=0), "p_above": p_above, "above": p_above < stats.SIGNIFICANT}
    return labelled_names(cube, quantities)


def new_flips(pair: MatchedCubes, target: str) -> Flips:
    """The flips that are new since the earlier result, at the target's own threshold."""
    now, before = (find_flips(cube, target) for cube in (pair.now, pair.before))
    width = pair.now.shape[1]
    is_new = ~np.isin(now.sentence * width + now.name, before.sentence * width + before.name)
    return replace(now, sentence=now.sentence[is_new], name=now.name[is_new])


def _shared(what: str, now: pd.Index, before: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the shared items in both, in the order of the later one."""
    where = before.get_indexer(now)
    if not (where >= 0).any():
        fix = "Run both with the same sentences, names and seed."
        raise CubeError(f"{what} of the two results", got="none in common", expected="the same study", fix=fix)
    return np.flatnonzero(where >= 0), where[where >= 0]


def _part(cube: ScoreCube, sentences: np.ndarray, names: np.ndarray, targets: tuple[Target, ...]) -> ScoreCube:
    positions = np.array([cube.target_index(target.name) for target in targets])
    return replace(
        cube,
        sentences=cube.sentences.iloc[sentences].reset_index(drop=True),
        names=cube.names.iloc[names].reset_index(drop=True),
        targets=targets,
        original=cube.original[np.ix_(sentences, positions)],
        perturbed=cube.perturbed[np.ix_(sentences, names, positions)],
    )


def names_before_after(before: ScoreCube, after: ScoreCube, target: str) -> pd.DataFrame:
    """The effect of each name against the names' mean, before and after, in two cubes of the same sentences and names.

    ``name, before, after``, signed, on the target's scale; the largest before comes first.
    """
    scores = _perturbed(before, after, target)
    effects = [stats.mean_by_name(values) - stats.nan_mean(values) for values in scores]
    table = pd.DataFrame({"name": before.names["name"], "before": effects[0], "after": effects[1]})
    return table.sort_values("before", key=abs, ascending=False, kind="stable").reset_index(drop=True)


def sentences_before_after(before: ScoreCube, after: ScoreCube, target: str, *, threshold: float) -> pd.DataFrame:
    """How far names move the score of each sentence, and how many of them change its label, before and after.

    ``text, spread_before, spread_after`` (standard deviation over names), ``flips_before, flips_after`` (names with
    another label than the sentence as it is); the largest spread before comes first.
    """
    table = pd.DataFrame({"text": before.sentences["text"]})
    for cube, values, when in zip((before, after), _perturbed(before, after, target), ("before", "after"), strict=True):
        table[f"spread_{when}"] = ScoreDev()(np.zeros(len(values)), values)
        table[f"flips_{when}"] = stats.labels_differ(*cube.scores(target), threshold).sum(axis=1)
    ordered = table.sort_values("spread_before", ascending=False, kind="stable").reset_index(drop=True)
    return ordered[["text", "spread_before", "spread_after", "flips_before", "flips_after"]]


def spread_change(before: ScoreCube, after: ScoreCube, target: str) -> stats.Difference:
    """The decrease of ScoreDev (before minus after), and whether it is significant; see `stats.paired_difference`."""
    first, second = (ScoreDev()(np.zeros(len(values)), values) for values in _perturbed(before, after, target))
    return stats.paired_difference(before.families.rows(first), before.families.rows(second))


def _perturbed(before: ScoreCube, after: ScoreCube, target: str) -> list[np.ndarray]:
    """Both perturbed scores, float64 (S, N); `CubeError` when the sentences or names differ."""
    for what, column in (("sentences", "text"), ("names", "name")):
        rows = [getattr(cube, what)[column].tolist() for cube in (before, after)]
        if rows[0] != rows[1]:
            raise CubeError(what, got="others after the change", expected="the same before and after")
    return [cube.scores(target)[1].astype(np.float64) for cube in (before, after)]
