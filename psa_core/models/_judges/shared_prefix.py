"""Log-probabilities of a few continuations of many prompts, with shared prefixes computed once."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from psa_core.models._transformers.classifier import DEVICE_LOCKS

# What two ways of computing one log-probability may differ by; a model that cannot share a prefix is far off.
SAME = 1e-3


@dataclass(frozen=True, eq=False)
class SharedPrefix:
    """A causal model whose prompts begin alike.

    Attributes
    ----------
    model : transformers causal model, float32
    prefix : tuple of int
        Tokens that prompts begin with; computed at the first use. A prompt that begins otherwise is computed whole.
    continuations : tuple of tuple of int, length A
    """

    model: Any = field(repr=False)
    prefix: tuple[int, ...]
    continuations: tuple[tuple[int, ...], ...]

    def logs(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """Log-probability of each continuation after each row, in nats: float32 array (B, A), as one batch."""
        size = len(self.prefix)
        alike = [i for i, row in enumerate(rows) if len(row) > size and tuple(row[:size]) == self.prefix]
        answer = np.empty((len(rows), len(self.continuations)), np.float32)
        if alike:
            answer[alike] = self._together([rows[i][size:] for i in alike])
        for i in sorted(set(range(len(rows))) - set(alike)):
            answer[i] = self.alone(rows[i])
        return answer

    def alone(self, row: Sequence[int]) -> np.ndarray:
        """The same for one row, nothing shared, one pass a continuation: float32 array (A,)."""
        import torch

        answer = np.empty(len(self.continuations), np.float32)
        for i, tokens in enumerate(self.continuations):
            ids = torch.tensor([[*row, *tokens]], device=self.model.device)
            with DEVICE_LOCKS[str(self.model.device)], torch.inference_mode():
                out = self.model(input_ids=ids, use_cache=False, **self._keeping(len(tokens) + 1))
                logits = out.logits[0, -len(tokens) - 1 : -1].float()
                logs = torch.log_softmax(logits, dim=-1).gather(-1, ids[0, len(row) :, None])
            answer[i] = float(logs.double().sum())
        return answer

    def agrees(self, rows: Sequence[Sequence[int]]) -> bool:
        """Whether sharing gives what one by one does, here: a model may do without the memory that is shared."""
        try:
            together = self.logs(rows)
        except (AttributeError, TypeError, ValueError, RuntimeError, IndexError):  # another kind of memory, or none
            return False
        return bool(np.allclose(together, np.stack([self.alone(row) for row in rows]), rtol=0, atol=SAME))

    def _together(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        """What follows the prefix, filled on the left, so that all rows end in one place: float32 (B, A)."""
        import torch

        device, width = self.model.device, max(map(len, rows))
        ids = torch.zeros((len(rows), width), dtype=torch.long)
        inside = torch.zeros((len(rows), len(self.prefix) + width), dtype=torch.long)
        inside[:, : len(self.prefix)] = 1
        for i, row in enumerate(rows):
            ids[i, width - len(row) :] = torch.tensor(row)
            inside[i, inside.shape[1] - len(row) :] = 1
        ids, inside = ids.to(device), inside.to(device)
        answer = np.empty((len(rows), len(self.continuations)), np.float32)
        with DEVICE_LOCKS[str(device)], torch.inference_mode():
            memory = _repeated(self._memory, len(rows)) if self.prefix else None
            first, memory = self._step(ids, inside, memory)
            for i, tokens in enumerate(self.continuations):
                total = first[:, tokens[0]].double()
                if len(tokens) > 1:
                    total += self._rest(tokens, inside, memory)
                answer[:, i] = total.float().cpu().numpy()
        return answer

    def _rest(self, tokens: Sequence[int], inside: Any, memory: Any) -> Any:
        """Log-probability of a continuation's second token and on, given the first: float64 (B,).

        Token by token: what is kept of a pass is one row of the vocabulary a text, however long a continuation is.
        """
        import torch

        total, memory = torch.zeros(len(inside), dtype=torch.float64, device=inside.device), _fork(memory)
        for given, wanted in pairwise(tokens):
            ids = torch.full_like(inside[:, :1], given)
            inside = torch.cat([inside, torch.ones_like(ids)], dim=1)
            logs, memory = self._step(ids, inside, memory)
            total += logs[:, wanted].double()
        return total

    def _step(self, ids: Any, inside: Any, memory: Any) -> tuple[Any, Any]:
        """Log-probabilities after the last token, (B, V), and the memory."""
        import torch

        places = (inside.cumsum(dim=1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        extra = {"position_ids": places} if "position_ids" in self._takes else {}
        out = self.model(
            input_ids=ids,
            attention_mask=inside,
            past_key_values=memory,
            use_cache=True,
            **extra,
            **self._keeping(1),
        )
        return torch.log_softmax(out.logits[:, -1].float(), dim=-1), out.past_key_values

    def _keeping(self, last: int) -> dict[str, int]:
        """Asks a model, where it can be asked, for its last outputs only: each is as long as its vocabulary."""
        return {"logits_to_keep": last} if "logits_to_keep" in self._takes else {}

    @cached_property
    def _takes(self) -> set[str]:
        return set(inspect.signature(self.model.forward).parameters)

    @cached_property
    def _memory(self) -> Any:
        """Keys and values of the prefix's tokens, one row."""
        import torch

        ids = torch.tensor([self.prefix], device=self.model.device)
        return self.model(input_ids=ids, use_cache=True, **self._keeping(1)).past_key_values


def common_prefix(rows: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The tokens that all rows begin with."""
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
