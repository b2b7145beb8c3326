"""The lock has every package that is asked for, by version and hash; each is in the list of licences."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)((?: ;[^\\]*)?)", re.MULTILINE)
#: What has a list of its own, or is optional: modules and where their packages are asked for.
ELSEWHERE = {
    "torch": "requirements-torch.txt",
    "onnxruntime": "requirements-onnx.txt",
    "ray": "requirements-ray.txt",
    "skops": "requirements-dev.txt",
    "pytest": "requirements-dev.txt",
}
#: Packages that somebody has or has not, and the extra `providers`; the program names the one that it misses.
THEIRS = {"any_llm", "inspect_ai", "mlflow", "wandb"}
OTHER_SYSTEMS = {"colorama", "httpx2-jsfetch"}


@cache
def pinned(file: str) -> dict[str, set[str]]:
    versions: dict[str, set[str]] = {}
    for name, version, _ in PINNED.findall((ROOT / file).read_text(encoding="utf-8")):
        versions.setdefault(_plain(name), set()).add(version)
    return versions


def _plain(name: str) -> str:
    return re.sub(r"[._-]+", "-", name).lower()


@pytest.mark.parametrize(
    ("asked", "lock"),
    [
        ("requirements.txt", "requirements.lock.txt"),
        ("requirements-dev.txt", "requirements.lock.txt"),
        ("requirements-onnx.txt", "requirements.lock.txt"),
        ("requirements-ray.txt", "requirements-ray.lock.txt"),
    ],
)
def test_what_is_asked_for_is_locked_after_a_change_run_make_lock(asked: str, lock: str) -> None:
    locked = pinned(lock)
    assert [name for name, versions in pinned(asked).items() if not versions <= locked.get(name, set())] == []


def required(*extras: str) -> dict[str, Requirement]:
    """What pyproject.toml asks for, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    asked = map(Requirement, lines)
    return {_plain(one.name): one for one in asked if one.name != project["name"]}


TESTED = ("requirements.txt", "requirements-dev.txt", "requirements-onnx.txt", "requirements-ray.txt",
          "requirements-torch.txt", "requirements-models.txt")  # fmt: skip


@pytest.mark.parametrize("file", TESTED)
def test_tested_versions_are_within_the_bounds_of_the_project(file: str) -> None:
    bounds = required("dev", "chat", "onnx", "ray")
    shared = pinned(file).keys() & bounds.keys()
    assert shared
    assert [name for name in shared for version in pinned(file)[name] if version not in bounds[name].specifier] == []


def test_every_dependency_of_the_project_has_a_tested_version() -> None:
    tested = set().union(*map(pinned, TESTED))
    assert sorted(required("dev", "chat", "onnx", "ray").keys() - tested) == []


def test_what_is_tested_is_a_dependency_or_torch_s() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    ours, of_torch = text.split("# What torch needs beside its own package.")
    names = {_plain(name) for name, _, _ in PINNED.findall(ours)}
    assert sorted(names - required().keys()) == [] and PINNED.findall(of_torch)
    assert sorted(pinned("requirements-dev.txt").keys() - required("dev", "chat", "onnx").keys()) == []


@pytest.mark.parametrize("lock", ["requirements.lock.txt", "requirements-ray.lock.txt", "requirements-torch.txt"])
def test_every_locked_package_has_hashes(lock: str) -> None:
    entries = re.split(r"\n(?=[A-Za-z])", (ROOT / lock).read_text(encoding="utf-8"))
    locked = [entry for entry in entries if PINNED.match(entry)]
    assert len(locked) == sum(map(len, pinned(lock).values()))
    assert [entry.splitlines()[0] for entry in locked if "--hash=sha256:" not in entry] == []


def test_ray_s_lock_agrees_with_the_other() -> None:
    main, more = pinned("requirements.lock.txt"), pinned("requirements-ray.lock.txt")
    assert [name for name in main.keys() & more.keys() if main[name] != more[name]] == []


def test_every_locked_package_has_a_licence_in_the_list() -> None:
    lines = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8").splitlines()[2:]
    listed = {_plain(cells[1].strip()): cells[2].strip() for cells in (line.split("|") for line in lines)}
    wanted = pinned("requirements.lock.txt")
    assert [name for name in wanted.keys() - OTHER_SYSTEMS if listed.get(name) not in wanted[name]] == []


def imported() -> set[str]:
    """Packages other than ours and Python's own that a module of the project imports, also inside functions."""
    sources = [*(ROOT / "psa_core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    modules: set[str] = set()
    for node in (node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module.partition(".")[0])
    ours = {path.stem for path in ROOT.iterdir()}
    return modules - ours - THEIRS - set(sys.stdlib_module_names)


def test_what_is_imported_is_asked_for() -> None:
    distributions, missing = packages_distributions(), {}
    for module in sorted(imported()):
        file = ELSEWHERE.get(module, "requirements.txt")
        packages = {_plain(name) for name in distributions.get(module, [module])}
        if not packages & pinned(file).keys():
            missing[module] = f"list {' or '.join(packages)} in {file}"
    assert missing == {}
