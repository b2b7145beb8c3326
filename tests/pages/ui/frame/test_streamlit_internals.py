"""What is used of Streamlit's inside is there in every version that the project may be installed with.

Only two modules do: `message_batching` holds back messages (`ScriptRunContext._enqueue`), and `closed_tabs` drops the
sessions of closed tabs, which Streamlit keeps until the next visitor comes.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import tomllib
from pathlib import Path

import streamlit
from packaging.requirements import Requirement
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

ROOT = Path(__file__).resolve().parents[4]


def test_they_are_there_and_the_next_version_is_not_allowed() -> None:
    assert "_enqueue" in {field.name for field in dataclasses.fields(ScriptRunContext)}
    source = inspect.getsource(Runtime) + inspect.getsource(MemorySessionStorage)
    for name in ("_session_mgr", "_get_async_objs", "_cache"):
        assert re.search(rf"\b{name}\b", source), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = (one for one in map(Requirement, project["dependencies"]) if one.name == "streamlit")
    major, minor = map(int, streamlit.__version__.split(".")[:2])
    assert streamlit.__version__ in bound.specifier and f"{major}.{minor + 1}.0" not in bound.specifier


def test_only_two_modules_use_them() -> None:
    inside = re.compile(r"\._(enqueue|session_mgr|session_storage|get_async_objs)\b|\"_enqueue\"")
    users = [path.stem for path in (ROOT / "pages").rglob("*.py") if inside.search(path.read_text(encoding="utf-8"))]
    assert sorted(users) == ["closed_tabs", "message_batching"]
