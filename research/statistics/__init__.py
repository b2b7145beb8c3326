"""Do the intervals and tests keep their word? Studies drawn from simulated populations whose truth is known.

``python -m research.statistics`` draws them and writes the table of ``docs/statistics.md``.
"""

from __future__ import annotations

from research.statistics.checks import Check, run_checks
from research.statistics.claims import Claims, run_claims, unseen_jumps
from research.statistics.power import power_table

__all__ = ["Check", "Claims", "power_table", "run_checks", "run_claims", "unseen_jumps"]
