from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psa_core.claims.groups import selection_finding
from psa_core.cube import ScoreCube
from psa_core.tables import published_table, selection_file_table, selection_table
from tests.tables.test_groups import crossed_cube


def test_by_hand(cube: ScoreCube) -> None:
    # Ada 0.75 0.25; Ben 0.25 0.5; Cy 0.5 0
    table = selection_table(cube, "toxicity", "gender")
    assert table[["names", "texts", "selected", "rate"]].to_numpy().tolist() == [[1, 2, 1, 0.5], [2, 4, 2, 0.5]]
    assert table["impact_ratio"].isna().all()  # a group of one name is none, and one group has no other
    top = selection_table(cube, "toxicity", "gender", select="top:1")
    assert top["selected"].tolist() == [1, 1]


def test_crossed_rates_in_words_and_as_published() -> None:
    study = crossed_cube(0.2)
    table = selection_table(study, "toxicity", "gender*colour", threshold=0.6)
    found = selection_finding(table, "toxicity", column="gender*colour")
    rates = dict(zip(table["group"], table["rate"], strict=True))
    scores = study.perturbed[:, :, 0]
    green_women = (study.names["gender"] == "female") & (study.names["colour"] == "green")
    assert rates["female*green"] == pytest.approx(np.mean(scores[:, green_women] >= np.float32(0.6)))
    assert found.is_significant
    assert found.headline.startswith(
        f"Of 100 identical texts, {100 * rates['female*green']:.0f} are selected with “female × green”"
    )
    assert "That is below 0.8, the EEOC's four-fifths rule of thumb." in found.evidence
    higher = selection_finding(table.assign(impact_ratio=0.8), "toxicity", column="gender*colour")
    assert "That is not below 0.8," in higher.evidence
    columns = ["gender", "colour", "# of Applicants", "# Selected", "Selection Rate", "Impact Ratio"]
    published = published_table(table, "gender*colour")
    assert published.columns.tolist() == columns
    assert published["Impact Ratio"].max() == 1.0
    assert (published["gender"] + "*" + published["colour"]).tolist() == table["group"].tolist()
    starred = published_table(table.assign(group="female*light*green"), "gender*colour")
    assert starred.loc[0, ["gender", "colour"]].tolist() == ["female", "light*green"]
    alone = published_table(selection_table(study, "toxicity", "gender").assign(group="non*binary"), "gender")
    assert alone.columns[0] == "Category" and set(alone["Category"]) == {"non*binary"}


def test_nothing_beyond_chance_is_not_claimed() -> None:
    table = selection_table(crossed_cube(), "toxicity", "gender*colour")
    found = selection_finding(table, "toxicity", column="gender*colour")
    assert not found.is_significant and found.headline.startswith("No clear difference")


def test_where_nothing_is_selected_no_name_selects() -> None:
    table = selection_table(crossed_cube(), "toxicity", "gender", threshold=1.0).assign(selected=0, rate=0.0)
    assert selection_finding(table, "toxicity", column="gender").headline.endswith(", with any name.")


def test_the_file_follows_the_study() -> None:
    study = crossed_cube(0.2)
    asked = {"groups": "gender*colour", "select": "top:6"}
    table = selection_file_table(replace(study, provenance={"study": asked}), "toxicity")
    assert table.columns.tolist() == [
        "column",
        "group",
        "names",
        "texts",
        "selected",
        "rate",
        "impact_ratio",
        "low",
        "high",
    ]
    assert table["column"].unique().tolist() == ["gender", "colour", "gender*colour"]
    assert table.index.tolist() == [*range(len(table))]
    assert table.groupby("column")["selected"].sum().round(6).tolist() == [240.0] * 3
