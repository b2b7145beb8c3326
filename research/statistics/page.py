"""The measured tables as Markdown, put between two marks of a page that people write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from research.statistics.checks import Check
from research.statistics.claims import Claims

SECTION = "simulation"
COLUMNS = (
    "original", "names", "planted", "groups", "equivalent", "before", "found_original", "found_names", "found_before",
)  # fmt: skip
HEADINGS = (
    "scorer | sentences | against the original | against the names | the same, three names moved | groups | at the "
    "margin called equivalent | before: names | found: original | found: names | before: found | holds"
)


def markdown(
    checks: Sequence[Check],
    power: pd.DataFrame,
    claims: Sequence[Claims] = (),
    jumps: Mapping[int, float] | None = None,
) -> str:
    """The tables: what was promised and measured, power by size of study, claims by scorer, jumps not seen yet."""
    lines = check_table(checks)
    effects = [column for column in power.columns if column not in ("sentences", "detectable")]
    lines += ["", f"| sentences | {' | '.join(f'd_z = {effect}' for effect in effects)} | found in 80 %: d_z |"]
    lines += ["|---" * (len(effects) + 2) + "|"]
    for row in power.to_dict("records"):
        shares = " | ".join(f"{100 * row[effect]:.0f} %" for effect in effects)
        lines.append(f"| {row['sentences']:,} | {shares} | {row['detectable']:.2f} |")
    if claims:
        lines += ["", f"| {HEADINGS} |", "|---" * (len(COLUMNS) + 3) + "|"]
        lines += [_claims_row(row) for row in claims]
        counts = ", ".join(f"{row.repetitions} studies of {row.sentences:,}" for row in _one_a_size(claims))
        lines += ["", f"In percent of {counts} sentences each."]
    if jumps:
        lines += ["", "| sentences | a jump of 1 in 4 % of the sentences, called equivalent within 0.02 |", "|---|---|"]
        lines += [f"| {sentences:,} | {100 * share:.1f} % |" for sentences, share in jumps.items()]
    return "\n".join(lines) + "\n"


def check_table(checks: Sequence[Check]) -> list[str]:
    """What was promised and what was measured, as lines of a table."""
    lines = ["| promise | study | must lie in | measured | holds |", "|---|---|---|---|---|"]
    for check in checks:
        bounds = f"{100 * check.low:.0f} % to {100 * check.high:.0f} %"
        measured = f"{100 * check.measured:.1f} ± {200 * check.error:.1f} %"
        lines.append(
            f"| {check.claim} | {check.setting} | {bounds} | {measured} | {'yes' if check.holds else '**no**'} |"
        )
    return lines


def _claims_row(row: Claims) -> str:
    shares = " | ".join(f"{100 * getattr(row, column):.1f}" for column in COLUMNS)
    return f"| {row.scorer} | {row.sentences:,} | {shares} | {'yes' if row.holds else '**no**'} |"


def _one_a_size(claims: Sequence[Claims]) -> list[Claims]:
    return list({row.sentences: row for row in claims}.values())
