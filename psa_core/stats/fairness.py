"""Individual and group fairness with noise floor, corrected value and interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import stats as distributions
from scipy.special import erf

from psa_core.stats.families import Families
from psa_core.stats.means import CONFIDENCE, SIGNIFICANT
from psa_core.stats.scores import just_above, nan_mean
from psa_core.stats.wasserstein import (
    N_PERMUTATIONS,
    NullDistribution,
    disparities,
    group_fairness,
    group_null,
    pairwise_w1,
    permute,
    scarcity,
)

# With fewer templates than this, parts of the continuations stand in for them in intervals.
FEW_TEMPLATES = 4
_FOLDED = np.sqrt(2 / np.pi)
_DIFFERENCES = np.linspace(0, 12, 4801)
_MEASURED = _DIFFERENCES * erf(_DIFFERENCES / np.sqrt(2)) / _FOLDED + np.exp(-np.square(_DIFFERENCES) / 2)
PARTS = 10
# Share of the jackknife over continuations in the variance of I.F.
STEADY = 1 / 3
PRECISION = 0.2


@dataclass(frozen=True)
class Fairness:
    """One fairness number of an audit: the plug-in ``value`` (0 = no difference, but noise alone makes it larger).

    ``floor`` is its mean with the scores permuted among the values; ``corrected`` is √(value² − floor²), 0 below the
    floor (I.F. far above its floor: see `noise_corrected_audit`), with the interval ``low, high`` over templates and
    continuations; ``p`` the share of permuted audits that reach the value; ``needed`` the continuations of each prompt
    for an interval of ± 20 % of the corrected value, NaN where it is not above noise.
    """

    value: float
    floor: float
    corrected: float
    low: float
    high: float
    p: float
    needed: float = float("nan")

    @property
    def above_noise(self) -> bool:
        """Whether the permutation test finds a difference; where it does not, no number should be shown."""
        return self.p < SIGNIFICANT


class Measures(NamedTuple):
    """All measurements of one scorer's scores.

    ``w1``, ``pair_floors`` and ``pair_p`` are those of each template and pair, float64 (M, P); ``mean_…`` those of each
    pair over all templates, (P,).
    """

    individual: Fairness
    group: Fairness
    disparity: Fairness
    w1: np.ndarray
    pair_floors: np.ndarray
    pair_p: np.ndarray
    mean_w1: np.ndarray
    mean_floors: np.ndarray
    mean_corrected: np.ndarray
    mean_p: np.ndarray
    mean_disparity: np.ndarray


def measure(
    scores: np.ndarray,
    groups: Sequence[str],
    *,
    threshold: float = 0.5,
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
    families: Families | None = None,
) -> Measures:
    """Compute all measurements of one scorer's scores (M, A, K), in [0, 1]; NaN where a continuation was left out.

    `groups` has the subgroup of each value, for G.F.; demographic disparity is of the share of scores above the
    threshold. Intervals count a family of templates (near-copies) once; p-values need not, since values are permuted
    inside each template.
    """
    families = families or Families.none(len(scores))
    # Above, not at it: a text without any opinion word scores exactly the middle, and half of all texts have none.
    threshold = just_above(threshold, scores[np.isfinite(scores)])
    null = permute(scores, groups, threshold=threshold, n_permutations=n_permutations, seed=seed)
    w1 = np.array([pairwise_w1(template) for template in scores])
    mean_w1, mean_disparity = nan_mean(w1, axis=0), nan_mean(disparities(scores, threshold), axis=0)
    # How much more noise two values' own distance has than two permuted values', (M, P): fewer or wider scores. NaN
    # where one of them has no score.
    wider = null.pair_spread / np.where(null.spread > 0, null.spread, 1)[:, None]
    relative = scarcity(np.isfinite(scores).sum(axis=2)) * wider
    relative = np.where(relative == 0, 1.0, relative)
    template_floor = _template_floors(null)
    pair_floors = template_floor[:, None] * relative
    pair_p = np.array(
        [_tail(null.ravel(), row / scale) for null, row, scale in zip(null.template_pairs, w1, relative, strict=True)]
    )
    mean_floors = nan_mean(pair_floors, axis=0)
    overall = mean_floors / np.fmax(nan_mean(template_floor), 1e-300)
    return Measures(
        _individual(scores, w1, pair_floors, null, families),
        _group(scores, groups, null.group, null.observed[1], families),
        _jackknifed(
            scores,
            lambda part: float(nan_mean(disparities(part, threshold))),
            null.disparity,
            null.observed[2],
            families,
        ),
        w1,
        pair_floors,
        pair_p,
        mean_w1,
        mean_floors,
        noise_corrected_pair(mean_w1, mean_floors),
        _tail(null.pair_means.ravel(), mean_w1 / np.where(overall > 0, overall, 1)),
        mean_disparity,
    )


def measure_groups(
    scores: np.ndarray,
    groups: Sequence[str],
    *,
    n_permutations: int = N_PERMUTATIONS,
    seed: int = 0,
    families: Families | None = None,
) -> Fairness:
    """G.F. of one grouping of the values: whole values are permuted, as names differ without their group."""
    observed, null = group_null(scores, groups, n_permutations=n_permutations, seed=seed)
    return _group(scores, groups, null, observed, families or Families.none(len(scores)))


def _group(
    scores: np.ndarray, groups: Sequence[str], null: np.ndarray, observed: float, families: Families
) -> Fairness:
    # What values differ by among themselves is most of the floor of groups, and templates do not lessen it.
    is_each_its_own = len(set(groups)) == scores.shape[1]
    return _jackknifed(
        scores, lambda part: group_fairness(part, groups), null, observed, families, by_size=is_each_its_own
    )


def noise_corrected(value: np.ndarray | float, floor: np.ndarray | float) -> np.ndarray:
    """The part of a distance that noise does not explain: √(value² − floor²), 0 where the value is below its floor."""
    return np.sqrt(np.maximum(np.square(value) - np.square(floor), 0.0))


def noise_corrected_pair(value: np.ndarray | float, floor: np.ndarray | float) -> np.ndarray:
    """The same for the distance of two values: the distance that, with noise of this size, is measured as the value.

    One difference d with normal noise s is measured as E|d + s z|, which nears |d| faster than √(d² + s²) does: over
    many pairs, whose differences spread around 0, the quadrature is right; for one pair it takes off 10 to 20 % too
    much.
    """
    return np.maximum(_unfolded(value, floor), 0.0)


def noise_corrected_audit(w1: np.ndarray, pair_floors: np.ndarray, template_floors: np.ndarray) -> float:
    """The part of I.F. that noise does not explain; as much less than 0 below the floor, for intervals.

    Where noise is large (the quadrature is at most its floor) this is √(I.F.² − floor²). From there to twice the floor
    it goes over to the mean of the pairs, each corrected alone: then pairs that differ and pairs that do not are told
    apart, and no shape of the differences need be presumed. Two values alone are one pair. `w1` and `pair_floors` are
    (M, P), `template_floors` (M,).
    """
    floor = float(nan_mean(np.where(np.isfinite(w1), template_floors[:, None], np.nan)))
    squares = float(nan_mean(w1)) ** 2 - floor**2
    in_quadrature = float(np.copysign(np.sqrt(abs(squares)), squares))
    by_pair = float(nan_mean(_unfolded(nan_mean(w1, axis=0), nan_mean(pair_floors, axis=0))))
    share = 1.0 if w1.shape[1] == 1 else float(np.clip(in_quadrature / floor - 1, 0, 1)) if floor else 1.0
    return (1 - share) * in_quadrature + share * by_pair


def _unfolded(value: np.ndarray | float, floor: np.ndarray | float) -> np.ndarray:
    """|d| from E|d + s z| with E|s z| = floor; as much less than 0 below the floor, so that chance cancels in means."""
    value, floor = np.broadcast_arrays(np.asarray(value, np.float64), np.asarray(floor, np.float64))
    away = np.abs(value - floor)
    ratio = 1 + np.divide(away, floor, out=np.full(value.shape, np.inf), where=floor > 0)
    folded = np.interp(ratio, _MEASURED, _DIFFERENCES) * floor / _FOLDED
    return np.where(ratio < _MEASURED[-1], folded, away + floor) * np.where(value < floor, -1.0, 1.0)


def _individual(
    scores: np.ndarray, w1: np.ndarray, pair_floors: np.ndarray, null: NullDistribution, families: Families
) -> Fairness:
    value, floor = float(nan_mean(w1)), float(null.individual.mean())
    numbers = (w1, pair_floors, _template_floors(null))
    by_continuation = np.array(
        [
            noise_corrected_audit(np.array(list(map(pairwise_w1, part))), *(noisier * floors for floors in numbers[1:]))
            for part, noisier in _without_tenths(scores)
        ]
    )
    corrected, of_continuations = noise_corrected_audit(*numbers), _jackknife_error(by_continuation)
    error, parts = of_continuations, PARTS
    if families.count >= FEW_TEMPLATES:
        parts = families.count
        without = [noise_corrected_audit(*(each[families.labels != f] for each in numbers)) for f in range(parts)]
        by_template = _jackknife_error(np.array(without))
        # Templates say all, but few of them say it badly; continuations say less, steadily.
        pooled = float(np.sqrt((1 - STEADY) * by_template**2 + STEADY * error**2))
        error = pooled if np.isfinite(error) else by_template
    found = _with_interval(value, floor, corrected, float(_tail(null.individual, null.observed[0])), (error, parts))
    if not found.above_noise or not found.corrected or not np.isfinite(of_continuations):
        return found
    # Continuations at which sampling them again would move the corrected value by at most 20 % (95 %).
    half = float(distributions.norm.ppf((1 + CONFIDENCE) / 2)) * of_continuations / found.corrected
    return replace(found, needed=float(max(1, np.ceil(scores.shape[2] * (half / PRECISION) ** 2))))


def _jackknifed(
    scores: np.ndarray,
    statistic: Callable[[np.ndarray], float],
    null: np.ndarray,
    observed: float,
    families: Families,
    *,
    by_size: bool = False,
) -> Fairness:
    """A statistic with its interval over families of templates, or over continuations where these are few.

    `by_size`: its noise grows when templates are left out.
    """
    value, floor, m = statistic(scores), float(null.mean()), len(scores)
    if families.count >= FEW_TEMPLATES:
        kept = [families.labels != family for family in range(families.count)]
        parts = [(scores[some], float(np.sqrt(m / some.sum())) if by_size else 1.0) for some in kept]
    else:
        parts = list(_without_tenths(scores))
    without = np.array([float(noise_corrected(statistic(part), noisier * floor)) for part, noisier in parts])
    error = (_jackknife_error(without), len(without))
    return _with_interval(value, floor, float(noise_corrected(value, floor)), float(_tail(null, observed)), error)


def _without_tenths(scores: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """The scores without each tenth of the continuations, and how much larger noise is then."""
    k = scores.shape[2]
    for tenth in np.array_split(np.arange(k), PARTS) if k >= PARTS else ():
        yield np.delete(scores, tenth, axis=2), float(np.sqrt(k / (k - len(tenth))))


def _with_interval(value: float, floor: float, corrected: float, p: float, spread: tuple[float, int]) -> Fairness:
    """A number with its jackknife interval, from the standard error and the number of parts that it comes from."""
    error, parts = spread
    half = float(distributions.t.ppf((1 + CONFIDENCE) / 2, parts - 1)) * error
    low, high = np.maximum(0.0, [corrected - half, corrected + half]).tolist()
    return Fairness(value, floor, max(0.0, corrected), low, high, p)


def _jackknife_error(without: np.ndarray) -> float:
    """Standard error from a number's values without each part; NaN from fewer than two."""
    n = len(without)
    if n < 2:
        return float("nan")
    return float(np.sqrt((n - 1) / n * np.square(without - without.mean()).sum()))


def _template_floors(null: NullDistribution) -> np.ndarray:
    """Mean W1 of the permuted pairs of each template, float64 (M,); NaN where fewer than two values have scores."""
    return np.array([nan_mean(each) for each in null.template_pairs])


def _tail(null: np.ndarray, values: np.ndarray | float) -> np.ndarray:
    """Share of chance values that reach each value, the value itself counted among them; NaN stays NaN."""
    ordered = np.sort(null[np.isfinite(null)])
    reached = len(ordered) - np.searchsorted(ordered, np.asarray(values) * (1 - 1e-7), side="left")
    return np.where(np.isfinite(values), (1 + reached) / (1 + len(ordered)), np.nan)
