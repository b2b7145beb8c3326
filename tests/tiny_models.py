"""Tiny random classifiers, each a folder that transformers loads, made in well under a second."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

KINDS = ("bert", "roberta", "distilbert", "xlm-roberta", "electra", "deberta-v2")
DECODERS = ("gpt2",)
WORDS = (
    *("i", "hate", "love", "he", "she", "him", "her", "his", "is", "was", "the", "a", "an", "and", "not", "very"),
    *("good", "bad", "man", "woman", "person", "this", "so", "said", "it", "will", "my", "'", "s", ".", ",", "!", "?"),
    *("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "##s", "##ed", "##ing"),
)
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz0123456789")
MAX_TOKENS = 24


def tiny_classifier(
    folder: Path,
    kind: str = "bert",
    *,
    labels: Sequence[str] = ("negative", "positive"),
    problem_type: str | None = None,
    seed: int = 0,
) -> Path:
    """Write a random sequence classifier with a tokenizer into a folder, and return the folder.

    Parameters
    ----------
    folder : path
        Made when it is not there.
    kind : str
        One of `KINDS`, or ``gpt2`` (a decoder, whose tokenizer adds no special tokens).
    labels : sequence of str
        ``id2label``; one label makes a one-output head.
    problem_type : str, optional
        As transformers' configuration has it.
    seed : int
        Equal seeds give equal weights.
    """
    from transformers import AutoModelForSequenceClassification

    return _save(folder, kind, AutoModelForSequenceClassification, seed, _head(labels, problem_type))


def tiny_masked_lm(folder: Path, kind: str = "bert", *, seed: int = 0) -> Path:
    """Write a random masked language model with a tokenizer into a folder, and return the folder."""
    from transformers import AutoModelForMaskedLM

    return _save(folder, kind, AutoModelForMaskedLM, seed, {})


def tiny_causal_lm(folder: Path, kind: str = "gpt2", *, seed: int = 0) -> Path:
    """Write a random causal language model with a tokenizer into a folder, and return the folder."""
    from transformers import AutoModelForCausalLM

    return _save(folder, kind, AutoModelForCausalLM, seed, {})


def tiny_judge(folder: Path, *, seed: int = 0) -> Path:
    """Write a random Llama with a chat template and room for a question into a folder, and return the folder."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from transformers.utils import logging

    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>", "unk_token": "<unk>"}
    core = tiny_tokenizer("judge").backend_tokenizer
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=256, **special)
    tokenizer.chat_template = "{{ bos_token }}user: {{ messages[0]['content'] }}{{ eos_token }}bot: "
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    size |= {"intermediate_size": 32, "max_position_embeddings": 256, "vocab_size": len(tokenizer)}
    ends = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(LlamaConfig(initializer_range=0.5, **size, **ends))
    logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_encoder(folder: Path, kind: str = "bert", *, seed: int = 0) -> Path:
    """Write a random model without any head, which is no classifier, and return the folder."""
    from transformers import AutoModel

    return _save(folder, kind, AutoModel, seed, {})


def tiny_tokenizer(kind: str = "bert") -> Any:
    """A word-piece tokenizer with the special tokens of a kind of model; it knows every lower-case letter."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = _special_tokens(kind)
    pieces = [*special.values(), *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk_token"]))
    core.normalizer = normalizers.BertNormalizer()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if "cls_token" in special:
        first, last = special["cls_token"], special["sep_token"]
        core.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}",
            pair=f"{first} $A {last} $B {last}",
            special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
        )
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=MAX_TOKENS, **special)


def _special_tokens(kind: str) -> dict[str, str]:
    """Special tokens by role, in the order of their ids."""
    if kind == "judge":
        return {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    if kind == "gpt2":
        return {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "unk_token": "<unk>"}
    if "roberta" in kind:
        return {
            "cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>"
        }  # fmt: skip
    return {
        "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"
    }  # fmt: skip


def _head(labels: Sequence[str], problem_type: str | None) -> dict[str, Any]:
    return {
        "num_labels": len(labels),
        "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)},
        "problem_type": problem_type,
    }


def _config(kind: str, vocabulary: int, head: dict[str, Any]) -> Any:
    from transformers import CONFIG_MAPPING

    if kind == "distilbert":
        size = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "max_position_embeddings": MAX_TOKENS}
    elif kind == "gpt2":
        size = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": MAX_TOKENS, "bos_token_id": 0}
        size |= {"eos_token_id": 0}
    else:
        offset = 2 if "roberta" in kind else 0
        size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        size |= {"max_position_embeddings": MAX_TOKENS + offset}
    if "roberta" in kind:
        size |= {"type_vocab_size": 1, "pad_token_id": 1}
    if kind == "electra":
        size |= {"embedding_size": 8}
    if kind == "deberta-v2":
        size |= {"relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"]}
        size |= {"position_biased_input": False, "type_vocab_size": 0, "pooler_hidden_size": 16}
    # Weights far from 0, so that names move scores by more than rounding.
    return CONFIG_MAPPING[kind](vocab_size=vocabulary, initializer_range=0.5, **size, **head)


def _save(folder: Path, kind: str, auto: Any, seed: int, head: dict[str, Any]) -> Path:
    import torch
    from transformers.utils import logging

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tiny_tokenizer(kind)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = auto.from_config(_config(kind, len(tokenizer), head))
    logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_onnx(folder: Path, *, labels: Sequence[str] = ("negative", "positive"), rows: int | str = "rows") -> Path:
    """Write an ONNX classifier (a table of numbers per token, summed over the text) with a tokenizer; the folder."""
    onnx = pytest.importorskip("onnx")
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    table = np.random.default_rng(0).normal(size=(len(tokenizer), len(labels))).astype(np.float32)
    nodes = [
        onnx.helper.make_node("Gather", ["table", "input_ids"], ["each"]),
        onnx.helper.make_node("Cast", ["attention_mask"], ["mask"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        onnx.helper.make_node("Mul", ["each", "column"], ["inside"]),
        onnx.helper.make_node("ReduceSum", ["inside", "middle"], ["logits"], keepdims=0),
    ]
    values = {"table": table, "last": np.array([2]), "middle": np.array([1])}
    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [rows, "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [onnx.helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, [rows, len(labels)])]
    known = [onnx.numpy_helper.from_array(value, name) for name, value in values.items()]
    graph = onnx.helper.make_graph(nodes, "tiny", inputs, outputs, known)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    content = {"model_type": "bert", "id2label": dict(enumerate(labels)), "max_position_embeddings": MAX_TOKENS}
    (folder / "config.json").write_text(json.dumps(content), "utf-8")
    return folder


def tiny_pipeline(file: Path) -> Path:
    """Write a fitted scikit-learn text classifier in skops format, and return the file."""
    skops_io = pytest.importorskip("skops.io")
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = ["i hate bob", "it was bad", "she loves it", "it was good", "alice", "the idea"]
    labels = ["negative", "negative", "positive", "positive", "neutral", "neutral"]
    skops_io.dump(make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels), file)
    return file


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT classifier with the labels negative and positive; import the fixture's name to use it."""
    return tiny_classifier(tmp_path_factory.mktemp("tiny") / "bert")
