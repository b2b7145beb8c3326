"""Names' spread beside that of neutral edits, by hand and by simulation."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t, wilcoxon

from psa_core import stats, tables
from psa_core.claims import findings
from psa_core.claims.answers import unanswered_finding
from psa_core.cube import SPREAD_OF_ANSWERS, ScoreCube, Target
from psa_core.errors import CubeError, OptionError
from psa_core.stats import Families, brittleness_floor, floors

#: Trials of a simulation; a claim that is false in 5 % of them is seen at most so often, but once in a thousand times.
TRIALS, MOST = 200, 20


def test_spreads_are_root_mean_squares_of_standard_deviations():
    found = brittleness_floor([[0.0, 2.0], [1.0, 5.0]], [[0.0, 0.0, 3.0], [1.0, 1.0, 1.0]])
    assert found.names == pytest.approx(math.sqrt((2 + 8) / 2)) and found.edits == pytest.approx(math.sqrt(3 / 2))
    assert math.isnan(found.p)  # of two texts and two names nothing is said


def test_edits_that_change_nothing_are_an_infinite_ratio():
    scores = np.random.default_rng(0).normal(size=(8, 6))
    found = brittleness_floor(scores, np.zeros((8, 3)))
    assert found.edits == 0 and math.isinf(found.ratio) and found.p == 0


def test_names_that_change_nothing_claim_nothing():
    assert math.isnan(brittleness_floor(np.zeros((8, 6)), np.zeros((8, 3))).p)


@pytest.mark.parametrize(("names", "edits"), [((3, 1), (3, 2)), ((3, 4), (2, 4)), ((3,), (3, 2))])
def test_shapes_are_checked(names, edits):
    with pytest.raises(CubeError, match="controls"):
        brittleness_floor(np.zeros(names), np.zeros(edits))


def simulated(names: float, *, shared: float = 0.0, families: Families | None = None) -> list[tuple[float, float]]:
    """Ratio and p-value of trials in which names are so many times as strong as edits."""
    draw, found = np.random.default_rng(5), []
    for _ in range(TRIALS):
        main, own = draw.normal(size=(1, 20)), draw.normal(size=(24, 20))
        scores = names * (math.sqrt(shared) * main + math.sqrt(1 - shared) * own)
        result = brittleness_floor(scores, draw.normal(size=(24, 11)), families=families)
        found.append((result.ratio, result.p))
    return found


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_names_as_strong_as_edits_are_seldom_called_stronger(shared):
    assert sum(ratio > 1 and p < 0.05 for ratio, p in simulated(1.0, shared=shared)) <= MOST


def test_families_are_the_units():
    families = Families.of(np.repeat(np.arange(12), 2))
    assert sum(p < 0.05 for _, p in simulated(1.0, families=families)) <= MOST


@pytest.mark.parametrize("strength", [2.5, 0.4])
def test_a_difference_is_found_and_has_its_direction(strength):
    found = simulated(strength)
    assert all((ratio > 1) == (strength > 1) for ratio, _ in found)
    assert sum(p < 0.05 for _, p in found) > 0.9 * TRIALS


NAMES = list("ABCDEFGHIJ")


def judge(chances: np.ndarray, samples: int, seed: int, *, valid: np.ndarray | float = 1.0) -> ScoreCube:
    """A study of a judge who says Yes with these chances (S, 1 + N), and gives a valid answer with a chance."""
    random = np.random.default_rng(seed)
    given = random.binomial(samples, np.broadcast_to(valid, chances.shape))
    scores = np.where(given > 0, random.binomial(given, chances) / np.maximum(given, 1), np.nan)
    both = np.stack([scores, 1 - given / samples], axis=2).astype(np.float32)
    sentences, names = len(chances), chances.shape[1] - 1
    table = pd.DataFrame(
        {"sentence_id": [f"s{i}" for i in range(sentences)], "text": [f"he is {i}" for i in range(sentences)]}
    )
    table = table.assign(anchor="he", start=0, end=2, role="subject")
    targets = (
        Target("loan", unit="points", phrase="chance of a Yes", samples=samples),
        Target("loan_unanswered", unit="points", samples=samples),
    )
    missing = {"loan": {"no valid answer": int(np.isnan(scores).sum())}} if np.isnan(scores).any() else {}
    return ScoreCube(
        table, pd.DataFrame({"name": NAMES[:names]}), targets, both[:, 0], both[:, 1:], {"missing": missing}
    )


def claims(cube: ScoreCube) -> list[findings.Finding]:
    metrics = tables.summary(cube)["loan"]
    names = tables.name_table(cube, "loan", baseline="names")
    return [
        findings.corpus_finding(metrics, cube.targets[0]),
        findings.sentence_finding(tables.sentence_table(cube, "loan"), "loan", threshold=0.5),
        findings.correlation_finding(metrics, cube.targets[0]),
        findings.name_finding(names, "loan", baseline="names"),
    ]


def test_the_floor_is_what_dealing_at_random_gives() -> None:
    """Two names, one answer each: the range is 1 where the two answers differ, and dealing them changes nothing."""
    scores = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    found = stats.repeat_floors([0.0, 1.0, 1.0, 0.0], scores, samples=1, ends=(0, 1))
    assert found["score_range"][0].value == 0.5
    # In two of four sentences one of three answers (the original's is one) differs: two times in three it is a name's.
    assert found["score_range"][0].floor == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.parametrize("samples", [5, 20])
def test_a_null_judge_is_called_one_in_every_sentence(samples: int) -> None:
    level = np.random.default_rng(1).uniform(0.1, 0.9, (40, 1))
    found = claims(judge(np.repeat(level, 11, axis=1), samples, seed=3))
    assert not any(finding.is_significant for finding in found)
    assert "No clear difference" in found[0].headline and "No clear difference" in found[1].headline
    assert "asking again" in found[0].headline


def test_a_judge_of_names_is_found_and_its_range_is_corrected() -> None:
    chances = np.full((60, 11), 0.5)
    chances[:, 1:6] += 0.2
    corpus, sentences, _, name = claims(judge(chances, 20, seed=4))
    assert corpus.is_significant and "beyond what asking again does" in corpus.headline
    plain = tables.summary(judge(chances, 20, seed=4))["loan"]["score_dev"]
    # The names' own deviation is 0.1; that of 20 answers would make it 0.15.
    assert plain["value"] > 0.13 and plain["corrected"] == pytest.approx(0.1, abs=0.02)
    assert "No clear difference" not in sentences.headline and name.is_significant


@pytest.mark.parametrize("samples", [5, 20])
def test_means_of_numbers_are_dealt_with_their_spread(samples: int) -> None:
    random = np.random.default_rng(5)
    answers = random.integers(1, 11, (40, 11, samples)).astype(float)
    means, spread = answers.mean(axis=2), answers.std(axis=2)
    parts = {"samples": samples, "ends": (1, 10), "spread": (spread[:, 0], spread[:, 1:])}
    null = stats.repeat_floors(means[:, 0], means[:, 1:], **parts)
    assert not null["score_dev"][0].is_above and null["score_dev"][0].floor == pytest.approx(
        null["score_dev"][0].value, rel=0.1
    )
    means[:, 3] += 3
    assert stats.repeat_floors(means[:, 0], means[:, 1:], **parts)["score_dev"][0].is_above


def test_what_is_not_answered_is_said_first() -> None:
    chances, valid = np.full((40, 11), 0.5), np.full((40, 11), 0.9)
    assert unanswered_finding(judge(chances, 20, 1), "loan") is None
    valid[:, 2] = 0.4
    found = unanswered_finding(judge(chances, 20, 1, valid=valid), "loan")
    assert (
        found is not None and found.is_significant and "With “B” the share without a valid answer is" in found.headline
    )
    rare = unanswered_finding(judge(chances, 2, 1, valid=np.full((40, 11), 0.3)), "loan")
    assert rare is not None and "Only 29 %" in rare.headline and "there was no valid answer" in rare.headline
    assert unanswered_finding(judge(chances, 20, 1), "loan_unanswered") is None


def test_four_times_as_many_answers_show_half_the_difference() -> None:
    assert stats.resolvable(80, 50, 10) == pytest.approx(stats.resolvable(20, 50, 10) / 2)


@pytest.mark.slow
def test_the_planned_number_of_answers_finds_what_was_planned_and_no_null_is_found() -> None:
    sentences, names = 40, 10
    difference = 0.08
    samples = next(n for n in range(1, 1000) if stats.resolvable(n, sentences, names) <= difference)
    found = false = 0
    for seed in range(100):
        for planted in (True, False):
            chances = np.full((sentences, 1 + names), 0.5)
            chances[:, 1] += difference * planted
            cube = judge(chances, samples, seed)
            table = tables.name_table(cube, "loan", baseline="names")
            sure = (table["p_adjusted"] < 0.05).to_numpy()
            found += planted and sure[0]
            false += not planted and sure.any()
    assert found >= 95 and false <= 5


def test_of_one_cell_the_flip_is_all_of_them() -> None:
    found = stats.repeat_floors([0.2], [[0.8]], samples=5, ends=(0, 1), thresholds=[0.5], draws=9)
    assert found["flips"][0].value == 1.0


def test_the_spread_of_answers_is_not_said_to_move_with_the_name() -> None:
    metrics = tables.summary(judge(np.full((12, 6), 0.5), 5, seed=1))["loan"] | {
        "score_range": {"value": 2.0, "low": 1.5, "high": 2.5}
    }
    spread = Target("rating_spread", 0.0, 4.5, f"{SPREAD_OF_ANSWERS} about one text, on the scale of rating")
    assert "as it does by asking again" in findings.corpus_finding(metrics, spread).headline


def test_shares_are_corrected_by_subtraction_and_spreads_by_squares() -> None:
    random = np.random.default_rng(4)
    chances = 0.5 + 0.4 * np.array([1, 1, -1, 1, -1, 1])
    cells = random.binomial(20, np.broadcast_to(chances, (40, 6))) / 20
    found = stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=20, ends=(0, 1), thresholds=[0.5])
    for name in ("label_dist", "flips"):
        floor = found[name][0]
        assert floor.is_above and floor.corrected == pytest.approx(floor.value - floor.floor)
    for name in ("score_dev", "score_range"):
        floor = found[name][0]
        assert floor.is_above and floor.corrected**2 == pytest.approx(floor.value**2 - floor.floor**2)


def test_the_interval_of_the_ratio_is_the_jackknife_over_families_and_names() -> None:
    random = np.random.default_rng(9)
    scores, edits = random.normal(0, 2, (14, 6)), random.normal(0, 1, (14, 4))
    labels = np.repeat(np.arange(7), 2)
    found = brittleness_floor(scores, edits, families=Families.of(labels))

    def log_ratio(names: np.ndarray, neutral: np.ndarray) -> float:
        return float(np.log(names.var(axis=1, ddof=1).mean()) - np.log(neutral.var(axis=1, ddof=1).mean()))

    without_family = [log_ratio(scores[labels != family], edits[labels != family]) for family in range(7)]
    without_name = [log_ratio(np.delete(scores, name, axis=1), edits) for name in range(6)]
    variance = sum((len(each) - 1) * np.var(each) for each in (without_family, without_name))
    half = t.ppf(0.975, 5) * math.sqrt(variance)
    middle = log_ratio(scores, edits)
    bounds = [math.exp(value / 2) for value in (middle, middle - half, middle + half)]
    assert [found.ratio, found.low, found.high] == pytest.approx(bounds)
    assert found.p >= 2 * t.sf(abs(middle) / math.sqrt(variance), 5) - 1e-12


def test_sampling_alone_leaves_nothing_and_every_threshold_has_its_share() -> None:
    cells = np.random.default_rng(6).binomial(20, 0.5, (30, 6)) / 20
    found = stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=20, ends=(0, 1), thresholds=[0.4, 0.5, 0.6])
    assert {name: len(floors) for name, floors in found.items()} == {
        "score_dev": 1, "score_range": 1, "mean_abs_delta": 1, "label_dist": 3, "flips": 3,
    }  # fmt: skip
    assert all(floor.corrected == 0 and floor.p >= 0.05 for floors in found.values() for floor in floors)


def test_a_sentence_with_one_answered_name_has_no_spread_and_takes_none_from_the_others() -> None:
    cells = np.array([[0.5, 0.2, 0.6], [0.5, 0.4, np.nan], [0.5, 0.1, 0.9]])
    found = stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=10, ends=(0, 1), draws=9)
    assert found["score_dev"][0].value == pytest.approx((0.2 + 0.4) / 2)
    assert found["score_range"][0].value == pytest.approx((0.4 + 0.8) / 2)


def test_the_mean_change_of_sampled_scores_loses_what_asking_again_gives() -> None:
    random = np.random.default_rng(4)
    null = random.binomial(20, 0.5, (40, 9)) / 20
    found = stats.repeat_floors(null[:, 0], null[:, 1:], samples=20, ends=(0, 1))["mean_abs_delta"][0]
    assert found.value == pytest.approx(np.abs(null[:, 1:] - null[:, :1]).mean())
    # The mean size of a difference of two normal means, each of variance 0.25 / 20.
    assert found.floor == pytest.approx(np.sqrt(2 * 0.025 / np.pi), rel=0.1)
    assert not found.is_above and found.corrected == 0.0
    moved = random.binomial(400, np.r_[0.3, np.full(8, 0.6)], (40, 9)) / 400
    found = stats.repeat_floors(moved[:, 0], moved[:, 1:], samples=400, ends=(0, 1))["mean_abs_delta"][0]
    assert found.is_above and found.corrected == pytest.approx(0.3, abs=0.02)


def test_the_mean_change_has_a_p_value_that_no_other_statistic_corrects() -> None:
    cells = np.random.default_rng(5).binomial(20, 0.5, (30, 7)) / 20
    alone, many = (
        stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=20, ends=(0, 1), thresholds=thresholds)
        for thresholds in ([], [0.4, 0.5, 0.6])
    )
    assert alone["mean_abs_delta"] == many["mean_abs_delta"]


def test_answers_that_are_all_alike_show_nothing() -> None:
    found = stats.repeat_floors(np.ones(9), np.ones((9, 4)), samples=5, ends=(0, 1), thresholds=[0.5])
    assert all(floor.p == 1 and floor.value == 0 for floors in found.values() for floor in floors)


def test_of_answers_half_of_which_are_missing_half_as_many_are_shared_out() -> None:
    cells = np.random.default_rng(2).binomial(10, 0.5, (20, 5)) / 10
    half = np.full(20, 0.5), np.full((20, 4), 0.5)
    found = stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=20, ends=(0, 1), unanswered=half)
    assert found == stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=10, ends=(0, 1))


def test_flips_of_both_directions_are_counted() -> None:
    found = stats.repeat_floors([0.2, 0.8], [[0.8, 0.2], [0.2, 0.2]], samples=5, ends=(0, 1), thresholds=[0.5], draws=9)
    assert found["flips"][0].value == 3 / 4


def test_names_and_edits_are_compared_by_signed_ranks_of_their_spreads() -> None:
    """Of as many names as edits nothing is drawn: the spreads are those of all of them, whatever their order."""
    random = np.random.default_rng(0)
    scores, edits = random.normal(0, random.uniform(0.5, 3, (16, 1)), (16, 5)), random.normal(0, 1.4, (16, 5))
    for families in (Families.none(16), Families.of(np.arange(16) // 2)):
        differences = families.means(scores.std(axis=1) - edits.std(axis=1))
        assert floors._paired_p(scores, edits, families) == wilcoxon(differences).pvalue
    few = floors._paired_p(random.normal(0, 1, (30, 40)), random.normal(0, 1, (30, 3)), Families.none(30))
    assert few > 0.05, "forty names and three edits of one spread differ in none"


def test_the_smallest_study_has_one_degree_of_freedom() -> None:
    for sentences in (1, 2):
        reach = t.ppf(1 - 0.05 / 2 / 10, 1) + 1.35 * norm.ppf(0.95)
        expected = reach / 2 * math.sqrt((1 + math.pi / 20) / (20 * sentences))
        assert stats.resolvable(20, sentences, 10) == pytest.approx(expected)
    with pytest.raises(OptionError):
        stats.resolvable(20, 0, 10)


@pytest.mark.parametrize("spread", [None, 0.2])
def test_an_answer_that_is_missing_stays_missing_whatever_is_shared_out(spread: float | None) -> None:
    cells = np.random.default_rng(3).binomial(20, 0.5, (12, 5)) / 20
    cells[0, 1:] = cells[1, 2] = np.nan
    own = None if spread is None else (np.full(12, spread), np.full((12, 4), spread))
    found = stats.repeat_floors(cells[:, 0], cells[:, 1:], samples=20, ends=(0, 1), spread=own, draws=99)
    without = stats.repeat_floors(cells[1:, 0], cells[1:, 1:], samples=20, ends=(0, 1), draws=99)
    for name in ("score_dev", "score_range", "mean_abs_delta"):
        assert found[name][0].value == pytest.approx(without[name][0].value)
        if spread is None:
            assert found[name][0].floor == pytest.approx(without[name][0].floor, rel=0.05)


def test_where_one_sentence_has_all_of_the_spread_no_ratio_is_told() -> None:
    random = np.random.default_rng(0)
    one, every = np.full((8, 6), 0.5), random.random((8, 6))
    one[0] = every[0]
    for names, edits in ((one, every), (every, one)):
        found = brittleness_floor(names, edits)
        assert found.names > 0 and found.edits > 0 and np.isnan(found[2:]).all()
