"""The forest plot has a row a coefficient, and says by shape what leaves out 0."""

from __future__ import annotations

import re

import pytest

from psa_core.charts import factors
from psa_core.charts._altair import drawing_svg
from psa_core.tables.factors import factor_regression
from tests.pages import result_studies


def test_rows_are_the_coefficients_and_shapes_say_what_holds_0() -> None:
    why = factor_regression(result_studies.cube(), "toxicity", ["length", "gender"])
    drawing = factors.coefficients(why.coefficients)
    assert drawing.rows["label"].tolist() == why.coefficients.dropna()["label"].tolist()
    holds = (drawing.rows["low"] <= 0) & (drawing.rows["high"] >= 0)
    assert (drawing.rows["kind"] == "could be zero").tolist() == holds.tolist()
    assert "<svg" in drawing_svg(drawing)
    assert factors.shares(why.shares).rows["percent"].sum() == pytest.approx(100 * why.r_squared)


def test_long_words_leave_a_phone_its_plot() -> None:
    why = factor_regression(result_studies.cube(), "toxicity", ["length", "gender"])
    table = why.coefficients.assign(
        label=[f"country: a very long name of country {n}" for n in range(len(why.coefficients))]
    )
    found = re.match(r'<svg[^>]* width="(\d+)', drawing_svg(factors.coefficients(table), width=300))
    assert found and int(found[1]) < 360, "the plot and what stands beside it"
