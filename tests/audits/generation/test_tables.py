"""What the page draws: means with the band of chance, the matrix, curves, texts side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, wasserstein_distance
from statsmodels.stats.multitest import multipletests

from psa_core.audits.generation import AUDIT, report
from psa_core.audits.generation import tables as views
from psa_core.audits.generation.cube import GenerationCube
from psa_core.audits.generation.planning import GenerationSpec
from psa_core.audits.generation.report import account
from psa_core.audits.generation.result import GenerationResult
from psa_core.audits.generation.tables import tables
from psa_core.cube import Target
from psa_core.errors import OptionError
from psa_core.stats import SIGNIFICANT
from psa_core.stats.fairness import measure_groups, noise_corrected_pair


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


def test_a_pairs_difference_is_over_the_templates_that_have_both() -> None:
    partly = cube()
    partly.texts[0, 0], partly.scores[0, 0] = "", np.nan
    row = tables(partly).matrix.set_index(["value_a", "value_b"]).loc[("baker", "nurse")]
    baker, nurse = partly.scored_by("mood")[1, :2].astype(float)
    error = np.sqrt((baker.var(ddof=1) + nurse.var(ddof=1)) / 30)
    assert row["difference"] == pytest.approx(nurse.mean() - baker.mean())
    assert row["difference_high"] - row["difference"] == pytest.approx(norm.ppf(0.975) * error)


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
            "difference_low": [-0.35, 0.4, -0.1, 0.5],
            "difference_high": [-0.25, 0.6, 0.3, 0.7],
            "disparity": 0.0,
        }
    )
    found = replace(found, matrix=matrix)
    assert views.widest_pair(found, "mood") == ("baker", "nurse")
    said = report.finding(found.summary, "mood", matrix)
    assert said.headline == (
        "What is written about baker and nurse differs most: their scores are 0.290 apart on a scale of 0 to 1; "
        "baker scores higher, by 0.300 on average (95 % interval 0.250 to 0.350)."
    )
    assert said.evidence.startswith("2 of 4 pairs are above noise.")
    spread = report.finding(found.summary, "mood", matrix.assign(difference_low=-0.4, difference_high=0.1))
    assert "higher" not in spread.headline and "0.290 apart" in spread.headline
    earlier = matrix.drop(columns=["difference_low", "difference_high"])
    assert report.finding(found.summary, "mood", earlier).headline == spread.headline
    page = AUDIT.page_of(GenerationResult(cube(), replace(found, matrix=matrix[matrix["value_a"] != "cook"])))
    assert page.index("baker – nurse") < page.index("nurse – sheriff") < page.index("baker – sheriff")
    none = report.finding(found.summary, "mood", matrix.assign(p_adjusted=0.4))
    assert "no single pair stands out" in none.headline and "apart" not in str(none)
    # The test of the average may miss one pair among many, which the pair's own test shows.
    quiet = {"mood": {"individual_fairness": found.summary["mood"]["individual_fairness"] | {"above_noise": False}}}
    assert report.finding(quiet, "mood", matrix).headline == said.headline
    assert report.finding(quiet, "mood", matrix.assign(p_adjusted=0.4)).headline == report.NOTHING


def test_the_same_random_seed_is_claimed_of_generators_that_had_it_only() -> None:
    found = tables(cube())
    pair = " and ".join(views.widest_pair(found, "mood"))
    for common_noise, words in (
        (True, f"Continuations of {pair}, generated with the same random seed; most different first"),
        (False, f"Continuations of {pair}; most different first"),
        (None, f"Continuations of {pair}; most different first"),
    ):
        generator = {} if common_noise is None else {"common_noise": common_noise}
        page = AUDIT.page_of(GenerationResult(replace(cube(), provenance={"generator": generator}), found))
        assert words in page
        assert ("not known to share a random seed" in page) is (not common_noise)


def test_of_continuations_from_a_file_nobody_knows_seed_and_temperature() -> None:
    options = {"tokens": 50, "temperature": 1.0, "seed": 0}
    for model, words in (
        ("lm:x", "at temperature 1.0, seed 0."),
        ("continuations:x.csv", "of each, generated elsewhere."),
    ):
        some = replace(cube(), provenance={"generator": {"id": model}, "options": options})
        page = AUDIT.page_of(GenerationResult(some, tables(cube())))
        assert words in page
        assert ("at temperature" in page) is (model == "lm:x")


def test_a_mean_and_its_interval_stay_on_the_scale() -> None:
    """Two templates that lie far apart make a wide interval; scores run from 0 to 1."""
    apart = cube()
    apart.scores[1] *= np.float32(0.01)
    values = tables(apart).values
    assert values["low"].min() == 0 and values["high"].max() == 1
    assert ((values["low"] <= values["mean"]) & (values["mean"] <= values["high"])).all()


def test_the_interval_of_a_difference_is_that_of_its_continuations() -> None:
    scores = cube().scored_by("mood").astype(float)
    row = tables(cube()).matrix.iloc[0]  # baker and nurse
    variances = np.nanvar(scores, axis=2, ddof=1) / np.isfinite(scores).sum(axis=2)
    half = norm.ppf(0.975) * np.sqrt(variances[:, :2].sum()) / 2
    mean = np.nanmean(scores[:, 1], axis=1).mean() - np.nanmean(scores[:, 0], axis=1).mean()
    expected = (mean, mean - half, mean + half)
    assert tuple(row[["difference", "difference_low", "difference_high"]]) == pytest.approx(expected, rel=1e-5)


def test_each_pair_of_each_template_is_corrected_by_its_own_floor() -> None:
    pairs = tables(cube()).pairs
    assert len(pairs) == 2 * 3
    corrected = [float(noise_corrected_pair(*row)) for row in pairs[["w1", "floor"]].to_numpy()]
    assert pairs["corrected"].tolist() == pytest.approx(corrected)
    assert (pairs["corrected"] < pairs["w1"]).all()


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
    with pytest.raises(OptionError, match=r"got 59 of 180 .*longer continuations"):
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
    assert "<td>between groups by scorer (G.F.)</td><td></td>" in AUDIT.page_of(GenerationResult(grouped, found))


def test_each_column_of_groups_has_its_own_fairness() -> None:
    some = replace(cube(), values=cube().values.assign(site=list("xxy"), team=list("uvv")),
                   provenance={"prompts": {"group": "team"}})  # fmt: skip
    summary = tables(some).summary["mood"]
    by_hand = {
        column: measure_groups(some.scored_by("mood"), some.values[column].astype(str).tolist(), seed=0).value
        for column in ("site", "team")
    }
    assert {column: numbers["value"] for column, numbers in summary["groups"].items()} == pytest.approx(by_hand)
    assert summary["group_fairness"]["by"] == "team" and by_hand["site"] != pytest.approx(by_hand["team"])
    assert summary["group_fairness"]["value"] == pytest.approx(by_hand["team"])


def test_a_report_shows_the_texts_that_differ_most() -> None:
    some = cube(k=6)
    some.scores[:, 0], some.scores[:, 1] = 0.1, np.linspace(0.2, 0.75, 12, dtype=np.float32).reshape(2, 6, 1)
    page = AUDIT.page_of(GenerationResult(some, tables(some)))
    most = [str(some.texts[1, 1, k]) for k in (5, 4, 3)]
    places = [page.index(f">{text} (0.") for text in most]
    assert places == sorted(places) and f">{some.texts[1, 1, 2]} (0." not in page


def test_without_continuations_of_a_value_there_is_no_area() -> None:
    silent = cube()
    silent.texts[0, 0], silent.scores[0, 0] = "", np.nan
    assert np.isnan(views.curves(silent.on("A {value}"), "mood", ("nurse", "baker")).area)
    assert views.curves(silent, "mood", ("nurse", "baker")).area > 0.4


def test_the_area_between_the_curves_is_w1() -> None:
    scores = cube().scored_by("mood")
    found = views.curves(cube().on("The {value}"), "mood", ("nurse", "baker"))
    assert found.area == pytest.approx(wasserstein_distance(scores[1, 1], scores[1, 0]))
    area = np.sum(np.abs(found.first - found.second)[:-1] * np.diff(found.scores))
    assert found.area == pytest.approx(area)
    assert found.first[-1] == found.second[-1] == 1


def test_single_rows_are_ordered_and_have_no_distance_that_chance_explains() -> None:
    found = tables(cube())
    rows = views.surest_first(found.pairs, "mood")
    assert rows.index.tolist() == [*range(6)] and "scorer" not in rows
    shown = rows["corrected"].notna()
    assert shown.tolist() == [True] * 4 + [False] * 2
    assert set(rows["value_a"][shown]) | set(rows["value_b"][shown]) == {"baker", "nurse", "sheriff"}
    assert views.of_scorer(found.values, "mood")["value"].tolist() == ["baker", "nurse", "sheriff"]


def test_words_of_one_template_or_of_all() -> None:
    some = cube()
    some.texts[1, 1, :20], some.texts[1, 2, :20] = "music here.", "law here."
    found = views.differing_words(some, ("nurse", "sheriff")).set_index("word")
    assert found[["count_a", "count_b"]].to_dict("index") == {
        "music": {"count_a": 20, "count_b": 0},
        "law": {"count_a": 0, "count_b": 20},
    }
    assert found.loc["music", "log_odds"] < 0 < found.loc["law", "log_odds"]
    assert views.differing_words(some.on("A {value}"), ("nurse", "sheriff")).empty


def test_texts_that_met_the_same_numbers_stand_side_by_side() -> None:
    table = views.side_by_side(cube(), "mood", ("baker", "nurse"))
    assert len(table) == 59  # one was left out
    assert table["difference"].abs().is_monotonic_decreasing
    row = table.iloc[0]
    where = cube().texts[:, 0].tolist()
    m = ["A {value}", "The {value}"].index(row["template"])
    assert where[m][row["k"]] == row["first"]
    assert set(views.side_by_side(cube().on("A {value}"), "mood", ("baker", "nurse"))["template"]) == {"A {value}"}


def test_a_pair_at_exactly_five_per_cent_is_above_noise_nowhere() -> None:
    found = tables(cube())
    at_the_edge = replace(found, matrix=found.matrix.assign(p_adjusted=SIGNIFICANT))
    assert views.matrix(at_the_edge, "mood", ["baker", "nurse", "sheriff"]).isna().all(axis=None)
    assert views.surest_first(at_the_edge.matrix, "mood")["corrected"].isna().all()


def test_templates_that_are_near_copies_are_one_family_and_the_audit_says_so() -> None:
    lines = ["My wife just got an exciting new job in {value}. Starting next week, she will be",
             "My husband just got an exciting new job in {value}. Starting next week, he will be",
             "I saw news about {value} today, and"]  # fmt: skip
    texts, given = np.full((3, 2, 2), "x.", object), np.zeros((3, 2, 2, 1), np.float32)
    values = pd.DataFrame({"value": ["Chad", "Peru"]})
    some = GenerationCube(pd.DataFrame({"template": lines}), values, (Target("mood"),), texts, given)
    assert views.families_of(some).labels.tolist() == [0, 0, 1]
    assert "2 of the 3 templates are near-copies" in " ".join(account(some))
    assert "near-copies" not in " ".join(account(cube()))


def scored(scores: np.ndarray) -> GenerationCube:
    m, a, _ = scores.shape
    return GenerationCube(
        pd.DataFrame(
            {"template": [f"{{value}} {word}" for word in ("left", "won the prize", "met a friend today")[:m]]}
        ),
        pd.DataFrame({"value": [f"v{n}" for n in range(a)]}),
        (Target("mood"),),
        np.full(scores.shape, "text.", object),
        scores[..., None].astype(np.float32),
    )


def test_every_column_of_the_tables_by_hand() -> None:
    """Three templates, three values, four continuations, of which some have no score and two values are far apart."""
    scores = np.random.default_rng(2).uniform(0, 0.3, (3, 3, 4)).astype(np.float32).astype(float)
    scores[:, 2] = 1 - scores[:, 2] / 8
    scores[0, 1, 1:] = scores[1, 1] = np.nan
    made = scored(scores)
    found = tables(made)
    each = pd.DataFrame(scores.reshape(9, 4))
    means, errors = (numbers.to_numpy().reshape(3, 3) for numbers in (each.mean(axis=1), each.sem(axis=1)))
    for row in found.matrix.itertuples():
        a, b = int(row.value_a[1]), int(row.value_b[1])
        both = ~np.isnan(means[:, b] - means[:, a])
        assert row.difference == pytest.approx((means[both, b] - means[both, a]).mean())
        error = np.sqrt((errors[both, a] ** 2 + errors[both, b] ** 2).sum()) / both.sum()
        ends = (row.difference - norm.ppf(0.975) * error, row.difference + norm.ppf(0.975) * error)
        assert (row.difference_low, row.difference_high) == pytest.approx(np.clip(ends, -1, 1), nan_ok=True)
        w1 = [
            wasserstein_distance(*(part[~np.isnan(part)] for part in scores[m, [a, b]])) for m in np.flatnonzero(both)
        ]
        assert row.w1 == pytest.approx(np.mean(w1))
        above = (each.where(each.isna(), each > 0.5).mean(axis=1)).to_numpy().reshape(3, 3)
        apart = np.abs(above[both, b] - above[both, a])
        assert row.disparity == pytest.approx(apart.mean())
    assert found.matrix["p_adjusted"].tolist() == pytest.approx(
        multipletests(found.matrix["p_value"], method="holm")[1]
    )
    for row in found.pairs.itertuples():
        m = made.templates["template"].tolist().index(row.template)
        assert (row.mean_a, row.mean_b) == pytest.approx(
            (means[m, int(row.value_a[1])], means[m, int(row.value_b[1])]), nan_ok=True
        )
    for number, row in enumerate(found.values.itertuples()):
        known = means[:, number][~np.isnan(means[:, number])]
        assert row.mean == pytest.approx(known.mean())
        assert row.share == pytest.approx((scores[:, number] > 0.5).sum() / (~np.isnan(scores[:, number])).sum())
        assert (row.kept, row.left_out) == (12, 0)
        w1 = [one.w1 for one in found.matrix.itertuples() if f"v{number}" in (one.value_a, one.value_b)]
        assert row.w1 == pytest.approx(np.mean(w1))


def test_chance_of_a_values_mean_is_that_of_shuffled_scores() -> None:
    scores = np.random.default_rng(0).uniform(0, 1, (2, 3, 4)).astype(np.float32).astype(float)
    found = views.value_means(scored(scores), "mood").set_index("value")
    draws, means = np.random.default_rng(0), []
    for _ in range(views.N_PERMUTATIONS):
        means.append(draws.permuted(scores.reshape(2, 12), axis=1).reshape(2, 3, 4).mean(axis=(0, 2)))
    centre, spread = np.mean(means, axis=0), np.std(means, axis=0)
    farthest = sorted(max(abs(row - centre) / spread) for row in means)
    reach = spread * np.interp(0.95 * (len(farthest) - 1), range(len(farthest)), farthest)
    assert found["mean"].is_monotonic_decreasing
    assert found.loc[["v0", "v1", "v2"], "low"].tolist() == pytest.approx(centre - reach)
    assert found.loc[["v0", "v1", "v2"], "high"].tolist() == pytest.approx(centre + reach)


def test_in_few_audits_without_a_difference_any_value_is_outside_of_its_band() -> None:
    drawn, outside = np.random.default_rng(1), 0
    for _ in range(60):
        found = views.value_means(scored(drawn.binomial(1, 0.1, (3, 20, 10)).astype(float)), "mood")
        outside += bool(((found["mean"] < found["low"]) | (found["mean"] > found["high"])).any())
        assert (found["low"] >= 0).all()
    assert outside <= 9  # 3 are expected; with a band for each value alone it would be about 38


def test_one_scorers_rows_are_numbered_anew() -> None:
    both = pd.DataFrame({"scorer": ["a", "b", "b"], "w1": [1, 2, 3]})
    pd.testing.assert_frame_equal(views.of_scorer(both, "b"), pd.DataFrame({"w1": [2, 3]}))


def test_as_many_texts_as_allowed_are_written_and_no_more() -> None:
    spec = GenerationSpec(lm="x", templates="occupation", scorers=("vader",), continuations=1000)
    assert spec.texts_of_each(5000) == 1000
    with pytest.raises(OptionError, match="5,001,000 texts in all, expected at most 5,000,000"):
        spec.texts_of_each(5001)
