"""From token ids to logits: with the scorer's own arithmetic, or on a device with no wait between batches."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import DEVICE_LOCKS, pad_id, padded
from psa_core.scoring._allocator import keep_freed_memory

TokenIds = Sequence[Sequence[int]]
Run = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Forward(Protocol):
    """One way to compute logits."""

    def __call__(self, token_ids: TokenIds) -> Any:
        """Logits of one batch (B, L), wherever they are."""
        ...

    def gather(self, batches: list[Any]) -> np.ndarray:
        """Logits of all batches, in their order: float32 array (n, L)."""
        ...


@dataclass(frozen=True)
class ScorerForward:
    """The scorer's own ``forward``: the reference that every other way is compared with."""

    scorer: TokenScorer

    def __call__(self, token_ids: TokenIds) -> np.ndarray:
        """Logits of one batch: float32 array (B, L)."""
        return self.scorer.forward(token_ids)

    def gather(self, batches: list[np.ndarray]) -> np.ndarray:
        """Logits of all batches: float32 array (n, L)."""
        return np.concatenate(batches)


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


def ids_and_mask(token_ids: TokenIds, pad: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one batch and which of their tokens are real: int64 arrays (B, longest)."""
    ids = padded(token_ids, pad)
    lengths = np.fromiter(map(len, token_ids), np.int64, len(token_ids))
    return ids, (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)


class DeviceForward:
    """A transformers model on its device; logits stay there until all batches are under way.

    Parameters
    ----------
    scorer : TransformersScorer
    shorter : {"", "bf16", "tf32"}
        Number format of ``precision="fast"``; empty computes in float32.
    """

    def __init__(self, scorer: Any, shorter: str = "") -> None:
        self.device, self._shorter = scorer.device, shorter
        self._pad = pad_id(scorer.model, scorer.tokenizer)
        self._pinned = self.device.startswith("cuda")
        on_gpu_bf16 = shorter == "bf16" and not self.device.startswith("cpu")
        # On a GPU a copy in bf16 saves the casts of every weight; on a CPU autocast keeps the softmax in float32.
        self._model = copy.deepcopy(scorer.model).to(_bf16()) if on_gpu_bf16 else scorer.model
        self._autocast = shorter == "bf16" and not on_gpu_bf16

    def __call__(self, token_ids: TokenIds) -> Any:
        """Logits of one batch: tensor (B, L) on the device, perhaps not computed yet."""
        import torch

        if self._pad is None and len(token_ids) > 1:
            return torch.cat([self([row]) for row in token_ids])
        ids, mask = ids_and_mask(token_ids, self._pad or 0)
        with DEVICE_LOCKS[self.device], torch.inference_mode(), self._arithmetic():
            return self._model(input_ids=self._sent(ids), attention_mask=self._sent(mask)).logits

    def gather(self, batches: list[Any]) -> np.ndarray:
        """Logits of all batches, copied from the device at once: float32 array (n, L)."""
        import torch

        with torch.inference_mode():
            logits: np.ndarray = torch.cat(batches).float().cpu().numpy()
        return logits

    def _sent(self, array: np.ndarray) -> Any:
        import torch

        tensor = torch.from_numpy(array)
        return (tensor.pin_memory() if self._pinned else tensor).to(self.device, non_blocking=self._pinned)

    def _arithmetic(self) -> AbstractContextManager[Any]:
        import torch

        if self._autocast:
            return torch.autocast("cpu", dtype=_bf16())
        return _Tf32() if self._shorter == "tf32" else nullcontext()


class _Tf32:
    """Let the GPU's matrix products round their factors to TF32, inside a ``with`` only."""

    def __enter__(self) -> None:
        import torch

        self._before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high")

    def __exit__(self, *_: object) -> None:
        import torch

        torch.set_float32_matmul_precision(self._before)


def _bf16() -> Any:
    import torch

    return torch.bfloat16
