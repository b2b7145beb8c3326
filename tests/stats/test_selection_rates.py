from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from psa_core.errors import PsaError
from psa_core.inputs.groups import parse_select
from psa_core.stats import Families
from psa_core.stats.selection_rates import select_at, select_top, selection_rates

RANDOM = np.random.default_rng(8)
NAN = float("nan")


def sets(labels: str) -> list[np.ndarray]:
    return [np.array(list(labels)) == label for label in dict.fromkeys(labels)]


def test_ties_share_the_last_places() -> None:
    chosen = select_top([[0.3, 0.3, 0.3, 0.1], [0.9, 0.1, 0.5, NAN]], 2)
    assert chosen[0].tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])
    assert chosen[1, :3].tolist() == [1, 0, 1] and np.isnan(chosen[1, 3])
    assert np.nansum(select_top(RANDOM.integers(0, 4, (30, 9)) / 4, 4), axis=1) == pytest.approx(4)
    assert select_top([[0.5, NAN, NAN]], 2)[0, 0] == 1


def test_rates_and_ratios_equal_pandas() -> None:
    scores, labels = RANDOM.random((50, 12)), np.array(list("aaaabbbbcccc"))
    scores[3, 2] = scores[7, 9] = NAN
    found = selection_rates(select_at(scores, 0.5), sets("aaaabbbbcccc"))
    long = pd.DataFrame(scores, columns=labels).melt(var_name="group").dropna()
    expected = (long["value"] >= 0.5).groupby(long["group"]).agg(["size", "sum", "mean"])
    assert found.texts.tolist() == expected["size"].tolist() == [199, 200, 199]
    assert found.selected.tolist() == expected["sum"].tolist()
    assert found.rate == pytest.approx(expected["mean"].to_numpy())
    assert found.impact_ratio == pytest.approx((expected["mean"] / expected["mean"].max()).to_numpy())
    highest = int(np.argmax(found.rate))
    assert np.isnan(found.low[highest]) and found.impact_ratio[highest] == 1
    others = np.arange(3) != highest
    assert (found.low[others] < found.impact_ratio[others]).all() and (found.high[others] > 1).all()


def test_a_real_difference_is_found_and_one_name_is_no_group() -> None:
    scores = RANDOM.random((60, 25))
    scores[:, :12] += 0.4
    found = selection_rates(select_at(scores, 0.7), sets("a" * 12 + "b" * 12 + "c"))
    assert found.p_adjusted[1] < 0.01 and found.high[1] < 1
    assert np.isnan([found.impact_ratio[2], found.low[2], found.p_adjusted[2]]).all()
    assert found.names.tolist() == [12, 12, 1]


def test_the_interval_holds_the_ratio_over_sentences_and_names() -> None:
    held = 0
    for _ in range(200):
        own = np.concatenate([RANDOM.normal(0.6, 0.1, 10), RANDOM.normal(0.45, 0.1, 10)])
        chance = np.clip(own[None, :] + RANDOM.normal(0, 0.1, (40, 1)), 0, 1)
        found = selection_rates((RANDOM.random((40, 20)) < chance) * 1.0, sets("a" * 10 + "b" * 10))
        held += found.low[1] <= 0.75 <= found.high[1] if found.rate[1] < found.rate[0] else 0
    assert held >= 185


def test_nothing_selected_has_no_ratio() -> None:
    found = selection_rates(np.zeros((20, 4)), sets("aabb"))
    assert found.rate.tolist() == [0, 0] and np.isnan(found.impact_ratio).all()


@pytest.mark.parametrize("select", ["top", "top:0", "top:-1", "top:1.5", "best", "threshold:3", "top:" + "9" * 12])
def test_rules_that_are_none(select: str) -> None:
    with pytest.raises(PsaError, match="top:K"):
        parse_select(select)


def test_two_sentences_are_enough_for_an_interval() -> None:
    first = np.array([True, True, False, False])
    found = selection_rates([[1, 1, 1, 0], [1, 0, 0, 1]], [first, ~first])
    assert np.isfinite([found.low[1], found.high[1]]).all() and found.low[1] < found.impact_ratio[1] < found.high[1]


@pytest.mark.parametrize("families", [None, Families.of(np.arange(40) // 2)])
def test_the_interval_of_a_ratio_by_hand(families: Families | None) -> None:
    """The variance of a rate's logarithm over the names of each group and over sentences, with Welch's freedom."""
    random = np.random.default_rng(3)
    chosen = (random.random((40, 9)) < np.r_[[0.7] * 5, [0.4] * 4]) * 1.0
    chosen[random.random((40, 9)) < 0.1] = NAN
    found = selection_rates(chosen, sets("aaaaabbbb"), families=families)
    variances, freedoms, by_sentence = [], [], 0.0
    for sign, own in ((-1, chosen[:, :5]), (1, chosen[:, 5:])):
        rate = np.nanmean(own)
        moved = np.nan_to_num(own - rate) / rate / np.mean(~np.isnan(own))
        variances.append(moved.mean(axis=0).var(ddof=1) / own.shape[1])
        freedoms.append(own.shape[1] - 1)
        by_sentence = by_sentence + sign * moved.mean(axis=1)
    units = by_sentence if families is None else by_sentence.reshape(20, 2).mean(axis=1)
    variances, freedoms = np.array([*variances, units.var(ddof=1) / len(units)]), np.array([*freedoms, len(units) - 1])
    freedom = variances.sum() ** 2 / (variances**2 / freedoms).sum()
    half = t.ppf(0.975, freedom) * np.sqrt(variances.sum())
    ratio = np.nanmean(chosen[:, 5:]) / np.nanmean(chosen[:, :5])
    assert (found.low[1], found.high[1]) == pytest.approx((ratio * np.exp(-half), ratio * np.exp(half)))


def test_a_group_without_any_answer_has_no_rate_and_takes_none_from_the_others() -> None:
    chosen = (np.random.default_rng(1).random((30, 6)) < 0.5) * 1.0
    chosen[:, 4:] = NAN
    found, others = selection_rates(chosen, sets("aabbcc")), selection_rates(chosen[:, :4], sets("aabb"))
    assert found.texts.tolist() == [60, 60, 0] and np.isnan([found.rate[2], found.impact_ratio[2], found.low[2]]).all()
    for column in ("rate", "impact_ratio", "low", "high"):
        assert getattr(found, column)[:2] == pytest.approx(getattr(others, column), nan_ok=True)
