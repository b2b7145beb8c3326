"""Individual and group fairness with what chance alone would show, the part beyond it, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats as distributions

from psa_core.stats.dealing import DEALS, Deals, deal
from psa_core.stats.significance import adjust
from psa_core.stats.transport import disparities, group_fairness, pairs, pairwise_w1

SIGNIFICANT = 0.05
CONFIDENCE = 0.95
# With fewer templates than this, parts of the continuations stand in for them in intervals.
FEW_TEMPLATES = 4
PARTS = 10
PRECISION = 0.2


@dataclass(frozen=True)
class Fairness:
    """One number of an audit.

    Attributes
    ----------
    value : float
        The plug-in: 0 = no difference, but noise alone makes it larger.
    floor : float
        Mean of the same number with values dealt at random.
    corrected : float
        √(value² − floor²); 0 where the value is below its floor.
    low, high : float
        Interval of the corrected value, over templates and continuations.
    p : float
        Share of dealt audits that reach the value.
    needed : float
        Continuations of each prompt for an interval of ± 20 % of the corrected value; NaN where it is not above noise.
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


@dataclass(frozen=True, eq=False)
class Measures:
    """Everything that is measured of one scorer's scores.

    Attributes
    ----------
    individual, group, disparity : Fairness
    w1 : float64 array (M, P)
        Of each template and pair.
    pair_floors, pair_p : float64 arrays (M, P)
        Floor and p-value of each.
    mean_w1, mean_floors, mean_corrected, mean_p, mean_disparity : float64 arrays (P,)
        Of each pair over all templates.
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
    scores: np.ndarray, groups: Sequence[str], *, threshold: float = 0.5, deals: int = DEALS, seed: int = 0
) -> Measures:
    """Measure one scorer's scores.

    Parameters
    ----------
    scores : float array (M, A, K)
        In [0, 1]; NaN where a continuation was left out.
    groups : sequence of str, length A
        The subgroup of each value, for G.F.
    threshold : float
        For demographic disparity.
    deals, seed : int
    """
    dealt = deal(scores, groups, threshold=threshold, deals=deals, seed=seed)
    w1 = np.array([pairwise_w1(template) for template in scores])
    mean_w1, mean_disparity = np.nanmean(w1, axis=0), disparities(scores, threshold)
    relative = _relative_noise(scores, dealt)
    template_floor = dealt.template_pairs.mean(axis=(1, 2))
    pair_floors = template_floor[:, None] * relative
    pair_p = np.array(
        [_tail(null.ravel(), row / scale) for null, row, scale in zip(dealt.template_pairs, w1, relative, strict=True)]
    )
    mean_floors = pair_floors.mean(axis=0)
    overall = mean_floors / max(float(template_floor.mean()), 1e-300)
    return Measures(
        _individual(scores, w1, dealt),
        _group(scores, groups, dealt),
        _fairness(
            float(np.nanmean(mean_disparity)), dealt.disparity, dealt.observed[2], _disparity_parts(scores, threshold)
        ),
        w1,
        pair_floors,
        pair_p,
        mean_w1,
        mean_floors,
        beyond(mean_w1, mean_floors),
        _tail(dealt.pair_means.ravel(), mean_w1 / np.where(overall > 0, overall, 1)),
        mean_disparity,
    )


def beyond(value: np.ndarray | float, floor: np.ndarray | float) -> np.ndarray:
    """The part of a distance that noise does not explain: √(value² − floor²), 0 where the value is below its floor."""
    return np.sqrt(np.maximum(np.square(value) - np.square(floor), 0.0))


def corrected_p(p_values: np.ndarray) -> np.ndarray:
    """p-values corrected for their number (Holm), in their shape."""
    return adjust(np.asarray(p_values).ravel(), "holm").reshape(np.shape(p_values))


def _individual(scores: np.ndarray, w1: np.ndarray, dealt: Deals) -> Fairness:
    per_template = np.nanmean(w1, axis=1)
    if len(scores) >= FEW_TEMPLATES:
        floors = dealt.template_pairs.mean(axis=(1, 2))
        parts = (_left_out(per_template), _left_out(floors))
    else:
        parts = _continuation_parts(
            scores, lambda some: float(np.nanmean([pairwise_w1(template) for template in some])), dealt.individual
        )
    return _fairness(float(per_template.mean()), dealt.individual, dealt.observed[0], parts)


def _group(scores: np.ndarray, groups: Sequence[str], dealt: Deals) -> Fairness:
    value = group_fairness(scores, groups)
    m = len(scores)
    if m >= FEW_TEMPLATES:
        without = [group_fairness(np.delete(scores, t, axis=0), groups) for t in range(m)]
        parts = (np.array(without), np.full(m, dealt.group.mean() * np.sqrt(m / (m - 1))))
    else:
        parts = _continuation_parts(scores, lambda some: group_fairness(some, groups), dealt.group)
    return _fairness(value, dealt.group, dealt.observed[1], parts)


def _disparity_parts(scores: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(scores)
    counts = np.maximum(known.sum(axis=2), 1)
    shares = (known & (scores.astype(np.float64) >= threshold)).sum(axis=2) / counts
    first, second = pairs(scores.shape[1])
    per_template = np.abs(shares[:, first] - shares[:, second]).mean(axis=1)
    if len(per_template) < 2:
        return per_template, np.zeros(1)
    return _left_out(per_template), np.zeros(len(per_template))


def _continuation_parts(scores: np.ndarray, measure_of: object, null: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number without each tenth of the continuations, and its floor."""
    k = scores.shape[2]
    tenths = np.array_split(np.arange(k), min(PARTS, k))
    if len(tenths) < 2:
        return np.full(1, np.nan), np.zeros(1)
    assert callable(measure_of)
    without = np.array([measure_of(np.delete(scores, tenth, axis=2)) for tenth in tenths])
    return without, np.array([null.mean() * np.sqrt(k / (k - len(tenth))) for tenth in tenths])


def _left_out(per_part: np.ndarray) -> np.ndarray:
    """Mean of the others, for each part."""
    return np.asarray((per_part.sum() - per_part) / (len(per_part) - 1))


def _fairness(value: float, null: np.ndarray, observed: float, parts: tuple[np.ndarray, np.ndarray]) -> Fairness:
    """A number with its floor, p-value and jackknife interval from the number and floor without each part."""
    floor = float(null.mean())
    corrected = float(beyond(value, floor))
    p = float(_tail(null, np.array([observed]))[0])
    without = beyond(*parts)
    n = len(without)
    if n < 2 or not np.isfinite(without).all():
        return Fairness(value, floor, corrected, float("nan"), float("nan"), p)
    error = float(np.sqrt((n - 1) / n * np.square(without - without.mean()).sum()))
    half = float(distributions.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Fairness(value, floor, corrected, max(0.0, corrected - half), corrected + half, p)


def _relative_noise(scores: np.ndarray, dealt: Deals) -> np.ndarray:
    """How much more noise two values' own distance has than two dealt values', (M, P): fewer or wider scores."""
    counts = np.isfinite(scores).sum(axis=2).astype(np.float64)
    first, second = pairs(scores.shape[1])
    with np.errstate(divide="ignore"):
        fewer = np.sqrt((1 / counts[:, first] + 1 / counts[:, second]) / (2 / counts.mean(axis=1, keepdims=True)))
    wider = dealt.pair_spread / np.where(dealt.spread > 0, dealt.spread, 1)[:, None]
    found = np.where(np.isfinite(fewer), fewer, 1) * wider
    return np.where(found > 0, found, 1.0)


def _tail(null: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Share of chance values that reach each value, the value itself counted among them; NaN stays NaN."""
    ordered = np.sort(null)
    reached = len(ordered) - np.searchsorted(ordered, np.asarray(values) * (1 - 1e-7), side="left")
    return np.where(np.isfinite(values), (1 + reached) / (1 + len(ordered)), np.nan)
