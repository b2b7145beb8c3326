from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import processors

from psa_core import models
from psa_core.errors import ModelError
from tests.tiny_models import tiny_causal_lm, tiny_classifier, tiny_encoder, tiny_masked_lm, tiny_tokenizer


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_classifier(tmp_path_factory.mktemp("hf") / "original")


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "copy"))


def rewrite(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")


def as_pickle(folder: Path, content: Any = None) -> None:
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors") if content is None else content, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def cut_in_half(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def tokenizerless(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def larger_tokenizer(folder: Path) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.add_tokens(["zyzzyva"])
    tokenizer.save_pretrained(folder)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "no config.json in"),
    "damaged config": (lambda f: (f / "config.json").write_text("{"), "config.json: got a damaged file"),
    "config of no model": (lambda f: (f / "config.json").write_text("[]"), "config.json: got a damaged file"),
    "unknown kind": (lambda f: rewrite(f / "config.json", model_type="frob"), "the unknown kind 'frob'"),
    "code of its own": (
        lambda f: rewrite(f / "config.json", model_type="frob", auto_map={"AutoModel": "frob.Frob"}),
        "brings its own program",
    ),
    "images": (lambda f: rewrite(f / "config.json", model_type="vit"), "kind 'vit', expected a text classifier"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "no weights in"),
    "truncated weights": (lambda f: cut_in_half(f / "model.safetensors"), "model weights: got a damaged file"),
    "weights of nothing": (lambda f: (f / "model.safetensors").write_bytes(b"x" * 64), "weights: got a damaged file"),
    "pickled weights": (as_pickle, "add \\?allow_pickle=1"),
    "nested config": (lambda f: (f / "config.json").write_text("[" * 10**5), "config.json: got a damaged file"),
    "far larger model": (lambda f: rewrite(f / "config.json", vocab_size=10**11), "numbers whose files have"),
    "far deeper model": (lambda f: rewrite(f / "config.json", num_hidden_layers=10**8), "num_hidden_layers = 1000"),
    "no heads": (lambda f: rewrite(f / "config.json", num_attention_heads=0), "files that do not load"),
    "other sizes": (lambda f: rewrite(f / "config.json", hidden_size=32), "weights of other sizes"),
    "labels for more outputs": (
        lambda f: rewrite(
            f / "config.json", id2label={"0": "a", "1": "b", "2": "c"}, label2id={"a": 0, "b": 1, "c": 2}
        ),
        "id2label: one label per output",
    ),
    "no tokenizer": (tokenizerless, "tokenizer: got none in"),
    "damaged tokenizer": (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer: got files that do not load"),
    "tokenizer of another model": (larger_tokenizer, "expected the tokenizer that the model was trained with"),
    "masked model": (lambda f: tiny_masked_lm(f), "got BertForMaskedLM, expected a text classifier"),
    "causal model": (lambda f: tiny_causal_lm(f), "got GPT2LMHeadModel, expected a text classifier"),
    "no head": (lambda f: tiny_encoder(f), "got BertModel, expected a text classifier"),
}


def test_a_model_that_numbers_segments_is_refused(tmp_path: Path) -> None:
    from transformers import XLNetConfig, XLNetForSequenceClassification

    tokenizer = tiny_tokenizer()
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A:0 [CLS]:2", pair="$A:0 $B:1 [CLS]:2", special_tokens=[("[CLS]", tokenizer.cls_token_id)]
    )
    tokenizer.save_pretrained(tmp_path)
    size = {"d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 16}
    XLNetForSequenceClassification(XLNetConfig(vocab_size=len(tokenizer), **size)).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="numbers the segments"):
        models.load(f"hf:{tmp_path}")


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_its_sentence(copy: Path, fault: str) -> None:
    spoil, said = FAULTS[fault]
    spoil(copy)
    with pytest.raises(ModelError, match=said) as caught:
        models.load(f"hf:{copy}")
    assert "\n" not in str(caught.value)


def test_pickled_weights_are_read_where_the_user_says_so_and_give_the_same(original: Path, copy: Path) -> None:
    as_pickle(copy)
    scorer = models.load(f"hf:{copy}?allow_pickle=1")
    assert scorer.fingerprint == models.load(f"hf:{original}").fingerprint
    np.testing.assert_array_equal(scorer.score(["he"]), models.load(f"hf:{original}").score(["he"]))


class Program:
    """What unpickling would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path("/nowhere/at/all").touch, ())


def test_a_pickle_that_holds_a_program_is_refused_even_then(copy: Path) -> None:
    as_pickle(copy, {"weights": Program()})
    with pytest.raises(ModelError, match="holds more than weights"):
        models.load(f"hf:{copy}?allow_pickle=1")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("?frob=1", "got 'frob=1'"),
        ("?targets=", "got 'targets='"),
        ("?", None),
        ("?max_tokens=99", "a whole number from 3 to 24"),
        ("?max_tokens=two", "a whole number from 3 to 24"),
        ("?allow_pickle=maybe", "expected 1 or 0"),
        ("?targets=joy", "got 'joy'"),
    ],
)
def test_options_are_checked(original: Path, options: str, said: str | None) -> None:
    if said is None:
        assert models.load(f"hf:{original}{options}").targets
        return
    with pytest.raises(ModelError, match=said):
        models.load(f"hf:{original}{options}")


def test_options_change_what_is_answered(original: Path) -> None:
    scorer = models.load(f"hf:{original}?targets=positive-minus-negative&max_tokens=5")
    whole = models.load(f"hf:{original}")
    np.testing.assert_allclose(scorer.score(["he is"])[:, 0], whole.score(["he is"])[:, 2], atol=1e-7)
    # five tokens are the two special ones and the first three of the text
    np.testing.assert_allclose(scorer.score(["he is good and bad"]), whole.score(["he is good"])[:, 2:], atol=1e-6)


@pytest.mark.parametrize("name", ["./nowhere", "a/b/c", "", " ", "..", "owner/model name", "/nowhere/at/all"])
def test_what_is_neither_a_folder_nor_a_hub_id_is_said(name: str) -> None:
    with pytest.raises(ModelError, match="expected"):
        models.load(f"hf:{name}")


def test_a_file_is_not_a_folder(original: Path) -> None:
    with pytest.raises(ModelError, match="Give its folder"):
        models.load(f"hf:{original / 'config.json'}")


def fingerprint(folder: Path, options: str = "") -> str:
    return models.load(f"hf:{folder}{options}").fingerprint


def test_fingerprint_stays_when_answers_stay(original: Path, copy: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    first = fingerprint(original)
    assert fingerprint(copy) == first
    rewrite(copy / "config.json", transformers_version="0", hidden_dropout_prob=0.5, _name_or_path="elsewhere")
    save_file(load_file(copy / "model.safetensors"), copy / "model.safetensors", metadata={"format": "pt", "note": "x"})
    (copy / "README.md").write_text("a card")
    assert fingerprint(copy) == first
    assert fingerprint(original, "?max_tokens=24&head=softmax") == first


def test_fingerprint_changes_when_weights_change(original: Path, copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    weights["classifier.bias"][0] += 1e-3
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert fingerprint(copy) != fingerprint(original)


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_act": "relu"},
        {"layer_norm_eps": 1e-3},
        {"problem_type": "multi_label_classification"},
        {"id2label": {"0": "positive", "1": "negative"}},
        {"num_attention_heads": 4},
    ],
    ids=str,
)
def test_fingerprint_changes_when_the_configuration_answers_otherwise(copy: Path, changes: dict[str, Any]) -> None:
    before = fingerprint(copy)
    rewrite(copy / "config.json", **changes)
    assert fingerprint(copy) != before


def test_fingerprint_changes_with_tokenizer_and_truncation(copy: Path) -> None:
    before = fingerprint(copy)
    assert fingerprint(copy, "?max_tokens=8") != before
    assert fingerprint(copy, "?targets=negative") != before
    rules = json.loads((copy / "tokenizer.json").read_text("utf-8"))
    rules["normalizer"]["lowercase"] = False
    (copy / "tokenizer.json").write_text(json.dumps(rules), "utf-8")
    assert fingerprint(copy) != before


@pytest.mark.parametrize("problem_type", [None, "single_label_classification", "multi_label_classification"])
def test_problem_types_of_a_loaded_model(tmp_path: Path, problem_type: str | None) -> None:
    folder = tiny_classifier(tmp_path / "m", labels=("a", "b", "c"), problem_type=problem_type)
    scores = models.load(f"hf:{folder}").score(["he is good"])
    assert (scores.sum() == pytest.approx(1.0, abs=1e-5)) == (problem_type != "multi_label_classification")


def test_half_precision_weights_are_computed_in_single(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    folder = tiny_classifier(tmp_path / "m")
    AutoModelForSequenceClassification.from_pretrained(folder).half().save_pretrained(folder)
    scorer: Any = models.load(f"hf:{folder}")
    assert scorer.model.dtype == torch.float32
    assert scorer.score(["he"]).dtype == np.float32
