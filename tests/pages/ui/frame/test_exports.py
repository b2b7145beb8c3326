"""What is written for a worker is read as it was."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pages.ui.frame import exports
from psa_core.inputs import prompts


def test_values_that_were_typed_reach_their_worker_as_they_were_typed(tmp_path: Path) -> None:
    typed = ["=Cy", "-Bo", "＠Di"]
    (tmp_path / "values.csv").write_bytes(exports.csv(pd.DataFrame({"value": typed}), exact=True))
    assert prompts.values_of(str(tmp_path / "values.csv"))[0]["value"].tolist() == typed
