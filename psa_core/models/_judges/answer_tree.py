"""All ways to write the answers to a question as tokens, the tree that these make, and its log-probabilities.

What many prompts begin with is computed once.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch

from psa_core.models._judges.question import Question, Scale, written
from psa_core.models._transformers.classifier import DEVICE_LOCKS

LEADS = ("", " ")
#: What a model may put before an answer of a choice.
QUOTES = ("", '"', "'", "“", "*", "**", "`")
Tokens = tuple[int, ...]
# What two ways of computing one log-probability may differ by; a model that cannot share a prefix is far off.
SAME = 1e-3
#: The log-probability of an answer that is not followed further, and below which a beginning is not.
NEVER, UNLIKELY = -1e3, -37.0
#: Token sequences that a load compares with separate passes.
CHECKED = 4


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
            for case in dict.fromkeys((answer, answer.lower(), answer.upper(), answer.capitalize()))
            for words in (lead + quote + case for lead in LEADS for quote in QUOTES)
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


@dataclass(frozen=True, eq=False)
class SharedPrefix:
    """A causal model (float32) whose prompts begin alike.

    The `prefix` are the tokens that prompts begin with; a prompt that begins otherwise is computed whole. The `tree` is
    of the answers by their tokens, `count` says how many these are, A. Where they are numbers, `ends` says which tokens
    end one: bool (V,).
    """

    model: Any = field(repr=False)
    prefix: tuple[int, ...]
    tree: Tree
    count: int
    ends: np.ndarray | None = field(default=None, repr=False)

    def logs(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """Log-probability of each answer after each row, in nats: float32 array (B, A), as one batch."""
        size = len(self.prefix)
        sharing = [i for i, row in enumerate(rows) if len(row) > size and tuple(row[:size]) == self.prefix]
        answer = np.empty((len(rows), self.count), np.float32)
        if sharing:
            answer[sharing] = self._together([rows[i][size:] for i in sharing])
        for i in sorted(set(range(len(rows))) - set(sharing)):
            answer[i] = self.alone(rows[i])
        return answer

    def alone(self, row: Sequence[int]) -> np.ndarray:
        """The same for one row, nothing shared, a pass for each node of the tree: float32 array (A,)."""

        def step(tokens: list[int], token: int | None = None) -> tuple[Any, list[int]]:
            tokens = tokens if token is None else [*tokens, token]
            ids = torch.tensor([tokens], device=self.model.device)
            return self._last(self.model(input_ids=ids, use_cache=False, **self._keeping)), tokens

        with DEVICE_LOCKS[str(self.model.device)], torch.inference_mode():
            return self._followed(step, *step(list(row)))[0]

    def agrees(self, rows: Sequence[Sequence[int]]) -> bool:
        """Whether sharing gives what one by one does, here: a model may do without the memory that is shared."""
        sequences = self.tree.sequences()
        some = [*sequences[: CHECKED // 2], *sequences[-CHECKED // 2 :]]
        few = replace(self, tree=Tree.of(some, stops=self.ends is not None))
        try:
            together = few.logs(rows)
        except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):  # another kind of memory, or none
            return False
        return bool(np.allclose(together, np.stack([few.alone(row) for row in rows]), rtol=0, atol=SAME))

    def _together(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """What follows the prefix, filled on the left, so that all rows end in one place: float32 (B, A)."""
        device, width = self.model.device, max(map(len, rows))
        ids = torch.zeros((len(rows), width), dtype=torch.long)
        inside = torch.zeros((len(rows), len(self.prefix) + width), dtype=torch.long)
        inside[:, : len(self.prefix)] = 1
        for i, row in enumerate(rows):
            ids[i, width - len(row) :] = torch.tensor(row)
            inside[i, inside.shape[1] - len(row) :] = 1
        ids, inside = ids.to(device), inside.to(device)

        def step(before: tuple[Any, Any], token: int | None = None) -> tuple[Any, tuple[Any, Any]]:
            inside, memory = before
            next_ids = ids
            if token is not None:
                next_ids = torch.full_like(inside[:, :1], token)
                inside, memory = torch.cat([inside, torch.ones_like(next_ids)], dim=1), _fork(memory)
            places = (inside.cumsum(dim=1) - 1).clamp(min=0)[:, -next_ids.shape[1] :]
            extra = {"position_ids": places} if "position_ids" in self._takes else {}
            given = {"input_ids": next_ids, "attention_mask": inside, "past_key_values": memory, "use_cache": True}
            out = self.model(**given, **extra, **self._keeping)
            return self._last(out), (inside, out.past_key_values)

        with DEVICE_LOCKS[str(device)], torch.inference_mode():
            memory = _repeated(self._memory, len(rows)) if self.prefix else None
            return self._followed(step, *step((inside, memory)))

    def _followed(self, step: Callable[[Any, int], tuple[Any, Any]], logs: Any, before: Any) -> np.ndarray:
        """What is on each answer, float32 (B, A), where the first tokens have `logs` (B, V).

        `step` goes from what was read before, and one more token, to the log-probabilities after it and what has been
        read then. Token by token: what is kept of a pass is one row of the vocabulary a text, however long it is.
        """
        none = torch.zeros(len(logs), dtype=torch.float64, device=logs.device)
        found = torch.full((len(logs), self.count), NEVER, dtype=torch.float64, device=logs.device)

        def add(answer: int, log: Any) -> None:
            found[:, answer] = torch.logaddexp(found[:, answer], log)

        def visit(node: Tree, logs: Any, before: Any, path: Any) -> None:
            if node.answer >= 0:
                add(node.answer, path + self._stop(node, logs))
            for token, child in node.children.items():
                ahead = path + logs[:, token].double()
                if not child.children and not child.stops:
                    add(child.answer, ahead)
                elif float(ahead.max()) > UNLIKELY:
                    visit(child, *step(before, token), ahead)

        visit(self.tree, logs, before, none)
        return found.float().cpu().numpy()

    def _stop(self, node: Tree, logs: Any) -> Any:
        """Log-probability (B,) that an answer ends where it has been written; 0 where nothing could go on from it."""
        if not node.stops or self.ends is None:
            return torch.zeros(len(logs), dtype=torch.float64, device=logs.device)
        ends = np.zeros(logs.shape[1], bool)
        ends[: len(self.ends)] = self.ends[: logs.shape[1]]
        ends[list(node.children)] = False
        return torch.logsumexp(logs[:, torch.from_numpy(ends).to(logs.device)].double(), dim=1)

    @staticmethod
    def _last(out: Any) -> Any:
        """Log-probabilities after the last token, (B, V)."""
        return torch.log_softmax(out.logits[:, -1].float(), dim=-1)

    @property
    def _keeping(self) -> dict[str, int]:
        """Asks a model, where it can be asked, for its last output only: each is as long as its vocabulary."""
        return {"logits_to_keep": 1} if "logits_to_keep" in self._takes else {}

    @cached_property
    def _takes(self) -> set[str]:
        return set(inspect.signature(self.model.forward).parameters)

    @cached_property
    def _memory(self) -> Any:
        """Keys and values of the prefix's tokens, one row."""
        ids = torch.tensor([self.prefix], device=self.model.device)
        return self.model(input_ids=ids, use_cache=True, **self._keeping).past_key_values


def common_prefix(rows: Sequence[Sequence[int]]) -> tuple[int, ...]:
    same = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        same += 1
    return tuple(rows[0][:same])


def _fork(memory: Any) -> Any:
    """A memory that may grow while the one it comes from stays as it is; tensors are not copied."""
    forked = copy.copy(memory)
    forked.layers = [copy.copy(layer) for layer in memory.layers]
    return forked


def _repeated(memory: Any, rows: int) -> Any:
    """A memory of one row for many, without copying it."""
    forked = _fork(memory)
    for layer in forked.layers:
        layer.keys, layer.values = layer.keys.expand(rows, -1, -1, -1), layer.values.expand(rows, -1, -1, -1)
    return forked
