"""The measured tables as Markdown, put between two marks of a page that people write."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from benchmarks.statistics.checks import Check
from psa_core.errors import OptionError

BEGIN = "<!-- simulation: begin -->"
END = "<!-- simulation: end -->"


def markdown(checks: Sequence[Check], power: pd.DataFrame) -> str:
    """Both tables: what was promised and what was measured, and the power by size of study."""
    lines = ["| promise | study | must lie in | measured | holds |", "|---|---|---|---|---|"]
    for check in checks:
        bounds = f"{check.low:.0%} to {check.high:.0%}".replace("%", " %")
        measured = f"{100 * check.measured:.1f} ± {200 * check.error:.1f} %"
        lines.append(
            f"| {check.claim} | {check.setting} | {bounds} | {measured} | {'yes' if check.holds else '**no**'} |"
        )
    effects = [column for column in power.columns if column not in ("sentences", "detectable")]
    lines += ["", f"| sentences | {' | '.join(f'd_z = {effect}' for effect in effects)} | found in 80 %: d_z |"]
    lines += ["|---" * (len(effects) + 2) + "|"]
    for row in power.to_dict("records"):
        shares = " | ".join(f"{row[effect]:.0%}".replace("%", " %") for effect in effects)
        lines.append(f"| {row['sentences']:,} | {shares} | {row['detectable']:.2f} |")
    return "\n".join(lines) + "\n"


def replaced(page: str, tables: str) -> str:
    """The page with the tables between its marks.

    Raises
    ------
    OptionError
        When the page has no such marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise OptionError("--out", got="a page without the marks", expected=f"{BEGIN} and {END} in it")
    return f"{before}{BEGIN}\n{tables}{END}{after}"
