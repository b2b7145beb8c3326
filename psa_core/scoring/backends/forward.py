"""Score batches of token ids, and the ways to compute their logits: the scorer's own, on a device, among threads."""

from __future__ import annotations

import copy
import ctypes
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from psa_core.errors import ModelError
from psa_core.models import TokenScorer
from psa_core.models._transformers.classifier import DEVICE_LOCKS, ids_and_mask, in_batches, pad_id
from psa_core.scoring._base import Backend, Check, checked

TokenIds = Sequence[Sequence[int]]
Run = Callable[[np.ndarray, np.ndarray], Any]
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MEBIBYTE = 1 << 20


class Forward:
    """One way to compute logits; this one, the scorer's own ``forward``, is what every other is compared with."""

    def __init__(self, scorer: TokenScorer) -> None:
        self.scorer = scorer

    def __call__(self, token_ids: TokenIds) -> Any:
        """Logits of one batch (B, L), wherever they are."""
        return self.scorer.forward(token_ids)

    def plan(self, token_ids: TokenIds, budget: int) -> list[np.ndarray]:
        """The batches that suit it: positions of rows, each batch at most `budget` tokens with padding, or one row."""
        # The longest come first, so that a batch that does not fit into memory shows at once.
        return in_batches(token_ids, budget, np.argsort([-len(row) for row in token_ids], kind="stable"))

    def gather(self, batches: list[Any]) -> np.ndarray:
        """Logits of all batches, in their order: float32 array (n, L)."""
        return np.concatenate(batches)


@dataclass(frozen=True)
class Way:
    """A way to compute logits that may serve a model; it is compared with the scorer's own before it is trusted.

    `make` goes from a scorer to its `Forward`. A shorter number format is not `exact`, and used only when it was asked
    for. `failures` are the exceptions by which making or running it says that it cannot serve here.
    """

    name: str
    make: Callable[[Any], Forward]
    exact: bool = True
    failures: Callable[[], tuple[type[Exception], ...]] = tuple


class DeviceForward(Forward):
    """A transformers model on its device; logits stay there until all batches are under way.

    `shorter` is the number format of ``precision="fast"``, ``bf16`` or ``tf32``; empty computes in float32. A `run` in
    place of the model goes from ids and mask, int64 arrays (B, longest), to logits, a tensor (B, L) on the device.
    """

    def __init__(self, scorer: Any, shorter: str = "", run: Run | None = None) -> None:
        self.device, self._shorter = scorer.device, shorter
        self._pad = pad_id(scorer.model, scorer.tokenizer)
        on_gpu_bf16 = shorter == "bf16" and not self.device.startswith("cpu")
        # On a GPU a copy in bf16 saves the casts of every weight; on a CPU autocast keeps the softmax in float32.
        model = copy.deepcopy(scorer.model).to(torch.bfloat16) if on_gpu_bf16 else scorer.model
        self._autocast = shorter == "bf16" and not on_gpu_bf16
        self._run = run or run_of(model)

    def __call__(self, token_ids: TokenIds) -> Any:
        if self._pad is None and len(token_ids) > 1:
            return torch.cat([self([row]) for row in token_ids])
        with DEVICE_LOCKS[self.device], torch.inference_mode(), self._arithmetic():
            return self._run(*ids_and_mask(token_ids, self._pad or 0))

    def gather(self, batches: list[Any]) -> np.ndarray:
        with torch.inference_mode():
            logits: np.ndarray = torch.cat(batches).float().cpu().numpy()
        return logits

    def _arithmetic(self) -> AbstractContextManager[Any]:
        if self._autocast:
            return torch.autocast("cpu", dtype=torch.bfloat16)
        return _tf32() if self._shorter == "tf32" else nullcontext()


def run_of(model: Any) -> Run:
    """From ids and mask, int64 arrays (B, longest), to a transformers model's logits, a tensor (B, L) on its device."""
    return lambda ids, mask: model(input_ids=sent(ids, model.device), attention_mask=sent(mask, model.device)).logits


def sent(array: np.ndarray, device: str | torch.device) -> torch.Tensor:
    """A copy of an array on a device; to a GPU it travels while the next operations are asked for."""
    tensor, device = torch.from_numpy(array), torch.device(device)
    pinned = device.type == "cuda" and torch.cuda.is_available()
    return (tensor.pin_memory() if pinned else tensor).to(device, non_blocking=pinned)


@contextmanager
def _tf32() -> Iterator[None]:
    """Let the GPU's matrix products round their factors to TF32."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def short_format(device: str) -> Way:
    """The shorter number format of a device."""
    shorter = "tf32" if device.startswith("cuda") and not torch.cuda.is_bf16_supported() else "bf16"
    return Way(shorter, partial(DeviceForward, shorter=shorter), exact=False)


class SplitForward(Forward):
    """Shares a batch by rows among threads that each compute alone.

    Two halves of a batch on one thread each need no barrier inside the model; one batch on two threads has some
    hundred, and waits at each for the slower thread. `run` goes from ids and mask, int64 arrays (b, longest), to
    logits (b, L) on the processor, in many threads at once. In each of them torch computes on that thread alone: the
    number belongs to the thread, so others keep theirs.
    """

    def __init__(self, scorer: Any, run: Run) -> None:
        keep_freed_memory()
        self._compute, self._pad = run, pad_id(scorer.model, scorer.tokenizer) or 0
        self._threads = torch.get_num_threads()
        alone = partial(torch.set_num_threads, 1)
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="forward", initializer=alone)

    def __call__(self, token_ids: TokenIds) -> np.ndarray:
        # Every n-th row, so that parts of a batch that is sorted by length are equally long.
        parts = [token_ids[i :: self._threads] for i in range(min(self._threads, len(token_ids)))]
        with DEVICE_LOCKS["cpu"]:
            answers = list(self._pool.map(self._part, parts))
        logits = np.empty((len(token_ids), answers[0].shape[1]), dtype=np.float32)
        for i, answer in enumerate(answers):
            logits[i :: self._threads] = answer
        return logits

    def _part(self, token_ids: TokenIds) -> np.ndarray:
        with torch.inference_mode():
            return np.asarray(self._compute(*ids_and_mask(token_ids, self._pad)))


SPLIT = Way("torch split", lambda scorer: SplitForward(scorer, run_of(scorer.model)))


@functools.cache
def keep_freed_memory() -> bool:
    """Let the C library keep up to 256 MiB a thread that were freed; whether it could be asked to.

    By default it gives a freed block of megabytes back to the system, and the next batch waits while its pages are
    handed out and zeroed again: of a small encoder's time 5 %, and up to 25 % in a process that has done other work.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False  # macOS, Windows and musl have no such setting
    # Setting one switches off the library's own adaptation of the other, so both are set; 32 MiB is the most allowed.
    return bool(mallopt(_MMAP_THRESHOLD, 32 * _MEBIBYTE)) and bool(mallopt(_TRIM_THRESHOLD, 256 * _MEBIBYTE))


@dataclass
class TokenBackend(Backend):
    """Scores texts as batches of token ids, by the scorer's own `forward` or a faster one that was verified.

    A batch has at most `budget` tokens, padding counted; it is cut for good when the device runs out of memory.
    """

    scorer: TokenScorer
    forward: Forward
    budget: int
    window_texts: int
    name: str = "torch"
    precision: str = "exact"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.device = self.scorer.device

    def read(self, texts: Sequence[str]) -> list[list[int]]:
        token_ids = self.scorer.tokenize(texts)
        # Only a text that fills the model's limit can have been cut, so only those are read in full.
        full = [text for text, row in zip(texts, token_ids, strict=True) if len(row) >= self.scorer.max_tokens]
        if full:
            self.truncated += int(self.scorer.truncated(full).sum())
        return token_ids

    def score(self, token_ids: list[list[int]], check: Check) -> np.ndarray:
        if not token_ids:
            return np.empty((0, len(self.scorer.targets)), dtype=np.float32)
        answers: list[Any] = []
        batches = self.forward.plan(token_ids, self.budget)
        for batch in batches:
            check()
            answers += self._answers([token_ids[i] for i in batch])
        logits = self.forward.gather(answers)
        in_place = np.empty_like(logits)
        in_place[np.concatenate(batches)] = logits
        scores = self.scorer.reduce(in_place)
        return checked(scores, len(token_ids), self.scorer.targets, scorer=self.scorer.fingerprint)

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
