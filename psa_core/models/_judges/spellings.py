"""All ways to write the answers to a question as tokens, and the tree that these make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from psa_core.models._judges.question import Question, Scale, written

LEADS = ("", " ")
#: What a model may put before an answer of a choice.
QUOTES = ("", '"', "'", "“", "*", "**", "`")
Tokens = tuple[int, ...]


@dataclass(eq=False)
class Tree:
    """Answers by their tokens: from the next token to the tree behind it."""

    children: dict[int, Tree] = field(default_factory=dict)
    answer: int = -1  # which answer has been written here; -1 for none yet
    stops: bool = False  # whether it has been only if no digit follows: 1 is no 10

    @classmethod
    def of(cls, sequences: Iterable[tuple[Tokens, int]], *, stops: bool) -> Tree:
        """The tree of token sequences, each with its answer; without `stops`, what goes on from an answer is in it."""
        tree = cls()
        for tokens, answer in sorted(sequences, key=lambda each: len(each[0])):
            node = tree
            for token in tokens:
                if node.answer >= 0 and not stops:
                    break
                node = node.children.setdefault(token, cls())
            else:
                if node.answer < 0:
                    node.answer, node.stops = answer, stops
        return tree

    def sequences(self, before: Tokens = ()) -> list[tuple[Tokens, int]]:
        """The token sequences of all answers, the shorter ones first."""
        own = [(before, self.answer)] if self.answer >= 0 else []
        below = [part for token, child in self.children.items() for part in child.sequences((*before, token))]
        return sorted(own + below, key=lambda each: len(each[0]))


def tree_of(question: Question, tokenizer: Any, encode: Callable[[str], Sequence[int]], tail: str) -> Tree:
    """The tree of all ways to answer a question.

    `encode` gives a text's own tokens, without special ones; `tail` is how prompts end: the tokens of an answer may
    depend on it.
    """
    if question.scale is None:
        unknown = tokenizer.unk_token_id
        found = {
            tokens: number
            for number, answer in enumerate(question.answers)
            for words in _ways_to_write(answer)
            if unknown not in (tokens := _behind(tail, words, encode))
        }
        if len(set(found.values())) < len(question.answers):  # a tokenizer without these letters
            found |= {_behind(tail, answer, encode): number for number, answer in enumerate(question.answers)}
        return Tree.of(found.items(), stops=False)
    texts = token_texts(tokenizer)
    ids: dict[str, list[int]] = {}
    for token, text in enumerate(texts):
        ids.setdefault(text, []).append(token)
    is_word_piece = any(token.startswith("##") for token in tokenizer.get_vocab())
    sequences = [
        (tokens, number)
        for number, value in enumerate(question.values)
        for words in _numerals(value, question.scale)
        for tokens in ([_behind(tail, words, encode)] if is_word_piece else _splits(words, ids))
    ]
    return Tree.of(sequences, stops=True)


def _ways_to_write(answer: str) -> list[str]:
    cases = dict.fromkeys((answer, answer.lower(), answer.upper(), answer.capitalize()))
    return [lead + quote + words for words in cases for lead in LEADS for quote in QUOTES]


def _numerals(value: float, scale: Scale) -> list[str]:
    """How a number is written, with a comma between thousands or without, behind a sign such as $."""
    plain = written(value)
    forms = {plain, f"{value:,.9f}".rstrip("0").rstrip(".")}
    if scale.step % 1 and "." not in plain:
        forms.add(f"{plain}.0")
    units = {"", scale.unit} if scale.unit and not scale.unit[0].isalpha() else {""}
    return [lead + unit + form for form in sorted(forms) for unit in sorted(units) for lead in LEADS]


def _behind(tail: str, words: str, encode: Callable[[str], Sequence[int]]) -> Tokens:
    """The tokens of some words as they follow a prompt; alone, where the tokenizer joins them with the prompt's end."""
    before = list(encode(tail)) if tail else []
    together = list(encode(tail + words))
    if before and together[: len(before)] == before and len(together) > len(before):
        return tuple(together[len(before) :])
    return tuple(encode(words))


def _splits(words: str, ids: dict[str, list[int]]) -> list[Tokens]:
    """Every sequence of tokens that reads as these words."""

    @cache
    def behind(start: int) -> tuple[Tokens, ...]:
        if start == len(words):
            return ((),)
        return tuple(
            (token, *rest)
            for end in range(start + 1, len(words) + 1)
            for token in ids.get(words[start:end], ())
            for rest in behind(end)
        )

    return list(behind(0))


def token_texts(tokenizer: Any) -> list[str]:
    """What each token reads as in the middle of a text; empty for special tokens."""
    special = set(tokenizer.all_special_ids)
    texts = []
    for number, token in enumerate(tokenizer.convert_ids_to_tokens(range(len(tokenizer)))):
        if number in special or token is None:
            texts.append("")
        elif "▁" in token:  # SentencePiece's space, which its decoder takes off at the beginning of a text
            texts.append(token.replace("▁", " "))
        elif token.startswith("##"):
            texts.append(token[2:])
        elif len(token) == 6 and token.startswith("<0x"):  # a byte
            byte = int(token[3:5], 16)
            texts.append(chr(byte) if byte < 128 else "\ufffd")
        else:
            texts.append(tokenizer.convert_tokens_to_string([token]))
    return texts


def ends_number(tokenizer: Any, size: int) -> np.ndarray:
    """Which tokens end a number that stands before them, bool (size,): all that do not go on with a digit."""
    ends = np.ones(size, bool)
    for token, text in enumerate(token_texts(tokenizer)[:size]):
        ends[token] = not (text[:1].isdigit() or (text[:1] in (".", ",") and text[1:2].isdigit()))
    return ends
