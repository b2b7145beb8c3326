"""profanity-check: toxicity by a linear model of words, from the package alt-profanity-check."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts
from psa_core.models._answers import reason
from psa_core.models._base import ModelCard, ModelPlugin

SUMMARY = "Toxicity by a linear support vector machine over words, calibrated to a probability; knows no word order."
TARGETS = (Target("toxicity", 0.0, 1.0, "probability that the text is offensive"),)


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
        """Probabilities in the order of the texts: float32 array (len(texts), 1)."""
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, 1), np.float32)
        # predict_prob takes the second column in a Python loop over rows; the numbers are these.
        probabilities = self.classifier.predict_proba(self.vectorizer.transform(texts))
        return np.asarray(probabilities[:, 1:], np.float32)


def load(_model_id: str) -> ProfanityCheck:
    """Load the model inside the package.

    Raises
    ------
    ModelError
        When the package is not installed, or its model does not load with the installed scikit-learn.
    """
    try:
        # Its model was pickled with another scikit-learn, which is said in a warning at each load.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from profanity_check import profanity_check as package
    except (ImportError, AttributeError, ValueError) as error:
        raise ModelError(
            "profanity-check",
            got=f"a package that does not load ({reason(error)})",
            expected="alt-profanity-check and the scikit-learn that it needs",
            fix="Run: pip install alt-profanity-check",
        ) from error
    from pathlib import Path

    from psa_core.models._fingerprint import digest_of_files

    folder = Path(package.__file__).parent / "data"
    fingerprint = digest_of_files([folder / "vectorizer.joblib", folder / "model.joblib"])
    return ProfanityCheck(package.vectorizer, package.model, f"profanity-check:{fingerprint}")


CARD = ModelCard(
    "profanity-check", "profanity-check", SUMMARY, TARGETS, "package alt-profanity-check (inside it)", "MIT"
)
MODEL = ModelPlugin(id="profanity-check", title="profanity-check", summary=SUMMARY, load=load, cards=lambda: (CARD,))
