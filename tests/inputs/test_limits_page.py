"""docs/limits.md says what the program does."""

from pathlib import Path

from psa_core.inputs.limits import LIMITS, Limit

PAGE = Path(__file__).resolve().parents[2] / "docs" / "limits.md"


def row(limit: Limit) -> str:
    own = "" if limit.own is None else f"; {limit.own:,}"
    return f"| `{limit.setting}` | {limit.default:,}{own} {limit.unit} | {limit.what} |"


def test_every_limit_stands_on_the_page_with_its_default():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("| `PSA_MAX_")] == [row(limit) for limit in LIMITS]
