"""Score token ids in batches sorted by length and bounded by a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from psa_core.errors import ModelError
from psa_core.models import TokenScorer
from psa_core.scoring._base import Check, checked
from psa_core.scoring.backends.forward import Forward, TokenIds


@dataclass
class TokenBackend:
    """Scores texts as batches of token ids, by the scorer's own `forward` or a faster one that was verified.

    A batch has at most `budget` tokens, padding counted; it is cut for good when the device runs out of memory.
    `window_texts` are the texts of a window, `truncated` those so far of which the model saw only the beginning.
    """

    scorer: TokenScorer
    forward: Forward
    budget: int
    window_texts: int
    name: str = "torch"
    precision: str = "exact"
    truncated: int = 0
    notes: tuple[str, ...] = ()

    @property
    def device(self) -> str:
        return self.scorer.device

    def read(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of the texts; may be called ahead, in another thread."""
        token_ids = self.scorer.tokenize(texts)
        # Only a text that fills the model's limit can have been cut, so only those are read in full.
        full = [text for text, row in zip(texts, token_ids, strict=True) if len(row) >= self.scorer.max_tokens]
        if full:
            self.truncated += int(self.scorer.truncated(full).sum())
        return token_ids

    def score(self, token_ids: list[list[int]], check: Check) -> np.ndarray:
        """Scores of texts that were read: float32 array (len(token_ids), T)."""
        width = len(self.scorer.targets)
        if not token_ids:
            return np.empty((0, width), dtype=np.float32)
        answers: list[Any] = []
        batches = self.forward.plan(token_ids, self.budget)
        for batch in batches:
            check()
            answers += self._answers([token_ids[i] for i in batch])
        logits = self.forward.gather(answers)
        in_place = np.empty_like(logits)
        in_place[np.concatenate(batches)] = logits
        return checked(
            self.scorer.reduce(in_place), len(token_ids), self.scorer.targets, scorer=self.scorer.fingerprint
        )

    def _answers(self, token_ids: TokenIds) -> list[Any]:
        """Logits of a batch in one piece, or in as many as memory asks for."""
        tokens = len(token_ids) * max(map(len, token_ids))
        if tokens <= self.budget or len(token_ids) == 1:
            try:
                return [self.forward(token_ids)]
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                if len(token_ids) == 1:
                    got = f"no memory left on {self.device} for one text of {len(token_ids[0])} tokens"
                    fix = "Close other programs, or use a smaller model or another device."
                    raise ModelError("model", got=got, expected="room for one text", fix=fix) from error
            # Outside the handler, so that the failed batch's tensors are free before the halves are tried.
            self.budget = max(1, tokens // 2)
            kept = tuple(note for note in self.notes if not note.startswith("out of memory"))
            self.notes = (*kept, f"out of memory on {self.device}: batches cut to {self.budget} tokens")
            if self.device.startswith("cuda"):
                torch.cuda.empty_cache()
        half = len(token_ids) // 2
        return self._answers(token_ids[:half]) + self._answers(token_ids[half:])


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device or the machine had no room for a batch."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    message = str(error).lower()
    return "out of memory" in message or "can't allocate memory" in message
