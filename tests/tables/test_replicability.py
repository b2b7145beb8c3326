"""The sentences that say whether an order would be found again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from psa_core.claims.comparison import agreement_finding, replicability_finding
from psa_core.cube import ScoreCube
from psa_core.stats import Correlation, Interval
from psa_core.stats.reliability import TopStability, top_stability
from psa_core.tables.pairs import Agreement, Replicability, order_in_both, order_replicability
from tests.pages import result_studies


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    return result_studies.cube()


def test_a_study_says_how_well_its_order_repeats(cube: ScoreCube) -> None:
    again = order_replicability(cube, "toxicity")
    assert again.sentences == 40
    assert again.reliability.low <= again.reliability.value <= again.reliability.high
    found = replicability_finding(again, "toxicity")
    assert f"Reliability {again.reliability.value:.2f}" in found.evidence
    assert "ranking of the names" in found.headline and "reliability" not in found.headline


def test_sentences_that_a_stable_top_takes_are_counted_though_families_were_drawn(cube: ScoreCube) -> None:
    alone = order_replicability(cube, "toxicity")
    assert alone.stability == top_stability(cube.units("toxicity")[1]) and alone.families is None
    pairs = replace(cube, sentences=cube.sentences.assign(family=np.repeat(np.arange(20), 2).astype(str)))
    found = order_replicability(pairs, "toxicity")
    units = top_stability(pairs.units("toxicity")[1])
    assert found.families == 20 and found.stability.sentences == 2 * units.sentences
    assert found.stability.share == units.share


@pytest.mark.parametrize(
    ("reliability", "stability", "said"),
    [
        (
            (0.9, 0.8, 0.95),
            (10, 0.8, 519.0),
            "80 % of the top 10 names; about 500 sentences are needed for 90 %",
        ),
        ((0.9, 0.8, 0.95), (10, 0.95, 90.0), "9 of the top 10 names."),
        ((0.9, 0.8, 0.95), (2, 0.95, 90.0), "2 of the top 2 names."),
        ((0.9, 0.8, 0.95), (10, 0.5, np.inf), "however many sentences there are"),
        (
            (0.97, 0.8, 0.99),
            (1, 0.95, 90.0),
            "nearly the same ranking of the names: the same top name in 9 of 10",
        ),
        ((0.8, 0.5, 0.9), (10, 0.8, 519.0), "would see a similar ranking of the names"),
        ((0.79, 0.5, 0.9), (10, 0.8, 519.0), "would see a roughly similar ranking of the names"),
        ((0.6, 0.3, 0.9), (1, 0.7, 900.0), "the same top name in 7 of 10 cases; about 900 sentences"),
        ((0.4, 0.1, 0.6), (1, 0.5, np.inf), "the top name ties with another"),
        ((0.2, -0.3, 0.6), (10, 0.5, 5000.0), "may well see another ranking"),
        ((np.nan,) * 3, (1, np.nan, np.nan), "cannot say"),
    ],
)
def test_a_sentence_for_every_case(
    reliability: tuple[float, ...], stability: tuple[int, float, float], said: str
) -> None:
    assert (
        said
        in replicability_finding(
            Replicability(Interval(*reliability), TopStability(*stability), 100), "toxicity"
        ).headline
    )


def test_two_studies_of_other_sentences_are_compared_by_the_names_they_share(cube: ScoreCube) -> None:
    names = cube.names.iloc[::-1].reset_index(drop=True)
    other = replace(cube, names=names, perturbed=cube.perturbed[:, ::-1]).rows(np.arange(30))
    agreement = order_in_both(cube, other, ("toxicity", "toxicity"))
    assert agreement is not None and agreement.names == 12
    assert agreement.order.r > 0.5
    assert "12 names in common" in agreement_finding(agreement).headline
    strangers = replace(cube, names=cube.names.assign(name=[f"Stranger {i}" for i in range(12)]))
    assert order_in_both(cube, strangers, ("toxicity", "toxicity")) is None


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (Correlation(0.8, 0.001, 0.6, 0.9), "similarly: rank correlation 0.80"),
        (Correlation(-0.8, 0.001, -0.9, -0.6), "in opposite order: rank correlation −0.80"),
        (Correlation(0.1, 0.5, -0.2, 0.4), "with no clear agreement"),
    ],
)
def test_agreement_claims_no_more_than_its_interval(order: Correlation, said: str) -> None:
    finding = agreement_finding(Agreement(order, 20, is_reliable=True))
    assert said in finding.headline and "95 % interval" in finding.evidence
    doubted = agreement_finding(Agreement(order, 20, is_reliable=False))
    assert "no clear agreement" in doubted.headline and "chance" in doubted.evidence and not doubted.is_significant


def test_names_that_move_together_without_an_effect_are_in_no_order(cube: ScoreCube) -> None:
    def noise(random: np.random.Generator) -> ScoreCube:
        pairs = np.repeat(random.normal(0, 0.1, (40, 2)), 6, axis=1) + random.normal(0, 0.01, (40, 12))
        scores = (0.5 + pairs).astype(np.float32)[:, :, None]
        return replace(cube, targets=cube.targets[:1], original=cube.original[:, :1], perturbed=scores, controls=None)

    random = np.random.default_rng(2)
    found = [order_in_both(noise(random), noise(random), ("toxicity", "toxicity")) for _ in range(12)]
    assert sum(agreed is not None and agreed.order.p < 0.05 for agreed in found) >= 4
    assert sum(agreed is not None and agreement_finding(agreed).is_significant for agreed in found) == 0


def test_agreement_is_between_the_effects_of_both(large_cube: ScoreCube) -> None:
    random = np.random.default_rng(3)
    other = replace(large_cube, perturbed=random.random(large_cube.perturbed.shape).astype(np.float32))
    found = order_in_both(large_cube, other, ("toxicity", "toxicity"))
    means = [cube.perturbed[:, :, 0].mean(axis=0) for cube in (large_cube, other)]
    assert found is not None and found.order.r == pytest.approx(spearmanr(*means).statistic)


def test_two_rankings_are_reliable_only_where_each_is(large_cube: ScoreCube) -> None:
    steps = np.linspace(0, 0.3, 12)[None, :, None]
    clear = replace(large_cube, perturbed=(large_cube.perturbed * 0.5 + steps).astype(np.float32))
    noise = np.random.default_rng(1).random(large_cube.perturbed.shape).astype(np.float32)
    pairs = [(clear, clear), (clear, replace(large_cube, perturbed=noise))]
    found = [order_in_both(one, other, ("toxicity", "toxicity")) for one, other in pairs]
    assert [agreement is not None and agreement.is_reliable for agreement in found] == [True, False]


def test_the_top_two_names_are_a_share_of_a_top() -> None:
    reliability = Interval(0.9, 0.8, 0.95)
    some = replicability_finding(Replicability(reliability, TopStability(2, 0.6, 900.0), 100), "toxicity").headline
    assert some.endswith("ranking of the names: 60 % of the top 2 names; about 900 sentences are needed for 90 %.")
    one = replicability_finding(Replicability(reliability, TopStability(1, 0.6, 900.0), 100), "toxicity").headline
    assert "the same top name in 6 of 10 cases; about 900" in one
