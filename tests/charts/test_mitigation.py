from __future__ import annotations

import pandas as pd

from psa_core.charts.mitigation import MAX_NAMES, name_changes


def test_each_name_has_two_points_and_the_first_names_are_drawn() -> None:
    names = [f"name {number}" for number in range(MAX_NAMES + 5)]
    table = pd.DataFrame({"name": names, "before": 0.2, "after": 0.1})
    drawing = name_changes(table, labels={name: name.upper() for name in names})
    assert len(drawing.rows) == 2 * MAX_NAMES and set(drawing.rows["when"]) == {"as it was", "retrained"}
    ordered = drawing.spec["layer"][1]["encoding"]["y"]["sort"]
    assert ordered == [name.upper() for name in names[:MAX_NAMES]]


def test_the_first_and_the_last_label_stand_on_their_lines_and_points_beside_them_not_upon_them() -> None:
    spec = name_changes(pd.DataFrame({"name": ["A"], "before": 0.2, "after": 0.1}), labels={"A": "A"}).spec
    assert spec["config"]["axis"]["labelFlush"] is False
    assert spec["layer"][2]["encoding"]["x"]["scale"]["padding"] > 0
