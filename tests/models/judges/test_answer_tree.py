"""Choices and numbers against a computation of their own: every sequence of tokens, each pass over the whole prompt."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psa_core import models
from psa_core.errors import ModelError
from psa_core.models._judges.answer_tree import token_texts

CORPUS = [
    "rate this from 0 to 100: she was good, she is 7 or 12, yes or no",
    'Answer: 10 100 42 Yes No YES "no" it\'s 3.5',
] * 3
TEXTS = ["she was good", "7 or 12 is not 100"]
CHOICE = {
    "prompt": "was she good? {answers}: {text}",
    "choice": {"Yes": 1, "No": 0, "It depends": 0.25},
    "target": "so",
}
NUMBER = {"prompt": "rate this from 0 to 100: {text}", "number": {"low": 0, "high": 100}, "target": "rate"}
HALVES = {"prompt": "rate this: {text}", "number": {"low": 0, "high": 2, "step": 0.5}, "target": "half"}


def byte_level(folder: Path) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer, core.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet)
    core.train_from_iterator(CORPUS, trainer)
    special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=256, **special)


def sentence_piece(folder: Path) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    core.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    core.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", "<s>", "</s>", *bytes_of])
    core.train_from_iterator(CORPUS, trainer)
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=256, **special)


def smollm2(folder: Path) -> Any:
    from psa_core.models._transformers.lm_files import is_packaged, load_language_model

    if not is_packaged():
        pytest.skip("the package with SmolLM2 is not installed")
    return load_language_model("smollm2", {})[1]


@pytest.fixture(scope="module", params=[byte_level, sentence_piece, smollm2], ids=lambda make: make.__name__)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    place = tmp_path_factory.mktemp(request.param.__name__)
    tokenizer = request.param(place)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = LlamaConfig(initializer_range=0.4, intermediate_size=32, vocab_size=len(tokenizer), **size)
        model = LlamaForCausalLM(config)
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def load(folder: Path, question: dict[str, Any]) -> Any:
    file = folder / f"{question['target']}.json"
    file.write_text(json.dumps(question), "utf-8")
    return models.load(f"ask:lm:{folder}?question={file}")


def next_token(judge: Any, row: list[int]) -> np.ndarray:
    import torch

    with torch.no_grad():
        logits = judge.model(input_ids=torch.tensor([row])).logits[0, -1].double()
    return torch.softmax(logits, dim=-1).numpy()


def chance(judge: Any, row: list[int], tokens: tuple[int, ...]) -> float:
    found = 1.0
    for place, token in enumerate(tokens):
        found *= next_token(judge, [*row, *tokens[:place]])[token]
    return found


def test_a_choice_is_the_sum_over_its_spellings(folder: Path) -> None:
    judge = load(folder, CHOICE)
    end = judge._around[1][-12:]

    def tokens(words: str) -> list[int]:
        return list(judge.tokenizer(words, add_special_tokens=False)["input_ids"])

    expected = []
    for text in TEXTS:
        (row,) = judge.tokenize([text])
        shares = []
        for answer in judge.question.answers:
            cases = {answer, answer.lower(), answer.upper(), answer.capitalize()}
            ways = set()
            for lead, quote, words in product(("", " "), ("", '"', "'", "“", "*", "**", "`"), cases):
                whole, before = tokens(end + lead + quote + words), tokens(end)
                ways.add(
                    tuple(whole[len(before) :] if whole[: len(before)] == before else tokens(lead + quote + words))
                )
            known = [way for way in ways if judge.tokenizer.unk_token_id not in way or folder.name.startswith("byte")]
            shortest = [way for way in known if not any(way[: len(other)] == other for other in known if other != way)]
            shares.append(sum(chance(judge, row, way) for way in shortest))
        value = np.array(shares) @ np.array(judge.question.values) / sum(shares)
        expected.append((value, 1 - sum(shares)))
    np.testing.assert_allclose(judge.score(TEXTS), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("question", [NUMBER, HALVES], ids=["0 to 100", "halves"])
def test_a_number_is_the_sum_over_the_tree_of_its_digits(folder: Path, question: dict[str, Any]) -> None:
    judge = load(folder, question)
    texts = token_texts(judge.tokenizer)
    numbers = {f"{value:g}": value for value in judge.question.values}
    if question is HALVES:
        numbers |= {f"{value:.1f}": value for value in judge.question.values if value % 1 == 0}
    words_of = {lead + words: value for words, value in numbers.items() for lead in ("", " ")}
    begins = {words[:end] for words in words_of for end in range(len(words) + 1)}
    expected = []
    for text in TEXTS[:1]:
        (row,) = judge.tokenize([text])
        mass, total = 0.0, 0.0
        open_ends = [((), "", 1.0)]
        while open_ends:  # every beginning of a number, by any tokens
            path, words, probability = open_ends.pop()
            after = next_token(judge, [*row, *path])
            goes_on = 0.0
            for token, piece in enumerate(texts):
                longer = words + piece
                is_child = bool(piece) and longer in begins
                if is_child:
                    open_ends.append(((*path, token), longer, probability * after[token]))
                if is_child or piece[:1].isdigit() or (piece[:1] in (".", ",") and piece[1:2].isdigit()):
                    goes_on += after[token]
            if words in words_of:
                mass += probability * (1 - goes_on)
                total += probability * (1 - goes_on) * words_of[words]
        expected.append((total / mass, 1 - mass))
    found = judge.score(TEXTS[:1]).astype(float)
    width = judge.question.target.high - judge.question.target.low
    np.testing.assert_allclose(found / [width, 1], np.array(expected) / [width, 1], rtol=0, atol=1e-5)


def test_too_fine_a_scale_and_a_thought_are_told(folder: Path) -> None:
    with pytest.raises(ModelError, match="larger step"):
        load(folder, NUMBER | {"number": {"low": 0, "high": 1_000_000}})
    with pytest.raises(ModelError, match="ask:chat:"):
        load(folder, CHOICE | {"think": 50})
