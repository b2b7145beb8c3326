"""Updates go into the last layers of every kind of transformer, and are written so that they load again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from psa_core.retraining import Retraining
from psa_core.retraining.student import last_linears, student
from tests.tiny_models import DECODERS, KINDS, tiny_classifier

TEXTS = ["he is good", "she was so very bad", "dave"]


@pytest.mark.parametrize("labels", [("yes",), ("no", "yes"), ("a", "b", "c", "d", "e")], ids=len)
@pytest.mark.parametrize("kind", [*KINDS, *DECODERS])
def test_every_kind_of_classifier_takes_updates_that_load_again(
    kind: str, labels: tuple[str, ...], tmp_path: Path
) -> None:
    pupil = student(f"hf:{tiny_classifier(tmp_path / kind, kind, labels=labels)}", Retraining(rank=2, layers=1))
    logits = pupil.logits(TEXTS, 16)
    assert logits.shape == (3, len(labels)) and logits.requires_grad
    for name, value in pupil.model.named_parameters():
        if "lora_B" in name:
            value.data += 0.3
    pupil.save(tmp_path / "adapter")
    loaded = models.load(pupil.id_with(tmp_path / "adapter"))
    np.testing.assert_allclose(loaded.score(TEXTS), pupil.scorer.score(TEXTS), atol=1e-5)
    assert np.abs(loaded.score(TEXTS) - models.load(pupil.model_id).score(TEXTS)).max() > 1e-3


def test_a_model_without_layers_is_refused() -> None:
    import torch

    with pytest.raises(ModelError, match="numbered layers"):
        last_linears(torch.nn.Sequential(torch.nn.Linear(2, 2)), 1)
