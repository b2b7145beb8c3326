"""A mutant is put in place: in functions, constants, fields of classes and what was imported from them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mutation.operators import mutants
from tests.mutation.running import _replace

SOURCE = """from dataclasses import dataclass, field

LIMIT = 2 * 3

@dataclass(frozen=True)
class Setting:
    size: int = 5
    rate: float = field(default=0.25, metadata={"low": 7})
    note: str = field(default="", repr=False)
    kind = "less than usual"

    def twice(self):
        return 2 * self.size
"""


@pytest.mark.parametrize(
    ("after", "values"),
    [
        ("LIMIT = 2 / 3", (2 / 3, 5, 0.25, 7, "less than usual", 10)),
        ("size: int = 6", (6, 6, 0.25, 7, "less than usual", 12)),
        ("rate: float = field(default=0.5, metadata={'low': 7})", (6, 5, 0.5, 7, "less than usual", 10)),
        ("rate: float = field(default=0.25, metadata={'low': 8})", (6, 5, 0.25, 8, "less than usual", 10)),
        ("note: str = field(default='', repr=True)", (6, 5, 0.25, 7, "less than usual", 10)),
        ("kind = 'more than usual'", (6, 5, 0.25, 7, "more than usual", 10)),
        ("return 2 / self.size", (6, 5, 0.25, 7, "less than usual", 0.4)),
    ],
)
def test_a_mutant_is_put_in_place(
    after: str, values: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "changed.py"
    file.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("tests.changed", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tests.changed", module)
    spec.loader.exec_module(module)
    _replace(next(one for one in mutants(file, tmp_path) if one.after == after), tmp_path)
    setting = module.Setting()
    low = module.Setting.__dataclass_fields__["rate"].metadata["low"]
    assert ("note" in repr(setting)) is ("repr=True" in after)
    assert (module.LIMIT, setting.size, setting.rate, low, setting.kind, setting.twice()) == values
