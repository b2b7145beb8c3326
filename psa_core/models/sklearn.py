"""skops: a scikit-learn text classification pipeline from a skops file, which cannot hold code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from psa_core import trust
from psa_core.cube import Target
from psa_core.errors import ModelError
from psa_core.inputs.checks import as_texts, path_of
from psa_core.models._answers import as_scores
from psa_core.models._base import ModelPlugin, digest, digest_of_files
from psa_core.models._options import parse_range, split_options
from psa_core.models._transformers import foreign
from psa_core.models._transformers.heads import head_of_labels

TRUST, EXPECTED = "PSA_SKOPS_TRUST", "a file that skops.io.dump wrote"
#: Parts of scikit-learn's calibrated classifiers: numbers and no code, though skops does not list them.
KNOWN = ("sklearn.calibration._CalibratedClassifier", "sklearn.calibration._SigmoidCalibration")


@dataclass(frozen=True, eq=False)
class PipelineScorer:
    """A fitted pipeline's class probabilities, weighted into targets, or its predicted number.

    The `weights` are float32 (L, T), from the probabilities of L classes to T targets; None for a regressor.
    """

    pipeline: Any = field(repr=False)
    weights: np.ndarray | None = field(repr=False)
    targets: tuple[Target, ...]
    fingerprint: str
    name: str

    def score(self, texts: Sequence[str]) -> np.ndarray:
        texts = as_texts(texts)
        if not texts:
            return np.empty((0, len(self.targets)), np.float32)
        # An estimator may raise anything of texts, or of parameters that somebody changed.
        with foreign(self.name, "a pipeline that does not take texts", "one that begins with a text vectorizer"):
            if self.weights is None:
                answer = np.asarray(self.pipeline.predict(texts), np.float64)
            else:
                answer = np.asarray(self.pipeline.predict_proba(texts) @ self.weights.astype(np.float64))
        declare = "write ?range=low..high after the file"
        return as_scores(answer, texts, targets=self.targets, source=self.name, declare=declare)


def load(argument: str) -> PipelineScorer:
    """Load a pipeline that ``skops.io.dump`` wrote.

    The file; after ``?``, ``targets`` (classes, ``a-minus-b``, ``expected``), and ``range`` of a regressor. Raises
    `ModelError` when skops is not installed, the file is missing or damaged, holds types that nobody trusts, or what it
    holds gives neither probabilities nor numbers.

    Types that skops does not know are refused, but for those that the environment variable ``PSA_SKOPS_TRUST`` lists
    (comma-separated): loading them may run code, so it is for whoever runs the program to say, not for an id.
    """
    name, options = split_options(argument, ("targets", "range"))
    path = path_of(name)
    from sklearn.base import is_regressor

    own = [part.strip() for part in os.environ.get(TRUST, "").split(",") if part.strip()]
    pipeline = _read(path, [*KNOWN, *own])
    with foreign(path.name, "a damaged pipeline", EXPECTED):
        head, regresses = None, is_regressor(pipeline)
        if hasattr(pipeline, "predict_proba") and hasattr(pipeline, "classes_"):
            head = head_of_labels([str(label) for label in pipeline.classes_], options.get("targets", ""))
    if head is not None:
        targets, weights = head.targets, head.weights
    elif regresses:
        low, high = parse_range(options.get("range", "0..1"))
        targets, weights = (Target("score", low, high, "the number that the pipeline predicts"),), None
    else:
        got = f"a {type(pipeline).__name__} that is not fitted, or without probabilities"
        fix = "Fit it with probabilities (for an SVM: CalibratedClassifierCV)."
        raise ModelError(path.name, got=got, expected="predict_proba, or a regressor", fix=fix)
    described = repr([(t.name, t.low, t.high) for t in targets]), repr(None if weights is None else weights.tolist())
    fingerprint = f"skops:{digest([digest_of_files([path]), *described])}"
    return PipelineScorer(pipeline, weights, targets, fingerprint, path.name)


def _read(path: Path, trusted: list[str]) -> Any:
    import warnings

    if not path.is_file():
        raise ModelError("skops", got=f"no file at {str(path)!r}", expected=EXPECTED)
    try:
        from skops import io
        from skops.io.exceptions import UntrustedTypesFoundException
    except ImportError as error:
        fix = "Run: pip install skops"
        raise ModelError("skops", got="no installed package skops", expected="it", fix=fix) from error
    # A file of another scikit-learn is said in a warning at each load.
    with foreign(path.name, "a file that does not load", EXPECTED), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return io.load(path, trusted=trusted)
        except UntrustedTypesFoundException as error:
            types = ",".join(sorted(set(io.get_untrusted_types(file=path)) - set(trusted)))
            fix = f"If you trust its source, set {TRUST}={types} in the environment."
            got = f"types that skops does not know ({types})"
            raise ModelError(path.name, got=got, expected="none", fix=fix) from error


MODEL = ModelPlugin(
    id="skops",
    title="scikit-learn pipeline",
    summary="A scikit-learn pipeline over texts, in skops format.",
    load=load,
    argument="file",
    takes=trust.MODEL,
)
