"""Imports point only to lower floors, never sideways; the library never imports Streamlit."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "psa_core": 0,
    "psa_core.errors": 0,
    "psa_core.registry": 0,
    "psa_core.stopping": 0,
    "psa_core.trust": 0.5,
    "psa_core.given": 1,
    "psa_core.cells": 1,
    "psa_core.environment": 1,
    "psa_core.out_folder": 1,
    "psa_core.corpus": 1,
    "psa_core.names": 1,
    "psa_core.cube": 1,
    "psa_core.stats": 1,
    "psa_core.anchors": 2,
    "psa_core.models": 2,
    "psa_core.methods": 2,
    "psa_core.cube_file": 2,
    "psa_core.cache": 3,
    "psa_core.perturb": 3,
    "psa_core.selection": 3,
    "psa_core.metrics": 3,
    "psa_core.scoring": 4,
    "psa_core.spec": 4,
    "psa_core.tables": 5,
    "psa_core.charts": 5,
    "psa_core.mitigate": 5,
    "psa_core.study": 6,
    "psa_core.findings": 6,
    "psa_core.run_folder": 7,
    "psa_core.report": 7,
    "psa_core.audits": 8,
    "psa_core.judgements": 8,
    "psa_core.jobs": 8,
    "psa_core.worker": 9,
    "psa_core.training": 9,
    "psa_core.simulation": 9,
    "psa_core.cli": 10,
    "psa_core.__main__": 11,
    "pages.ui": 12,
    "pages": 13,
    "app": 13,
}
SOURCES = [path for folder in ("psa_core", "pages") for path in (ROOT / folder).rglob("*.py")] + [ROOT / "app.py"]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_name(module: str) -> str:
    """The longest entry of the table that the module is, or is inside of."""
    parts = module.split(".")
    if parts[0] == "psa_core" and len(parts) > 1:
        return ".".join(parts[:2])
    return "pages.ui" if parts[:2] == ["pages", "ui"] else parts[0]


def imports_of(path: Path) -> set[str]:
    """Dotted names that a file imports, also inside functions; ``from a import b`` counts as a.b if a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            modules = {module_of(source) for source in SOURCES}
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (full & modules) or {node.module or ""}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    here = floor_name(module_of(path))
    assert here in FLOORS, f"{here} has no floor; give it one"
    for imported in imports_of(path):
        if imported.split(".")[0] not in ("psa_core", "pages", "app"):
            continue
        there = floor_name(imported)
        assert here == there or FLOORS[there] < FLOORS[here], f"{here} imports {there}, which is not below it"


@pytest.mark.parametrize("folder", ["anchors", "models", "methods", "cli"])
def test_plug_ins_see_only_private_siblings(folder: str) -> None:
    package = f"psa_core.{folder}"
    for path in (ROOT / "psa_core" / folder).glob("*.py"):
        if path.name.startswith("__"):
            continue
        for imported in imports_of(path):
            if imported.startswith(f"{package}."):
                assert imported.split(".")[2].startswith("_"), f"{path.name} imports its sibling {imported}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_pages_import_streamlit(path: Path) -> None:
    if module_of(path).startswith("psa_core"):
        assert not any(name.split(".")[0] == "streamlit" for name in imports_of(path))
