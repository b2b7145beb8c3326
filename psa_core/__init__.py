"""Perturbation Sensitivity Analysis: how a text classifier's score changes with nothing but a name.

>>> import psa_core as psa
>>> study = psa.run(sentences="sample", names="demo", model="profanity-check", sample=20)
>>> len(study.names)
20

Importing it is cheap: every name is loaded when it is used first. See ``docs/reference.md`` and ``ARCHITECTURE.md``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psa_core import metrics, models
    from psa_core.api import Study, compare, open, review, run
    from psa_core.cube import ScoreCube, Target
    from psa_core.errors import PsaError

__version__ = "0.1.0"
__all__ = ["PsaError", "ScoreCube", "Study", "Target", "compare", "metrics", "models", "open", "review", "run"]

_HOMES = {
    **dict.fromkeys(("Study", "compare", "open", "review", "run"), "psa_core.api"),
    **dict.fromkeys(("ScoreCube", "Target"), "psa_core.cube"),
    "PsaError": "psa_core.errors",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"psa_core.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
