"""profanity-check: toxicity by a linear model of words, from the package alt-profanity-check."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._answers import reason
from psa_core.models._base import ModelCard, ModelPlugin, Purpose, digest_of_files

SUMMARY = "Toxicity by a linear support vector machine over words, calibrated to a probability; knows no word order."
TARGETS = (Target("toxicity", 0.0, 1.0, "probability that the text is offensive"),)
PACKAGE, VERSION = "alt-profanity-check", "1.9.1"
# The package's model is two pickles, and loading a pickle runs what is in it: only these files (SHA-256) are loaded.
PICKLES = {
    "vectorizer.joblib": "19c5200dc6a41f026e0558e2f164f5fe8d8f58e502b46b37e4385037fcfa4831",
    "model.joblib": "aeafc04849d4d93db4721cf30a86ebf22085595294b8a07d51918e7fa98f538b",
}


@dataclass(frozen=True)
class ProfanityCheck:
    """The package's ``predict_prob``, whole batches at a time.

    Examples
    --------
    >>> float(load("profanity-check").score(["You are an idiot."])[0, 0]) > 0.5
    True
    """

    vectorizer: Any = field(repr=False)
    classifier: Any = field(repr=False)
    fingerprint: str
    targets: tuple[Target, ...] = TARGETS

    def score(self, texts: Sequence[str]) -> np.ndarray:
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, 1), np.float32)
        # predict_prob takes the second column in a Python loop over rows; the numbers are these.
        probabilities = self.classifier.predict_proba(self.vectorizer.transform(texts))
        return np.asarray(probabilities[:, 1:], np.float32)


def load(_model_id: str) -> ProfanityCheck:
    """Load the model inside the package.

    Raises `ModelError` when the package is not installed, its files are not those of the version that this project
    knows, or its model does not load with the installed scikit-learn.
    """
    expected = f"the two files of {PACKAGE} {VERSION}"
    fix = f"Run: pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}"
    found = find_spec("profanity_check")
    if found is None or found.origin is None:
        raise ModelError("profanity-check", got="no such package", expected=expected, fix=fix)
    # Found and compared before the package is imported, since the import loads them.
    paths = [Path(found.origin).parent / "data" / name for name in PICKLES]
    for path in paths:
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != PICKLES[path.name]:
            raise ModelError("profanity-check", got=f"another {path.name}", expected=expected, fix=fix)
    try:
        # Its model was pickled with another scikit-learn, which warns at each load.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from profanity_check import profanity_check as package
    except (ImportError, AttributeError, ValueError) as error:
        got = f"a package that does not load ({reason(error)})"
        expected, fix = f"{PACKAGE} and the scikit-learn that it needs", f"Run: pip install {PACKAGE}=={VERSION}"
        raise ModelError("profanity-check", got=got, expected=expected, fix=fix) from error
    return ProfanityCheck(package.vectorizer, package.model, f"profanity-check:{digest_of_files(paths)}")


SOURCE = f"shipped in the package {PACKAGE}"
CARD = ModelCard("profanity-check", "profanity-check", SUMMARY, TARGETS, SOURCE, "MIT", (Purpose.FIRST_LOOK,))
MODEL = ModelPlugin(id="profanity-check", title="profanity-check", summary=SUMMARY, load=load, cards=lambda: (CARD,))
