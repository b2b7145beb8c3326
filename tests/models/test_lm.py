from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from tests.tiny_models import KINDS, tiny_causal_lm, tiny_classifier, tiny_masked_lm

TEXTS = ["I hate Alice.", "she is good", "", "he said it was so bad and then she said", "good " * 40]


def masked_by_definition(scorer: Any, text: str) -> float:
    """-sum_t log P(w_t | all others), one mask and one row at a time."""
    import torch

    ids = scorer.tokenizer(text, truncation=True, max_length=scorer.max_tokens)["input_ids"]
    total = 0.0
    for place in range(1, len(ids) - 1):  # the first and the last are the special ones
        masked = [*ids[:place], scorer.tokenizer.mask_token_id, *ids[place + 1 :]]
        with torch.no_grad():
            logits = scorer.model(input_ids=torch.tensor([masked])).logits[0, place]
        total -= float(torch.log_softmax(logits, dim=-1)[ids[place]])
    return total


def causal_by_definition(scorer: Any, text: str) -> float:
    """-sum_t log P(w_t | w_<t), from the model's own beginning, one prefix at a time."""
    import torch

    words = scorer.tokenizer(text, add_special_tokens=False)["input_ids"][: scorer.max_tokens - 1]
    row, total = [scorer.tokenizer.bos_token_id], 0.0
    for word in words:
        with torch.no_grad():
            logits = scorer.model(input_ids=torch.tensor([row])).logits[0, -1]
        total -= float(torch.log_softmax(logits, dim=-1)[word])
        row.append(word)
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_masked_models_give_the_pseudo_log_perplexity(tmp_path: Path, kind: str) -> None:
    scorer = models.load(f"lm:{tiny_masked_lm(tmp_path / 'm', kind)}")
    expected = [masked_by_definition(scorer, text) for text in TEXTS]
    np.testing.assert_allclose(scorer.score(TEXTS)[:, 0], expected, rtol=1e-5, atol=1e-5)
    assert expected[2] == 0 < min(expected[:2])


@pytest.mark.parametrize("kind", KINDS)
def test_the_vocabulary_is_multiplied_at_the_masked_places_only(tmp_path: Path, kind: str) -> None:
    scorer: Any = models.load(f"lm:{tiny_masked_lm(tmp_path / 'm', kind)}")
    shapes: list[tuple[int, ...]] = []
    head = scorer.model.get_output_embeddings()
    head.register_forward_hook(lambda _, inputs, __: shapes.append(tuple(inputs[0].shape[:2])))
    rows = scorer.tokenize(TEXTS[:1])
    scorer.forward(rows)
    assert shapes == [(len(rows[0]) - 2, 1)]


def test_causal_models_give_minus_the_log_likelihood(tmp_path: Path) -> None:
    scorer = models.load(f"lm:{tiny_causal_lm(tmp_path / 'm')}")
    expected = [causal_by_definition(scorer, text) for text in TEXTS]
    np.testing.assert_allclose(scorer.score(TEXTS)[:, 0], expected, rtol=1e-5, atol=1e-5)
    assert expected[2] == 0 < min(expected[:2])


def test_it_is_a_sum_and_not_a_mean(tmp_path: Path) -> None:
    scorer: Any = models.load(f"lm:{tiny_masked_lm(tmp_path / 'm')}")
    # the model has at most log(V) + what it is sure of wrongly per word: twice the words, about twice the sum
    one, two = scorer.score(["he is good", "he is good he is good"])[:, 0]
    assert two > 1.2 * one


def test_a_masked_batch_holds_no_more_than_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from psa_core.models._transformers import language_models

    scorer: Any = models.load(f"lm:{tiny_masked_lm(tmp_path / 'm')}")
    whole, head = scorer.score(TEXTS), scorer.model.get_output_embeddings()
    made: list[int] = []
    monkeypatch.setattr(language_models, "OUTPUT_NUMBERS", most := 30 * head.out_features)
    head.register_forward_hook(lambda _layer, _given, answer: made.append(answer.numel()))
    for kind in (torch.nn.Linear, type("Other", (torch.nn.Linear,), {})):  # of another kind: all tokens of a row
        head.__class__ = kind
        np.testing.assert_allclose(scorer.score(TEXTS), whole, rtol=1e-5, atol=1e-5)
    assert len(made) > 2 and max(made) <= most


def test_small_memory_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from psa_core.models._transformers import language_models

    for folder in (tiny_masked_lm(tmp_path / "m"), tiny_causal_lm(tmp_path / "c")):
        scorer = models.load(f"lm:{folder}")
        whole = scorer.score(TEXTS)
        with monkeypatch.context() as patch:
            patch.setattr(language_models, "OUTPUT_NUMBERS", 1)
            np.testing.assert_allclose(scorer.score(TEXTS), whole, rtol=1e-5, atol=1e-5)


def test_target_range_and_kind_can_be_said(tmp_path: Path) -> None:
    folder = tiny_masked_lm(tmp_path / "m")
    scorer = models.load(f"lm:{folder}?range=0..80&kind=masked")
    assert [(t.name, t.low, t.high) for t in scorer.targets] == [("log_perplexity", 0, 80)]


def test_fingerprint_follows_weights_kind_and_range(tmp_path: Path) -> None:
    folder = tiny_masked_lm(tmp_path / "m")
    first = models.load(f"lm:{folder}").fingerprint
    assert models.load(f"lm:{tiny_masked_lm(tmp_path / 'same')}").fingerprint == first
    assert models.load(f"lm:{tiny_masked_lm(tmp_path / 'other', seed=1)}").fingerprint != first
    assert models.load(f"lm:{folder}?range=0..80").fingerprint != first
    assert models.load(f"lm:{folder}?max_tokens=9").fingerprint != first


@pytest.mark.parametrize(
    ("options", "said"),
    [("?kind=both", "masked or causal"), ("?max_tokens=2", "from 3 to 24"), ("?head=none", "got 'head=none'")],
)
def test_options_are_checked(tmp_path: Path, options: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        models.load(f"lm:{tiny_masked_lm(tmp_path / 'm')}{options}")


def test_what_is_no_language_model_is_said(tmp_path: Path) -> None:
    folder = tiny_classifier(tmp_path / "m")
    with pytest.raises(ModelError, match="got BertForSequenceClassification, expected a masked or causal"):
        models.load(f"lm:{folder}")
    with pytest.raises(ModelError, match="expected a masked language model"):
        models.load(f"lm:{folder}?kind=masked")


def test_a_tokenizer_without_a_mask_is_said(tmp_path: Path) -> None:
    folder = tiny_masked_lm(tmp_path / "m")
    file = folder / "tokenizer_config.json"
    content = json.loads(file.read_text("utf-8"))
    content.pop("mask_token")
    file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(ModelError, match="no mask token"):
        models.load(f"lm:{folder}")


def test_a_missing_or_damaged_gguf_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file at"):
        models.load(f"lm:{tmp_path / 'm.gguf'}")
    (tmp_path / "m.gguf").write_bytes(b"GGUF and no more")
    with pytest.raises(ModelError, match=r"m\.gguf, which does not load") as caught:
        models.load(f"lm:{tmp_path / 'm.gguf'}")
    assert "\n" not in str(caught.value)
