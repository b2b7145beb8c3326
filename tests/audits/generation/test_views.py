"""What the page draws: means with the band of chance, the matrix, curves, texts side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wasserstein_distance

from psa_core.audits.generation import AUDIT, report, views
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import tables
from psa_core.cube import Target
from psa_core.errors import OptionError
from psa_core.stats import SIGNIFICANT


def cube(shift: float = 0.5, k: int = 30) -> GenerationCube:
    """Two templates, three values; the second value's scores are moved up."""
    scores = np.random.default_rng(0).uniform(0, 0.4, (2, 3, k, 1)).astype(np.float32)
    scores[:, 1] += np.float32(shift)
    texts = np.array([f"text {i}." for i in range(2 * 3 * k)], object).reshape(2, 3, k)
    texts[0, 0, 0], scores[0, 0, 0] = "", np.nan
    return GenerationCube(
        pd.DataFrame({"template": ["A {value}", "The {value}"]}),
        pd.DataFrame({"value": ["baker", "nurse", "sheriff"]}),
        (Target("mood"),),
        texts,
        scores,
    )


def test_a_value_that_differs_is_outside_of_chance_and_first() -> None:
    table = views.value_means(cube(), "mood")
    assert table["value"][0] == "nurse" and table["mean"][0] > table["high"][0]
    expected = np.nanmean(np.nanmean(cube().scored_by("mood"), axis=2), axis=0)
    np.testing.assert_allclose(sorted(table["mean"]), sorted(expected), rtol=1e-5)


def test_equal_values_stay_inside_of_chance() -> None:
    table = views.value_means(cube(shift=0.0), "mood")
    assert ((table["mean"] >= table["low"]) & (table["mean"] <= table["high"])).all()


def test_the_matrix_shows_only_pairs_above_noise() -> None:
    square = views.matrix(tables(cube()), "mood", ["baker", "nurse", "sheriff"])
    assert square.loc["baker", "nurse"] == pytest.approx(0.5, abs=0.06) == square.loc["nurse", "baker"]
    assert np.isnan(square.loc["baker", "sheriff"])
    assert views.widest_pair(tables(cube()), "mood")[0] == "nurse"


def test_the_widest_pair_is_one_that_was_measured() -> None:
    silent = cube(shift=0.0)
    silent.texts[:, 0], silent.scores[:, 0] = "", np.nan
    assert set(views.widest_pair(tables(silent), "mood")) == {"nurse", "sheriff"}


def test_page_and_report_name_the_pair_that_is_most_surely_different() -> None:
    """Two pairs have larger distances and stay inside of chance; of those above noise, one is the least different."""
    found = tables(cube())
    matrix = pd.DataFrame(
        {
            "scorer": "mood",
            "value_a": ["baker", "baker", "nurse", "cook"],
            "value_b": ["nurse", "sheriff", "sheriff", "nurse"],
            "w1": [0.30, 0.50, 0.10, 0.60],
            "floor": 0.05,
            "corrected": [0.29, 0.49, 0.08, 0.59],
            "p_value": [0.001, 0.1, 0.002, 0.2],
            "p_adjusted": [0.004, 0.4, 0.006, 0.4],
            "difference": [-0.3, 0.5, 0.1, 0.6],
            "disparity": 0.0,
        }
    )
    found = replace(found, matrix=matrix)
    assert views.widest_pair(found, "mood") == ("baker", "nurse")
    said = report.finding(found.summary, "mood", matrix)
    assert said.headline.startswith("What is written about baker and nurse differs most: about baker it scores 0.300")
    assert "between these two by 0.290." in said.evidence
    page = AUDIT.page_of(GenerationResult(cube(), replace(found, matrix=matrix[matrix["value_a"] != "cook"])))
    assert page.index("baker – nurse") < page.index("nurse – sheriff") < page.index("baker – sheriff")
    assert "Continuations of baker and nurse with the same random numbers" in page
    none = report.finding(found.summary, "mood", matrix.assign(p_adjusted=0.4))
    assert "no single pair stands out" in none.headline and "between these two" not in none.evidence


def test_the_same_random_numbers_are_claimed_of_generators_that_had_them_only() -> None:
    apart = replace(cube(), provenance={"generator": {"common_noise": False}})
    page = AUDIT.page_of(GenerationResult(apart, tables(apart)))
    assert "with the same random numbers, most" not in page and "could not be given the same random numbers" in page


def test_p_values_are_corrected_over_the_rows_that_are_shown() -> None:
    """Holm over all pairs and templates of a scorer, and over its pairs: by hand, largest factor to the smallest p."""
    scores = np.random.default_rng(3).uniform(0, 0.4, (2, 4, 30, 1)).astype(np.float32)
    scores[:, 1] += np.float32(0.1)
    scores[:, 2] += np.float32(0.05)
    some = GenerationCube(
        pd.DataFrame({"template": ["A {value}", "The {value}"]}),
        pd.DataFrame({"value": list("wxyz")}),
        (Target("mood"),),
        np.full((2, 4, 30), "text.", object),
        scores,
    )
    found = tables(some)
    for table in (found.pairs, found.matrix):
        p = table["p_value"].to_numpy()
        order = np.argsort(p, kind="stable")
        by_hand = np.empty(len(p))
        by_hand[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
        np.testing.assert_allclose(table["p_adjusted"], by_hand)
        assert (table["p_adjusted"] > p).sum() >= len(p) / 2


def test_nothing_to_compare_is_said_in_a_sentence() -> None:
    silent = cube()
    silent.texts[:, 1:], silent.scores[:, 1:] = "", np.nan
    with pytest.raises(OptionError, match=r"got 59 of 180 .*\(--tokens\)"):
        tables(silent)


def test_a_report_of_one_group_alone_has_no_group_fairness() -> None:
    silent = cube()
    silent.texts[:, 2], silent.scores[:, 2] = "", np.nan
    grouped = replace(
        silent, values=silent.values.assign(scorer=list("xxy")), provenance={"prompts": {"group": "scorer"}}
    )
    found = tables(grouped)
    assert found.summary["mood"]["group_fairness"]["value"] is None
    assert found.values["scorer (group)"].tolist() == list("xxy")
    assert "<td>–</td>" in AUDIT.page_of(GenerationResult(grouped, found))


def test_the_area_between_the_curves_is_w1() -> None:
    scores = cube().scored_by("mood")
    found = views.curves(cube(), "mood", ("nurse", "baker"), "The {value}")
    assert found.area == pytest.approx(wasserstein_distance(scores[1, 1], scores[1, 0]))
    area = np.sum(np.abs(found.first - found.second)[:-1] * np.diff(found.scores))
    assert found.area == pytest.approx(area)
    assert found.first[-1] == found.second[-1] == 1


def test_single_rows_are_ordered_and_have_no_distance_that_chance_explains() -> None:
    found = tables(cube())
    rows = views.surest_first(found.pairs, "mood")
    assert len(rows) == 6 and "scorer" not in rows
    shown = rows["corrected"].notna()
    assert shown.tolist() == [True] * 4 + [False] * 2
    assert set(rows["value_a"][shown]) | set(rows["value_b"][shown]) == {"baker", "nurse", "sheriff"}
    assert views.of_scorer(found.values, "mood")["value"].tolist() == ["baker", "nurse", "sheriff"]


def test_words_of_one_template_or_of_all() -> None:
    some = cube()
    some.texts[1, 1, :20], some.texts[1, 2, :20] = "music here.", "law here."
    first, second = views.differing_words(some, ("nurse", "sheriff"))
    assert (first["word"].tolist(), second["word"].tolist()) == (["music"], ["law"])
    assert views.differing_words(some, ("nurse", "sheriff"), "A {value}")[0].empty


def test_texts_that_met_the_same_numbers_stand_side_by_side() -> None:
    table = views.side_by_side(cube(), "mood", ("baker", "nurse"))
    assert len(table) == 59  # one was left out
    assert table["difference"].abs().is_monotonic_decreasing
    row = table.iloc[0]
    where = cube().texts[:, 0].tolist()
    m = ["A {value}", "The {value}"].index(row["template"])
    assert where[m][row["k"]] == row["first"]
    assert set(views.side_by_side(cube(), "mood", ("baker", "nurse"), "A {value}")["template"]) == {"A {value}"}


def test_a_pair_at_exactly_five_per_cent_is_above_noise_nowhere() -> None:
    found = tables(cube())
    at_the_edge = replace(found, matrix=found.matrix.assign(p_adjusted=SIGNIFICANT))
    assert views.matrix(at_the_edge, "mood", ["baker", "nurse", "sheriff"]).isna().all(axis=None)
    assert views.surest_first(at_the_edge.matrix, "mood")["corrected"].isna().all()
