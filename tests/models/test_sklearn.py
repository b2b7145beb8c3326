from __future__ import annotations

import builtins
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from tests.tiny_models import tiny_pipeline

skops_io = pytest.importorskip("skops.io")
TEXTS = ["good day", "bad day", "good", "bad", "meh"]


def pipeline(*steps: Any, labels: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfVectorizer(), *steps).fit(TEXTS, labels)


def dumped(folder: Path, what: Any) -> str:
    skops_io.dump(what, folder / "p.skops")
    return f"skops:{folder / 'p.skops'}"


def test_classes_are_targets_with_their_probabilities(tmp_path: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    fitted = pipeline(LogisticRegression(), labels=["pos", "neg", "pos", "neg", "neu"])
    scorer = models.load(dumped(tmp_path, fitted))
    assert [target.name for target in scorer.targets] == ["neg", "neu", "pos", "sentiment"]
    expected = fitted.predict_proba(TEXTS)
    np.testing.assert_allclose(scorer.score(TEXTS)[:, :3], expected, atol=1e-7)
    np.testing.assert_allclose(scorer.score(TEXTS)[:, 3], expected[:, 2] - expected[:, 0], atol=1e-7)
    only = models.load(dumped(tmp_path, fitted) + "?targets=pos")
    np.testing.assert_allclose(only.score(TEXTS)[:, 0], expected[:, 2], atol=1e-7)


def test_a_regressor_gives_its_number(tmp_path: Path) -> None:
    from sklearn.linear_model import Ridge

    fitted = pipeline(Ridge(), labels=[1, 2, 3, 4, 5])
    scorer = models.load(dumped(tmp_path, fitted) + "?range=1..5")
    assert (scorer.targets[0].low, scorer.targets[0].high) == (1, 5)
    np.testing.assert_allclose(scorer.score(TEXTS)[:, 0], fitted.predict(TEXTS), atol=1e-6)
    with pytest.raises(ModelError, match=r"expected a number from 0 to 1, .*\?range=low\.\.high"):
        models.load(dumped(tmp_path, fitted)).score(TEXTS)


def test_a_calibrated_support_vector_machine_needs_nobody_to_trust_it(tmp_path: Path) -> None:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import LinearSVC

    fitted = pipeline(CalibratedClassifierCV(LinearSVC(), ensemble=False, cv=2), labels=["a", "b", "a", "b", "b"])
    scores = models.load(dumped(tmp_path, fitted)).score(TEXTS)
    np.testing.assert_allclose(scores[:, 0], fitted.predict_proba(TEXTS)[:, 0], atol=1e-7)


def test_without_probabilities_it_says_how_to_get_them(tmp_path: Path) -> None:
    from sklearn.svm import LinearSVC

    with pytest.raises(ModelError, match="CalibratedClassifierCV"):
        models.load(dumped(tmp_path, pipeline(LinearSVC(), labels=["a", "b", "a", "b", "a"])))


def test_a_pipeline_over_numbers_is_refused_when_it_meets_texts(tmp_path: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    scorer = models.load(dumped(tmp_path, LogisticRegression().fit([[1], [2]], ["a", "b"])))
    with pytest.raises(ModelError, match="does not take texts") as caught:
        scorer.score(TEXTS)
    assert "\n" not in str(caught.value)


def test_unknown_types_are_refused_unless_the_environment_trusts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    monkeypatch.delenv("PSA_SKOPS_TRUST", raising=False)
    odd = make_pipeline(FunctionTransformer(operator.itemgetter), LogisticRegression())
    model_id = dumped(tmp_path, odd)
    with pytest.raises(ModelError, match=r"PSA_SKOPS_TRUST=operator\.itemgetter"):
        models.load(model_id)
    monkeypatch.setenv("PSA_SKOPS_TRUST", "operator.itemgetter")
    with pytest.raises(ModelError, match=r"without probabilities|does not load"):  # trusted, but never fitted
        models.load(model_id)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half a zip"])
def test_a_damaged_file_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.skops").write_bytes(content)
    with pytest.raises(ModelError, match=r"p\.skops: got a file that does not load"):
        models.load(f"skops:{tmp_path / 'p.skops'}")


def test_a_missing_file_or_package_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match="no file at"):
        models.load("skops:nowhere.skops")
    file = tiny_pipeline(tmp_path / "p.skops")
    genuine = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name.split(".")[0] == "skops":
            raise ImportError(name)
        return genuine(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModelError, match="pip install skops"):
        models.load(f"skops:{file}")


def test_fingerprint_follows_the_model_and_its_targets(tmp_path: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    first = models.load(dumped(tmp_path, pipeline(LogisticRegression(), labels=list("ababa")))).fingerprint
    assert models.load(f"skops:{tmp_path / 'p.skops'}").fingerprint == first
    assert models.load(f"skops:{tmp_path / 'p.skops'}?targets=a").fingerprint != first
    other = models.load(dumped(tmp_path, pipeline(LogisticRegression(C=2.0), labels=list("ababa")))).fingerprint
    assert other != first
