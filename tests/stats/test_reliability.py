"""Whether the names' order repeats: against halves done by hand, pure noise, and orders that are known."""

from __future__ import annotations

from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from scipy.stats import spearmanr

from psa_core.errors import CubeError
from psa_core.stats import reliability
from psa_core.stats import scores as stats_scores
from psa_core.stats.reliability import order_agreement, order_reliability, top_stability


def noisy(sentences: int = 40, names: int = 12, noise: float = 1.0, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    effects = np.linspace(-1, 1, names)
    return effects + random.normal(size=(sentences, 1)) + noise * random.normal(size=(sentences, names))


def test_the_value_is_the_mean_over_halves_stepped_up() -> None:
    scores = noisy(8, 6)
    halves = [list(half) for half in combinations(range(8), 4)]
    by_hand = np.mean(
        [spearmanr(scores[half].mean(axis=0), np.delete(scores, half, axis=0).mean(axis=0))[0] for half in halves]
    )
    assert order_reliability(scores).value == pytest.approx(2 * by_hand / (1 + by_hand), abs=0.06)


def test_a_clear_order_is_reliable_and_noise_is_not() -> None:
    assert order_reliability(noisy(noise=0.01)).low > 0.95
    found = order_reliability(noisy(noise=1.0))
    assert 0 < found.low < found.value < found.high <= 1
    nothing = [order_reliability(np.random.default_rng(seed).normal(size=(20, 8)), seed=seed) for seed in range(20)]
    assert sum(low <= 0 <= high for _, low, high in nothing) >= 17


def test_names_that_move_together_make_the_interval_wider() -> None:
    random = np.random.default_rng(5)
    together = np.repeat(random.normal(size=(30, 2)), 8, axis=1) + 0.1 * random.normal(size=(30, 16))
    apart = random.permuted(together, axis=1)
    kept, dealt = order_reliability(together), order_reliability(apart)
    assert reliability._ratio(dealt.value) > 0  # neither is at the end of the scale
    assert kept.high - kept.low > dealt.high - dealt.low


def test_what_sentences_share_changes_nothing() -> None:
    scores = noisy()
    assert order_reliability(scores) == pytest.approx(order_reliability(scores + np.arange(40)[:, None]), abs=1e-6)


def test_tied_names_stay_tied() -> None:
    scores = np.repeat(np.linspace(0.1, 0.7, 10)[:, None], 9, axis=1)
    scores[:, 4] += 0.2  # a lexicon that knows one name
    assert order_reliability(scores).value == 1.0
    tied, others = reliability._ranks(np.array([[0.2, 0.1, 0.2]])), reliability._ranks(np.array([[0.3, 0.1, 0.2]]))
    # Each rank less the same number, whichever it begins at.
    assert (tied - tied.min()).tolist() == [[1.5, 0, 1.5]] and (others - others.min()).tolist() == [[2, 0, 1]]


@pytest.mark.parametrize("scores", [np.full((9, 5), 0.3), noisy(3), noisy(10, 2)])
def test_what_cannot_be_told_is_not_a_number(scores: np.ndarray) -> None:
    assert np.isnan(order_reliability(scores)).all()
    assert np.isnan(top_stability(scores)[1:]).all()


def test_more_than_256_sentences_are_halved_in_blocks() -> None:
    assert order_reliability(noisy(600, noise=8)).value == pytest.approx(0.8, abs=0.12)


def test_the_top_is_stable_from_as_many_sentences_as_it_takes() -> None:
    random = np.random.default_rng(2)
    effects = np.where(np.arange(20) < 5, 0.5, 0.0)
    found = top_stability(effects + random.normal(size=(400, 20)), top=5)
    assert found.top == 5

    def share(sentences: int) -> float:
        tops = [
            set(np.argsort(-np.abs(m - np.median(m)))[:5])
            for m in (effects + random.normal(size=(300, 20)) / np.sqrt(sentences))
        ]
        return float(np.mean([len(a & b) / 5 for a, b in zip(tops[::2], tops[1::2], strict=True)]))

    assert share(int(found.sentences)) > 0.88
    assert share(int(found.sentences / 6)) < 0.9
    assert found.share > 0.95


@pytest.mark.parametrize(("names", "top", "taken"), [(9, 10, 4), (10, 5, 5), (10, 3, 3), (3, 2, 1)])
def test_the_top_is_at_most_half_of_the_names(names: int, top: int, taken: int) -> None:
    assert top_stability(np.random.default_rng(0).normal(size=(20, names)), top=top).top == taken


def test_names_without_any_difference_have_no_stable_top() -> None:
    scores = np.repeat(np.random.default_rng(0).normal(size=(30, 1)), 30, axis=1)
    scores[:, 0] += 1
    assert top_stability(scores).sentences == np.inf
    assert top_stability(scores, top=1).sentences == reliability.MIN_SENTENCES


def test_the_order_of_two_studies_is_that_of_their_ranks() -> None:
    random = np.random.default_rng(1)
    first = random.normal(size=30)
    second = np.exp(first + 0.5 * random.normal(size=30))
    found = order_agreement(first, second)
    assert found.r == pytest.approx(spearmanr(first, second)[0])
    assert found.low < found.r < found.high
    assert order_agreement([1, 1, 1, 1], [1, 2, 3, 4]).reason
    with pytest.raises(CubeError):
        order_agreement([], [])


def test_one_order_is_as_sure_as_its_places_allow() -> None:
    four, six = order_agreement([1, 2, 3, 4], [1, 2, 3, 4]), order_agreement([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])
    assert four.p == pytest.approx(1 / 12)
    assert four.low < 0 < four.r == four.high == pytest.approx(1)
    assert six.low == -1 == pytest.approx(six.r)
    assert -1 < six.high < 0
    two_known = np.r_[-1.0, np.zeros(98), 1.0]  # three places: two names and all others
    assert np.isnan(order_agreement(two_known, two_known).low)


def test_of_very_many_names_some_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    scores = 0.3 * random.normal(size=600) + random.normal(size=(30, 600))
    whole = order_reliability(scores, draws=119)
    monkeypatch.setattr(stats_scores, "MAX_NAMES", 200)
    monkeypatch.setattr(reliability, "_ranks", checked := mock.Mock(wraps=reliability._ranks))
    np.testing.assert_allclose(order_reliability(scores, draws=119), whole, atol=0.08)
    assert {call.args[0].shape[-1] for call in checked.call_args_list} == {200}


def test_reliability_stays_between_minus_one_and_one() -> None:
    random = np.random.default_rng(4)
    opposite = np.concatenate([np.tile(np.arange(6.0), (2, 1)), np.tile(-np.arange(6.0), (2, 1))])
    for given in (
        opposite + random.normal(0, 0.01, (4, 6)),
        random.normal(size=(12, 4)),
        np.tile(np.arange(5.0), (8, 1)),
    ):
        found = order_reliability(given)
        assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.value == 1


@pytest.mark.parametrize("needed", [37, 420, 61_000])
def test_the_sentences_that_it_takes_are_rounded_up_to_two_digits(needed: int) -> None:
    found = reliability._first_stable(lambda size: 0.95 if size >= needed else 0.2)
    assert needed <= found <= 1.05 * needed and float(f"{found:.1e}") == found


def test_halves_are_equally_large() -> None:
    """Any two of these sentences have the names in one order; the last alone has them in the opposite one."""
    scores = [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 2.5, 5.0], [0.0, -0.5, -1.0]]
    assert order_reliability(scores).value == 1.0


def test_the_interval_of_an_order_repeated_exactly_is_half_a_swap_short_of_it() -> None:
    found = order_agreement([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    swapped = spearmanr([1, 2, 3, 4, 5], [2, 1, 3, 4, 5]).statistic
    nearest = (1 + swapped) / 2
    assert found.low == pytest.approx(np.tanh(np.arctanh(nearest) - 1.96 / np.sqrt(2))) and found.high == 1.0


def test_an_order_reversed_exactly_is_as_sure_as_one_repeated() -> None:
    same, opposite = (order_agreement([1, 2, 3, 4, 5], sign * np.array([2, 4, 6, 8, 10])) for sign in (1, -1))
    assert (opposite.low, opposite.high) == (-1.0, pytest.approx(-same.low)) and opposite.p == same.p == 2 / 120


def test_the_top_of_pure_noise_is_hardly_found_again() -> None:
    found = [top_stability(np.random.default_rng(seed).normal(size=(30, 20)), top=5).share for seed in range(8)]
    assert np.mean(found) < 0.4  # by chance 0.25


def test_ties_of_one_split_are_ties_whatever_the_others_are() -> None:
    assert reliability._ranks(np.array([[[1.0, 2.0, 1.0], [3.0, 4.0, 5.0]]])).tolist() == [[[1.5, 3, 1.5], [1, 2, 3]]]


def test_no_scale_and_no_side_matters() -> None:
    scores = noisy(12)
    for scale in (1e-7, 1e7):
        assert order_reliability(scale * scores) == pytest.approx(order_reliability(scores))
        assert top_stability(scale * scores) == pytest.approx(top_stability(scores))
        means = scale * scores.mean(axis=0)
        assert order_agreement(means, np.round(means / scale, 1)).r == order_agreement(
            scores.mean(axis=0), scores.mean(axis=0).round(1)
        ).r  # fmt: skip
    assert reliability._bound(-1.0, 0.5) == reliability._bound(-0.99, 0.99) == -1


def test_effects_that_cancel_out_are_no_top_however_many_sentences() -> None:
    scores = np.random.default_rng(0).integers(-8, 9, (10, 12)).astype(float)
    scores -= scores.mean(axis=1, keepdims=True).round()
    both = np.vstack([scores, -scores])
    assert top_stability(both, top=2).sentences == np.inf
