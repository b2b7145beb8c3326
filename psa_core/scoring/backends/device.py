"""Run a transformers model on its device, without waiting between batches, optionally in reduced precision."""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from psa_core.models._transformers.classifier import DEVICE_LOCKS, pad_id
from psa_core.scoring.backends.forward import TokenIds, Way, ids_and_mask


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


def short_format(device: str) -> Way:
    """The shorter number format of a device."""
    import torch

    if device.startswith("cuda") and not torch.cuda.is_bf16_supported():
        return TF32
    return BF16


BF16 = Way("bf16", partial(DeviceForward, shorter="bf16"), exact=False)
TF32 = Way("tf32", partial(DeviceForward, shorter="tf32"), exact=False)
