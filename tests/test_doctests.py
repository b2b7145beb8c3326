"""Every example in a docstring is true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = [path for path in sorted((ROOT / "psa_core").rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_examples_are_true(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path))  # and not the user's
    found = doctest.testmod(importlib.import_module(module_of(path)))
    assert found.failed == 0, capsys.readouterr().out
