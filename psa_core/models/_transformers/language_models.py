"""Language models as scorers of log-perplexity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from psa_core.models._transformers.classifier import (
    BATCH_TOKENS,
    DEVICE_LOCKS,
    TransformersScorer,
    by_length,
    encoder,
    ids_and_mask,
    in_batches,
)

# Most numbers that one batch's raw outputs may hold (tokens x vocabulary): 128 MB of float32.
OUTPUT_NUMBERS = 2**25


@dataclass(eq=False)
class CausalScorer(TransformersScorer):
    """Minus the log-likelihood of a text, -sum_t log P(w_t | w_<t), natural logarithm; larger = less expected.

    Each row begins with the model's token for a beginning, so that the first word counts too.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        starts = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id, self.tokenizer.pad_token_id)
        start = next((token for token in starts if token is not None), 0)
        bare = encoder(self.tokenizer, self.max_tokens - 1, special=False)

        def encode(texts: Sequence[str], truncate: bool) -> list[list[int]]:
            # An empty text is the beginning alone: nothing to be surprised by.
            return [[start, *(row if text else [])] for text, row in zip(texts, bare(texts, truncate), strict=True)]

        self._encode = encode

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Minus the log-likelihood of each row: float32 array (B, 1)."""
        budget = max(1, OUTPUT_NUMBERS // self.model.config.vocab_size)
        return by_length(token_ids, 1, self._surprise, budget)

    def _surprise(self, rows: Sequence[Sequence[int]]) -> np.ndarray:
        ids, inside = as_tensors(rows, self._pad_id or 0, device=self.device)
        with DEVICE_LOCKS[self.device], torch.inference_mode():
            logits = self.model(input_ids=ids, attention_mask=inside.long(), use_cache=False).logits
            logs = torch.log_softmax(logits[:, :-1].float(), dim=-1).gather(-1, ids[:, 1:, None])[..., 0]
            # Summed in float64: a text of many tokens loses digits otherwise.
            sums = 0.0 - (logs.double() * inside[:, 1:]).sum(dim=1)
        return np.asarray(sums.cpu().numpy())[:, np.newaxis]


@dataclass(eq=False)
class MaskedScorer(TransformersScorer):
    """Pseudo-log-perplexity, -sum_t log P(w_t | all other words), natural logarithm; larger = less expected.

    Each token but the special ones is masked in turn (Salazar et al. 2020, equation 1: a sum, not a mean).
    """

    def forward(self, token_ids: Sequence[Sequence[int]]) -> np.ndarray:
        """Pseudo-log-perplexity of each row: float32 array (B, 1); one pass over all masks of all rows."""
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        places = [(r, t) for r, row in enumerate(token_ids) for t, token in enumerate(row) if token not in special]
        masked = [[*token_ids[r][:t], self.tokenizer.mask_token_id, *token_ids[r][t + 1 :]] for r, t in places]
        next_tokens = np.array([token_ids[r][t] for r, t in places], np.int64)
        at = np.array([t for _, t in places], np.int64)
        logs = np.zeros(len(places), np.float64)
        for batch in self._batches(masked):
            logs[batch] = self._logs([masked[i] for i in batch], at=at[batch], next_tokens=next_tokens[batch])
        owners = np.array([r for r, _ in places], np.int64)
        sums = 0.0 - np.bincount(owners, logs, minlength=len(token_ids))
        return sums.astype(np.float32)[:, np.newaxis]

    def _batches(self, rows: Sequence[Sequence[int]]) -> Iterator[np.ndarray]:
        """Batches whose outputs stay within `OUTPUT_NUMBERS`, be they of one token a row or of all of them."""
        most = max(1, OUTPUT_NUMBERS // self.model.config.vocab_size)
        for batch in in_batches(rows, BATCH_TOKENS if _narrows(self.model) else most):
            for start in range(0, len(batch), most):
                yield batch[start : start + most]

    def _logs(self, rows: Sequence[Sequence[int]], *, at: np.ndarray, next_tokens: np.ndarray) -> np.ndarray:
        """Log-probability of one token in each row, at the given position: float64 (B,)."""
        ids, inside = as_tensors(rows, self._pad_id or 0, device=self.device)
        positions = torch.arange(len(rows), device=ids.device), torch.from_numpy(at).to(ids.device)
        with DEVICE_LOCKS[self.device], torch.inference_mode(), _head_reads(self.model, positions) as only:
            logits = self.model(input_ids=ids, attention_mask=inside.long()).logits
            logits = (logits[:, 0] if only else logits[positions]).float()
            logs = torch.log_softmax(logits, dim=-1).gather(-1, torch.from_numpy(next_tokens).to(ids.device)[:, None])
        return np.asarray(logs[:, 0].double().cpu().numpy())


@contextmanager
def _head_reads(model: Any, positions: tuple[Any, Any]) -> Iterator[list[bool]]:
    """Let a masked model multiply its vocabulary with one token of each row: for a small model half of all work.

    `positions` are rows and places, int (B,). The list is not empty after a pass in which it was so; logits are then
    (B, 1, V).
    """
    done: list[bool] = []

    def pick(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        done.append(True)
        return (inputs[0][positions][:, None], *inputs[1:])

    hook = model.get_output_embeddings().register_forward_pre_hook(pick) if _narrows(model) else None
    try:
        yield done
    finally:
        if hook is not None:
            hook.remove()


def _narrows(model: Any) -> bool:
    """Whether the vocabulary can be had for some tokens only: the last layer works token by token."""
    return type(model.get_output_embeddings()) is torch.nn.Linear


def as_tensors(rows: Sequence[Sequence[int]], pad: int, *, device: str) -> tuple[Any, Any]:
    """Padded ids, int64 (B, longest), and where they are the text's own, bool (B, longest), on the device."""
    ids, mask = ids_and_mask(rows, pad)
    return torch.from_numpy(ids).to(device), torch.from_numpy(mask.astype(bool)).to(device)
