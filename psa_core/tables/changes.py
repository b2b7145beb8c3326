"""Two results of the same study, before and now: what each name does beyond what it did."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube, Target
from psa_core.errors import CubeError
from psa_core.tables.flips import Flips, find_flips
from psa_core.tables.labels import labelled_names

SAME_SENTENCE = ("sentence_id", "text", "start", "end")


@dataclass(frozen=True, eq=False)
class MatchedCubes:
    """What two cubes have in common: sentences, names and targets, each in the same order.

    Attributes
    ----------
    now, before : ScoreCube
    lone_sentences, lone_names : int
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
    pair : MatchedCubes
    target : str
    limit : float
        How much further from 0 a name's effect may be than before, on the scale of the target.
    baseline : {"original", "names"}
        What effects are measured against, as for `tables.name_table`.
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


def limit_table(cube: ScoreCube, target: str, *, limit: float) -> pd.DataFrame:
    """Which names of one result are shown to move the mean score by more than a limit.

    Returns
    -------
    DataFrame
        N rows: ``name``, group columns, ``score_sens``, ``p_above`` (corrected over names and all targets of the cube),
        ``above`` (at 5 %). Missing p-values, for one sentence or too few families, are never above.
    """
    differences = stats.baseline_differences(*cube.units(target))
    tests = len(cube.targets)
    over_limit = stats.increase_p(differences, np.zeros_like(differences), limit, tests=tests)
    over_zero = np.minimum(1.0, stats.original_p(differences) * tests)
    p_above = np.maximum(over_limit, over_zero)
    quantities = {"score_sens": differences.mean(axis=0), "p_above": p_above, "above": p_above < stats.SIGNIFICANT}
    return labelled_names(cube, quantities)


def new_flips(pair: MatchedCubes, target: str) -> Flips:
    """The flips that are there now and were not before, at the target's own threshold."""
    now, before = (find_flips(cube, target) for cube in (pair.now, pair.before))
    width = pair.now.shape[1]
    is_new = ~np.isin(now.sentence * width + now.name, before.sentence * width + before.name)
    return replace(now, sentence=now.sentence[is_new], name=now.name[is_new])


def _shared(what: str, now: pd.Index, before: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """Positions, in both, of what is in both, in the order of the later one."""
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
