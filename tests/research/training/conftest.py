"""A tiny random BERT and a task that it learns in a few steps: is the text about a cat or about a dog?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

WORDS = ("cat", "dog", "the", "a", "sees", "my", "runs", "fast", "slow", "big", "small")
ABOUT = {
    "title": "Cats and dogs",
    "summary": "Which animal a text is about.",
    "data": "Twenty sentences.",
    "licence": "CC0",
    "limits": "Knows two animals.",
}


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of two layers with a tokenizer of eleven words, as a transformers folder."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    BertTokenizerFast(vocab={word: i for i, word in enumerate(vocabulary)}).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=32, initializer_range=0.3, **size)
    BertModel(config).save_pretrained(folder)
    return folder


def texts_about(animal: str) -> list[str]:
    return [f"{start} {animal} {end}" for start in ("the", "a", "my", "big", "small") for end in ("runs fast", "sees")]


@pytest.fixture
def task_folder(tmp_path: Path) -> Path:
    """Tables of ten texts per class; the same in each split, because learning is not what is tested here."""
    folder = tmp_path / "task"
    folder.mkdir()
    rows = [f"{text},{label},{animal}" for label, animal in enumerate(("cat", "dog")) for text in texts_about(animal)]
    for split in ("train", "val", "test"):
        (folder / f"{split}.csv").write_text("\n".join(["text,label,label_name", *rows]) + "\n", "utf-8")
    (folder / "about.json").write_text(json.dumps(ABOUT), "utf-8")
    return folder
