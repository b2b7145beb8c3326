"""python: a Python function as a scorer; command line only, since it runs arbitrary code."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from pathlib import Path
from typing import Any

from psa_core import trust
from psa_core.errors import ModelError
from psa_core.models._answers import as_targets, reason
from psa_core.models._base import ModelPlugin, Scorer
from psa_core.models._function import FunctionScorer, checked_scorer, where


def load(argument: str) -> Scorer:
    """Import ``module:name`` from the working folder or an installed package: a function, or a scorer, or its class.

    A module may also be given as a file: ``my_model.py:score``. A function's attribute ``targets``, if any, says what
    it returns: names, or mappings with name, low, high and meaning; the default is one target ``score`` in [0, 1]. Its
    attribute ``fingerprint``, if any, is part of the scorer's; set it when answers depend on more than its file. Raises
    `ModelError` when it cannot be imported, is no function, or describes no valid targets.
    """
    module_name, _, name = argument.rpartition(":")
    if not module_name or not name:
        raise ModelError("python", got=repr(argument), expected="module:function", fix="For example python:mine:score")
    found = _attribute(module_name, name)
    if inspect.isclass(found) and callable(getattr(found, "score", None)):
        try:
            found = found()
        except (Exception, SystemExit) as error:  # making it runs the user's code
            got = f"{type(error).__name__}: {reason(error)}"
            expected = "a class that is made without arguments, or an object of it"
            raise ModelError(argument, got=got, expected=expected, fix=where(error)) from error
    if callable(getattr(found, "score", None)) and hasattr(found, "targets") and hasattr(found, "fingerprint"):
        return checked_scorer(found, argument)
    if not callable(found):
        expected = "a function of texts, or an object with score, targets and fingerprint"
        raise ModelError("python", got=f"a {type(found).__name__} named {argument}", expected=expected)
    targets = as_targets(getattr(found, "targets", ("score",)), source=argument)
    # Of the function's file (what it calls is often beside it), its own fingerprint, and its targets.
    try:
        source = Path(inspect.getfile(inspect.unwrap(found))).read_bytes()
    except (TypeError, OSError):
        source = repr(type(found)).encode()
    parts = (name, getattr(found, "fingerprint", ""), [(t.name, t.low, t.high) for t in targets])
    fingerprint = hashlib.sha256(source + repr(parts).encode()).hexdigest()[:16]
    return FunctionScorer(found, argument, f"python:{fingerprint}", targets)


def _attribute(module_name: str, name: str) -> Any:
    """What a module has; one that is a file lies in the working folder, as every module of one's own."""
    if module_name.endswith(".py"):
        parts = Path(os.path.relpath(module_name)).with_suffix("").parts
        if os.pardir in parts:
            got, expected = f"the file {module_name[:120]}", "a file in the folder in which this is run"
            raise ModelError("python", got=got, expected=expected, fix="Go to its folder first.")
        module_name = ".".join(parts)
    module_name = module_name.replace("/", ".")
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # importing runs the user's code
        got = f"{module_name}, which does not import ({type(error).__name__}: {reason(error)})"
        raise ModelError("python", got=got, expected="a module") from error
    finally:
        sys.path.remove(folder)
    if not hasattr(module, name):
        raise ModelError("python", got=f"no {name} in {module_name}", expected="a function of the module")
    return getattr(module, name)


MODEL = ModelPlugin(
    id="python",
    title="Python function",
    summary="A function from a list of texts to an array of scores. Runs it, so only on the command line.",
    load=load,
    argument="module:function",
    takes=trust.CODE,
)
