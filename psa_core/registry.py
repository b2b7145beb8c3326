"""Discover plug-ins: each is one file that defines one constant."""

from __future__ import annotations

import importlib
import pkgutil
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


@cache
def discover(package: str, constant: str) -> dict[str, Any]:
    """Return every plug-in of a package, in the order of their file names.

    Parameters
    ----------
    package : str
        Dotted name of the folder, for example ``"psa_core.models"``.
    constant : str
        Name that each plug-in file defines: ``MODEL``, ``ANCHOR`` or ``METHOD``. Its ``id`` is the key.

    Returns
    -------
    dict
        Plug-in id to plug-in. Files that start with ``_`` are not plug-ins.

    Examples
    --------
    >>> "score_sens" in discover("psa_core.methods", "METHOD")
    True
    """
    folder = importlib.import_module(package)
    files = sorted(info.name for info in pkgutil.iter_modules(folder.__path__) if not info.name.startswith("_"))
    plugins = [getattr(importlib.import_module(f"{package}.{name}"), constant) for name in files]
    return {plugin.id: plugin for plugin in plugins}
