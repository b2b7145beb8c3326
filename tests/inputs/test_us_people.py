"""The packaged list of people: what its card promises, counted."""

from __future__ import annotations

import pandas as pd
import pytest

from psa_core.inputs import groups, names
from psa_core.tables import crossings


def test_twenty_people_in_each_of_eight_groups_with_evidence() -> None:
    table = names.load("us-people").table
    assert table.groupby(["gender", "race"]).size().tolist() == [20] * 8
    shares = table.filter(like="p_").astype(float)
    assert shares.drop(columns="p_female").sum(axis=1).to_numpy() == pytest.approx(1, abs=0.003)
    own = [float(row[f"p_{row['race']}"]) for _, row in table.iterrows()]
    assert min(own) >= 0.8
    assert ((shares["p_female"] >= 0.95) == (table["gender"] == "female")).all()
    assert (table["first"] + " " + table["last"] == table["name"]).all()


def test_the_groups_are_alike_in_length() -> None:
    table = names.load("us-people").table
    letters = table["name"].str.len().groupby([table["gender"], table["race"]]).mean()
    assert letters.max() - letters.min() < 0.3


def test_parts_of_names_and_evidence_are_no_groups() -> None:
    table = names.load("us-people").table
    assert groups.grouping(table) == ["gender", "race"]
    assert crossings(["gender", "race"], table) == ["gender*race"]
    assert groups.evidence_columns(table) == ["p_white", "p_black", "p_hispanic", "p_asian", "p_female"]
    assert groups.evidence_columns(pd.DataFrame({"name": ["a"], "p_x": ["2"]})) == []
