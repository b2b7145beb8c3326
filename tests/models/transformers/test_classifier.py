from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import OptionError
from psa_core.models._transformers.classifier import best_device, encoder, ids_and_mask, in_batches, max_tokens_of
from tests.tiny_models import DECODERS, KINDS, MAX_TOKENS, tiny_classifier

TEXTS = ["I hate Alice.", "she is good", "he said it was so bad and then she said it was good", "Bob!"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("kinds")
    return {kind: tiny_classifier(folder / kind, kind) for kind in (*KINDS, *DECODERS)}


def by_hand(scorer: Any, text: str) -> np.ndarray:
    """Probabilities of one text as the transformers documentation computes them: float (L,)."""
    import torch

    batch = scorer.tokenizer(text, truncation=True, max_length=scorer.max_tokens, return_tensors="pt")
    with torch.no_grad():
        logits = scorer.model(**batch).logits
    return np.asarray(torch.softmax(logits, dim=-1)[0].numpy())


@pytest.mark.parametrize("kind", [*KINDS, *DECODERS])
def test_batches_equal_one_text_at_a_time_by_transformers_itself(folders: dict[str, Path], kind: str) -> None:
    scorer: Any = models.load(f"hf:{folders[kind]}")
    expected = np.stack([by_hand(scorer, text) for text in TEXTS])
    np.testing.assert_allclose(scorer.score(TEXTS)[:, :2], expected, atol=2e-6)
    np.testing.assert_allclose(scorer.score(TEXTS)[:, 2], expected[:, 1] - expected[:, 0], atol=2e-6)


@pytest.mark.parametrize("kind", [*KINDS, *DECODERS])
def test_long_texts_are_cut_at_the_model_s_limit_and_told(folders: dict[str, Path], kind: str) -> None:
    scorer: Any = models.load(f"hf:{folders[kind]}")
    assert scorer.max_tokens == MAX_TOKENS
    long = "good " * 60
    assert scorer.truncated([long, "good"]).tolist() == [True, False]
    assert [len(row) for row in scorer.tokenize([long])] == [MAX_TOKENS]
    np.testing.assert_allclose(scorer.score([long])[0, :2], by_hand(scorer, long), atol=2e-6)


def test_tokens_are_those_of_the_tokenizer(folders: dict[str, Path]) -> None:
    scorer: Any = models.load(f"hf:{folders['bert']}")
    texts = [*TEXTS, "", "😀 [SEP] ünïcode", "good " * 60]
    assert scorer.tokenize(texts) == scorer.tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]


def test_a_decoder_without_padding_takes_one_row_at_a_time(folders: dict[str, Path]) -> None:
    scorer: Any = models.load(f"hf:{folders['gpt2']}")
    assert scorer.model.config.pad_token_id is None and scorer.tokenizer.pad_token_id is None
    assert scorer.score(["good", "she is good"]).shape == (2, 3)


def test_an_encoder_without_padding_takes_one_row_at_a_time(tmp_path: Path) -> None:
    folder = tiny_classifier(tmp_path / "m")
    expected = models.load(f"hf:{folder}").score(TEXTS)
    for name, key in (("config.json", "pad_token_id"), ("tokenizer_config.json", "pad_token")):
        content = json.loads((folder / name).read_text("utf-8"))
        (folder / name).write_text(json.dumps(content | {key: None}), "utf-8")
    scorer: Any = models.load(f"hf:{folder}")
    assert scorer.model.config.pad_token_id is None and scorer.tokenizer.pad_token_id is None
    np.testing.assert_allclose(scorer.score(TEXTS), expected, atol=2e-6)


def test_a_tokenizer_written_in_python_is_used_as_it_is() -> None:
    from transformers import ByT5Tokenizer

    tokenizer = ByT5Tokenizer()
    encode = encoder(tokenizer, 4)
    # ByT5: a byte's id is the byte plus 3, and 1 ends the text
    assert encode(["ab", "abcdef", ""], True) == [[100, 101, 1], [100, 101, 102, 1], [1]]
    assert encode(["abcdef"], False) == [[100, 101, 102, 103, 104, 105, 1]]
    assert encoder(tokenizer, 4, special=False)(["ab"], True) == [[100, 101]]


def test_many_threads_get_what_one_gets(folders: dict[str, Path]) -> None:
    scorer = models.load(f"hf:{folders['roberta']}")
    inputs = [[f"{word} {text}" * (1 + i) for text in TEXTS] for i, word in enumerate(("he", "she", "it", "bob"))]
    alone = [scorer.score(texts) for texts in inputs]
    together: list[np.ndarray | None] = [None] * len(inputs)

    def work(i: int) -> None:
        for _ in range(5):
            together[i] = scorer.score(inputs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        assert other is not None
        np.testing.assert_array_equal(one, other)


def test_batches_of_rising_length_are_filled_up_to_the_budget() -> None:
    rows = [[0] * n for n in (5, 1, 3, 2)]
    # by length 1 2 | 3 | 5: 2 rows of 2 are 4 tokens; a third of length 3 would make 9
    assert [batch.tolist() for batch in in_batches(rows, 4)] == [[1, 3], [2], [0]]


def test_rows_are_filled_on_the_right() -> None:
    ids, mask = ids_and_mask([[1, 2], [3]], 9)
    assert (ids.tolist(), mask.tolist()) == ([[1, 2], [3, 9]], [[1, 1], [1, 0]])
    ids, mask = ids_and_mask([[1]], 0, width=3)
    assert (ids.tolist(), mask.tolist()) == ([[1, 0, 0]], [[1, 0, 0]])


def test_position_tables_tell_the_limit_when_the_tokenizer_does_not(folders: dict[str, Path]) -> None:
    scorer: Any = models.load(f"hf:{folders['roberta']}")
    scorer.tokenizer.model_max_length = 10**30
    assert scorer.model.config.max_position_embeddings == MAX_TOKENS + 2
    assert max_tokens_of(scorer.model, scorer.tokenizer) == MAX_TOKENS


def test_the_device_is_the_one_that_was_asked_for_or_a_sentence_says_which_there_are(monkeypatch):
    import torch

    monkeypatch.delenv("PSA_DEVICE", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert best_device() == "cuda"
    for wanted in ("cpu", "cuda:1", "mps"):
        monkeypatch.setenv("PSA_DEVICE", wanted)
        assert best_device() == wanted
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setenv("PSA_DEVICE", "cuda")
    with pytest.raises(OptionError, match="PSA_DEVICE: got 'cuda', expected cpu or mps"):
        best_device()
