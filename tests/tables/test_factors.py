"""What a name's effect goes with: factors measured, groups as columns, planted causes, words that claim no cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from psa_core import stats
from psa_core.cube import ScoreCube
from psa_core.errors import CubeError, OptionError
from psa_core.inputs import names as name_lists
from psa_core.stats.associations import explain
from psa_core.tables import factors
from psa_core.tables.factors import factor_columns, factor_regression, first_choice, measured_factors, number_factors
from tests.pages import result_studies


@pytest.fixture(scope="module")
def figures() -> pd.DataFrame:
    return name_lists.load("public-figures").table


def study(table: pd.DataFrame, effect: np.ndarray, *, sentences: int = 12, noise: float = 0.02) -> ScoreCube:
    """A study in which each name moves the score by its effect."""
    small = result_studies.cube(sentences)
    random = np.random.default_rng(1)
    scores = 0.4 + effect + noise * random.normal(size=(sentences, len(table)))
    return replace(small, names=table.reset_index(drop=True), perturbed=np.stack([scores] * 2, 2).astype(np.float32))


def test_names_are_measured() -> None:
    found = measured_factors(["Dick Cheney", "J. K. Rowling", "Lakisha", "Ann-Marie O'Brien"]).set_index("name")
    assert found["letters"].tolist() == [10, 9, 7, 14]
    assert found["word"].tolist() == [1, 0, 0, 0]
    assert found["subwords"]["Dick Cheney"] == 2
    assert found["subwords"].max() < 10
    assert found["frequency"]["Dick Cheney"] == pytest.approx(3.36)
    assert found["frequency"]["Lakisha"] < 2


def test_small_groups_are_pooled_and_the_largest_is_held_against() -> None:
    cube = result_studies.cube()
    names = cube.names.assign(country=["US"] * 5 + ["UK"] * 3 + ["FR"] * 2 + ["DE", None])
    found = factor_columns(replace(cube, names=names), ["country"])
    assert {label: column.sum() for (_, label), column in found.items()} == {
        "country: other against US": 4,
        "country: UK against US": 3,
    }


def test_a_planted_group_is_found_and_the_others_hold_0(figures: pd.DataFrame) -> None:
    cube = study(figures, 0.1 * (figures["career"] == "athlete").to_numpy())
    why = factor_regression(cube, "toxicity", ["length", "frequency", "word", "gender", "career"])
    assert why.shares["factor"][0] == "career"
    assert why.shares["share"][0] > 0.8 * why.r_squared
    assert why.shares[why.shares["is_significant"]]["factor"].tolist() == ["career"]
    assert why.warning == "" or "few" in why.warning


def test_coefficients_are_corrected_for_their_number(figures: pd.DataFrame) -> None:
    cube = study(figures, 0.02 * (figures["career"] == "athlete").to_numpy())
    why = factor_regression(cube, "toxicity", ["length", "gender"])
    columns = factor_columns(cube, ["length", "gender"])
    found = explain(
        stats.mean_by_name(cube.scores("toxicity")[1]),
        np.column_stack(list(columns.values())),
        [factor for factor, _ in columns],
    )
    assert why.coefficients["p_adjusted"].tolist() == pytest.approx(stats.adjust(found.p_value, "holm"))


def test_comments_of_the_lexicons_are_no_words() -> None:
    words = factors._ordinary_words()
    assert {"good", "dick"} <= words
    assert "" not in words and not any(word.startswith(";") for word in words)


def test_a_share_is_a_slope_beside_length_and_frequency() -> None:
    people = name_lists.load("us-people").table
    share = people["p_black"].astype(float).to_numpy()
    why = factor_regression(study(people, 0.1 * share), "toxicity", ["length", "frequency", "p_black"])
    row = why.coefficients.set_index("factor").loc["p_black"]
    assert row["in_score"] == pytest.approx(0.1 * share.std(ddof=1), rel=0.1)
    assert row["low"] > 0 and why.shares["factor"][0] == "p_black"
    assert number_factors(study(people, share)) == ["p_white", "p_black", "p_hispanic", "p_asian", "p_female"]


def test_a_number_that_is_missing_for_a_name_is_no_factor() -> None:
    cube = study(name_lists.load("us-first-names").table, np.arange(100) / 1000)
    assert number_factors(cube) == []
    with pytest.raises(CubeError, match="21 names without a number"):
        factor_columns(cube, ["p_female"])


def test_a_planted_word_is_found_and_a_name_of_its_own_stays_unexplained(figures: pd.DataFrame) -> None:
    measured = measured_factors(figures["name"].tolist())
    effect = 0.1 * measured["word"].to_numpy()
    effect[11] += 0.5
    why = factor_regression(study(figures, effect), "toxicity", ["length", "frequency", "word"])
    assert why.shares[why.shares["is_significant"]]["factor"].tolist() == ["word"]
    assert why.unexplained["name"][0] == figures["name"][11]
    assert why.unexplained["p_adjusted"][0] < 0.05


def test_noise_goes_with_nothing(figures: pd.DataFrame) -> None:
    why = factor_regression(study(figures, np.zeros(100)), "toxicity", ["length", "frequency", "word"])
    assert not why.shares["is_significant"].any()


def test_what_to_begin_with_leaves_ten_names_a_column(figures: pd.DataFrame) -> None:
    cube = study(figures, np.zeros(100))
    assert first_choice(cube)[:4] == ["length", "frequency", "word", "gender"]
    assert factor_regression(cube, "toxicity", first_choice(cube)).warning == ""
    few = factor_regression(result_studies.cube(), "toxicity", ["length", "gender"])
    assert "12 names are few for" in few.warning


def test_perplexity_is_a_factor_where_it_was_measured(figures: pd.DataFrame) -> None:
    random = np.random.default_rng(0)
    unexpected = random.normal(size=100)
    cube = study(figures, 0.05 * unexpected)
    by_name = dict(zip(figures["name"], unexpected, strict=True))
    why = factor_regression(cube, "toxicity", ["perplexity", "gender"], perplexity=by_name)
    assert why.shares["factor"][0] == "perplexity"
    with pytest.raises(CubeError, match="perplexity"):
        factor_regression(cube, "toxicity", ["perplexity"])


def test_an_unknown_factor_is_told() -> None:
    with pytest.raises(OptionError, match="factor"):
        factor_regression(result_studies.cube(), "toxicity", ["shoe size"])


def test_no_name_is_left_over_where_the_sentences_do_not_show_it() -> None:
    """Of rare events in few sentences a name that met two is far from the others, and no finding."""
    random, far = np.random.default_rng(8), 0
    table = pd.DataFrame({"name": [f"N{n}" for n in range(40)], "gender": ["female", "male"] * 20})
    for _ in range(12):
        small = result_studies.cube(30)
        scores = (random.random((30, 40)) < 0.01) * 0.8
        cube = replace(small, names=table, perturbed=np.stack([scores] * 2, 2).astype(np.float32))
        why = factor_regression(cube, "toxicity", ["gender"])
        far += bool((why.unexplained["p_adjusted"] < 0.05).any())
    assert far == 0


def test_a_name_that_sentences_show_is_left_over(figures: pd.DataFrame) -> None:
    why = factor_regression(study(figures, 0.3 * (np.arange(len(figures)) == 5), sentences=40), "toxicity", ["gender"])
    assert why.unexplained["name"][why.unexplained["p_adjusted"] < 0.05].tolist() == [figures["name"][5]]


def test_a_residual_is_no_surer_than_the_names_effect_corrected_over_the_list(figures: pd.DataFrame) -> None:
    effect = np.where(np.arange(len(figures)) == 3, 0.3, 0.0)
    cube = study(figures, effect, sentences=6, noise=0.1)
    table = factor_regression(cube, "toxicity", ["length"]).unexplained.set_index("name")
    p_values = stats.name_effects(cube.units("toxicity")[1]).p_value
    corrected = pd.Series(multipletests(p_values, method="holm")[1], cube.names["name"])
    assert (table["p_adjusted"] >= corrected.reindex(table.index) - 1e-12).all()
    assert corrected.iloc[3] > 0.01 and corrected.iloc[3] > 2 * p_values[3]
    means = cube.scores("toxicity")[1].mean(axis=0, dtype=np.float64)
    effects = pd.Series(means - np.median(means), cube.names["name"]).reindex(table.index)
    assert table["effect"].tolist() == pytest.approx(effects.tolist(), abs=1e-7)
    assert (table["expected"] + table["residual"]).tolist() == pytest.approx(effects.tolist(), abs=1e-7)


def test_words_of_a_name_keep_apostrophes_and_leave_out_initials() -> None:
    assert factors._words("Jean-Luc O'Brien D. Xi") == ["jean", "luc", "o'brien", "xi"]


def test_perplexity_has_to_be_measured_for_every_name(figures: pd.DataFrame) -> None:
    cube = study(figures, np.linspace(0, 0.2, len(figures)))
    known = dict.fromkeys(cube.names["name"].iloc[1:], 1.0)
    with pytest.raises(CubeError, match="perplexity"):
        factor_regression(cube, "toxicity", ["perplexity"], perplexity=known)


def test_ten_names_for_each_coefficient_are_enough(figures: pd.DataFrame) -> None:
    found = factor_regression(study(figures.iloc[:20], np.linspace(0, 0.2, 20)), "toxicity", ["length"])
    assert found.coefficients["coefficient"].notna().sum() == 2 and found.warning == ""
    assert "19 names are few" in replace(found, names=19).warning


def test_a_default_is_chosen_while_there_are_ten_names_for_each_column() -> None:
    """Length has two columns, frequency and word one each: four; two teams make five, and fifty names are enough."""
    people = name_lists.load("public-figures").table[["name"]].head(51)
    for count, chosen in ((49, []), (50, ["team"]), (51, ["team"])):
        some = people.head(count).assign(team=["red", "blue"] * (count // 2) + ["red"] * (count % 2))
        assert first_choice(study(some, np.zeros(count))) == ["length", "frequency", "word", *chosen]


def test_too_few_names_are_told_with_the_number_that_would_do() -> None:
    coefficients = pd.DataFrame({"coefficient": [0.1, 0.2, np.nan]})
    few = factors.FactorAnalysis(coefficients, pd.DataFrame(), pd.DataFrame(), 0.5, 0.4, 19)
    assert few.warning == (
        "19 names are few for 2 coefficients: with fewer than ten names for each, shares come out too large and "
        "intervals jump. Choose fewer factors, or run a list of 20 names."
    )
    assert replace(few, names=20).warning == ""
