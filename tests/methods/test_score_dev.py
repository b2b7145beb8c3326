from __future__ import annotations

import numpy as np
import pytest

from psa_core.errors import OptionError
from psa_core.methods.score_dev import ScoreDev

ORIGINAL = np.array([0.0, 0.0])
PERTURBED = np.array([[0.0, 0.5, 1.0], [0.25, 0.25, 0.25]])


def test_population_deviation_by_hand() -> None:
    # squares about 0.5: 0.25 + 0 + 0.25, over 3
    assert ScoreDev()(ORIGINAL, PERTURBED) == pytest.approx([(0.5 / 3) ** 0.5, 0.0], abs=1e-15)


def test_sample_deviation_by_hand() -> None:
    assert ScoreDev(ddof=1)(ORIGINAL, PERTURBED) == pytest.approx([0.5, 0.0], abs=1e-15)


def test_sample_deviation_of_one_name_is_refused() -> None:
    with pytest.raises(OptionError, match="ddof"):
        ScoreDev(ddof=1)(ORIGINAL, PERTURBED[:, :1])
    assert ScoreDev()(ORIGINAL, PERTURBED[:, :1]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("ddof", [-1, 0.5, "x"])
def test_a_ddof_that_is_none_is_refused(ddof: int) -> None:
    with pytest.raises(OptionError, match="ddof"):
        ScoreDev(ddof=ddof)
