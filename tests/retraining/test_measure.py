from __future__ import annotations

import numpy as np
import pytest

from psa_core.retraining.measure import quality


def test_macro_means_by_hand() -> None:
    # Class 0: 3 true, 2 found, 2 called so: F1 = 4/5, recall 2/3.
    # Class 1: 1 true, 1 found, 2 called so: F1 = 2/3, recall 1.
    scores = quality(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    assert scores["macro_f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert scores["macro_recall"] == pytest.approx((2 / 3 + 1) / 2)
    assert scores["accuracy"] == 0.75


def test_a_class_that_is_never_predicted_counts_as_zero() -> None:
    assert quality(np.array([0, 1]), np.array([0, 0]))["macro_f1"] == pytest.approx((2 / 3 + 0) / 2)


def test_a_class_that_never_occurs_does_not_count() -> None:
    # Class 2 is predicted once and never true; class 0: 2 true, 1 found, 1 called so.
    assert quality(np.array([0, 0]), np.array([0, 2])) == {
        "macro_f1": pytest.approx(2 / 3),
        "macro_recall": 0.5,
        "accuracy": 0.5,
    }
