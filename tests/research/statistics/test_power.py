from __future__ import annotations

from research.statistics import power, power_table


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
