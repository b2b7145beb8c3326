"""Sample from a causal language model in batches; imported where there is one, since torch takes long to load."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

# Finished rows are taken out of a batch when they are this share of it.
RETIRE_SHARE = 1 / 8


def uniforms(seed: int, stream: str, ks: Sequence[int], steps: int) -> np.ndarray:
    """One number in [0, 1) for each continuation and step, keyed by (seed, template, k, step) and by nothing else.

    The `stream` is the template, `ks` are the numbers of the continuations; more steps go on from fewer. float64 array
    (len(ks), steps).

    Examples
    --------
    >>> few, more = uniforms(0, "I met {value}", [3], 2), uniforms(0, "I met {value}", [7, 3], 4)
    >>> bool((few[0] == more[1, :2]).all())
    True
    """
    digest = hashlib.blake2b(f"{seed}\0{stream}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = np.frombuffer(digest, np.uint64)
    numbers = np.empty((len(ks), steps))
    for row, k in zip(numbers, ks, strict=True):
        counter = np.zeros(4, np.uint64)
        counter[-1] = k  # the low words count the steps
        row[:] = np.random.Generator(np.random.Philox(key=key, counter=counter)).random(steps)
    return numbers


class PreallocatedLayer(DynamicLayer):
    """One layer's key-value cache of some rows, allocated for every step in advance, so that no step copies it.

    It begins with what was `read`, keys and values of the distinct prompts; `owners` (B,) is the prompt of each row,
    and `steps` tokens may follow.
    """

    def __init__(self, read: DynamicLayer, owners: Any, steps: int) -> None:
        super().__init__()
        self.dtype, self.device, self.is_initialized = read.dtype, read.device, True
        self._used = read.get_seq_length()

        def with_room(block: Any) -> Any:
            _, heads, used, width = block.shape
            rows = block.new_empty(len(owners), heads, used + steps, width)
            rows[:, :, :used] = block[owners]
            return rows

        self.keys: Any = with_room(read.keys)
        self.values: Any = with_room(read.values)

    def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
        end = self._used + key_states.shape[-2]
        self.keys[:, :, self._used : end] = key_states
        self.values[:, :, self._used : end] = value_states
        self._used = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_seq_length(self) -> int:
        return self._used

    def batch_select_indices(self, indices: Any) -> None:
        self.keys, self.values = self.keys[indices], self.values[indices]


@dataclass(frozen=True, eq=False)
class Decoder:
    """Samples rows of one batch by inverse CDF: one random number a row and step, whatever else is in the batch.

    `ends` are the tokens that end a continuation; `top_k` 0 and `top_p` 1 leave no token out.
    """

    model: Any
    ends: frozenset[int]
    pad: int
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    @torch.inference_mode()
    def sample(
        self, prompts: Sequence[Sequence[int]], owners: Sequence[int], noise: np.ndarray, check: Callable[[], None]
    ) -> list[list[int]]:
        """New tokens of each row, without the one that ends it.

        `prompts` are the distinct ones, by their tokens; `owners`, length B, is the prompt of each row; `noise`, (B,
        steps) float64, is in [0, 1); `check` is called before each step and may raise.
        """
        (rows, steps), device = noise.shape, self.model.device
        numbers = torch.from_numpy(noise).to(device)
        logits, cache, mask, lengths = self._read(prompts, torch.tensor(owners, device=device), steps)
        ends = torch.tensor(sorted(self.ends), device=device)
        tokens = torch.full((rows, steps), -1, device=device)
        alive = torch.arange(rows, device=device)  # rows of `tokens` that the batch holds
        going = torch.ones(rows, dtype=torch.bool, device=device)
        for step in range(steps):
            check()
            logits = truncated(logits, self.temperature, self.top_k, self.top_p)
            chosen = pick(logits, numbers[alive, step], self.temperature)
            going &= ~torch.isin(chosen, ends)
            tokens[alive[going], step] = chosen[going]
            left = int(going.sum())
            if left == 0 or step + 1 == steps:
                break
            if left <= (1 - RETIRE_SHARE) * len(alive):
                keep = going.nonzero()[:, 0]
                cache.batch_select_indices(keep)
                alive, chosen, going = alive[keep], chosen[keep], going[keep]
                mask, lengths = (None, None) if mask is None else (mask[keep], lengths[keep])
            places = {}
            if mask is not None:
                mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
                places = {"attention_mask": mask, "position_ids": lengths[:, None]}
                lengths = lengths + 1
            answer = self.model(input_ids=chosen[:, None], past_key_values=cache, use_cache=True, **places)
            logits = answer.logits[:, -1]
        return [[token for token in row if token >= 0] for row in tokens.tolist()]

    def _read(self, prompts: Sequence[Sequence[int]], owners: Any, steps: int) -> tuple[Any, Any, Any, Any]:
        """Compute the distinct prompts, and give each row a copy with room for its continuation.

        Logits (B, V), the cache, and where prompts differ in length the rows' mask and lengths, else None.
        """
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=owners.device)
        longest = int(lengths.max())
        ids = torch.tensor([[self.pad] * (longest - len(prompt)) + [*prompt] for prompt in prompts])
        mask = (torch.arange(longest, device=owners.device) >= (longest - lengths)[:, None]).long()
        ragged = not bool(mask.all())
        cache: Any = DynamicCache(config=self.model.config)
        places: dict[str, Any] = {}
        if ragged:
            places = {"attention_mask": mask, "position_ids": (mask.cumsum(-1) - 1).clamp(min=0)}
        answer = self.model(
            input_ids=ids.to(owners.device), past_key_values=cache, use_cache=True, logits_to_keep=1, **places
        )
        if all(type(layer) is DynamicLayer for layer in cache.layers):
            cache.layers = [PreallocatedLayer(layer, owners, steps) for layer in cache.layers]
        else:  # other kinds of layers stay what they are
            cache.batch_select_indices(owners)
        theirs = (mask[owners], lengths[owners]) if ragged else (None, None)
        return answer.logits[owners, -1], cache, *theirs


def truncated(logits: Any, temperature: float, top_k: int, top_p: float) -> Any:
    """Logits (B, V) with −∞ for tokens beyond the `top_k` most probable, or beyond those that hold `top_p`.

    The most probable token always stays, and so does the one with which the sum reaches `top_p`.
    """
    if 0 < top_k < logits.shape[-1]:
        least = torch.topk(logits, top_k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    if top_p < 1:
        ordered, order = torch.sort(logits.float() / temperature, dim=-1, descending=True)
        shares = torch.softmax(ordered, dim=-1)
        beyond = shares.cumsum(dim=-1) - shares >= top_p
        logits = logits.masked_fill(beyond.scatter(-1, order, beyond), -torch.inf)
    return logits


def pick(logits: Any, noise: Any, temperature: float) -> Any:
    """The token at which the running sum of the probabilities passes the row's random number: int64 (B,).

    Several times faster than ``torch.multinomial``, and a row's token does not depend on its neighbours.
    """
    scaled = logits.float()
    weights = torch.exp((scaled - scaled.max(dim=-1, keepdim=True).values) / temperature)
    sums = weights.cumsum(dim=-1)
    cutoffs = noise[:, None].to(sums.dtype) * sums[:, -1:]
    chosen = torch.searchsorted(sums, cutoffs, right=True)[:, 0]
    # Rounding may bring the wanted sum to the whole: the last token that has a weight is meant.
    last = torch.searchsorted(sums, sums[:, -1:].contiguous())[:, 0]
    return torch.minimum(chosen, last)
