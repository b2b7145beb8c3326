"""The table of docs/my-ci.md is what the command writes, as far as one cell of it tells."""

from __future__ import annotations

from pathlib import Path

from research import gate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "my-ci.md"


def test_the_page_has_the_command_s_figures() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| fail ")]
    assert len(rows) == len(gate.KINDS) + 1
    kind, draw = next(iter(gate.KINDS.items()))
    assert rows[0].startswith(f"| fail by chance: {kind} | {gate.failures(draw, gate.LIMITS[0])} |")
