"""The curves begin at the model as it was, and have no point of a score that had a part in the training."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.mitigation import curve
from research.mitigation.language import Audit
from tests.research.mitigation.test_language import adapter, audit

__all__ = ["adapter"]


def corrected(one: Audit) -> float:
    return float(one.result.tables.summary["mood"]["individual_fairness"]["corrected"])


def test_a_training_is_one_point_after_the_model_as_it_was(adapter: Path) -> None:
    after = f"?adapter={adapter}"
    before = audit(0.5, "", semantic_similarity=0.4)
    trained = [audit(shift, after, semantic_similarity=0.3) for shift in (0.2, 0.3)]
    start, point = curve.points([before, *trained]).to_dict("records")
    assert (start["strength"], start["kept"], start["left"]) == (0, 1, 1)
    shares = sorted(corrected(one) / corrected(before) for one in trained)
    assert (point["method"], point["strength"], point["kept"]) == ("valence", 5, pytest.approx(0.75))
    assert (point["low"], point["high"]) == (pytest.approx(shares[0]), pytest.approx(shares[1]))
    assert point["left"] == pytest.approx(sum(shares) / 2)
    drawn = curve.picture([before, *trained])
    assert drawn is not None and "mood" in drawn and "valence" in drawn and str(adapter) not in drawn


def test_nothing_is_drawn_of_noise_or_of_a_score_that_had_a_part(
    adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = audit(0.2, f"?adapter={adapter}", semantic_similarity=0.3)
    before = audit(0.5, "", semantic_similarity=0.4)
    assert curve.picture([before]) is None
    assert curve.picture([audit(0.0, "", semantic_similarity=0.4), after]) is None
    unknown = audit(0.2, f"?adapter={adapter}")
    assert curve.picture([before, unknown]) is None, "nothing is known of its relevance"
    monkeypatch.setitem(curve.PARTS, "valence", "mood")
    assert curve.picture([before, after]) is None
