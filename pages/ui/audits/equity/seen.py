"""What is selected on the Equity page."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from psa_core.audits.eec import corpus
from psa_core.audits.eec.result import EquityResult
from psa_core.cube import ScoreCube


@dataclass(frozen=True, eq=False)
class Seen:
    """One comparison on one part of the rows in one spelling."""

    run: str
    opened: EquityResult
    systems: dict[str, ScoreCube]
    kind: str
    part: str
    spelling: str
    table: pd.DataFrame

    @property
    def design(self) -> corpus.Design:
        """The sentences in the spelling that is looked at."""
        return corpus.spelled(self.opened.design, self.spelling) if self.opened.respelled else self.opened.design
