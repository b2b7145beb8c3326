from __future__ import annotations

import numpy as np
import pytest

from research.statistics import Check, checks, run_checks


def test_a_promise_is_kept_within_its_bounds() -> None:
    kept = Check("claim", "setting", 0.94, 0.93, 0.97, 400)
    assert kept.holds
    assert kept.error == pytest.approx((0.94 * 0.06 / 400) ** 0.5)
    assert not Check("claim", "setting", 0.92, 0.93, 0.97, 400).holds
    assert Check("claim", "setting", 0.0, 0.0, 0.05, 400).error > 0


def test_an_interval_that_is_too_narrow_is_found_out() -> None:
    half = {
        claim: (truth, lambda original, perturbed, _, bounds=bounds: _narrowed(*bounds(original, perturbed, 0)))
        for claim, (truth, bounds) in checks.T_INTERVALS.items()
    }
    for check in checks.coverage(50, 40, 0, half):
        assert check.measured < 0.85


def _narrowed(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle, half = (low + high) / 2, (high - low) / 4
    return middle - half, middle + half


def test_a_test_that_errs_too_often_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psa_core.stats.adjust", lambda p_values, _: p_values)
    family, *_ = checks.error_rates(50, 20, 0)
    assert family.measured > 0.3


@pytest.mark.slow
def test_all_promises_are_kept() -> None:
    # With so few repetitions a share may miss its bounds by chance; three standard errors are allowed for that.
    for check in run_checks(150, seed=1):
        allowed = 3 * check.error
        assert check.low - allowed <= check.measured <= check.high + allowed, check
