from __future__ import annotations

import pandas as pd

from research.statistics import Check, page

CHECKS = [Check("Holds", "10 sentences", 0.951, 0.93, 0.97, 400), Check("Fails", "10 sentences", 0.2, 0.0, 0.05, 400)]
POWER = pd.DataFrame({"sentences": [1000], "0.1": [0.4], "0.2": [1.0], "detectable": [0.1416]})


def test_tables() -> None:
    lines = page.markdown(CHECKS, POWER).splitlines()
    assert lines[2] == "| Holds | 10 sentences | 93 % to 97 % | 95.1 ± 2.2 % | yes |"
    assert lines[3] == "| Fails | 10 sentences | 0 % to 5 % | 20.0 ± 4.0 % | **no** |"
    assert lines[5] == "| sentences | d_z = 0.1 | d_z = 0.2 | found in 80 %: d_z |"
    assert lines[7] == "| 1,000 | 40 % | 100 % | 0.14 |"
