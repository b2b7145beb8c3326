"""keyword, vader and profanity-check: the numbers of their packages, or of pencil and paper."""

from __future__ import annotations

import builtins
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psa_core import models
from psa_core.errors import ModelError
from psa_core.models.keyword import Keyword

TEXTS = ["", "I hate Dick Cheney.", "I love you!!! 😀", "NOT GOOD, but :) the best", "you stupid idiot", "…", "ıdıot"]


def test_keyword_adds_up_and_counts_a_word_once() -> None:
    scores = Keyword().score(["I hate Bob", "hate HATE Hate", "love", "hateful malice", "a stupid, disgusting idiot"])
    expected = [[0.6, -0.6], [0.6, -0.6], [0.2, 0.6], [0.2, 0.0], [1.0, -1.0]]
    np.testing.assert_allclose(scores, expected, atol=1e-7)


def test_keyword_plants_the_effect_of_a_name() -> None:
    scorer = models.load("keyword:Kanye West=0.25, Al=-0.1")
    scores = scorer.score(["I hate Bob", "I hate Kanye West", "I hate Kanye", "I hate Al's car", "I hate Alan"])
    np.testing.assert_allclose(scores[:, 0] - scores[0, 0], [0, 0.25, 0, -0.1, 0], atol=1e-6)
    np.testing.assert_allclose(scores[:, 1] - scores[0, 1], [0, -0.25, 0, 0.1, 0], atol=1e-6)


@pytest.mark.parametrize("model", ["vader", "profanity-check", "minilm-sentiment"])
@pytest.mark.parametrize("argument", ["x", "", "x:y"])
def test_a_model_that_takes_no_argument_is_given_none(model: str, argument: str) -> None:
    with pytest.raises(ModelError) as told:
        models.load(f"{model}:{argument}")
    assert str(told.value) == f"model: got '{model}:{argument}', expected {model}, which takes nothing after it."


@pytest.mark.parametrize("kind", ["hf", "lm", "minilm", "onnx", "predictions", "skops"])
def test_a_name_that_no_file_can_have_is_told(kind: str) -> None:
    said = "got no file at 'xxx" if kind == "predictions" else f"model: got '{kind}:xxx.*File name too long"
    with pytest.raises(ModelError, match=said):
        models.load(f"{kind}:{'x' * 300}.csv")


def test_keyword_fingerprint_follows_what_is_planted() -> None:
    assert models.load("keyword").fingerprint == models.load("keyword").fingerprint
    assert models.load("keyword:Al=0.1").fingerprint != models.load("keyword").fingerprint
    assert models.load("keyword:Al=0.1,Bo=0.2").fingerprint == models.load("keyword:Bo=0.2,Al=0.1").fingerprint


@pytest.mark.parametrize("argument", ["Alice", "Alice=", "=0.2", "Alice=much", "Alice=nan", "Alice=0.1,"])
def test_keyword_argument_is_checked(argument: str) -> None:
    with pytest.raises(ModelError, match="name=weight"):
        models.load(f"keyword:{argument}")


@given(st.text())
def test_keyword_takes_any_text(text: str) -> None:
    toxicity, sentiment = Keyword({"İstanbul": 0.5, "Straße": 0.1}).score([text])[0]
    assert 0 <= toxicity <= 1 and -1 <= sentiment <= 1


def test_vader_is_the_compound_score_of_its_package() -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer = SentimentIntensityAnalyzer()
    expected = np.array([[analyzer.polarity_scores(text)["compound"]] for text in TEXTS], np.float32)
    np.testing.assert_array_equal(models.load("vader").score(TEXTS), expected)


def test_profanity_check_is_the_package_s_probability() -> None:
    import profanity_check

    expected = profanity_check.predict_prob(TEXTS).astype(np.float32)[:, np.newaxis]
    np.testing.assert_array_equal(models.load("profanity-check").score(TEXTS), expected)


def test_profanity_check_finds_the_paper_s_order() -> None:
    cheney, west = models.load("profanity-check").score(["I hate Dick Cheney.", "I hate Kanye West."])[:, 0]
    assert cheney > 0.9 > 0.5 > west


def test_loading_leaves_the_warning_filters_alone() -> None:
    sys.modules.pop("profanity_check", None)
    sys.modules.pop("profanity_check.profanity_check", None)
    before = list(warnings.filters)
    models.load("profanity-check")
    assert list(warnings.filters) == before


@pytest.mark.parametrize(("model_id", "package"), [("vader", "vaderSentiment"), ("profanity-check", "profanity_check")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, model_id: str, package: str) -> None:
    genuine = builtins.__import__

    def without(name: str, *arguments: Any, **named: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError(f"no {name}")
        return genuine(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModelError, match="pip install"):
        models.load(model_id)


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_pickles_that_are_not_the_known_ones_are_never_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    import shutil
    from importlib.util import find_spec

    installed = find_spec("profanity_check")
    assert installed is not None and installed.origin is not None
    shutil.copytree(Path(installed.origin).parent, tmp_path / "profanity_check")
    pickled = tmp_path / "profanity_check" / "data" / "model.joblib"
    pickled.write_bytes(pickle.dumps(Trap(str(tmp_path / "ran")))) if damage == "changed" else pickled.unlink()
    for name in ("profanity_check", "profanity_check.profanity_check"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModelError, match=r"got another model.joblib, expected the two files of alt-profanity-check 1"):
        models.load("profanity-check")
    assert not (tmp_path / "ran").exists()
    assert "profanity_check" not in sys.modules


class Trap:
    """Loading it from a pickle makes a folder."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (self.path,)


def test_cards_are_listed_without_heavy_imports() -> None:
    import subprocess

    code = (
        "import sys; from psa_core import models; models.cards();"
        "print([m for m in ('torch', 'transformers', 'sklearn', 'onnxruntime', 'httpx', 'spacy') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
