"""Imports point from upper layers to lower ones; the library never imports Streamlit."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: From the bottom to the top. A room imports itself and rooms of lower layers, never a neighbour of its own layer.
LAYERS = {
    "ground": (
        "psa_core",
        "psa_core.plurals",
        "psa_core.errors",
        "psa_core.registry",
        "psa_core.atomic",
        "psa_core.locks",
    ),
    "gate": ("psa_core.trust", "psa_core.signals"),
    "numbers": ("psa_core.stats",),
    "leaves": ("psa_core.inputs", "psa_core.cube", "psa_core.environment", "psa_core.cache_dir"),
    "options": ("psa_core.options",),
    "requests": ("psa_core.asking",),
    "plug-ins": ("psa_core.anchors", "psa_core.models", "psa_core.methods"),
    "writers": ("psa_core.generators",),
    "memory": ("psa_core.cache", "psa_core.metrics"),
    "scoring": ("psa_core.scoring",),
    "study": ("psa_core.study",),
    "views": ("psa_core.tables", "psa_core.charts", "psa_core.mitigate"),
    "claims": ("psa_core.claims",),
    "results": ("psa_core.folders",),
    "report": ("psa_core.report",),
    "library": ("psa_core.api",),
    "work": ("psa_core.audits", "psa_core.jobs", "psa_core.retraining"),
    "command line": ("psa_core.cli", "psa_core.pytest_plugin", "psa_core.inspect_task"),
    "program": ("psa_core.__main__",),
    "parts of pages": ("pages.ui",),
    "pages": ("pages", "app"),
    "outside the wheel": ("research",),
}
FACADE = ROOT / "psa_core" / "__init__.py"
HEIGHT = {room: height for height, rooms in enumerate(LAYERS.values()) for room in rooms}
SOURCES = [path for folder in ("psa_core", "pages") for path in (ROOT / folder).rglob("*.py")] + [ROOT / "app.py"]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The room that a module is, or is inside of."""
    parts = module.split(".")
    if parts[0] == "psa_core" and len(parts) > 1:
        return ".".join(parts[:2])
    return "pages.ui" if parts[:2] == ["pages", "ui"] else parts[0]


@cache
def modules() -> set[str]:
    return {module_of(source) for source in SOURCES}


@cache
def imports_of(path: Path) -> set[str]:
    """Dotted names that a file imports, also inside functions and by name; ``from a import b`` is a.b if a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (full & modules()) or {node.module or ""}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {part.value for part in node.args if isinstance(part, ast.Constant)}
    return found


def test_imports_point_down() -> None:
    wrong = []
    for path in SOURCES:
        if path == FACADE:  # which loads what it names when somebody asks for it: see tests/test_api.py
            continue
        here = room_of(module_of(path))
        assert here in HEIGHT, f"{here} is in no layer; give it one"
        for imported in imports_of(path):
            if imported.split(".")[0] not in ("psa_core", "pages", "app", "research"):
                continue
            there = room_of(imported)
            if here != there and HEIGHT[there] >= HEIGHT[here]:
                wrong.append(f"{path.relative_to(ROOT)} imports {imported}: {there} is not below {here}")
    assert wrong == []


@pytest.mark.parametrize("folder", ["anchors", "models", "generators", "methods", "cli"])
def test_plug_ins_see_only_private_siblings(folder: str) -> None:
    package = f"psa_core.{folder}"
    for path in (ROOT / "psa_core" / folder).glob("*.py"):
        if path.name.startswith("__"):
            continue
        for imported in imports_of(path):
            if imported.startswith(f"{package}."):
                assert imported.split(".")[2].startswith("_"), f"{path.name} imports its sibling {imported}"


def test_only_pages_import_streamlit() -> None:
    library = [path for path in SOURCES if module_of(path).startswith("psa_core")]
    assert len(library) > 100
    assert [path for path in library if any(name.split(".")[0] == "streamlit" for name in imports_of(path))] == []


def test_the_files_that_architecture_names_are_there() -> None:
    rows = (
        (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Where to find it")[2].partition("\n## ")[0]
    )
    paths = re.findall(r"`((?:psa_core|pages)/[\w/.]*)`", rows)
    assert len(paths) >= 4
    assert [path for path in paths if not (ROOT / path).exists()] == []
