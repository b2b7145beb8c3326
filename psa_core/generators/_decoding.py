"""Sample from a causal language model in batches of equal prompt length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Finished rows are taken out of a batch when they are this share of it.
RETIRE_SHARE = 1 / 8


@dataclass(frozen=True, eq=False)
class Decoder:
    """Samples rows of one batch by inverse CDF: one random number a row and step, whatever else is in the batch.

    Attributes
    ----------
    model : transformers causal model
    ends : frozenset of int
        Tokens that end a continuation.
    pad : int
    temperature : float
    """

    model: Any
    ends: frozenset[int]
    pad: int
    temperature: float = 1.0

    def sample(
        self, prompts: Sequence[Sequence[int]], owners: Sequence[int], noise: np.ndarray, check: Callable[[], None]
    ) -> list[list[int]]:
        """New tokens of each row, without the one that ends it.

        Parameters
        ----------
        prompts : sequence of token rows
            The distinct prompts.
        owners : sequence of int, length B
            The prompt of each row.
        noise : float64 array (B, steps)
            In [0, 1).
        check : callable
            Called before each step; may raise.
        """
        import torch

        with torch.inference_mode():
            return self._sample(prompts, owners, torch.from_numpy(noise).to(self.model.device), check)

    def _sample(
        self, prompts: Sequence[Sequence[int]], owners: Sequence[int], noise: Any, check: Callable[[], None]
    ) -> list[list[int]]:
        import torch

        rows, steps = noise.shape
        device = noise.device
        state = self._read(prompts, torch.tensor(owners, device=device), steps)
        ends = torch.tensor(sorted(self.ends), device=device)
        tokens = torch.full((rows, steps), -1, device=device)
        alive = torch.arange(rows, device=device)  # rows of `tokens` that the batch holds
        going = torch.ones(rows, dtype=torch.bool, device=device)
        for step in range(steps):
            check()
            chosen = pick(state.logits, noise[alive, step], self.temperature)
            going &= ~torch.isin(chosen, ends)
            tokens[alive[going], step] = chosen[going]
            left = int(going.sum())
            if left == 0 or step + 1 == steps:
                break
            if left <= (1 - RETIRE_SHARE) * len(alive):
                keep = going.nonzero()[:, 0]
                state.select(keep)
                alive, chosen, going = alive[keep], chosen[keep], going[keep]
            state.advance(self.model, chosen)
        return [[token for token in row if token >= 0] for row in tokens.tolist()]

    def _read(self, prompts: Sequence[Sequence[int]], owners: Any, steps: int) -> _State:
        """Compute the distinct prompts, and give each row a copy with room for its continuation."""
        import torch
        from transformers import DynamicCache

        from psa_core.generators._roomy_cache import with_room

        lengths = torch.tensor([len(prompt) for prompt in prompts], device=owners.device)
        longest = int(lengths.max())
        ids = torch.tensor([[self.pad] * (longest - len(prompt)) + [*prompt] for prompt in prompts])
        mask = (torch.arange(longest, device=owners.device) >= (longest - lengths)[:, None]).long()
        ragged = not bool(mask.all())
        cache = DynamicCache(config=self.model.config)
        places: dict[str, Any] = {}
        if ragged:
            places = {"attention_mask": mask, "position_ids": (mask.cumsum(-1) - 1).clamp(min=0)}
        answer = self.model(
            input_ids=ids.to(owners.device), past_key_values=cache, use_cache=True, logits_to_keep=1, **places
        )
        theirs = (mask[owners], lengths[owners]) if ragged else (None, None)
        return _State(answer.logits[owners, -1], with_room(cache, owners, steps), *theirs)


@dataclass(eq=False)
class _State:
    """A batch between two steps: logits (B, V), keys and values, and where rows differ in length, which are theirs."""

    logits: Any
    cache: Any
    mask: Any
    lengths: Any

    def select(self, keep: Any) -> None:
        """Go on with some of the rows."""
        self.cache.batch_select_indices(keep)
        if self.mask is not None:
            self.mask, self.lengths = self.mask[keep], self.lengths[keep]

    def advance(self, model: Any, chosen: Any) -> None:
        """Put one token at the end of each row."""
        import torch

        places = {}
        if self.mask is not None:
            self.mask = torch.cat([self.mask, torch.ones_like(self.mask[:, :1])], dim=1)
            places = {"attention_mask": self.mask, "position_ids": self.lengths[:, None]}
            self.lengths = self.lengths + 1
        self.logits = model(input_ids=chosen[:, None], past_key_values=self.cache, use_cache=True, **places).logits[
            :, -1
        ]


def pick(logits: Any, noise: Any, temperature: float) -> Any:
    """The token at which the running sum of the probabilities passes the row's random number: int64 (B,).

    Several times faster than ``torch.multinomial``, and a row's token does not depend on its neighbours.
    """
    import torch

    scaled = logits.float()
    weights = torch.exp((scaled - scaled.max(dim=-1, keepdim=True).values) / temperature)
    sums = weights.cumsum(dim=-1)
    wanted = noise[:, None].to(sums.dtype) * sums[:, -1:]
    chosen = torch.searchsorted(sums, wanted, right=True)[:, 0]
    # Rounding may bring the wanted sum to the whole: the last token that has a weight is meant.
    last = torch.searchsorted(sums, sums[:, -1:].contiguous())[:, 0]
    return torch.minimum(chosen, last)
