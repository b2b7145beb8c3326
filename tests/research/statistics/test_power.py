from __future__ import annotations

import pytest
from statsmodels.stats.power import ttest_power

from psa_core.errors import OptionError
from research.statistics import power, power_table
from research.statistics.power import detectable_effect


def test_power_grows_with_the_effect_and_the_study() -> None:
    table = power_table(5)
    shares = table[[str(effect) for effect in power.EFFECTS]].to_numpy()
    assert table["sentences"].tolist() == list(power.SENTENCES)
    assert (shares[-1, 1:] == 1).all()
    assert shares[0, 0] < 0.1
    assert (shares[:, -1] >= shares[:, 0]).all()


def test_detectable_effect_is_found_in_eight_of_ten() -> None:
    table = power_table(20).set_index("sentences")
    # 0.25 at 300 sentences lies between the columns 0.2 and 0.3
    assert 0.2 < table.loc[300, "detectable"] < 0.3
    assert table.loc[300, "0.2"] < 0.8 < table.loc[300, "0.3"]


@pytest.mark.parametrize(("sentences", "names"), [(6, 1), (10, 1), (30, 1), (30, 20), (100, 1)])
def test_is_found_as_often_as_said(sentences: int, names: int) -> None:
    effect = detectable_effect(sentences, names)
    assert ttest_power(effect, sentences, 0.05 / names) == pytest.approx(0.8, abs=0.02)


def test_by_hand_for_a_large_study() -> None:
    # normal quantiles of 0.975 and 0.8: 1.96 + 0.84
    assert detectable_effect(1_000_000, 1) == pytest.approx((1.95996 + 0.84162) / 1000, rel=1e-4)


def test_more_sentences_find_finer_and_more_names_need_more() -> None:
    assert detectable_effect(1000, 100) < detectable_effect(100, 100) < detectable_effect(100, 500)
    assert detectable_effect(100, 100, power=0.95) > detectable_effect(100, 100)


@pytest.mark.parametrize(("sentences", "names", "power"), [(1, 5, 0.8), (5, 0, 0.8), (5, 5, 0.1), (5, 5, 1.0)])
def test_impossible_studies_are_refused(sentences: int, names: int, power: float) -> None:
    with pytest.raises(OptionError):
        detectable_effect(sentences, names, power=power)
