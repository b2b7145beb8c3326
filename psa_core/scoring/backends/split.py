"""Split batches among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from psa_core.models._transformers.classifier import DEVICE_LOCKS, pad_id
from psa_core.scoring._allocator import keep_freed_memory
from psa_core.scoring.backends.forward import TokenIds, Way, ids_and_mask

Run = Callable[[np.ndarray, np.ndarray], np.ndarray]


class SplitForward:
    """Shares a batch by rows among threads that each compute alone.

    Two halves of a batch on one thread each need no barrier inside the model; one batch on two threads has some
    hundred, and waits at each for the slower thread.

    Parameters
    ----------
    run : callable
        From ids and mask, int64 arrays (b, longest), to logits, float32 array (b, L); called by many threads at once.
    pad : int
        Token id that fills short rows.
    threads : int
    prepare : callable, optional
        Called once in each thread.
    """

    def __init__(self, run: Run, pad: int, threads: int, *, prepare: Callable[[], None] | None = None) -> None:
        keep_freed_memory()
        self._compute, self._pad, self._threads = run, pad, threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="forward", initializer=prepare)

    def __call__(self, token_ids: TokenIds) -> np.ndarray:
        """Logits of one batch: float32 array (B, L)."""
        # Every n-th row, so that parts of a batch that is sorted by length are equally long.
        parts = [token_ids[i :: self._threads] for i in range(min(self._threads, len(token_ids)))]
        with DEVICE_LOCKS["cpu"]:
            answers = list(self._pool.map(self._part, parts))
        logits = np.empty((len(token_ids), answers[0].shape[1]), dtype=np.float32)
        for i, answer in enumerate(answers):
            logits[i :: self._threads] = answer
        return logits

    def gather(self, batches: list[np.ndarray]) -> np.ndarray:
        """Logits of all batches: float32 array (n, L)."""
        return np.concatenate(batches)

    def _part(self, token_ids: TokenIds) -> np.ndarray:
        return self._compute(*ids_and_mask(token_ids, self._pad))


def split_torch(scorer: Any) -> SplitForward:
    """The scorer's torch model, one thread for each part of a batch."""
    import torch

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            answer = scorer.model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
            logits: np.ndarray = answer.logits.float().numpy()
        return logits

    pad = pad_id(scorer.model, scorer.tokenizer) or 0
    return SplitForward(run, pad, torch.get_num_threads(), prepare=alone_in_thread)


def alone_in_thread() -> None:
    """Let torch compute on the calling thread alone; the number belongs to the thread, so others keep theirs."""
    import torch

    torch.set_num_threads(1)


SPLIT = Way("torch split", split_torch)
