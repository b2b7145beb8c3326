from __future__ import annotations

import pandas as pd

from psa_core.charts._altair import drawing_svg
from psa_core.charts.relevance import relevance


def test_each_audit_is_written_beside_its_point() -> None:
    rows = [("before", 0.4, 0.08, 0.06, 0.1), ("after", 0.3, 0.05, 0.04, 0.07)]
    drawing = relevance(pd.DataFrame(rows, columns=["audit", "similarity", "fairness", "low", "high"]))
    assert drawing.rows.set_index("label")["beside"].to_dict() == {"before": "left", "after": "right"}
    svg = drawing_svg(drawing)
    assert "before" in svg and "Corrected I.F." in svg
