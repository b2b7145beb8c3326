"""The command that measures a GPU, tried on a device that computes and is not called the CPU."""

from __future__ import annotations

import pytest

from psa_core import models
from psa_core.scoring.backends import choice
from research.speed import gpu
from tests.scoring.backends.test_devices import TEXTS, Elsewhere
from tests.tiny_models import tiny_classifier


def test_every_way_is_measured_beside_the_model_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("PSA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(choice, "GPU_BUDGETS", (64, 128))
    known = models.load(f"hf:{tiny_classifier(tmp_path / 'bert')}")
    scorer = Elsewhere(known.model, known.tokenizer, known.targets, known.reduce, known.fingerprint, known.max_tokens)
    rows = {row.measure.partition(": ")[2] or row.measure: row.got for row in gpu.measured(scorer, TEXTS * 4)}
    assert sum(name.endswith("texts/s") for name in rows) == 3
    assert {"bf16 / the model itself", "torch encoder / the model itself"} <= set(rows)


def test_without_a_gpu_it_says_so(monkeypatch):
    monkeypatch.setenv("PSA_DEVICE", "cpu")
    with pytest.raises(SystemExit, match="There is no GPU here"):
        next(gpu.rows())
