"""The sentences that say whether an order would be found again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from psa_core.claims.comparison import agreement_finding
from psa_core.cube import ScoreCube
from psa_core.stats.reliability import top_stability
from psa_core.tables.pairs import order_in_both, order_replicability
from tests.pages import result_studies


@pytest.fixture(scope="module")
def cube() -> ScoreCube:
    return result_studies.cube()


def test_a_study_says_how_well_its_order_repeats(cube: ScoreCube) -> None:
    again = order_replicability(cube, "toxicity")
    assert again.sentences == 40
    assert again.reliability.low <= again.reliability.value <= again.reliability.high


def test_sentences_that_a_stable_top_takes_are_counted_though_families_were_drawn(cube: ScoreCube) -> None:
    alone = order_replicability(cube, "toxicity")
    assert alone.stability == top_stability(cube.units("toxicity")[1]) and alone.families is None
    pairs = replace(cube, sentences=cube.sentences.assign(family=np.repeat(np.arange(20), 2).astype(str)))
    found = order_replicability(pairs, "toxicity")
    units = top_stability(pairs.units("toxicity")[1])
    assert found.families == 20 and found.stability.sentences == 2 * units.sentences
    assert found.stability.share == units.share


def test_two_studies_of_other_sentences_are_compared_by_the_names_they_share(cube: ScoreCube) -> None:
    names = cube.names.iloc[::-1].reset_index(drop=True)
    other = replace(cube, names=names, perturbed=cube.perturbed[:, ::-1]).rows(np.arange(30))
    agreement = order_in_both(cube, other, ("toxicity", "toxicity"))
    assert agreement is not None and agreement.names == 12
    assert agreement.order.r > 0.5
    strangers = replace(cube, names=cube.names.assign(name=[f"Stranger {i}" for i in range(12)]))
    assert order_in_both(cube, strangers, ("toxicity", "toxicity")) is None


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
