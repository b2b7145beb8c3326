"""Models on a device of their own. Meta tensors have a device and no numbers, so none of this needs a GPU."""

from __future__ import annotations

import numpy as np
import pytest

from psa_core import models
from psa_core.models._transformers.classifier import TransformersScorer
from psa_core.scoring import ScoringOptions, backends
from psa_core.scoring.backends import choice, fused
from psa_core.scoring.backends.forward import DeviceForward
from tests.tiny_models import KINDS, tiny_classifier

TEXTS = ["she is good", "he said it was so bad and then she said it was good", "I hate Alice.", "good"]


@pytest.fixture
def one_device():
    """Refuses operations on tensors of two devices, as a GPU does; copies from one to the other are allowed.

    (A FakeTensorMode would do, but torch without CUDA can neither index nor copy its tensors of device ``cuda``.)
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class OneDevice(TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            found = {str(part.device) for part in tree_leaves((args, kwargs)) if torch.is_tensor(part) and part.ndim}
            if len(found) > 1 and operation is not torch.ops.aten.copy_.default:
                raise RuntimeError(f"{operation} on two devices: {', '.join(sorted(found))}")
            return operation(*args, **(kwargs or {}))

    with OneDevice():
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_the_fused_encoder_computes_where_the_model_is(tmp_path, one_device, kind):
    scorer = models.load(f"hf:{tiny_classifier(tmp_path / kind, kind)}")
    scorer.model.to("meta")
    logits = fused.ENCODER.make(scorer)(scorer.tokenize(TEXTS))
    assert (logits.device.type, tuple(logits.shape)) == ("meta", (4, 2))


def test_a_part_that_stays_behind_is_noticed(tmp_path, one_device, monkeypatch):
    import torch

    scorer = models.load(f"hf:{tiny_classifier(tmp_path / 'bert')}")
    scorer.model.to("meta")
    monkeypatch.setattr(fused, "sent", lambda array, device: torch.from_numpy(array))
    with pytest.raises(RuntimeError, match="two devices: cpu, meta"):
        fused.ENCODER.make(scorer)(scorer.tokenize(TEXTS))


class Elsewhere(TransformersScorer):
    """On a device that is not called the CPU, but computes."""

    device = "cpu:0"


def test_on_a_device_the_model_and_the_fused_encoder_are_measured_and_both_are_exact(tmp_path, monkeypatch):
    known = models.load(f"hf:{tiny_classifier(tmp_path / 'bert')}")
    scorer = Elsewhere(known.model, known.tokenizer, known.targets, known.reduce, known.fingerprint, known.max_tokens)
    compared, measure = [], choice.measure
    monkeypatch.setattr(choice, "GPU_BUDGETS", (64, 128))
    monkeypatch.setattr(
        choice, "measure", lambda forwards, *rest: (compared.append(forwards), measure(forwards, *rest))[1]
    )
    backend = backends.choose_backend(scorer, ScoringOptions(), sample=TEXTS, total=choice.WORTH_MEASURING)
    (ways,) = compared
    assert list(ways) == ["torch", "torch encoder"] and backend.name in ways and backend.precision == "exact"
    rows = scorer.tokenize(TEXTS)
    for forward in ways.values():
        assert isinstance(forward, DeviceForward)
        np.testing.assert_allclose(forward.gather([forward(rows)]), known.forward(rows), atol=1e-5)


def test_few_texts_are_scored_on_a_device_by_the_model_itself(tmp_path):
    known = models.load(f"hf:{tiny_classifier(tmp_path / 'bert')}")
    scorer = Elsewhere(known.model, known.tokenizer, known.targets, known.reduce, known.fingerprint, known.max_tokens)
    assert backends.choose_backend(scorer, ScoringOptions(), sample=TEXTS, total=4).name == "torch"
