from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psa_core import mitigate
from psa_core.errors import CubeError
from psa_core.tables.before_after import names_before_after, sentences_before_after, spread_change
from tests.pages import result_studies


def two_by_three():  # type: ignore[no-untyped-def]
    """Two sentences, three names; the first name moves the first sentence by 0.6, then by 0.2."""
    cube = mitigate.part(result_studies.cube(), sentences=np.arange(2), names=np.arange(3))
    original = np.full((2, 1), 0.4, np.float32)
    scores = [np.full((2, 3, 1), 0.3, np.float32) for _ in range(2)]
    scores[0][0, 0], scores[1][0, 0] = 0.9, 0.45
    return [replace(cube, targets=cube.targets[:1], original=original, perturbed=values) for values in scores]


def test_a_name_against_the_names_mean() -> None:
    before, after = two_by_three()
    table = names_before_after(before, after, "toxicity")
    assert table["name"][0] == before.names["name"][0]
    # (0.9 + 0.3) / 2 - 0.4, then (0.45 + 0.3) / 2 - 0.325
    np.testing.assert_allclose(table.loc[0, ["before", "after"]].astype(float), [0.2, 0.05], atol=1e-6)
    np.testing.assert_allclose(table[["before", "after"]].sum(), 0, atol=1e-6)


def test_a_sentence_with_its_spread_and_flips() -> None:
    before, after = two_by_three()
    table = sentences_before_after(before, after, "toxicity", threshold=0.5)
    assert table["text"].tolist() == before.sentences["text"].tolist()
    np.testing.assert_allclose(
        table.loc[0, ["spread_before", "spread_after"]].astype(float), [0.6 * 2**0.5 / 3, 0.15 * 2**0.5 / 3], atol=1e-6
    )
    assert table["flips_before"].tolist() == [1, 0] and table["flips_after"].tolist() == [0, 0]


def test_other_names_are_refused() -> None:
    before, after = two_by_three()
    other = replace(after, names=after.names.assign(name=["x", "y", "z"]))
    with pytest.raises(CubeError, match="names"):
        names_before_after(before, other, "toxicity")


def test_the_change_of_the_spread_is_paired_over_sentences() -> None:
    before, after = two_by_three()
    found = spread_change(before, after, "toxicity")
    assert found.value == pytest.approx((0.6 - 0.15) * 2**0.5 / 3 / 2, abs=1e-6) and found.low < 0 < found.p
    cube = result_studies.cube()
    assert spread_change(cube, replace(cube, perturbed=cube.perturbed / 2), "toxicity").p < 0.01
