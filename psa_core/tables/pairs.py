"""Two results on the same sentences or names: of two models, before and after a change, or by other sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError
from psa_core.methods.score_dev import ScoreDev
from psa_core.methods.score_range import ScoreRange
from psa_core.stats.reliability import TopStability, order_agreement, order_reliability, top_stability
from psa_core.tables.flips import Flips, find_flips
from psa_core.tables.labels import labelled, threshold_of

MIN_LABELLED = 10
BOUNDS = ("low", "high", "p_value")


@dataclass(frozen=True, eq=False)
class MatchedCubes:
    """What two cubes have in common: their shared sentences and names, each in the order of the first.

    ``unmatched_…`` count what of the first cube has no counterpart in the second.
    """

    first: ScoreCube
    second: ScoreCube
    unmatched_sentences: int
    unmatched_names: int

    def changes(self, side: int, target: str) -> np.ndarray:
        """Change from the original in each cell of the first (0) or the second (1) study: float64 (S, N).

        It is a part of the target's range, where that has one.
        """
        cube = (self.first, self.second)[side]
        original, perturbed = (scores.astype(np.float64) for scores in cube.scores(target))
        declared = cube.targets[cube.target_index(target)]
        score_range = float(declared.high - declared.low)
        changes = perturbed - original[:, None]
        return changes / score_range if np.isfinite(score_range) else changes


def paired(now: ScoreCube, before: ScoreCube) -> MatchedCubes:
    """Two results of one study, with the targets that both have; a sentence is the same when id, text and anchor are.

    Raises `CubeError` when they have no sentence, no name or no target in common.
    """
    pair = _matched(now, before, ["sentence_id", "text", "start", "end"])
    for what, count in zip(("sentences", "names"), pair.first.shape, strict=False):
        if not count:
            fix = "Run both with the same sentences, names and seed."
            raise CubeError(f"{what} of the two results", got="none in common", expected="the same study", fix=fix)
    known = {target.name for target in before.targets}
    targets = tuple(target for target in now.targets if target.name in known)
    if not targets:
        got = f"{', '.join(target.name for target in now.targets)}, and before {', '.join(sorted(known))}"
        raise CubeError("targets of the two results", got=got, expected="at least one in common")
    both = []
    for cube in (pair.first, pair.second):
        positions = [cube.target_index(target.name) for target in targets]
        original, perturbed = cube.original[:, positions], cube.perturbed[:, :, positions]
        both.append(replace(cube, targets=targets, original=original, perturbed=perturbed))
    return replace(pair, first=both[0], second=both[1])


def shared_cells(first: ScoreCube, second: ScoreCube) -> MatchedCubes:
    """Two studies of any targets; a sentence is the same when text and anchor are.

    Raises `CubeError` when they have no sentence or no name in common.
    """
    pair = _matched(first, second, ["text", "start", "end"])
    sentences, names, _ = pair.first.shape
    if not (sentences and names):
        raise CubeError(
            "two studies",
            got=f"{sentences} sentences and {names} names in common",
            expected="at least one of each",
            fix="Compare studies of the same sentences and names.",
        )
    return pair


def _matched(first: ScoreCube, second: ScoreCube, same: list[str]) -> MatchedCubes:
    """The common part of two cubes; sentences are those that have the same in these columns."""
    sentences = _matches(first.sentences[same].astype(str), second.sentences[same].astype(str))
    names = _matches(first.names[["name"]], second.names[["name"]])
    one, two = (
        replace(cube, controls=None).rows(sentences[:, side], names[:, side])  # edits count in no comparison
        for side, cube in enumerate((first, second))
    )
    return MatchedCubes(one, two, first.shape[0] - len(sentences), first.shape[1] - len(names))


def _matches(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Positions of equal rows in both tables, int (matches, 2), in the order of the first; a copy matches a copy."""
    keys = [table.assign(copy=table.groupby([*table]).cumcount()) for table in (first, second)]
    wanted, there = map(pd.MultiIndex.from_frame, keys)
    found = there.get_indexer(wanted)
    return np.column_stack([np.flatnonzero(found >= 0), found[found >= 0]])


def change_table(
    pair: MatchedCubes, target: str, *, limit: float, baseline: stats.Baseline = "original", tests: int = 1
) -> pd.DataFrame:
    """Effect of each name before (the second cube) and now, and whether it grew by more than the limit.

    `limit` is how much further from 0 a name's effect may be than before, on the scale of the target; `tests` how many
    targets are judged.

    Returns
    -------
    DataFrame
        N rows: ``name``, group columns; ``before``, ``now`` (effects), ``change`` with ``low`` and ``high`` (95 %),
        ``p_change`` (paired t-test of any change, Holm-corrected), ``p_above`` (`stats.increase_p`, corrected over
        names and targets), ``above`` (at 5 %). Missing p-values, for one sentence, are never above.
    """
    families = pair.first.families
    each = [stats.effect_differences(*cube.scores(target), baseline=baseline) for cube in (pair.first, pair.second)]
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
    return labelled("name", pair.first, quantities)


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
    return labelled("name", cube, quantities)


def new_flips(pair: MatchedCubes, target: str) -> Flips:
    """The flips that are new since the earlier result, at the target's own threshold."""
    now, before = (find_flips(cube, target) for cube in (pair.first, pair.second))
    width = pair.first.shape[1]
    is_new = ~np.isin(now.sentence * width + now.name, before.sentence * width + before.name)
    return replace(now, sentence=now.sentence[is_new], name=now.name[is_new])


def name_agreement(shared: MatchedCubes, targets: tuple[str, str]) -> pd.DataFrame:
    """What each name does in both studies: ``name``, ``first``, ``second`` (mean change over the shared sentences).

    Changes are signed, as parts of the target's range.
    """
    first, second = (stats.mean_by_name(shared.changes(side, target)) for side, target in enumerate(targets))
    return pd.DataFrame({"name": shared.first.names["name"], "first": first, "second": second})


def disagreements(shared: MatchedCubes, targets: tuple[str, str], *, limit: int = 100) -> pd.DataFrame:
    """The cells in which a name moves the two scores most differently, largest difference first.

    ``sentence_position``, ``name_position`` (in the pair), ``name``, ``first``, ``second`` (changes, as a part of
    the target's range), ``disagreement`` (size of their difference).
    """
    first, second = (shared.changes(side, target) for side, target in enumerate(targets))
    distances = np.abs(first - second)
    order = np.argsort(-distances, axis=None, kind="stable")[: min(limit, int((~np.isnan(distances)).sum()))]
    rows, columns = np.unravel_index(order, distances.shape)
    return pd.DataFrame(
        {
            "sentence_position": rows,
            "name_position": columns,
            "name": shared.first.names["name"].to_numpy()[columns],
            "first": first[rows, columns],
            "second": second[rows, columns],
            "disagreement": distances[rows, columns],
        }
    )


def metric_differences(
    shared: MatchedCubes, targets: tuple[str, str], *, thresholds: tuple[float | None, float | None] = (None, None)
) -> pd.DataFrame:
    """Which of two studies is more sensitive, by each metric of Table 2, tested over the sentences that they share.

    `thresholds` are LabelDist's in each study; a target's own where none is given.

    Returns
    -------
    DataFrame
        One row per metric, ``score_dev``, ``score_range`` (as parts of each target's range) and ``label_dist``:
        ``metric``, ``first``, ``second``, ``difference`` (first minus second), ``low``, ``high`` (95 %), ``p_value``
        (see `stats.paired_difference`), ``p_adjusted`` (Holm over the metrics), ``sentences``. LabelDist has no test
        (NaN) where a study labels fewer than ten of the sentences.
    """
    sides: list[dict[str, np.ndarray]] = []
    labelled: list[int] = []
    for side, (cube, target) in enumerate(zip((shared.first, shared.second), targets, strict=True)):
        original, perturbed = cube.scores(target)
        changes, edge = shared.changes(side, target), threshold_of(cube, target, thresholds[side])
        spread = {method.id: method(original, changes) for method in (ScoreDev(), ScoreRange())}
        sides.append(spread | {"label_dist": stats.label_dist_parts(original, perturbed, edge)})
        labelled.append(int(stats.labels_at(original, edge).sum()))
    families = shared.first.families
    rows = []
    for metric in sides[0]:
        first, second = (side[metric] for side in sides)
        found = stats.paired_difference(families.rows(first), families.rows(second))
        tested = metric != "label_dist" or min(labelled) >= MIN_LABELLED
        rows.append(
            {
                "metric": metric,
                "first": float(stats.nan_mean(first)),
                "second": float(stats.nan_mean(second)),
                "difference": found.value,
            }
            | {name: bound if tested else np.nan for name, bound in zip(BOUNDS, found[1:], strict=True)}
        )
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=stats.adjust(table["p_value"]), sentences=len(shared.first.sentences))


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


@dataclass(frozen=True)
class Replicability:
    """How well the ranking of the names replicates.

    ``reliability`` is the rank correlation with the order in another study of as many sentences, see
    `stats.reliability`; ``families`` is None where the sentences come in none.
    """

    reliability: stats.Interval
    stability: TopStability
    sentences: int
    families: int | None = None


@dataclass(frozen=True)
class Agreement:
    """The Spearman correlation of two studies' effects over their shared names.

    ``names`` counts these; ``is_reliable``: both studies rank them beyond what chance gives (see `order_reliability`).
    """

    order: stats.Correlation
    names: int
    is_reliable: bool


def order_replicability(cube: ScoreCube, target: str) -> Replicability:
    """Estimate how well the names' ranking replicates; `CubeError` when the target is unknown."""
    _, perturbed = cube.units(target)
    sentences = len(cube.sentences)
    stability = top_stability(perturbed)
    each = sentences / len(perturbed)
    if each > 1:  # a family is one unit of so many sentences
        stability = stability._replace(sentences=stability.sentences * each)
    families = cube.families.count if cube.families.any else None
    return Replicability(order_reliability(perturbed), stability, sentences, families)


def order_in_both(first: ScoreCube, second: ScoreCube, targets: tuple[str, str]) -> Agreement | None:
    """Whether two studies, of any sentences and models, rank their shared names alike; None if they share none."""
    effects = [
        pd.Series(stats.mean_by_name(cube.scores(target)[1]), index=cube.names["name"].to_numpy())
        for cube, target in zip((first, second), targets, strict=True)
    ]
    shared = [name for name in effects[0].index if name in effects[1].index]
    if not shared:
        return None
    # Names may move together, as women's do; then two orders of pure chance agree, or are opposite, far too often.
    is_reliable = all(
        order_reliability(cube.units(target)[1][:, cube.names["name"].isin(shared).to_numpy()]).low > 0
        for cube, target in zip((first, second), targets, strict=True)
    )
    return Agreement(order_agreement(effects[0][shared], effects[1][shared]), len(shared), is_reliable)
