"""Discover plug-ins: each is one file that defines one constant."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import Any


def home() -> Path:
    """Folder of ``app.py``, ``pages/``, ``static/`` and ``assets/``: the root of a checkout, or inside the package.

    A wheel has them in ``psa_core/_dashboard``, where ``pyproject.toml`` puts them.
    """
    package = Path(__file__).resolve().parent
    installed = package / "_dashboard"
    return installed if installed.is_dir() else package.parent


ASSETS = home() / "assets"
_PART, _SLASH = re.compile(r"[^=?&]+"), re.compile(r"[/\\]")


def readable_id(plugin_id: str) -> str:
    """An id as people read it: of a path only the last two names.

    The whole id stands in manifests and in the commands that repeat a run.

    Examples
    --------
    >>> readable_id("lm:smollm2?adapter=/home/ada/runs/7/strength-1/adapter")
    'lm:smollm2?adapter=…/strength-1/adapter'
    >>> readable_id("hf:organisation/model"), readable_id("http://localhost:8000/a/b/c")
    ('hf:organisation/model', 'http://localhost:8000/a/b/c')
    """

    def shortened(part: re.Match[str]) -> str:
        kind, colon, path = part[0].rpartition(":")
        names = _SLASH.split(path)
        return part[0] if len(names) <= 2 or "://" in part[0] else f"{kind}{colon}…/{names[-2]}/{names[-1]}"

    return _PART.sub(shortened, plugin_id)


@cache
def discover(package: str, constant: str) -> dict[str, Any]:
    """Every plug-in of a package by its id, in the order of their file names; files that start with ``_`` are none.

    `constant` is the name that each plug-in file defines: ``MODEL``, ``ANCHOR`` or ``METHOD``.

    Examples
    --------
    >>> "score_sens" in discover("psa_core.methods", "METHOD")
    True
    """
    plugins = [getattr(importlib.import_module(f"{package}.{name}"), constant) for name in names_in(package)]
    return {plugin.id: plugin for plugin in plugins}


def names_in(package: str) -> list[str]:
    """The names of the files and folders that define the plug-ins of a package; loads none of them."""
    folder = importlib.import_module(package)
    return sorted(info.name for info in pkgutil.iter_modules(folder.__path__) if not info.name.startswith("_"))
